//! What a run did not track, in a line or two; the same for every analysis that follows values.
//!
//! Nothing is said if everything was tracked.

use std::fmt::{self, Write};

use super::words::count;
use crate::summary::Summary;

/// What was not tracked, besides what the records' summary knows.
#[derive(Default)]
pub struct Untracked {
    /// Modules that were built for another mode.
    pub other_modules: usize,
    /// Records that could not be read.
    pub unreadable: usize,
    /// What only one analysis can miss, in words.
    pub more: Vec<String>,
}

pub fn write(text: &mut String, summary: &Summary, untracked: &Untracked) -> fmt::Result {
    let parts = parts(summary, untracked);
    if !parts.is_empty() {
        writeln!(text, "not tracked: {}", parts.join("; "))?;
    }
    if summary.cut_short > 0 {
        let ended = count(summary.cut_short as u64, "process ended", "processes ended");
        writeln!(
            text,
            "{ended} without running exit handlers (signal, _exit or exec); the report covers what ran before"
        )?;
    }
    Ok(())
}

fn parts(summary: &Summary, untracked: &Untracked) -> Vec<String> {
    let lost = summary.blind.lost.iter().map(|lost| {
        let sites = count(lost.sites as u64, "location", "locations");
        format!("{} at {sites}", lost.reason.description())
    });
    let counted = [
        (
            untracked.other_modules as u64,
            "module built for another mode",
            "modules built for another mode",
        ),
        (
            summary.modules_lost,
            "module without totals",
            "modules without totals",
        ),
        (
            untracked.unreadable as u64,
            "process whose record cannot be read",
            "processes whose records cannot be read",
        ),
    ];
    let counted = counted
        .into_iter()
        .filter(|(value, _, _)| *value > 0)
        .map(|(value, one, many)| count(value, one, many));
    lost.chain(counted)
        .chain(untracked.more.iter().cloned())
        .collect()
}
