//! The shadow oracle: replays a run's trace in exact arithmetic.
//!
//! Each operation of the trace is evaluated by MPFR on what its operands would have been without rounding
//! errors; an operand's origin is found by its bits, as in [`crate::target`]'s estimates. Decisions
//! (branches, roundings to integers) are those the program took.
//!
//! Its reference is what this program would have computed in exact arithmetic, not what the function should
//! be: tables of coefficients have no truth beyond their digits, and a series that is cut off too early is
//! cut off here as well. And code that is written for its precision means something else in exact arithmetic. So it is a
//! reference by itself only for runs that [`super::plain`] knows to mean the same.

use std::collections::HashMap;

use lostbits_abi::ops::{Op, Outcome};
use rug::Float;

use crate::{
    numeric::evaluate,
    target::{LatestZero, Step},
};

/// What a value would have been, by its bits without the sign (which is changed by operations that leave no
/// trace); and whether the value was negative.
pub struct Shadows<'i> {
    values: HashMap<u64, (Float, bool)>,
    /// Exact, unless the very same number was computed.
    inputs: &'i [f64],
    precision: u32,
    zero: LatestZero,
    /// Every decision was that of exact arithmetic.
    decides_alike: bool,
}

/// Replays a trace at a precision.
pub fn replay<'i>(steps: &[Step], inputs: &'i [f64], precision: u32) -> Shadows<'i> {
    let mut shadows = Shadows {
        values: HashMap::new(),
        inputs,
        precision,
        zero: LatestZero::default(),
        decides_alike: true,
    };
    for step in steps {
        shadows.step(step);
    }
    shadows
}

impl Shadows<'_> {
    /// What `value` would have been.
    fn of(&self, value: f64) -> Float {
        let is_negative = value.is_sign_negative();
        match self.values.get(&magnitude(value)) {
            Some((_, sign)) if *sign != is_negative && self.inputs.contains(&value) => {
                Float::with_val(self.precision, value)
            }
            Some((shadow, sign)) if *sign != is_negative => {
                Float::with_val(self.precision, -shadow)
            }
            Some((shadow, _)) => shadow.clone(),
            None => Float::with_val(self.precision, value),
        }
    }

    /// What an output would have been.
    pub fn output(&self, value: f64) -> Float {
        match self.zero.is_meant_by(value) {
            true => self.of(value),
            false => Float::with_val(self.precision, value),
        }
    }

    /// Whether the comparisons, roundings and conversions of the run are those of exact arithmetic.
    pub fn decides_as_the_run(&self) -> bool {
        self.decides_alike
    }

    fn step(&mut self, step: &Step) {
        if step.op.is_discrete() {
            self.decides_alike &= self.is_decided_alike(step);
        }
        if step.op.info().outcome != Outcome::Real {
            return;
        }
        let operands = [(step.x, step.x_is_constant), (step.y, step.y_is_constant)];
        self.zero.see(step.op, operands, step.result);
        let key = magnitude(step.result);
        match self.result(step) {
            Some(exact) if exact.is_finite() && exact != step.result => {
                let sign = step.result.is_sign_negative();
                self.values.insert(key, (exact, sign));
            }
            _ => {
                self.values.remove(&key);
            }
        }
    }

    fn operand(&self, value: f64, is_constant: bool) -> Float {
        match is_constant {
            true => Float::with_val(self.precision, value),
            false => self.of(value),
        }
    }

    fn is_decided_alike(&self, step: &Step) -> bool {
        let x = self.operand(step.x, step.x_is_constant);
        let y = || self.operand(step.y, step.y_is_constant);
        match step.op {
            Op::Compare => x.partial_cmp(&y()) == step.x.partial_cmp(&step.y),
            op if op.is_remainder() => {
                let times = |x: Float, y: Float| match op {
                    Op::Rem => (x / y).trunc(),
                    Op::Remainder => (x / y).round_even(),
                    _ => (x / y).floor(),
                };
                let number = |value| Float::with_val(self.precision, value);
                times(x, y()) == times(number(step.x), number(step.y))
            }
            op => {
                let number = Float::with_val(self.precision, step.x);
                x == number
                    || evaluate(op, &[x], self.precision) == evaluate(op, &[number], self.precision)
            }
        }
    }

    fn result(&self, step: &Step) -> Option<Float> {
        use Op::*;
        let x = self.operand(step.x, step.x_is_constant);
        let y = || self.operand(step.y, step.y_is_constant);
        match step.op {
            Floor | Ceil | Trunc | Round | RoundEven | Rint | Nearbyint => None,
            Truncate => Some(x),
            Add | Fma | MulAdd => evaluate(Add, &[x, y()], self.precision),
            Rem | Remainder => {
                let times = ((step.x - step.result) / step.y).round();
                Some(x - y() * times)
            }
            op if op.info().arity() == 1 => evaluate(op, &[x], self.precision),
            op => evaluate(op, &[x, y()], self.precision),
        }
    }
}

fn magnitude(value: f64) -> u64 {
    value.to_bits() << 1
}

#[cfg(test)]
mod tests {
    use super::*;
    use lostbits_abi::kind::FpKind;

    fn step(op: Op, x: f64, y: f64, result: f64) -> Step {
        Step {
            site: 0,
            op,
            kind: FpKind::Double,
            x,
            y,
            result,
            x_is_constant: x == 1.0,
            y_is_constant: false,
        }
    }

    #[test]
    fn the_first_figure_of_atomu() {
        let x = 1e-7f64;
        let (cosine, square) = (x.cos(), x * x);
        let difference = 1.0 - cosine;
        let quotient = difference / square;
        let steps = [
            step(Op::Cos, x, x, cosine),
            step(Op::Sub, 1.0, cosine, difference),
            step(Op::Mul, x, x, square),
            step(Op::Div, difference, square, quotient),
        ];
        let exact = replay(&steps, &[x], 200).output(quotient);
        assert!((exact.to_f64() - 0.5).abs() < 1e-14, "{exact}");
        assert!((quotient - 0.5).abs() > 1e-4);
    }

    /// 1 + 1e16 is rounded to 1e16: that is not the input -1e16, although their bits are almost the same.
    #[test]
    fn an_input_is_not_taken_for_a_result() {
        let x = -1e16;
        let steps = [step(Op::Sub, 1.0, x, 1e16), step(Op::Sub, x, -1e16, 0.0)];
        assert_eq!(replay(&steps, &[x], 200).output(0.0), 0.0);
        let sum = replay(&steps[..1], &[x], 200).output(1e16);
        assert_eq!(Float::with_val(200, &sum - 1e16), 1.0);
    }
}
