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

pub mod adversary;
pub mod agenda;
pub mod analysis;
pub mod arguments;
pub mod branches;
pub mod candidate;
pub mod clock;
pub mod compensate;
pub mod cores;
pub mod corrected;
pub mod error;
pub mod error_model;
pub mod establish;
pub mod everyday;
pub mod exact;
pub mod exclusion;
pub mod exhaustive;
pub mod extract;
pub mod harm;
pub mod identity;
pub mod idioms;
pub mod interval;
pub mod json;
pub mod machine;
pub mod math;
pub mod measure;
pub mod options;
pub mod plan;
pub mod plot;
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
pub mod settle;
pub mod style;
pub mod subject;
pub mod taylor;
pub mod timing;
pub mod wishes;

pub use rule_table::TABLE as RULES;

pub use arguments::{FixArguments, FixFormat, HELP};
pub use options::Options;

use repair::{Repair, repair_as};
use subject::{Subject, Unrepairable};

use wishes::Wishes;

use crate::{fpcore::Core, inputs::NamedRange};

/// Repairs one expression.
pub fn fix(core: &Core, options: &Options) -> Result<Repair, Unrepairable> {
    repair_with(core, &options.ranges, options.effort, &options.wishes)
}

/// For others that repair expressions: without options of the command line.
pub fn repair_core(core: &Core, effort: search::Effort) -> Result<Repair, Unrepairable> {
    repair_with(core, &[], effort, &Wishes::default())
}

/// For others that know more of what is wanted.
pub fn repair_with(
    core: &Core,
    ranges: &[NamedRange],
    effort: search::Effort,
    wishes: &Wishes,
) -> Result<Repair, Unrepairable> {
    let subject = Subject::new(core, ranges)?;
    let repair = repair_as(subject, effort, wishes);
    match repair.samples.is_empty() {
        true => Err(Unrepairable::NothingDrawn(exclusion::explain(
            &repair.subject,
            effort.seed,
        ))),
        false => Ok(repair),
    }
}
