//! Initialisation before the first number.

use core::sync::atomic::{AtomicU32, Ordering::Acquire, Ordering::Relaxed, Ordering::Release};

use lostbits_runtime::sys;

use crate::{gmp_routines, memory, mpfr_memory, settings, shared};

const NOT_READY: u32 = 0;
const STARTING: u32 = 1;
const READY: u32 = 2;

static STATE: AtomicU32 = AtomicU32::new(NOT_READY);

/// Initialises the runtime, once; cheap afterwards.
#[inline]
pub fn ensure_started() {
    if STATE.load(Acquire) != READY {
        initialise();
    }
}

#[cold]
fn initialise() {
    match STATE.compare_exchange(NOT_READY, STARTING, Acquire, Relaxed) {
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
