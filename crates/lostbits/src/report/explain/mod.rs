//! The report of `lostbits explain`: for people, like a compiler's diagnostics; as JSON with everything;
//! and as FPCore for other tools.

mod folding;
mod fpcore;
mod infix;
mod json;
mod phrases;
mod terminal;

use std::{path::PathBuf, process::ExitStatus};

pub use folding::Folding;
pub use fpcore::fpcore;
pub use infix::infix;
pub use json::json;
pub use terminal::terminal;

/// What a report says beside the findings.
#[derive(Default)]
pub struct Context {
    /// How the program ended; none for a saved record.
    pub ended: Option<ExitStatus>,
    /// Records and analyses that could not be read.
    pub unreadable: usize,
    /// Files below this folder are shown relative to it.
    pub base: PathBuf,
    pub again: Again,
    pub folding: Folding,
    /// Functions that `lostbits.toml` wants as one operation and the program does not call.
    pub not_called: Vec<String>,
}

/// Whether the program was run again to decide what its first run left undecided.
#[derive(Default)]
pub enum Again {
    #[default]
    NotNeeded,
    Decided,
    /// Why not.
    No(&'static str),
}
