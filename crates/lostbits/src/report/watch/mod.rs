//! The report of `lostbits watch`: for the terminal, like a compiler's diagnostics, and as JSON.

mod document;
mod json;
mod phrases;
mod rerun;
mod terminal;

use std::{path::PathBuf, process::ExitStatus};

use crate::watch::{Thresholds, findings::Findings, rerun::Rerun};

pub use document::document;
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

/// What a run came to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Verdict {
    Stable,
    Unstable,
    /// No decision may be wrong, but the program was cut short or left something that cannot be read.
    Incomplete,
    /// The program executed no decision.
    NothingJudged,
}

impl Verdict {
    /// As JSON has it.
    fn name(self) -> &'static str {
        match self {
            Verdict::Stable => "stable",
            Verdict::Unstable => "unstable",
            Verdict::Incomplete => "incomplete",
            Verdict::NothingJudged => "nothing judged",
        }
    }
}

impl Context {
    pub fn verdict(&self, findings: &Findings) -> Verdict {
        let rerun = self.rerun.as_ref();
        if !rerun.map_or(findings.is_stable(), |rerun| rerun.agrees(findings)) {
            Verdict::Unstable
        } else if self.is_cut_short(findings) || self.unreadable > 0 {
            Verdict::Incomplete
        } else if findings.decisions == 0 && findings.is_stable() {
            Verdict::NothingJudged
        } else {
            Verdict::Stable
        }
    }

    /// Whether the program may have had more to decide: a signal ended it, or a saved record does not hold its end.
    fn is_cut_short(&self, findings: &Findings) -> bool {
        match self.ended {
            Some(status) => status.code().is_none(),
            None => findings.summary.ends_unknown > 0,
        }
    }

    /// Whether the run in high precision cleared every decision.
    fn is_cleared(&self, findings: &Findings) -> bool {
        let rerun = self.rerun.as_ref();
        rerun.is_some_and(|rerun| rerun.agrees(findings)) && !self.is_cut_short(findings)
    }
}
