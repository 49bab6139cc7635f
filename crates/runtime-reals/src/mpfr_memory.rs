//! MPFR inside someone else's program: its memory is ours, not the program's.

use core::{
    ffi::c_void,
    sync::atomic::{AtomicU32, Ordering::Acquire, Ordering::Relaxed, Ordering::Release},
};

use gmp_mpfr_sys::gmp;
use lostbits_runtime::sys;

use crate::arena;

const NOT_READY: u32 = 0;
const IN_THE_MAKING: u32 = 1;
const READY: u32 = 2;

static STATE: AtomicU32 = AtomicU32::new(NOT_READY);

/// To be called before MPFR is; cheap when it was.
#[inline]
pub fn prepare() {
    if STATE.load(Acquire) != READY {
        prepare_once();
    }
}

#[cold]
fn prepare_once() {
    match STATE.compare_exchange(NOT_READY, IN_THE_MAKING, Acquire, Relaxed) {
        Ok(_) => {
            arena::reserve();
            // SAFETY: nobody has used GMP yet, because all come here first.
            unsafe {
                gmp::set_memory_functions(Some(allocate), Some(reallocate), Some(free));
            }
            STATE.store(READY, Release);
        }
        Err(_) => {
            while STATE.load(Acquire) != READY {
                sys::yield_processor();
            }
        }
    }
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
