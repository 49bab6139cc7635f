//! Mathematical functions as references: what a function of a library should compute, with proved error.
//!
//! ```text
//! name of the function, or `--means` ── expression ── MPFR in intervals, else Arb ── truth
//! ```
//!
//! Nothing here knows the program that is judged. [`names`] recognises functions of libm, GSL, Cephes, C++17, Boost,
//! nmath, and Rust's `special` and `statrs`. What it can miss: functions that no scheme names, and values that
//! neither MPFR nor Arb decides in reasonable time.

mod arb;
mod enclose;
mod expression;
mod names;

pub use arb::{Arb, PYTHON};
pub use enclose::Truth;
pub use expression::{Expression, Refusal};
pub use names::{Bound, constant};

/// A mathematical function of a call's inputs.
#[derive(Clone, PartialEq, Debug)]
pub struct Meaning {
    /// As the user or the table wrote it.
    pub text: String,
    expression: Expression,
}

impl Meaning {
    /// What the user says that a call means, in terms of its inputs.
    pub fn read(text: &str, inputs: &[&str]) -> Result<Meaning, Refusal> {
        Ok(Meaning {
            text: text.trim().to_owned(),
            expression: expression::read(text, inputs)?,
        })
    }

    /// What the name of a function says.
    pub fn of_name(function: &str, arguments: &[Bound]) -> Option<Meaning> {
        let (expression, text) = names::meaning(function, arguments)?;
        Some(Meaning { text, expression })
    }

    /// The value at an input, as far as MPFR knows it.
    pub fn quick_value(&self, input: &[f64]) -> Truth {
        enclose::evaluate(&self.expression, input)
    }

    /// The value at an input.
    pub fn value(&self, input: &[f64], arb: &Arb) -> Truth {
        match enclose::evaluate(&self.expression, input) {
            Truth::Unknown => arb.evaluate(&self.expression, input),
            known => known,
        }
    }
}
