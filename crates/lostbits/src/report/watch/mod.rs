//! The report of `lostbits watch`: for people, like a compiler's diagnostics, and as JSON.

mod json;
mod phrases;
mod rerun;
mod terminal;

use std::{path::PathBuf, process::ExitStatus};

use crate::watch::{Thresholds, rerun::Rerun};

pub use json::json;
pub use terminal::terminal;

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
    /// The run in high precision, if there was one.
    pub rerun: Option<Rerun>,
}
