//! The report of `lostbits watch`: for people, like a compiler's diagnostics, and as JSON.

mod json;
pub(in crate::report) mod marks;
mod phrases;
mod terminal;

use std::{path::PathBuf, process::ExitStatus};

use crate::watch::Thresholds;

pub use json::json;
pub use terminal::terminal;

/// Stands at every finding until the run in higher precision is built.
const UNCONFIRMED: &str = "unconfirmed: not yet re-run in higher precision";

/// What a report says beside the findings.
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
}
