//! A form of the original expression, and where it is known to be equal to it.

use super::{interval::Interval, math::Term};

#[derive(Clone, PartialEq, Debug)]
pub struct Candidate {
    pub term: Term,
    /// The ranges under which the rules were applied.
    pub domain: Vec<Interval>,
    /// Forms between the original and this one, each made from the one before by the rules.
    pub by_way_of: Vec<Term>,
    /// Of a series, the proved bound on its relative distance from the original in the domain.
    pub remainder: Option<f64>,
}

impl Candidate {
    pub fn is_valid_at(&self, inputs: &[f64]) -> bool {
        let inside = |(x, values): (&f64, &Interval)| {
            values.low <= *x && *x <= values.high && !(values.nonzero && *x == 0.0)
        };
        inputs.iter().zip(&self.domain).all(inside)
    }
}
