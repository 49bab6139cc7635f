//! Whether a run means the same in exact arithmetic: then the replay of its trace is a reference by itself.
//!
//! Such a run consists of arithmetic, functions of libm and comparisons. Code that is written for the precision of its numbers
//! means something else in the reals, so the replay says nothing about it alone. That is any of:
//!
//! - bits of numbers as integers, neighbouring numbers, parts of numbers: instrumented code marks such runs;
//! - operations that the trace does not hold, or holds rounded: the ring was full, or a format is wider than a double;
//! - a comparison, a rounding or a conversion to an integer with a different result in exact arithmetic;
//! - an operand whose origin is not certain, because numbers of different origin have the same bits.
//!
//! What it can miss: values of functions that were not compiled by lostbits count as exact.

use lostbits_abi::kind::FpKind;

use super::replay::Shadows;
use crate::target::{Outcome, Step};

/// `shadows` are those of the same run.
pub fn is_plain(outcome: &Outcome, steps: &[Step], shadows: &Shadows) -> bool {
    let is_whole = outcome.steps == steps.len() as u64;
    let is_narrow = |step: &Step| step.kind <= FpKind::Double;
    !outcome.depends_on_format
        && is_whole
        && steps.iter().all(is_narrow)
        && shadows.decides_alike
        && !shadows.is_ambiguous
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        numeric::Relative,
        search::{origins::Origins, replay::replay},
        target::Ending,
    };
    use lostbits_abi::ops::Op;

    fn step(op: Op, x: f64, y: (f64, bool), result: f64) -> Step {
        Step {
            site: op as u32,
            op,
            kind: FpKind::Double,
            x,
            y: y.0,
            result,
            x_is_constant: false,
            y_is_constant: y.1,
        }
    }

    fn judged(steps: &[Step], change: impl FnOnce(&mut Outcome)) -> bool {
        let mut outcome = Outcome {
            ending: Ending::Returned,
            outputs: vec![0.0],
            estimate: Relative::NONE,
            steps: steps.len() as u64,
            depends_on_format: false,
            observations: 0..0,
        };
        change(&mut outcome);
        is_plain(
            &outcome,
            steps,
            &replay(steps, &[], &[0.0], 128, &Origins::default()),
        )
    }

    #[test]
    fn arithmetic_is_plain_unless_the_trace_is_not_the_run() {
        let third = 1.0 / 3.0;
        let steps = [
            step(Op::Div, 1.0, (3.0, true), third),
            step(Op::Compare, third, (0.5, true), 0.0),
            step(Op::Floor, third, (0.0, true), 0.0),
            step(Op::ToSigned, third, (0.0, true), 0.0),
        ];
        assert!(judged(&steps, |_| {}));
        assert!(!judged(&steps, |outcome| outcome.depends_on_format = true));
        assert!(!judged(&steps, |outcome| outcome.steps += 1));
        let mut wide = steps;
        wide[0].kind = FpKind::X87;
        assert!(!judged(&wide, |_| {}));
    }

    /// 0.1 + 0.2 is more than the double 0.3, and so is the exact sum of the doubles; a third times 3 is 1, but
    /// in exact arithmetic less.
    #[test]
    fn decisions_must_be_those_of_exact_arithmetic() {
        let third = 1.0 / 3.0;
        let product = third * 3.0;
        assert_eq!(product, 1.0);
        let decided = |op, by: f64| {
            // The double nearest to a third is less than a third.
            let steps = [
                step(Op::Mul, third, (3.0, true), product),
                step(op, product, (by, true), 1.0),
            ];
            judged(&steps, |_| {})
        };
        assert!(decided(Op::Compare, 0.5));
        assert!(!decided(Op::Compare, 1.0));
        assert!(!decided(Op::Floor, 0.0));
        assert!(!decided(Op::ToSigned, 0.0));
        assert!(decided(Op::Round, 0.0));
    }
}
