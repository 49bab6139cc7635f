//! What the user wants of a repair.

use super::math::{Math, Term};
use clap::ValueEnum;
use lostbits_abi::ops::Op;

#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Wishes {
    pub purpose: Purpose,
    pub precision: Precision,
    /// Smaller errors, in ulps, do not count.
    pub max_ulps: Option<u32>,
    /// All inputs of a float are checked, which takes up to minutes.
    pub exhaustive: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, ValueEnum)]
pub enum Purpose {
    /// The most accurate formula, the shorter of two alike
    #[default]
    Accuracy,
    /// The cheapest formula within --max-ulps (3 unless given), or no worse than the original
    Speed,
}

/// In which arithmetic the repair computes.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, ValueEnum)]
pub enum Precision {
    /// The expression's own format; a second word only where no other formula helps
    #[default]
    Double,
    /// A second word for every value: the rounding errors are computed and added back
    DoubleDouble,
    /// long double (binary80) for everything but the result
    LongDouble,
}

/// Smaller errors (in bits) do not count: two or three ulps.
const ACCURATE: f64 = 2.0;

impl Wishes {
    /// The error in bits that is accepted.
    pub fn accepted(&self) -> f64 {
        self.max_ulps
            .map_or(ACCURATE, |ulps| (f64::from(ulps) + 1.0).log2())
    }

    /// Bits of mean error that a unit of [`price`] is worth.
    pub fn per_operation(&self) -> f64 {
        match self.purpose {
            Purpose::Accuracy => 0.015,
            Purpose::Speed => 0.1,
        }
    }

    /// Errors that do not count in the choice among formulas.
    pub fn ignored(&self) -> f64 {
        match self.purpose {
            Purpose::Accuracy => 0.0,
            Purpose::Speed => self.accepted(),
        }
    }

    /// What a term costs.
    pub fn price(&self, term: &Term) -> f64 {
        let nodes = term.iter().filter_map(Math::op);
        let all: f64 = nodes.map(|op| self.price_of(op)).sum();
        self.per_operation() * all
    }

    /// Of one operation: operations count alike for a reader, but not for the processor.
    pub fn price_of(&self, op: Op) -> f64 {
        match (self.purpose, op) {
            (Purpose::Accuracy, _) => 1.0,
            (_, Op::Neg | Op::Abs | Op::CopySign) => 0.5,
            (_, Op::Add | Op::Sub | Op::Mul | Op::Fma | Op::Fmin | Op::Fmax) => 1.0,
            (_, Op::Div | Op::Sqrt) => 4.0,
            (_, Op::Pow | Op::Cbrt | Op::Asinh | Op::Acosh | Op::Atanh) => 20.0,
            _ => 10.0,
        }
    }
}
