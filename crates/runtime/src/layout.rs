//! Starts the program once more where Linux arranged its memory so that shadows have no room.
//!
//! That happens with `ulimit -s unlimited`, where libraries are mapped below the executable, and on kernels that randomise
//! addresses by more than 28 bits. The program is executed again with a limited stack and without randomisation, as
//! ThreadSanitizer does. Only constructors have run by then. It cannot be done for a library that is loaded later: the program
//! would do twice what it did before.

use core::ptr;

use crate::sys::{self, Backing, File, Place};

/// The stack of a program that had no limit. Every thread gets as much address space, so it cannot be all there is.
const LARGE_STACK: u64 = 16 << 30;

/// Room for the arguments and the environment, which Linux limits to 6 MiB together, and for pointers to them.
const TEXT_BYTES: usize = 8 << 20;
const POINTERS_BYTES: usize = 32 << 20;

/// Executes the program again, if `module` belongs to the executable and another layout can be had; otherwise returns.
pub fn execute_again(module: usize) {
    // Valgrind would run the program without itself.
    if !is_in_executable(module) || sys::is_under_valgrind() {
        return;
    }
    let was_limited = !sys::is_stack_unlimited() || sys::limit_stack(LARGE_STACK).is_err();
    if sys::stop_randomising() || !was_limited {
        execute();
    }
}

/// Whether an address is within the 2 GiB from the executable's headers on.
fn is_in_executable(module: usize) -> bool {
    const AT_PHDR: u64 = 3;
    let mut words = [0u64; 64];
    // SAFETY: the bytes of the array.
    let bytes =
        unsafe { core::slice::from_raw_parts_mut(words.as_mut_ptr().cast(), size_of_val(&words)) };
    let read = File::open(b"/proc/self/auxv\0", libc::O_RDONLY).and_then(|file| file.read(bytes));
    let mut entries = words.as_chunks::<2>().0.iter();
    let headers = entries.find(|entry| entry[0] == AT_PHDR);
    let is_near = |entry: &[u64; 2]| module.wrapping_sub(entry[1] as usize) < 1 << 31;
    read.is_ok() && headers.is_some_and(is_near)
}

/// Returns if anything fails.
fn execute() {
    // SAFETY: new memory, replacing none.
    let (text, pointers) = unsafe {
        match (
            sys::map(Place::Anywhere, 2 * TEXT_BYTES, Backing::Memory),
            sys::map(Place::Anywhere, POINTERS_BYTES, Backing::Memory),
        ) {
            (Ok(text), Ok(pointers)) => (text, pointers),
            _ => return,
        }
    };
    let mut program = [0u8; libc::PATH_MAX as usize];
    if sys::read_link(b"/proc/self/exe\0", &mut program).is_err() {
        return;
    }
    let arguments = pointers as *mut usize;
    // SAFETY: each text has half of the memory, and there are as many pointers as the memory can hold strings that Linux
    // accepts; lists and strings end with zeros, since new memory is zero.
    unsafe {
        let Some(count) = strings(b"/proc/self/cmdline\0", text, arguments) else {
            return;
        };
        let environment = arguments.add(count + 1);
        if strings(b"/proc/self/environ\0", text + TEXT_BYTES, environment).is_some() {
            sys::execute(&program, arguments as usize, environment as usize);
        }
    }
}

/// Reads the NUL-terminated strings of a file to `text`, and writes their addresses to `list`; returns their number.
///
/// # Safety
///
/// There are [`TEXT_BYTES`] of zeros at `text`, and room for an address for each string and a null.
unsafe fn strings(path: &[u8], text: usize, list: *mut usize) -> Option<usize> {
    let file = File::open(path, libc::O_RDONLY).ok()?;
    // SAFETY: the caller's promise; the last byte stays zero.
    let buffer = unsafe { core::slice::from_raw_parts_mut(text as *mut u8, TEXT_BYTES - 1) };
    let mut length = 0;
    while let Some(rest) = buffer.get_mut(length..).filter(|rest| !rest.is_empty()) {
        match file.read(rest) {
            Ok(0) => break,
            Ok(read) => length += read,
            Err(_) => return None,
        }
    }
    let mut count = 0;
    let mut start = 0;
    while start < length {
        // SAFETY: the caller's promise.
        unsafe { ptr::write(list.add(count), text + start) };
        count += 1;
        start += buffer[start..].iter().position(|byte| *byte == 0)? + 1;
    }
    // SAFETY: as above.
    unsafe { ptr::write(list.add(count), 0) };
    Some(count)
}
