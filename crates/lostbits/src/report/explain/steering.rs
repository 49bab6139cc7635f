//! What a different branch does to what the program prints.

use super::Context;
use crate::{explain::Steering, notation::count, printable::printable};

/// Lines shown; the rest is only counted.
const LINES: usize = 4;

/// A line for each difference, or one that says that there is none.
pub fn lines(context: &Context) -> Vec<String> {
    let differing = match &context.steering {
        Steering::NotNeeded => return Vec::new(),
        Steering::Impossible(why) => {
            return vec![format!(
                "what the different branch does to the outputs is not known: {why}"
            )];
        }
        Steering::Done(differing) if differing.is_empty() => {
            return vec!["with exact decisions the program prints the same".to_owned()];
        }
        Steering::Done(differing) => differing,
    };
    let shown = differing.iter().take(LINES).map(|pair| match pair {
        [Some(own), Some(exact)] => format!(
            "printed: {}\n  with exact decisions: {}",
            printable(own.trim()),
            printable(exact.trim())
        ),
        [Some(own), None] => format!(
            "printed: {}\n  with exact decisions this line is missing",
            printable(own.trim())
        ),
        [None, exact] => format!(
            "printed only with exact decisions: {}",
            printable(exact.as_deref().unwrap_or_default().trim())
        ),
    });
    let more = differing.len().saturating_sub(LINES) as u64;
    let more = (more > 0).then(|| {
        let lines = count(more, "more line differs", "more lines differ");
        format!("{lines} with exact decisions")
    });
    shown.chain(more).collect()
}
