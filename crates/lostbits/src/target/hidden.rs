//! Symbols of loaded libraries that the dynamic linker does not know.
//!
//! A linker's version script (`local: *`, as rustc gives it for a `cdylib`) hides the runtime that is linked into a library, although
//! lostbits asks to export it. The library's symbol table still has it, unless the library is stripped.

use std::ffi::{CStr, OsStr, c_int, c_void};
use std::os::unix::ffi::OsStrExt;

use object::{Object, ObjectSymbol};

/// The address of a symbol that some loaded library defines; the first that was loaded counts.
pub fn symbol(name: &str) -> Option<*mut c_void> {
    let mut wanted = Wanted { name, found: None };
    // SAFETY: the callback gets a pointer to `wanted`, which outlives the call and is used by nothing else meanwhile.
    unsafe { libc::dl_iterate_phdr(Some(visit), (&raw mut wanted).cast()) };
    wanted.found
}

struct Wanted<'a> {
    name: &'a str,
    found: Option<*mut c_void>,
}

unsafe extern "C" fn visit(
    info: *mut libc::dl_phdr_info,
    _size: usize,
    wanted: *mut c_void,
) -> c_int {
    // SAFETY: the dynamic linker gives a valid description with a C string; `wanted` is that of `symbol`.
    let (info, wanted) = unsafe { (&*info, &mut *wanted.cast::<Wanted>()) };
    // SAFETY: as above.
    let path = unsafe { CStr::from_ptr(info.dlpi_name) };
    if let Some(offset) = offset(OsStr::from_bytes(path.to_bytes()), wanted.name) {
        let address = (info.dlpi_addr + offset) as usize;
        wanted.found = Some(std::ptr::with_exposed_provenance_mut(address));
    }
    c_int::from(wanted.found.is_some())
}

/// Of a symbol that a file defines, from where the file is loaded.
fn offset(path: &OsStr, name: &str) -> Option<u64> {
    // The program itself has no name here: it is lostbits.
    let contents = std::fs::read(path).ok()?;
    let file = object::File::parse(&*contents).ok()?;
    let is_it = |symbol: &object::Symbol| symbol.is_definition() && symbol.name() == Ok(name);
    file.symbols().find(is_it).map(|symbol| symbol.address())
}
