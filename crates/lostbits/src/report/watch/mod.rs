//! The report of `lostbits watch`: for the terminal, like a compiler's diagnostics, and as JSON.

mod json;
mod phrases;
mod rerun;
mod terminal;

use std::{path::PathBuf, process::ExitStatus};

use crate::watch::{Thresholds, findings::Findings, rerun::Rerun};

pub use json::json;
pub use terminal::terminal;

/// What a report contains besides the findings.
#[derive(Default)]
pub struct Context {
    /// How the program ended; none for a saved record.
    pub ended: Option<ExitStatus>,
    /// None for a saved record, which does not hold them.
    pub thresholds: Option<Thresholds>,
    /// Records that could not be read.
    pub unreadable: usize,
    /// Files below this folder are shown relative to it.
    pub base: PathBuf,
    /// The run in high precision, if there was one.
    pub rerun: Option<Rerun>,
}

impl Context {
    /// Whether a signal ended the program: what it would have decided later is unknown.
    fn crashed(&self) -> bool {
        self.ended.is_some_and(|status| status.code().is_none())
    }

    /// Whether the run in high precision cleared every decision.
    fn is_cleared(&self, findings: &Findings) -> bool {
        let rerun = self.rerun.as_ref();
        rerun.is_some_and(|rerun| rerun.agrees(findings)) && !self.crashed()
    }
}
