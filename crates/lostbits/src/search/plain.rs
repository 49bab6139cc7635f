//! Whether a run means the same in exact arithmetic: then the replay of its trace is a reference by itself.
//!
//! Such a run consists of arithmetic, functions of libm and comparisons. Code that is written for the precision of its numbers
//! means something else in the reals, so the replay says nothing about it alone. That is any of:
//!
//! - bits of numbers as integers, neighbouring numbers, parts of numbers: instrumented code marks such runs;
//! - operations that the trace does not hold, or holds rounded: the ring was full, or a format is wider than a double;
//! - a rounding to whole units by adding and subtracting a large power of two (`x + 0x1.8p52 - 0x1.8p52`);
//! - a comparison, a rounding or a conversion to an integer that exact arithmetic decides otherwise.
//!
//! What it can miss: values of functions that were not compiled by lostbits count as exact.

use lostbits_abi::{kind::FpKind, ops::Op};

use super::replay::Shadows;
use crate::target::{Outcome, Step};

/// `shadows` are those of the same run.
pub fn is_plain(outcome: &Outcome, steps: &[Step], shadows: &Shadows) -> bool {
    let is_whole = outcome.steps == steps.len() as u64;
    let is_narrow = |step: &Step| step.kind <= FpKind::Double;
    !outcome.depends_on_format
        && is_whole
        && steps.iter().all(is_narrow)
        && shadows.decides_as_the_run()
        && !rounds_by_constant(steps)
}

/// Constants below this are not taken for those that round: `(1 + x) - 1` is a mistake more often than a trick.
const LEAST_SHIFT: f64 = 65536.0;

/// Whether a sum with a large constant of one or two bits was rounded, and the constant then subtracted.
fn rounds_by_constant(steps: &[Step]) -> bool {
    let mut rounded: Vec<(f64, f64)> = Vec::new();
    for step in steps {
        let Some((constant, other)) = shift(step) else {
            continue;
        };
        let is_undone = |(sum, added): &(f64, f64)| *sum == other && *added == -constant;
        if rounded.iter().any(is_undone) {
            return true;
        }
        if step.result - constant != other {
            rounded.push((step.result, constant));
        }
    }
    false
}

/// The constant that a step adds, and what it adds it to.
fn shift(step: &Step) -> Option<(f64, f64)> {
    let (constant, other) = match step.op {
        Op::Add | Op::Fma | Op::MulAdd if step.y_is_constant => (step.y, step.x),
        Op::Add if step.x_is_constant => (step.x, step.y),
        Op::Sub if step.y_is_constant => (-step.y, step.x),
        _ => return None,
    };
    const TWO_BITS: u32 = 51;
    let is_shift = constant.abs() >= LEAST_SHIFT && constant.to_bits().trailing_zeros() >= TWO_BITS;
    is_shift.then_some((constant, other))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{numeric::Relative, search::replay::replay, target::Ending};

    fn step(op: Op, x: f64, y: (f64, bool), result: f64) -> Step {
        Step {
            site: 0,
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
        is_plain(&outcome, steps, &replay(steps, &[], 128))
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

    #[test]
    fn roundings_by_constants_are_not_plain() {
        let shift = f64::from_bits(0x4338_0000_0000_0000);
        let steps = |constant: f64| {
            let sum = 2.3 + constant;
            [
                step(Op::Add, 2.3, (constant, true), sum),
                step(Op::Sub, sum, (constant, true), sum - constant),
            ]
        };
        assert!(!judged(&steps(shift), |_| {}));
        let mut fused = steps(shift);
        fused[0].op = Op::MulAdd;
        assert!(!judged(&fused, |_| {}));
        assert!(judged(&steps(1.0), |_| {}), "a mistake");
        assert!(judged(&steps(1e16), |_| {}), "a mistake, too");
        assert!(judged(&steps(shift)[..1], |_| {}), "nothing is subtracted");
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
