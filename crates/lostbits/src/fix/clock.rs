//! When a search ends: its time is up, or the user presses Ctrl-C. Both give the best repair so far.

use std::{
    sync::atomic::{AtomicBool, Ordering::Relaxed},
    time::{Duration, Instant},
};

/// Set when the user interrupts.
static INTERRUPTED: AtomicBool = AtomicBool::new(false);

/// Ctrl-C ends the search, not the report; a second one ends the process.
pub fn listen_for_interrupts() {
    extern "C" fn on_interrupt(_: i32) {
        INTERRUPTED.store(true, Relaxed);
        // SAFETY: `signal` may be called in a handler.
        unsafe {
            libc::signal(libc::SIGINT, libc::SIG_DFL);
        }
    }
    // SAFETY: the handler only sets a flag and restores the default.
    unsafe {
        libc::signal(
            libc::SIGINT,
            on_interrupt as *const () as libc::sighandler_t,
        );
    }
}

pub fn is_interrupted() -> bool {
    INTERRUPTED.load(Relaxed)
}

/// The time of one search.
pub struct Clock {
    start: Instant,
    limit: Option<Duration>,
}

impl Clock {
    pub fn new(seconds: Option<f64>) -> Clock {
        Clock {
            start: Instant::now(),
            limit: seconds.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok()),
        }
    }

    pub fn is_over(&self) -> bool {
        is_interrupted() || self.limit.is_some_and(|limit| self.start.elapsed() > limit)
    }
}
