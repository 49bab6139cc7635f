//! `lostbits search`: the inputs on which a function goes wrong.
//!
//! ```text
//! options ── target (a guarded process) ── strategy ── suspects ── oracle ── findings ── report
//! ```
//!
//! A strategy chooses inputs and sees, through a [`session`], what each operation did; every run is judged
//! to first order from its own trace, and what looks bad is a suspect. Suspects are confirmed by an
//! [`oracle`], merged and ranked ([`finding`]). Papers: Atomu (POPL 2020), LSGA (ICSE 2015); `roots` is ours.

mod campaign;
mod finding;
mod lines;
mod options;
mod oracle;
mod replay;
mod rng;
mod roots;
mod session;
mod space;

use crate::{
    cli::{SearchArguments, SearchFormat},
    failure::Failure,
    report,
};

pub use campaign::CallReport;
pub use finding::{Confirmation, Finding, Guilty};
pub use options::Options;

/// Searches and reports; whether anything was found.
pub fn search(arguments: SearchArguments, print: impl Fn(&str)) -> Result<bool, Failure> {
    let options = Options::new(arguments)?;
    let reports = campaign::run(&options)?;
    let text = match options.format {
        SearchFormat::Tsv => report::search::tsv(&reports),
        SearchFormat::Json => report::search::json(&reports),
        _ => report::search::tsv(&reports),
    };
    print(&text);
    Ok(reports.iter().any(|report| !report.findings.is_empty()))
}
