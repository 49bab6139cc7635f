//! A lock for the little state the runtime has.
//!
//! It is held for moments only, while a module is loaded or unloaded, and with signals blocked: a signal
//! handler that loads a library can thus never meet the lock held by the very thread it interrupted.
//!
//! It is not held across a fork. To take it before and give it back after would be the textbook's way,
//! but the C library forgets the handler that gives it back if the library that holds this copy of the
//! runtime is unloaded meanwhile. So the child may find the lock in the hands of a thread that does not
//! exist there, and takes it over; what the lock guards is kept fit to be read at any moment.

use core::{
    cell::UnsafeCell,
    sync::atomic::{
        AtomicBool,
        Ordering::{Acquire, Relaxed, Release},
    },
};

use crate::sys::{self, SignalMask};

pub struct Lock<T> {
    held: AtomicBool,
    value: UnsafeCell<T>,
}

// SAFETY: `value` is touched by the holder only.
unsafe impl<T> Sync for Lock<T> {}

impl<T> Lock<T> {
    pub const fn new(value: T) -> Self {
        Lock {
            held: AtomicBool::new(false),
            value: UnsafeCell::new(value),
        }
    }

    pub fn with(&self, action: impl FnOnce(&mut T)) {
        let mask = sys::block_signals(SignalMask::MAX);
        while self
            .held
            .compare_exchange_weak(false, true, Acquire, Relaxed)
            .is_err()
        {
            sys::yield_processor();
        }
        self.use_and_release(action, mask);
    }

    /// # Safety
    ///
    /// Only in the child of a fork, while it has one thread, and that thread does not hold the lock.
    pub unsafe fn take_over(&self, action: impl FnOnce(&mut T)) {
        let mask = sys::block_signals(SignalMask::MAX);
        self.held.store(true, Relaxed);
        self.use_and_release(action, mask);
    }

    fn use_and_release(&self, action: impl FnOnce(&mut T), mask: SignalMask) {
        // SAFETY: this thread has just come to hold the lock.
        action(unsafe { &mut *self.value.get() });
        self.held.store(false, Release);
        sys::block_signals(mask);
    }
}
