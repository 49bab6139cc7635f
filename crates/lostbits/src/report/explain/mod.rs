//! The report of `lostbits explain`: for the terminal, like a compiler's diagnostics; as JSON, with
//! everything; and as FPCore, for other tools.

mod causes;
mod damage;
mod document;
mod folding;
mod fpcore;
mod infix;
mod interventions;
mod json;
mod passes;
mod phrases;
mod steering;
mod terminal;
mod variants;
mod verdict;

use std::{path::PathBuf, process::ExitStatus};

use super::{document::Plot, snippets::SourceCommand};
use crate::explain::{
    Escalation, Findings, Folding, Interventions, Pass, Steering, Variants, Verdict,
};

pub use document::document;
pub use fpcore::fpcore;
pub use infix::infix;
pub use json::json;
pub use terminal::terminal;

/// What a report contains besides the findings.
#[derive(Default)]
pub struct Context {
    /// How the program ended; none for a saved record.
    pub ended: Option<ExitStatus>,
    /// Records and analyses that could not be read.
    pub unreadable: usize,
    /// Files below this folder are shown relative to it.
    pub base: PathBuf,
    pub escalation: Escalation,
    pub folding: Folding,
    /// Functions that `lostbits.toml` wraps and the program does not call.
    pub not_called: Vec<String>,
    pub steering: Steering,
    pub interventions: Interventions,
    /// What runs that were started in other ways showed.
    pub variants: Variants,
    /// Every run of the program, in order.
    pub passes: Vec<Pass>,
    /// Every cause with everything that is known of it, instead of the few lines that matter most.
    pub all: bool,
    /// The command that shows the same again.
    pub reproduce: Option<String>,
    /// What was analysed, if it was compiled from sources.
    pub command: Option<SourceCommand>,
    /// Errors against inputs, for formats that draw.
    pub plots: Vec<Plot>,
}

impl Context {
    /// What the run came to.
    pub fn verdict(&self, findings: &Findings) -> Verdict {
        Verdict::of(findings, self.ended, self.unreadable)
    }
}
