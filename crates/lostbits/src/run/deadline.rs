//! A limit on how long a program may run.

use std::{
    sync::mpsc::{self, RecvTimeoutError, Sender},
    thread::{self, JoinHandle},
    time::Duration,
};

/// Asks a process to end (SIGTERM) when the time is over, unless it is dropped before.
pub struct Deadline {
    cancel: Option<Sender<()>>,
    waiting: Option<JoinHandle<()>>,
}

impl Deadline {
    pub fn start(process: u32, timeout: Duration) -> Deadline {
        let (cancel, cancelled) = mpsc::channel();
        let wait = move || {
            if cancelled.recv_timeout(timeout) == Err(RecvTimeoutError::Timeout) {
                // SAFETY: `kill` touches no memory; the deadline ends before the process is forgotten.
                unsafe { libc::kill(process as libc::pid_t, libc::SIGTERM) };
            }
        };
        Deadline {
            cancel: Some(cancel),
            waiting: Some(thread::spawn(wait)),
        }
    }
}

impl Drop for Deadline {
    fn drop(&mut self) {
        drop(self.cancel.take());
        let _ = self.waiting.take().map(JoinHandle::join);
    }
}
