//! Reads a run's record while the program writes it.
//!
//! Totals are counted in mapped files, so what was counted is in them at any time, and looking costs the
//! program nothing.

use std::{
    io,
    path::Path,
    process::{Child, ExitStatus},
    time::{Duration, Instant},
};

use lostbits_abi::record::{self, ProcessRecord};

use super::{collect, signals};

/// What is to happen after a look.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Next {
    GoOn,
    /// The program is asked to end (SIGTERM).
    Stop,
}

pub struct Observer<'a> {
    /// Look now and then; else only when asked by a signal.
    pub looks_by_itself: bool,
    /// Gets the records so far, and whether a user asked for them.
    pub look: &'a mut dyn FnMut(&[ProcessRecord], bool) -> Next,
}

/// How often the program's end and signals are looked for, and how often its record is.
const TICK: Duration = Duration::from_millis(5);
const LONGEST_TICK: Duration = Duration::from_millis(50);
const LOOK: Duration = Duration::from_millis(100);

impl Observer<'_> {
    pub(super) fn wait(self, child: &mut Child, folder: &Path) -> io::Result<ExitStatus> {
        let mut looked = Instant::now();
        let mut tick = TICK;
        let mut stopped = false;
        loop {
            if let Some(status) = child.try_wait()? {
                return Ok(status);
            }
            let asked = signals::was_asked();
            let is_time = self.looks_by_itself && looked.elapsed() >= LOOK;
            if asked || is_time {
                looked = Instant::now();
                let bytes = collect::collect(folder, child.id()).records();
                let processes = record::decode(&bytes).unwrap_or_default();
                let next = (self.look)(&processes, asked);
                if next == Next::Stop && !stopped {
                    stopped = true;
                    // SAFETY: the child has not been waited for, so the number is still its own.
                    unsafe { libc::kill(child.id() as i32, libc::SIGTERM) };
                }
            }
            std::thread::sleep(tick);
            tick = (tick * 2).min(LONGEST_TICK);
        }
    }
}
