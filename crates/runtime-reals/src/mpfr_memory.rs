//! Gives GMP and MPFR memory from our arena instead of the program's heap.

use core::ffi::c_void;

use gmp_mpfr_sys::gmp;

use crate::arena;

/// Call once, after the arena is reserved and before any use of MPFR.
pub fn prepare() {
    // SAFETY: `start::ensure_started` calls this before any thread uses GMP, so no block of another allocator is freed here.
    unsafe { gmp::set_memory_functions(Some(allocate), Some(reallocate), Some(free)) };
}

// GMP calls these three after `prepare`, hence after `shared::reserve`.

extern "C" fn allocate(bytes: usize) -> *mut c_void {
    // SAFETY: the arena is reserved.
    unsafe { arena::allocate(bytes) }.cast()
}

extern "C" fn reallocate(block: *mut c_void, bytes: usize, wanted: usize) -> *mut c_void {
    // SAFETY: GMP passes a block that it got from `allocate` and its size.
    unsafe { arena::reallocate(block.cast(), bytes, wanted) }.cast()
}

extern "C" fn free(block: *mut c_void, bytes: usize) {
    // SAFETY: GMP passes a block that it got from `allocate` and its size.
    unsafe { arena::free(block.cast(), bytes) }
}
