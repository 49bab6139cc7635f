//! A limit on how long a program may run.

use std::{
    path::PathBuf,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering::SeqCst},
        mpsc::{self, RecvTimeoutError, Sender},
    },
    thread::{self, JoinHandle},
    time::Duration,
};

use super::guardian;

/// Acts when the time is over, unless it is dropped before.
pub struct Deadline {
    cancel: Option<Sender<()>>,
    waiting: Option<JoinHandle<()>>,
    is_over: Arc<AtomicBool>,
}

impl Deadline {
    /// Asks a process to end (SIGTERM).
    pub fn asking(process: u32, timeout: Duration) -> Deadline {
        Deadline::start(timeout, move || {
            // SAFETY: `kill` touches no memory; the deadline ends before the process is forgotten.
            unsafe { libc::kill(process as libc::pid_t, libc::SIGTERM) };
        })
    }

    /// Kills all processes that leave their records in a folder, whichever group or session they are in.
    pub fn killing(folder: PathBuf, timeout: Duration) -> Deadline {
        Deadline::start(timeout, move || guardian::end_processes(&[folder]))
    }

    fn start(timeout: Duration, act: impl FnOnce() + Send + 'static) -> Deadline {
        let (cancel, cancelled) = mpsc::channel();
        let is_over = Arc::new(AtomicBool::new(false));
        let flag = Arc::clone(&is_over);
        let wait = move || {
            if cancelled.recv_timeout(timeout) == Err(RecvTimeoutError::Timeout) {
                flag.store(true, SeqCst);
                act();
            }
        };
        Deadline {
            cancel: Some(cancel),
            waiting: Some(thread::spawn(wait)),
            is_over,
        }
    }

    /// Whether it acted.
    pub fn is_over(&self) -> bool {
        self.is_over.load(SeqCst)
    }
}

impl Drop for Deadline {
    fn drop(&mut self) {
        drop(self.cancel.take());
        let _ = self.waiting.take().map(JoinHandle::join);
    }
}
