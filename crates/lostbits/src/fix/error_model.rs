//! A bound on the error of a term over a box.
//!
//! The model is the standard one: each computed value is the exact one times 1 + δ, plus η. |δ| grows by the operand's δ
//! times the condition number (bounded over the box), plus the operation's own rounding; η is what underflow adds.
//! Differences of exact numbers are rounded once, differences of numbers within a factor of two not at all (Sterbenz),
//! products by powers of two never. Library functions are taken to be as accurate as glibc's manual says ([`libm_ulps`]).
//! Where a value may overflow the model does not hold, and nothing is claimed. It can miss that errors cancel: nothing
//! is claimed of compensated forms.

use egg::Language;
use lostbits_abi::ops::Op;
use rug::Rational;

use super::{
    analysis::of_rational,
    interval::{self, Interval},
    machine::{self, Width},
    math::{CONSTANTS, Math, Term},
};
use crate::fpcore::evaluate::reals::constant_value;

/// What the GNU C Library's manual documents for x86-64, in ulps, rounded up.
pub fn libm_ulps(op: Op) -> Option<u32> {
    use Op::*;
    Some(match op {
        Sin | Cos | Tan | Exp | Exp2 | Expm1 | Log | Log2 | Log1p | Pow | Hypot | Asin | Acos
        | Atan | Atan2 | Erf => 1,
        Log10 | Sinh | Cosh | Tanh | Asinh | Acosh | Atanh => 2,
        Cbrt => 4,
        Erfc => 5,
        _ => return None,
    })
}

/// A node's exact values, and the relative error of what is computed.
#[derive(Clone, Copy, Debug)]
struct Bound {
    values: Interval,
    error: f64,
    /// What underflow adds, in absolute terms.
    absolute: f64,
}

impl Bound {
    fn exact(values: Interval) -> Bound {
        Bound {
            values,
            error: 0.0,
            absolute: 0.0,
        }
    }

    /// With a relative error alone, where the values are not 0.
    fn settled(mut self) -> Bound {
        let smallest = self.smallest();
        if self.absolute > 0.0 && smallest > 0.0 && self.absolute < 1e-3 * smallest {
            self.error += SLACK * self.absolute / smallest;
            self.absolute = 0.0;
        }
        self
    }

    fn smallest(self) -> f64 {
        match self.values {
            Interval { low, .. } if low > 0.0 => low,
            Interval { high, .. } if high < 0.0 => -high,
            _ => 0.0,
        }
    }

    fn largest(self) -> f64 {
        self.values.high.abs().max(self.values.low.abs())
    }
}

/// For second-order terms and the rounding of the bounds themselves.
const SLACK: f64 = 1.0 + 1e-9;

/// A bound on the relative error of a term over a box; none where values may overflow, underflow or be 0.
pub fn relative_error(term: &Term, ranges: &[Interval], width: Width) -> Option<f64> {
    let bound = bound(term, ranges, width)?;
    (bound.absolute == 0.0).then_some(bound.error)
}

/// A bound on the error in ulps.
pub fn ulps(term: &Term, ranges: &[Interval], width: Width) -> Option<f64> {
    let bound = bound(term, ranges, width)?;
    // An ulp is at least the least number, whatever the value.
    Some(bound.error * 2f64.powi(width.bits() as i32) + bound.absolute / least(width))
}

fn bound(term: &Term, ranges: &[Interval], width: Width) -> Option<Bound> {
    let mut bounds: Vec<Bound> = Vec::with_capacity(term.len());
    for node in term.iter() {
        let bound = match node {
            Math::Number(value) => number(value, width),
            Math::Constant(index) => Bound::exact(Interval::point(
                constant_value(CONSTANTS[usize::from(*index)], width.bits()).to_f64(),
            )),
            Math::Variable(index) => Bound::exact(ranges[*index as usize]),
            _ => {
                let operands: Vec<Bound> = node
                    .children()
                    .iter()
                    .map(|id| bounds[usize::from(*id)])
                    .collect();
                operation(node, &operands, term, width)?
            }
        };
        bounds.push(bound);
    }
    bounds.pop().filter(|bound| bound.error < 0.1)
}

fn number(value: &Rational, width: Width) -> Bound {
    let nearest = machine::number(value, width);
    let is_exact = Rational::from_f64(nearest).is_some_and(|exact| exact == *value);
    Bound {
        values: of_rational(value),
        error: if is_exact { 0.0 } else { unit(width) },
        // Coefficients that are subnormal have few digits.
        absolute: if is_exact || nearest.abs() >= least_normal(width) {
            0.0
        } else {
            least(width)
        },
    }
}

/// Half an ulp of 1.
fn unit(width: Width) -> f64 {
    0.5f64.powi(width.bits() as i32)
}

/// The least number above 0.
fn least(width: Width) -> f64 {
    match width {
        Width::Double => f64::from_bits(1),
        Width::Single => f64::from(f32::from_bits(1)),
    }
}

fn least_normal(width: Width) -> f64 {
    match width {
        Width::Double => f64::MIN_POSITIVE,
        Width::Single => f64::from(f32::MIN_POSITIVE),
    }
}

fn largest(width: Width) -> f64 {
    match width {
        Width::Double => f64::MAX / 2.0,
        Width::Single => f64::from(f32::MAX) / 2.0,
    }
}

fn operation(node: &Math, x: &[Bound], term: &Term, width: Width) -> Option<Bound> {
    use Op::*;
    let op = node.op()?;
    let unit = unit(width);
    let values: Vec<Interval> = x.iter().map(|bound| bound.values).collect();
    let mut range = interval::operation(op, &values);
    if let Math::Binary(Mul, [a, b]) = node
        && a == b
    {
        let size = interval::operation(Abs, &values[..1]);
        range = interval::operation(Mul, &[size, size]);
    }
    let is_power_of_two = |index: usize| {
        let id = node.children()[index];
        matches!(&term[id], Math::Number(value) if power_of_two(value))
    };
    let (inherited, own) = match op {
        Neg | Abs => (x[0].error, 0.0),
        Mul => {
            let is_exact = is_power_of_two(0) || is_power_of_two(1);
            (
                product(x[0].error, x[1].error),
                if is_exact { 0.0 } else { unit },
            )
        }
        Div => {
            let is_exact = is_power_of_two(1);
            let inherited = (x[0].error + x[1].error) / (1.0 - x[1].error);
            (inherited, if is_exact { 0.0 } else { unit })
        }
        Sqrt => (0.5 * x[0].error * (1.0 + x[0].error), unit),
        Add | Sub => sum(op, x[0], x[1], range, unit)?,
        Fma => {
            let product = Bound {
                values: interval::operation(Mul, &values[..2]),
                error: product(x[0].error, x[1].error),
                absolute: 0.0,
            };
            let (inherited, _) = sum(Add, product, x[2], range, unit)?;
            (inherited, unit)
        }
        Fmin | Fmax => (x[0].error.max(x[1].error), 0.0),
        _ => {
            let own = 2.0 * unit * f64::from(libm_ulps(op)?);
            (function(op, x)?, own)
        }
    };
    // Not (1 + inherited)(1 + own) − 1, which would round to nothing.
    let error = product(inherited, own) * SLACK;
    let mut result = Bound {
        values: range,
        error,
        absolute: absolute(op, x)? * SLACK,
    };
    if error.is_nan() || error > 0.1 || result.largest() > largest(width) {
        return None;
    }
    let is_normal = result.smallest() >= 2.0 * least_normal(width);
    // Sums that are subnormal are exact; so are signs.
    if !is_normal && !matches!(op, Add | Sub | Neg | Abs | Fmin | Fmax) {
        result.absolute += least(width) * 2.0 * f64::from(libm_ulps(op).unwrap_or(1));
    }
    Some(result.settled())
}

/// What of the operands' absolute errors is in the result; none where that is not known.
fn absolute(op: Op, x: &[Bound]) -> Option<f64> {
    let of_product = |a: Bound, b: Bound| {
        let grown = |bound: Bound| bound.largest() * (1.0 + bound.error);
        let term = |absolute: f64, size: f64| {
            if absolute == 0.0 {
                0.0
            } else {
                absolute * size
            }
        };
        term(a.absolute, grown(b)) + term(b.absolute, grown(a)) + a.absolute * b.absolute
    };
    Some(match op {
        Op::Neg | Op::Abs => x[0].absolute,
        Op::Fmin | Op::Fmax => x[0].absolute.max(x[1].absolute),
        Op::Add | Op::Sub => 1.001 * (x[0].absolute + x[1].absolute),
        Op::Mul => 1.001 * of_product(x[0], x[1]),
        Op::Fma => 1.001 * (of_product(x[0], x[1]) + x[2].absolute),
        _ if x.iter().all(|bound| bound.absolute == 0.0) => 0.0,
        _ => return None,
    })
}

fn power_of_two(value: &Rational) -> bool {
    let one = |x: &rug::Integer| x.clone().abs().is_power_of_two();
    *value != 0 && one(value.numer()) && one(value.denom())
}

fn product(a: f64, b: f64) -> f64 {
    a + b + a * b
}

/// What a sum inherits, and its own rounding.
fn sum(op: Op, a: Bound, b: Bound, range: Interval, unit: f64) -> Option<(f64, f64)> {
    if a.error == 0.0 && b.error == 0.0 && a.absolute + b.absolute == 0.0 {
        return Some((0.0, unit));
    }
    let b_values = match op {
        Op::Sub => interval::operation(Op::Neg, &[b.values]),
        _ => b.values,
    };
    let alike = (a.values.low >= 0.0 && b_values.low >= 0.0)
        || (a.values.high <= 0.0 && b_values.high <= 0.0);
    if alike {
        return Some((a.error.max(b.error), unit));
    }
    let b = Bound {
        values: b_values,
        ..b
    };
    let whole = Bound::exact(range);
    let direct = (a.error * a.largest() + b.error * b.largest()) / whole.smallest();
    // |a| / |a + b| = 1 / |1 + b/a|, which depends less on the size of the box.
    let share = |one: Bound, other: Bound| -> f64 {
        if one.error == 0.0 {
            return 0.0;
        }
        let ratio = interval::operation(Op::Div, &[other.values, one.values]);
        let around = interval::operation(Op::Add, &[Interval::point(1.0), ratio]);
        let around = Bound::exact(around);
        match one.values.nonzero {
            true => one.error / around.smallest(),
            false => f64::INFINITY,
        }
    };
    let by_ratio = share(a, b) + share(b, a);
    let inherited = direct.min(by_ratio);
    if !inherited.is_finite() {
        return None;
    }
    let ratio = interval::operation(
        Op::Div,
        &[interval::operation(Op::Neg, &[b.values]), a.values],
    );
    // Sterbenz: the computed operands are within a factor of two, too.
    let is_exact = ratio.low > 0.501
        && ratio.high < 1.99
        && a.error.max(b.error) < 1e-4
        && a.absolute + b.absolute == 0.0;
    Some((inherited, if is_exact { 0.0 } else { unit }))
}

/// What a library function inherits: the operand's error times the largest condition number.
fn function(op: Op, x: &[Bound]) -> Option<f64> {
    use Op::*;
    let error = x[0].error;
    let both = error + x.get(1).map_or(0.0, |y| y.error);
    if both == 0.0 {
        return Some(0.0);
    }
    // The condition number must hold for the perturbed operand, too.
    let low = x[0].values.low;
    let size = x[0].largest() * (1.0 + error);
    let least = x[0].smallest() * (1.0 - error);
    let condition = match op {
        Exp => return Some((size * error).exp_m1()),
        Exp2 => return Some((size * error).exp_m1()),
        Expm1 | Sinh => 1.0 + size,
        Cosh => size,
        Log | Log2 | Log10 => {
            let (low, high) = (low * (1.0 - error), x[0].values.high * (1.0 + error));
            let nearest = if low > 1.0 {
                low
            } else if high < 1.0 {
                high
            } else {
                return None;
            };
            1.0 / nearest.ln().abs()
        }
        Log1p => {
            let low = low - low.abs() * error;
            match low >= 0.0 {
                true => 1.0,
                false if low > -0.999 => low / ((1.0 + low) * low.ln_1p()),
                false => return None,
            }
        }
        Sin if size <= 1.57 => 1.0,
        Sin | Cos | Tan if size <= 1.5 => match op {
            Cos => size * size.tan(),
            _ => 2.0 * size / (2.0 * size).sin(),
        },
        Sin | Cos if size <= 3.1 => {
            let wave = Bound::exact(interval::operation(
                op,
                &[Interval::new(low - size * error, size)],
            ));
            size / wave.smallest()
        }
        Asin if size < 0.99 => size / ((1.0 - size * size).sqrt() * size.asin()),
        Acos if size < 0.99 => {
            let high = x[0].values.high + size * error;
            size / ((1.0 - size * size).sqrt() * high.acos())
        }
        Atanh if size < 0.99 => size / ((1.0 - size * size) * size.atanh()),
        Acosh if least > 1.001 => least / ((least * least - 1.0).sqrt() * least.acosh()),
        Atan | Tanh | Asinh | Erf => 1.0,
        Cbrt => 0.34,
        Hypot => return Some(error.max(x[1].error)),
        Atan2 => return Some(both * 1.001),
        Pow if x[0].smallest() > 0.0 && low > 0.0 => {
            let exponent = x[1].largest();
            let logarithm = low.ln().abs().max(x[0].values.high.ln().abs());
            let change = exponent * error * 1.001 + exponent * logarithm * x[1].error;
            return Some(change.exp_m1());
        }
        _ => return None,
    };
    // |log f(x(1 + δ)) − log f(x)| is at most the condition number times |log(1 + δ)|.
    Some((condition * -(-error).ln_1p() * (1.0 + 1e-9)).exp_m1())
}
