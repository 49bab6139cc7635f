//! What a run did not show, in a line or two; the same for every analysis that follows values.

use std::fmt::{self, Write};

use super::words::count;
use crate::summary::Summary;

/// Beside what the records' summary knows.
#[derive(Default)]
pub struct Unseen {
    /// Modules that were built for another mode.
    pub other_modules: usize,
    /// Records that could not be read.
    pub unreadable: usize,
    /// What only one analysis can miss, in words.
    pub more: Vec<String>,
}

pub fn write(text: &mut String, summary: &Summary, unseen: &Unseen) -> fmt::Result {
    let parts = parts(summary, unseen);
    match parts.is_empty() {
        true => writeln!(
            text,
            "no value was lost from sight in the code that lostbits compiled"
        )?,
        false => writeln!(text, "not followed: {}", parts.join("; "))?,
    }
    if summary.cut_short > 0 {
        let ended = count(summary.cut_short as u64, "process ended", "processes ended");
        writeln!(
            text,
            "{ended} without exit handlers (a signal, _exit, exec); all seen until then is here"
        )?;
    }
    Ok(())
}

fn parts(summary: &Summary, unseen: &Unseen) -> Vec<String> {
    let lost = summary.blind.lost.iter().map(|lost| {
        let places = count(lost.sites as u64, "place", "places");
        format!("{} at {places}", lost.reason.description())
    });
    let counted = [
        (
            unseen.other_modules as u64,
            "module that was built for another mode",
            "modules that were built for another mode",
        ),
        (
            summary.modules_lost,
            "module that could not keep totals",
            "modules that could not keep totals",
        ),
        (
            unseen.unreadable as u64,
            "process whose record cannot be read",
            "processes whose records cannot be read",
        ),
    ];
    let counted = counted
        .into_iter()
        .filter(|(value, _, _)| *value > 0)
        .map(|(value, one, many)| count(value, one, many));
    lost.chain(counted)
        .chain(unseen.more.iter().cloned())
        .collect()
}
