//! `lostbits search`: finds the inputs on which a function's result is wrong.
//!
//! ```text
//! options ── target (a guarded process) ── strategy ── suspects ── oracle ── findings ── report
//! ```
//!
//! A strategy chooses inputs and observes, through a [`session`], what each operation did; every run is judged
//! to first order from its own trace, and what looks bad is a suspect. Suspects are confirmed by an
//! [`oracle`], by default the mathematical function itself ([`truth`]), else by [`continuity`]; what only the shadow says
//! is kept apart. Findings are merged and ranked ([`finding`]). Papers: Atomu (POPL 2020), LSGA (ICSE 2015); `roots` is ours.

mod all;
mod arguments;
mod atomic;
mod campaign;
mod continuity;
mod exact;
mod explanation;
mod finding;
mod formula;
mod genetic;
pub mod guided;
mod joint;
mod lines;
mod lsga;
mod map;
#[cfg(test)]
mod mock;
mod options;
mod oracle;
mod origins;
mod path;
mod plain;
mod progress;
mod replay;
mod rerun;
mod roots;
pub(crate) mod saved;
mod session;
mod shard;
mod sketch;
mod space;
pub(crate) mod spec;
pub mod symbolic;
mod tried;
mod truth;

use crate::failure::Failure;

pub use all::{Domain, Skipped};
pub use arguments::{HELP, SearchArguments, SearchFormat};
pub use campaign::{CallReport, Campaign, Undefined};
pub use finding::{Confirmation, Finding, Guilty};
pub use map::{ErrorMap, Interval, Stretch};
pub use options::{Options, Wanted};
pub use shard::{Merged, Shard, Unfinished, merge};
pub use sketch::Sketch;
pub use tried::{FarOperation, Tried};

/// Searches every call. What was found before something failed is in the result, too.
pub fn search(options: &Options) -> Result<Campaign, Failure> {
    campaign::run(options)
}
