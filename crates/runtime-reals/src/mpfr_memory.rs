//! MPFR inside someone else's program: its memory is ours, not the program's.

use core::ffi::c_void;

use gmp_mpfr_sys::gmp;

use crate::arena;

/// To be called once, before MPFR is and when the arena is there.
pub fn prepare() {
    // SAFETY: nobody has used GMP yet.
    unsafe { gmp::set_memory_functions(Some(allocate), Some(reallocate), Some(free)) };
}

// SAFETY of the three: GMP calls them with blocks it has from them, after `prepare`.

extern "C" fn allocate(bytes: usize) -> *mut c_void {
    unsafe { arena::allocate(bytes) }.cast()
}

extern "C" fn reallocate(block: *mut c_void, bytes: usize, wanted: usize) -> *mut c_void {
    unsafe { arena::reallocate(block.cast(), bytes, wanted) }.cast()
}

extern "C" fn free(block: *mut c_void, bytes: usize) {
    unsafe { arena::free(block.cast(), bytes) }
}
