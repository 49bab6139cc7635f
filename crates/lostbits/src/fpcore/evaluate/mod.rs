//! Evaluation of cores: one walk over the tree, in whatever [`Arithmetic`] is asked for.
//!
//! [`reals::evaluate_real`] is the oracle, [`machine::evaluate_machine`] what a compiled program
//! computes. Loops that do not end are stopped by a budget of steps.

pub mod enclosure;
mod exact;
pub mod machine;
pub mod reals;
mod tensor;
mod walk;

use thiserror::Error;

use super::ast::{Class, Comparison, Constant, Format};
use super::number::Number;
use lostbits_abi::ops::Op;

pub use machine::{Machine, evaluate_machine};
pub use reals::{Literals, Real, evaluate_real};
pub use tensor::Value;
pub use walk::{Budget, evaluate, holds};

/// Why there is no result.
#[derive(Clone, PartialEq, Debug, Error)]
pub enum Stop {
    #[error("it did not end within {0} steps")]
    OutOfSteps(u64),
    #[error("the precision does not suffice to decide a comparison")]
    Undecided,
    #[error("{0} cannot be evaluated in {1}")]
    Unsupported(String, &'static str),
    #[error("a tensor is used where a number is needed, or a number where a tensor is")]
    Shape,
    #[error("an index or a size is not a whole number in range")]
    Index,
    #[error("{wanted} inputs are needed, {given} were given")]
    Inputs { wanted: usize, given: usize },
}

/// How numbers are represented and computed with.
pub trait Arithmetic {
    type Number: Clone;

    fn literal(&self, number: &Number, format: Format) -> Result<Self::Number, Stop>;
    fn constant(&self, constant: Constant, format: Format) -> Result<Self::Number, Stop>;
    fn whole(&self, number: i64) -> Self::Number;
    fn operation(
        &self,
        op: Op,
        operands: &[Self::Number],
        format: Format,
    ) -> Result<Self::Number, Stop>;
    fn cast(&self, operand: &Self::Number, format: Format) -> Result<Self::Number, Stop>;
    fn compare(
        &self,
        comparison: Comparison,
        left: &Self::Number,
        right: &Self::Number,
    ) -> Result<bool, Stop>;
    fn class(&self, class: Class, operand: &Self::Number) -> Result<bool, Stop>;
    /// For indices and sizes.
    fn to_index(&self, number: &Self::Number) -> Result<usize, Stop>;
}
