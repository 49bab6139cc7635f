//! Measures errors: every call is made in high precision as well (mode `reals`), so that every input is judged by
//! its true error and not by an estimate.
//!
//! Two formulas: the strict relative error |r - r0| / |r0|, and FPGen's, |r - r0| / max(FLT_MIN, |r0|), which
//! stays finite where the right result is zero. Of several outputs the largest error counts.
//!
//! Every input is called with the program's own decisions, which is quick and shows where its result would
//! have been zero. What looks bad is called once more with decisions steered by exact arithmetic
//! ([`Judge::against`]): a program in high precision decides by itself, and that is what FPGen compares with.
//! That is done at two precisions, and an input on which they do not agree has no error that is known: the QR
//! factors of a singular matrix, say, are decided by the last bit of any precision.
//!
//! What it can miss: an error that only the steered run has, because a decision was wrong.

use std::sync::Arc;

use crate::{
    failure::Failure,
    numeric::Relative,
    target::{CompiledCalls, Ending, Guarded, Outcome, Verdict},
};

/// The smallest normal number of C's `float`.
pub const FLT_MIN: f64 = f32::MIN_POSITIVE as f64;

/// Bits of the numbers that judge, and of those that confirm. Floats from -100 to 100 and their products
/// are exact in the former.
pub const PRECISIONS: [u32; 2] = [512, 1024];

/// A relative error by both formulas.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Errors {
    pub strict: Relative,
    /// With FLT_MIN for results that should be smaller.
    pub floored: Relative,
}

impl Errors {
    const NONE: Errors = Errors {
        strict: Relative::NONE,
        floored: Relative::NONE,
    };

    fn of(verdict: &Verdict) -> Errors {
        let (difference, real) = (verdict.difference.abs(), verdict.real.abs());
        if difference == 0.0 || difference.is_nan() {
            return Errors::NONE;
        }
        Errors {
            strict: Relative::new(difference / real),
            floored: Relative::new(difference / real.max(FLT_MIN)),
        }
    }

    /// The larger of each.
    fn or(self, other: Errors) -> Errors {
        Errors {
            strict: self.strict.max(other.strict),
            floored: self.floored.max(other.floored),
        }
    }

    /// Whether two measurements of the same thing are the same, within a part in a thousand.
    pub fn agrees_with(self, other: Errors) -> bool {
        let close = |a: Relative, b: Relative| a == b || (a.get() / b.get() - 1.0).abs() < 1e-3;
        close(self.strict, other.strict) && close(self.floored, other.floored)
    }
}

/// The outcome of one input.
#[derive(Clone, PartialEq, Debug)]
pub struct Judged {
    pub ending: Ending,
    pub outputs: Vec<f64>,
    /// The exact value of each output.
    pub reals: Vec<f64>,
    /// Of the output with the largest error each.
    pub errors: Errors,
    /// The output whose floored error is the largest.
    pub worst: usize,
}

impl Judged {
    pub fn new(ending: Ending, outputs: Vec<f64>, verdicts: &[Verdict]) -> Judged {
        let errors: Vec<Errors> = verdicts.iter().map(Errors::of).collect();
        let floored = |at: &usize| errors[*at].floored;
        let worst =
            (0..errors.len()).max_by(|a, b| floored(a).total_cmp(&floored(b)).then(b.cmp(a)));
        Judged {
            ending,
            outputs,
            reals: verdicts.iter().map(|verdict| verdict.real).collect(),
            errors: errors.iter().copied().fold(Errors::NONE, Errors::or),
            worst: worst.unwrap_or(0),
        }
    }

    /// Whether the outputs and their exact values are finite.
    pub fn is_inside(&self) -> bool {
        self.ending == Ending::Returned
            && !self.outputs.is_empty()
            && self
                .outputs
                .iter()
                .chain(&self.reals)
                .all(|value| value.is_finite())
    }

    pub fn score(&self) -> f64 {
        if self.is_inside() {
            self.errors.floored.get()
        } else {
            0.0
        }
    }
}

pub trait Judge {
    /// Calls once for each input (all of them one after another in `inputs`).
    fn judge(&mut self, inputs: &[f64]) -> Result<Vec<Judged>, Failure>;

    /// Measures outputs (of calls that returned) against runs with the decisions of exact arithmetic, at two
    /// precisions; if these do not agree, no error is known.
    fn against(&mut self, inputs: &[f64], judged: &[&Judged]) -> Result<Vec<Judged>, Failure>;

    /// The same for one input with more bits.
    fn again(&mut self, input: &[f64], judged: &Judged) -> Result<Judged, Failure>;
}

/// The real one: three worker processes.
pub struct Reals {
    first: Guarded,
    steered: Guarded,
    precise: Guarded,
}

impl Reals {
    pub fn open(compiled: &CompiledCalls, call: usize) -> Result<Reals, Failure> {
        let open = |bits, steers| -> Result<Guarded, Failure> {
            let mut guarded = Arc::new(compiled.at_precision(bits, steers)).open()?;
            guarded.choose(call);
            Ok(guarded)
        };
        Ok(Reals {
            first: open(PRECISIONS[0], false)?,
            steered: open(PRECISIONS[0], true)?,
            precise: open(PRECISIONS[1], true)?,
        })
    }

    /// Of all workers, in seconds.
    pub fn processor_time(&mut self) -> f64 {
        let workers = [&mut self.first, &mut self.steered, &mut self.precise];
        workers.map(Guarded::processor_time).into_iter().sum()
    }
}

fn judged(calls: Vec<(Outcome, Vec<Verdict>)>) -> Vec<Judged> {
    calls
        .into_iter()
        .map(|(outcome, verdicts)| Judged::new(outcome.ending, outcome.outputs, &verdicts))
        .collect()
}

/// What two measurements agree on; else no error.
fn agreed((first, second): (Judged, Judged)) -> Judged {
    match second.is_inside() && first.errors.agrees_with(second.errors) {
        true => first,
        false => Judged {
            errors: Errors::NONE,
            ..first
        },
    }
}

impl Judge for Reals {
    fn judge(&mut self, inputs: &[f64]) -> Result<Vec<Judged>, Failure> {
        Ok(judged(self.first.judge(inputs)?))
    }

    fn against(&mut self, inputs: &[f64], before: &[&Judged]) -> Result<Vec<Judged>, Failure> {
        let outputs = before.iter().flat_map(|judged| &judged.outputs);
        let outputs: Vec<f64> = outputs.copied().collect();
        let first = judged(self.steered.judge_against(inputs, &outputs)?);
        let second = judged(self.precise.judge_against(inputs, &outputs)?);
        Ok(first.into_iter().zip(second).map(agreed).collect())
    }

    fn again(&mut self, input: &[f64], before: &Judged) -> Result<Judged, Failure> {
        let calls = self.precise.judge_against(input, &before.outputs)?;
        Ok(judged(calls).remove(0))
    }
}
