//! What must be there before the first number.

use core::sync::atomic::{AtomicU32, Ordering::Acquire, Ordering::Relaxed, Ordering::Release};

use lostbits_runtime::sys;

use crate::{gmp_routines, memory, mpfr_memory, settings, shared};

const NOT_READY: u32 = 0;
const IN_THE_MAKING: u32 = 1;
const READY: u32 = 2;

static STATE: AtomicU32 = AtomicU32::new(NOT_READY);

/// Cheap when it was done.
#[inline]
pub fn once() {
    if STATE.load(Acquire) != READY {
        first();
    }
}

#[cold]
fn first() {
    match STATE.compare_exchange(NOT_READY, IN_THE_MAKING, Acquire, Relaxed) {
        Ok(_) => {
            shared::reserve();
            settings::read();
            mpfr_memory::prepare();
            gmp_routines::choose();
            memory::prepare();
            STATE.store(READY, Release);
        }
        Err(_) => {
            while STATE.load(Acquire) != READY {
                sys::yield_processor();
            }
        }
    }
}
