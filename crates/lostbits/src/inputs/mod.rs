//! What an analysis is given: ranges, samples, formulas and calls, read in one way for all commands.
//!
//! - [`range`] reads `--range x=1e-9:1e-3` and assigns ranges to variables;
//! - [`bounds`] derives the range of each variable of an FPCore from `--range`, `:pre` and its format;
//! - [`sample`] draws inputs from those ranges;
//! - [`formula`] reads expressions and FPCore files and turns them into C;
//! - [`call`] reads calls such as `f(x, &y, v[3], 2.5)`.

pub mod bounds;
pub mod call;
pub mod formula;
pub mod range;
pub mod sample;

pub use call::{Argument, Call, CallProblem, Initializer, Literal};
pub use formula::Formula;
pub use range::{NamedRange, RangeOption, RangeProblem, assign, is_named};
pub use sample::{Sample, SamplingProblem, sample};

/// The seed where the user gives none.
pub const SEED: u64 = 1;
