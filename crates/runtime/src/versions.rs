//! Refuses a process that mixes code of two ABI versions.
//!
//! Within one executable or library the linker does it: the symbol by which a module registers carries the version. A
//! library of another version brings its own runtime, whose shadow planes would overlap ours; it is recognised by
//! the marker that the first runtime of the process leaves ([`crate::planes`]). From then on nothing the two compute can be
//! trusted, so the process ends with a sentence that names the older file.

use core::{
    ffi::{CStr, c_void},
    ptr,
};

use crate::{sentence::Sentence, sys};

/// Code of one ABI version.
#[derive(Clone, Copy)]
pub struct Part {
    pub abi: u32,
    /// An address within the file it was loaded from; 0 if unknown.
    pub address: usize,
}

pub fn refuse_mixture(a: Part, b: Part) -> ! {
    let (older, newer) = if a.abi < b.abi { (a, b) } else { (b, a) };
    let mut sentence = Sentence::new();
    sentence.add(b"lostbits: ");
    sentence.add(file(older).unwrap_or(b"part of this program"));
    sentence.add(b" was built by lostbits with ABI ");
    sentence.add_number(older.abi);
    sentence.add(b", ");
    sentence.add(file(newer).unwrap_or(b"the rest"));
    sentence.add(b" with ABI ");
    sentence.add_number(newer.abi);
    sentence.add(b": rebuild ");
    sentence.add(file(older).unwrap_or(b"it and its libraries"));
    sentence.add(b" with the newer lostbits.\n");
    sys::give_up(sentence.bytes());
}

/// The file that a part was loaded from, if it is known.
fn file(part: Part) -> Option<&'static [u8]> {
    let name = file_of(part.address).dli_fname;
    // SAFETY: `dladdr` returns the loader's own NUL-terminated string, which lives as long as the file is loaded.
    (!name.is_null()).then(|| unsafe { CStr::from_ptr(name) }.to_bytes())
}

/// The loaded file that holds `address`; all fields are null in a statically linked program.
pub fn file_of(address: usize) -> libc::Dl_info {
    let mut info = libc::Dl_info {
        dli_fname: ptr::null(),
        dli_fbase: ptr::null_mut(),
        dli_sname: ptr::null(),
        dli_saddr: ptr::null_mut(),
    };
    // SAFETY: `dladdr` accepts any address and writes only `info`.
    unsafe { libc::dladdr(address as *const c_void, &mut info) };
    info
}
