//! `lostbits search`: the inputs on which a function goes wrong.
//!
//! ```text
//! options ── target (a guarded process) ── strategy ── suspects ── oracle ── findings ── report
//! ```
//!
//! A strategy chooses inputs and sees, through a [`session`], what each operation did; every run is judged
//! to first order from its own trace, and what looks bad is a suspect. Suspects are confirmed by an
//! [`oracle`], merged and ranked ([`finding`]). Papers: Atomu (POPL 2020), LSGA (ICSE 2015); `roots` is ours.

mod atomic;
mod campaign;
mod exact;
mod explanation;
mod finding;
mod formula;
mod genetic;
pub mod guided;
mod joint;
mod lines;
mod lsga;
#[cfg(test)]
mod mock;
mod options;
mod oracle;
mod path;
mod progress;
mod replay;
mod rerun;
mod rng;
mod roots;
mod saved;
mod session;
mod sketch;
mod space;
mod spec;
pub mod symbolic;

use crate::{
    cli::{SearchArguments, SearchFormat},
    failure::Failure,
    report,
};

use campaign::Campaign;
pub use campaign::{CallReport, Undefined};
pub use finding::{Confirmation, Finding, Guilty};
pub use options::Options;
pub use sketch::Sketch;

/// Searches and reports; whether anything was found. What was found before something went wrong is
/// reported, too.
pub fn search(arguments: SearchArguments, print: impl Fn(&str)) -> Result<bool, Failure> {
    let options = Options::new(arguments)?;
    let Campaign {
        reports,
        calls,
        failure,
    } = campaign::run(&options)?;
    let text = match options.format {
        SearchFormat::Terminal => report::search::terminal(&reports, &|file, line| {
            let own = options.formula.as_ref();
            own.and_then(|formula| formula.line(file, line))
                .or_else(|| crate::sources::source_line(file, line))
        }),
        SearchFormat::Json => report::search::json(&reports),
        SearchFormat::Tsv => report::search::tsv(&reports),
        SearchFormat::C => report::search::c(&reports, options.significant),
    };
    print(&text);
    if let Some(failure) = failure {
        return Err(failure);
    }
    if reports.len() < calls {
        anstream::eprintln!(
            "lostbits: stopped after {} of {calls} functions",
            reports.len()
        );
    }
    Ok(reports.iter().any(|report| !report.findings.is_empty()))
}
