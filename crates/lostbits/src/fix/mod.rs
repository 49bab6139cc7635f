//! `lostbits fix`: a more accurate formula for an expression, measured everywhere and proved where it can be.
//!
//! The way of one expression: [`subject`] (what is repaired) → [`search`] ([`saturate`] by [`rules`], [`extract`] by
//! measured errors, [`series`], [`branches`]) → [`identity`] (the chain of rules that proves the result equal to the
//! original) → [`prove`] (a bound in ulps, over which boxes) → [`report`].
//!
//! It follows Herbie (Panchekha and others, PLDI 2015; e-graphs by egg, POPL 2021) and deviates where Herbie harms
//! ordinary inputs: rules are applied only where intervals of the ranges prove their conditions, series only where
//! their remainder is proved, everyday inputs count as much as bit patterns, and a point at which a candidate is worse
//! than the original costs more than any branch.
//!
//! What it can miss: expressions with branches, loops or tensors are refused; branches are on single variables, so that
//! where b² or 4ac dominates is only approximated; "never worse" is proved on the boxes of the proof and sampled elsewhere.

pub mod analysis;
pub mod arguments;
pub mod branches;
pub mod candidate;
pub mod compensate;
pub mod error;
pub mod exact;
pub mod extract;
pub mod identity;
pub mod idioms;
pub mod interval;
pub mod machine;
pub mod math;
pub mod options;
pub mod plan;
pub mod points;
pub mod polynomial;
pub mod proof;
pub mod prove;
pub mod repair;
pub mod report;
mod rule_table;
pub mod rules;
pub mod saturate;
pub mod search;
pub mod series;
pub mod subject;
pub mod taylor;

pub use rule_table::TABLE as RULES;

pub use arguments::{FixArguments, FixFormat, HELP};
pub use options::Options;

use repair::{Repair, repair};
use subject::{Subject, Unrepairable};

use crate::fpcore::Core;

/// Repairs one expression.
pub fn fix(core: &Core, options: &Options) -> Result<Repair, Unrepairable> {
    let subject = Subject::new(core, &options.ranges)?;
    Ok(repair(subject, options.effort, options.max_ulps))
}

/// For others that repair expressions: without options of the command line.
pub fn repair_core(core: &Core, effort: search::Effort) -> Result<Repair, Unrepairable> {
    Ok(repair(Subject::new(core, &[])?, effort, None))
}
