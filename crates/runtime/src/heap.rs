//! Shadows follow reallocated heap blocks.
//!
//! How much of a block's shadow has to move is known before the program reallocates it, from the
//! allocator's `malloc_usable_size`. An allocator of the program's own may come without; the C
//! library's function must then not be asked about blocks it never made, and the size is unknown.

use core::{
    arch::asm,
    ffi::c_void,
    mem, ptr,
    sync::atomic::{AtomicUsize, Ordering::Relaxed},
};

use crate::shadows;

/// Stands for a size that cannot be had: as much as the new block holds is moved. What lies behind
/// the old block is then moved too, and not believed, because loads check shadows against values.
const UNKNOWN: usize = usize::MAX;

type UsableSize = unsafe extern "C" fn(*mut c_void) -> usize;

/// The allocator's `malloc_usable_size`, or 0.
static USABLE_SIZE: AtomicUsize = AtomicUsize::new(0);

/// Looks for the allocator's function; to be called once.
pub fn find_allocator() {
    // Weak references: a strong one would pull the C library's allocator into a statically linked
    // program that has its own, and clash with it.
    let (allocate, usable_size): (usize, usize);
    unsafe {
        asm!(
            ".weak malloc",
            ".weak malloc_usable_size",
            "mov {0}, qword ptr [rip + malloc@GOTPCREL]",
            "mov {1}, qword ptr [rip + malloc_usable_size@GOTPCREL]",
            out(reg) allocate,
            out(reg) usable_size,
            options(pure, readonly, nostack, preserves_flags),
        );
    }
    if usable_size != 0 && file_of(allocate) == file_of(usable_size) {
        USABLE_SIZE.store(usable_size, Relaxed);
    }
}

/// The start of the loaded file that holds `address`; null in a statically linked program.
fn file_of(address: usize) -> *mut c_void {
    let mut info = libc::Dl_info {
        dli_fname: ptr::null(),
        dli_fbase: ptr::null_mut(),
        dli_sname: ptr::null(),
        dli_saddr: ptr::null_mut(),
    };
    unsafe { libc::dladdr(address as *const c_void, &mut info) };
    info.dli_fbase
}

pub unsafe fn size(block: *mut c_void) -> usize {
    if block.is_null() {
        return 0;
    }
    match USABLE_SIZE.load(Relaxed) {
        0 => UNKNOWN,
        // SAFETY: the address was that of `malloc_usable_size`, and the program is about to pass
        // `block` to the same allocator's `realloc`.
        function => unsafe { mem::transmute::<usize, UsableSize>(function)(block) },
    }
}

pub unsafe fn moved(new: usize, old: usize, old_bytes: usize, new_bytes: usize) {
    if new != 0 && old != 0 {
        unsafe { shadows::copy(new, old, old_bytes.min(new_bytes)) };
    }
}
