//! A limit on how long a program may run.

use std::{
    fs,
    path::PathBuf,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering::SeqCst},
        mpsc::{self, RecvTimeoutError, Sender},
    },
    thread::{self, JoinHandle},
    time::{Duration, Instant},
};

use super::guardian;

const TICK: Duration = Duration::from_millis(20);
/// A process that gets less than this part of a processor waits for something else.
const LEAST_SHARE: u32 = 100;
const MOST_WAITING: u32 = 30;

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

    /// Kills all processes that leave their records in a folder, whichever group or session they are in, when `process` has
    /// used this much processor time: what others do on the machine must not change a verdict. A process that waits instead
    /// is killed after that much time, and any after [`MOST_WAITING`] times as much.
    pub fn killing(process: u32, folder: PathBuf, limit: Duration) -> Deadline {
        let start = Instant::now();
        let is_time = move || {
            let (used, passed) = (processor_time(process), start.elapsed());
            let waits = used < passed / LEAST_SHARE;
            used >= limit || (waits && passed >= limit) || passed >= limit * MOST_WAITING
        };
        Deadline::begin(TICK, is_time, move || guardian::end_processes(&[folder]))
    }

    fn start(timeout: Duration, act: impl FnOnce() + Send + 'static) -> Deadline {
        Deadline::begin(timeout, || true, act)
    }

    /// Acts as soon as it is time, which is asked in turns.
    fn begin(
        turn: Duration,
        is_time: impl Fn() -> bool + Send + 'static,
        act: impl FnOnce() + Send + 'static,
    ) -> Deadline {
        let (cancel, cancelled) = mpsc::channel();
        let is_over = Arc::new(AtomicBool::new(false));
        let flag = Arc::clone(&is_over);
        let wait = move || {
            while cancelled.recv_timeout(turn) == Err(RecvTimeoutError::Timeout) {
                if is_time() {
                    flag.store(true, SeqCst);
                    return act();
                }
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

/// User and system time of a process and of the children that it has waited for; zero once it has ended.
fn processor_time(process: u32) -> Duration {
    let text = fs::read_to_string(format!("/proc/{process}/stat")).unwrap_or_default();
    // The name, in parentheses, may contain anything; 11 fields lie between it and the times.
    let fields = text.rsplit(')').next().unwrap_or_default();
    let times = fields.split_whitespace().skip(11).take(4);
    let ticks: u64 = times.filter_map(|time| time.parse::<u64>().ok()).sum();
    // SAFETY: asks for a constant.
    let rate = unsafe { libc::sysconf(libc::_SC_CLK_TCK) }.max(1) as u64;
    Duration::from_millis(ticks * 1000 / rate)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn processor_time_is_read() {
        let own = std::process::id();
        while processor_time(own).is_zero() {
            std::hint::black_box(own);
        }
        assert_eq!(processor_time(u32::MAX), Duration::ZERO);
    }
}
