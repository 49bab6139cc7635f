//! The shadow oracle: replays a run's trace in exact arithmetic.
//!
//! Each operation of the trace is evaluated by MPFR on what its operands would have been without rounding
//! errors; an operand's origin is found by its bits, and where these are ambiguous, by what other runs showed
//! ([`super::origins`]). Decisions (branches, roundings to integers) are those the program took. A rounding to whole units by
//! adding and subtracting a large power of two (`x + 0x1.8p52 - 0x1.8p52`) is such a decision.
//!
//! Its reference is what this program would have computed in exact arithmetic, not what the function should
//! be: tables of coefficients have no truth beyond their digits, and a series that is cut off too early is
//! cut off here as well. And code that is written for its precision means something else in exact arithmetic. So it is a
//! reference by itself only for runs that [`super::plain`] knows to mean the same.

use std::{cell::Cell, collections::HashMap};

use lostbits_abi::ops::{Op, Outcome};
use rug::Float;

use super::origins::{ByMagnitude, Origin, Origins, Use, magnitude};
use crate::{
    numeric::evaluate,
    target::{LatestZero, Step},
};

/// The outputs of a run in exact arithmetic.
pub struct Shadows {
    pub outputs: Vec<Float>,
    /// The comparisons, roundings and conversions of the run are those of exact arithmetic.
    pub decides_alike: bool,
    /// The origin of an operand or output is not certain.
    pub is_ambiguous: bool,
}

/// Replays a trace at a precision.
pub fn replay(
    steps: &[Step],
    inputs: &[f64],
    outputs: &[f64],
    precision: u32,
    origins: &Origins,
) -> Shadows {
    let mut replay = Replay {
        values: ByMagnitude::default(),
        inputs,
        precision,
        origins,
        zero: LatestZero::default(),
        decides_alike: true,
        is_ambiguous: Cell::new(false),
    };
    let roundings = roundings_by_constant(steps);
    let mut shifted: HashMap<usize, Float> = HashMap::new();
    for (at, step) in steps.iter().enumerate() {
        match roundings.get(&at) {
            Some(Rounding::Begins) => {
                let exact = replay.result(step);
                shifted.extend(exact.map(|exact| (at, exact)));
                replay.step(step);
            }
            Some(Rounding::Ends(begin)) => {
                let first = &steps[*begin];
                let sum = shifted.get(begin).map(|exact| rounded(exact, first));
                replay.decides_alike &= sum == Some(first.result);
                replay.keep(step, None);
            }
            None => replay.step(step),
        }
    }
    Shadows {
        outputs: (0..outputs.len())
            .map(|at| replay.output(at, outputs[at]))
            .collect(),
        decides_alike: replay.decides_alike,
        is_ambiguous: replay.is_ambiguous.get(),
    }
}

/// A sum in the format of its operation.
fn rounded(exact: &Float, step: &Step) -> f64 {
    Float::with_val(step.kind.precision(), exact).to_f64()
}

/// A part of `x + C - C`, by the position of its operation.
enum Rounding {
    Begins,
    /// With the position of the addition.
    Ends(usize),
}

/// Constants below this are not taken for those that round: `(1 + x) - 1` is a mistake more often than a trick.
const LEAST_SHIFT: f64 = 65536.0;

/// The sums with a large constant of one or two bits from which the constant is then subtracted.
fn roundings_by_constant(steps: &[Step]) -> HashMap<usize, Rounding> {
    let mut sums: Vec<(usize, f64, f64)> = Vec::new();
    let mut roundings = HashMap::new();
    for (at, step) in steps.iter().enumerate() {
        let Some((constant, other)) = shift(step) else {
            continue;
        };
        let is_undone = |(_, sum, added): &&(usize, f64, f64)| *sum == other && *added == -constant;
        if let Some((begin, ..)) = sums.iter().rev().find(is_undone) {
            roundings.insert(*begin, Rounding::Begins);
            roundings.insert(at, Rounding::Ends(*begin));
        } else {
            sums.push((at, step.result, constant));
        }
    }
    roundings
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

/// What a value would have been, for results that have the same bits.
struct Entry {
    site: u32,
    /// None: exactly what was computed.
    exact: Option<Float>,
    is_negative: bool,
}

struct Replay<'a> {
    /// By magnitude, the latest result of each site, the latest last.
    values: ByMagnitude<Vec<Entry>>,
    inputs: &'a [f64],
    precision: u32,
    origins: &'a Origins,
    zero: LatestZero,
    decides_alike: bool,
    is_ambiguous: Cell<bool>,
}

impl Replay<'_> {
    fn number(&self, value: f64) -> Float {
        Float::with_val(self.precision, value)
    }

    /// What `value` would have been, where it is used.
    fn of(&self, value: f64, place: Use) -> Float {
        let key = magnitude(value);
        let entries = self.values.get(&key).map_or(&[][..], Vec::as_slice);
        if entries.is_empty() {
            return self.number(value);
        }
        let shadow = |entry: &Entry| match &entry.exact {
            None => self.number(value),
            Some(exact) if entry.is_negative != value.is_sign_negative() => {
                Float::with_val(self.precision, -exact)
            }
            Some(exact) => exact.clone(),
        };
        if let [only] = entries
            && self.origins.of(place).is_none()
            && !self.inputs.iter().any(|input| magnitude(*input) == key)
        {
            return shadow(only);
        }
        let mut all: Vec<(Origin, Float)> = Vec::new();
        if self.inputs.iter().any(|input| magnitude(*input) == key) {
            all.push((Origin::Input, self.number(value)));
        }
        all.extend(
            entries
                .iter()
                .map(|entry| (Origin::Site(entry.site), shadow(entry))),
        );
        let known = self.origins.of(place);
        if let Some(known) = known {
            if known.contains(&Origin::Untraced) {
                all.insert(0, (Origin::Untraced, self.number(value)));
            }
            all.retain(|(origin, _)| known.contains(origin));
        }
        let Some((_, latest)) = all.pop() else {
            // It comes from elsewhere, and has the same bits by chance; or the path is new.
            self.is_ambiguous.set(true);
            return self.number(value);
        };
        if all.iter().any(|(_, other)| *other != latest) {
            self.is_ambiguous.set(true);
        }
        latest
    }

    fn output(&self, at: usize, value: f64) -> Float {
        let place = Use::Output(at);
        let is_known = self.origins.of(place).is_some();
        match is_known || self.zero.is_meant_by(value) {
            true => self.of(value, place),
            false => self.number(value),
        }
    }

    fn step(&mut self, step: &Step) {
        if step.op.is_discrete() {
            self.decides_alike &= self.is_decided_alike(step);
        }
        if step.op.info().outcome != Outcome::Real {
            return;
        }
        let exact = self.result(step);
        self.keep(step, exact);
    }

    fn keep(&mut self, step: &Step, exact: Option<Float>) {
        let operands = [(step.x, step.x_is_constant), (step.y, step.y_is_constant)];
        self.zero.see(step.op, operands, step.result);
        let exact = exact.filter(|exact| exact.is_finite() && *exact != step.result);
        let entries = self.values.entry(magnitude(step.result)).or_default();
        entries.retain(|entry| entry.site != step.site);
        entries.push(Entry {
            site: step.site,
            exact,
            is_negative: step.result.is_sign_negative(),
        });
    }

    fn operand(&self, step: &Step, at: u8) -> Float {
        let (value, is_constant) = match at {
            0 => (step.x, step.x_is_constant),
            _ => (step.y, step.y_is_constant),
        };
        match is_constant {
            true => self.number(value),
            false => self.of(value, Use::Operand(step.site, at)),
        }
    }

    fn is_decided_alike(&self, step: &Step) -> bool {
        let x = self.operand(step, 0);
        let y = || self.operand(step, 1);
        match step.op {
            Op::Compare => x.partial_cmp(&y()) == step.x.partial_cmp(&step.y),
            op if op.is_remainder() => {
                let (x_is_exact, y) = (x == step.x, y());
                if x_is_exact && y == step.y {
                    return true;
                }
                let precision = self.precision.max(quotient_bits(step));
                let times = |x: &Float, y: &Float| {
                    let quotient = Float::with_val(precision, x / y);
                    match op {
                        Op::Rem => quotient.trunc(),
                        Op::Remainder => quotient.round_even(),
                        _ => quotient.floor(),
                    }
                };
                times(&x, &y) == times(&self.number(step.x), &self.number(step.y))
            }
            op => {
                let number = self.number(step.x);
                x == number
                    || evaluate(op, &[x], self.precision) == evaluate(op, &[number], self.precision)
            }
        }
    }

    fn result(&self, step: &Step) -> Option<Float> {
        use Op::*;
        let x = self.operand(step, 0);
        let y = || self.operand(step, 1);
        match step.op {
            Floor | Ceil | Trunc | Round | RoundEven | Rint | Nearbyint => None,
            Truncate => Some(x),
            Add | Fma | MulAdd => evaluate(Add, &[x, y()], self.precision),
            Rem | Remainder => {
                let y = y();
                // What is left of numbers is exact.
                if x == step.x && y == step.y {
                    return None;
                }
                let precision = self.precision.max(quotient_bits(step));
                let whole = Float::with_val(precision, step.x) - step.result;
                let times = Float::with_val(precision, whole / step.y).round();
                Some(Float::with_val(self.precision, x - y * times))
            }
            op if op.info().arity() == 1 => evaluate(op, &[x], self.precision),
            op => evaluate(op, &[x, y()], self.precision),
        }
    }
}

/// Enough for the whole quotient of two doubles.
fn quotient_bits(step: &Step) -> u32 {
    const SPARE: u32 = 128;
    let exponent = |value: f64| (value.to_bits() >> 52 & 0x7ff) as u32;
    exponent(step.x).saturating_sub(exponent(step.y)) + SPARE
}

#[cfg(test)]
mod tests {
    use super::*;
    use lostbits_abi::kind::FpKind;

    fn step(site: u32, op: Op, x: f64, y: f64, result: f64) -> Step {
        Step {
            site,
            op,
            kind: FpKind::Double,
            x,
            y,
            result,
            x_is_constant: x == 1.0,
            y_is_constant: false,
        }
    }

    fn exact(steps: &[Step], inputs: &[f64], output: f64, origins: &Origins) -> (Float, bool) {
        let mut shadows = replay(steps, inputs, &[output], 200, origins);
        (shadows.outputs.remove(0), shadows.is_ambiguous)
    }

    #[test]
    fn the_first_figure_of_atomu() {
        let x = 1e-7f64;
        let (cosine, square) = (x.cos(), x * x);
        let difference = 1.0 - cosine;
        let quotient = difference / square;
        let steps = [
            step(0, Op::Cos, x, x, cosine),
            step(1, Op::Sub, 1.0, cosine, difference),
            step(2, Op::Mul, x, x, square),
            step(3, Op::Div, difference, square, quotient),
        ];
        let (exact, is_ambiguous) = exact(&steps, &[x], quotient, &Origins::default());
        assert!(!is_ambiguous);
        assert!((exact.to_f64() - 0.5).abs() < 1e-14, "{exact}");
        assert!((quotient - 0.5).abs() > 1e-4);
    }

    /// 1 + 1e16 is rounded to 1e16: that is not the input -1e16, although their bits are almost the same.
    #[test]
    fn an_input_is_not_taken_for_a_result() {
        let run = |x: f64| {
            let difference = 1.0 - x;
            let rest = x + difference;
            let steps = [
                step(0, Op::Sub, 1.0, x, difference),
                step(1, Op::Add, x, difference, rest),
            ];
            (steps, rest)
        };
        let mut origins = Origins::default();
        for x in [-0.123_456_789_012_3, 5.678_901_234_567_8, 0.333_333_333_333] {
            let (steps, rest) = run(x);
            origins.learn(&steps, &[x], &[rest]);
        }
        let (steps, rest) = run(-1e16);
        assert_eq!(rest, 0.0);
        assert!(exact(&steps, &[-1e16], rest, &Origins::default()).1);
        assert_eq!(
            exact(&steps, &[-1e16], rest, &origins),
            (Float::with_val(200, 1), false)
        );
    }

    /// `fmod` is exact, however many times the divisor fits.
    #[test]
    fn remainders_of_exact_numbers_are_exact() {
        let (x, y) = (1.3484892961094887e308, std::f64::consts::TAU);
        let steps = [step(0, Op::Rem, x, y, x % y)];
        let (exact, _) = exact(&steps, &[x, y], x % y, &Origins::default());
        assert_eq!(exact, x % y);
    }

    #[test]
    fn a_rounding_by_a_constant_is_a_decision() {
        let shift = 1.5 * 2f64.powi(52);
        let run = |x: f64| {
            let third = x / 3.0;
            let mut steps = [
                step(0, Op::Div, x, 3.0, third),
                step(1, Op::Add, third, shift, third + shift),
                step(2, Op::Sub, third + shift, shift, third + shift - shift),
            ];
            steps.iter_mut().for_each(|step| step.y_is_constant = true);
            replay(&steps, &[x], &[steps[2].result], 200, &Origins::default())
        };
        let shadows = run(8.0);
        assert_eq!(shadows.outputs, [3.0]);
        assert!(shadows.decides_alike);
        // A third of the double is less than a half, and the quotient is not.
        let x = 1.5f64.next_down();
        assert_eq!(x / 3.0, 0.5f64.next_down());
        assert!(run(x).decides_alike);
    }
}
