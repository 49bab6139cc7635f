//! Intervals that are sure to hold the real value.
//!
//! Every operation is evaluated by [`crate::numeric::evaluate`] at the corners of its operands and
//! widened by one unit where MPFR rounded. That is an enclosure where the operation is
//! monotone in each operand; those that are not have rules of their own, and where no rule applies
//! nothing is claimed.

use std::cmp::Ordering;

use gmp_mpfr_sys::mpfr;
use lostbits_abi::ops::Op;
use rug::{Float, float::Special};

use crate::fpcore::ast::Comparison;
use crate::numeric::evaluate;

#[derive(Clone, PartialEq, Debug)]
pub enum Enclosure {
    /// Certainly not a number.
    Nan,
    /// Certainly a number, from the first to the second; infinities are numbers.
    Between(Float, Float),
    /// Nothing is known.
    Unknown,
}

use Enclosure::{Between, Nan, Unknown};

impl Enclosure {
    pub fn exact(value: Float) -> Enclosure {
        if value.is_nan() {
            return Nan;
        }
        Between(value.clone(), value)
    }

    /// A rounded value with what is known about the rounding.
    pub fn rounded(value: Float, inexact: bool) -> Enclosure {
        if value.is_nan() {
            return Nan;
        }
        let (mut low, mut high) = (value.clone(), value);
        if inexact {
            low.next_down();
            high.next_up();
        }
        Between(low, high)
    }

    /// The one number it holds, if it is one.
    pub fn point(&self) -> Option<&Float> {
        match self {
            Between(low, high) if low == high => Some(low),
            _ => None,
        }
    }
}

/// The enclosure of an operation's results.
pub fn operation(op: Op, operands: &[Enclosure], precision: u32) -> Enclosure {
    if operands.contains(&Unknown) {
        return Unknown;
    }
    if operands.contains(&Nan) {
        return with_nan(op, operands);
    }
    let points: Option<Vec<&Float>> = operands.iter().map(Enclosure::point).collect();
    if let Some(points) = points {
        return at(op, &points, precision).unwrap_or(Unknown);
    }
    let ranges: Vec<[&Float; 2]> = operands
        .iter()
        .filter_map(|operand| match operand {
            Between(low, high) => Some([low, high]),
            _ => None,
        })
        .collect();
    of_ranges(op, operands, &ranges, precision)
}

/// C's fmin and fmax pass over a NaN; whatever else would needs exact operands, and is not claimed.
fn with_nan(op: Op, operands: &[Enclosure]) -> Enclosure {
    match op {
        Op::Fmin | Op::Fmax | Op::MinimumNum | Op::MaximumNum => {
            let number = operands.iter().find(|operand| **operand != Nan);
            number.cloned().unwrap_or(Nan)
        }
        Op::Pow | Op::Hypot => Unknown,
        _ => Nan,
    }
}

fn of_ranges(op: Op, operands: &[Enclosure], ranges: &[[&Float; 2]], precision: u32) -> Enclosure {
    use Op::*;
    let again = |op: Op, operands: &[Enclosure]| operation(op, operands, precision);
    match op {
        Add => sum(ranges[0], ranges[1], precision),
        Sub => sum(ranges[0], negated(ranges[1]).each_ref(), precision),
        Div | Fdim | Fmin | Fmax | Minimum | Maximum | MinimumNum | MaximumNum | Mul | Fma
        | MulAdd => match op {
            Div if holds_zero(ranges[1]) => Unknown,
            _ => corners(op, ranges, precision),
        },
        Abs | Cosh => even(op, ranges[0], precision),
        Sin | Cos => wave(op, ranges[0], 1, precision),
        SinPi | CosPi => wave(op, ranges[0], 4, precision),
        Tan => again(Div, &[again(Sin, operands), again(Cos, operands)]),
        TanPi => again(Div, &[again(SinPi, operands), again(CosPi, operands)]),
        Hypot => {
            let sizes = operands
                .iter()
                .map(|operand| again(Abs, std::slice::from_ref(operand)));
            let sizes: Vec<Enclosure> = sizes.collect();
            corners_of(op, &sizes, precision)
        }
        Pow => power(ranges, precision),
        Atan2 | Atan2Pi => {
            let [y, x] = [ranges[0], ranges[1]];
            let continuous = *x[0] > 0 || *y[0] > 0 || *y[1] < 0;
            if continuous {
                corners(op, ranges, precision)
            } else {
                Unknown
            }
        }
        Rem => remainder(Trunc, operands, precision),
        Remainder => remainder(RoundEven, operands, precision),
        Modulo => remainder(Floor, operands, precision),
        CopySign => match signs(ranges[1]) {
            Some(Ordering::Less) => again(Neg, &[again(Abs, &operands[..1])]),
            Some(_) => again(Abs, &operands[..1]),
            None => Unknown,
        },
        Tgamma | Lgamma if *ranges[0][0] >= 1.5 => corners(op, ranges, precision),
        Rsqrt if *ranges[0][0] > 0 => corners(op, ranges, precision),
        _ if is_monotone(op) => monotone(op, ranges[0], precision),
        _ => Unknown,
    }
}

/// Functions of one operand that rise (or fall) wherever they are defined.
fn is_monotone(op: Op) -> bool {
    use Op::*;
    matches!(
        op,
        Neg | Extend
            | Truncate
            | Canonicalize
            | Sqrt
            | Cbrt
            | Asin
            | Acos
            | Atan
            | AsinPi
            | AcosPi
            | AtanPi
            | Sinh
            | Tanh
            | Asinh
            | Acosh
            | Atanh
            | Exp
            | Exp2
            | Exp10
            | Expm1
            | Exp2m1
            | Exp10m1
            | Log
            | Log2
            | Log10
            | Log1p
            | Log2p1
            | Log10p1
            | Erf
            | Erfc
            | ErfcScaled
            | Floor
            | Ceil
            | Trunc
            | Round
            | RoundEven
            | Rint
            | Nearbyint
    )
}

/// At exact operands.
fn at(op: Op, operands: &[&Float], precision: u32) -> Option<Enclosure> {
    let operands: Vec<Float> = operands.iter().map(|operand| (*operand).clone()).collect();
    // SAFETY: the flags are MPFR's own, one set for each thread.
    unsafe { mpfr::clear_flags() };
    let value = evaluate(op, &operands, precision)?;
    // SAFETY: as above.
    let inexact = unsafe { mpfr::inexflag_p() } != 0;
    Some(Enclosure::rounded(value, inexact))
}

/// The hull of the values at the corners; none if one of them is NaN.
fn corners(op: Op, ranges: &[[&Float; 2]], precision: u32) -> Enclosure {
    let mut hull: Option<(Float, Float)> = None;
    for corner in 0..1usize << ranges.len() {
        let ends = ranges.iter().enumerate();
        let repeated = ends
            .clone()
            .any(|(index, range)| corner >> index & 1 == 1 && range[0] == range[1]);
        if repeated {
            continue;
        }
        let operands: Vec<&Float> = ends
            .map(|(index, range)| range[corner >> index & 1])
            .collect();
        let Some(Between(low, high)) = at(op, &operands, precision) else {
            return Unknown;
        };
        hull = Some(match hull {
            None => (low, high),
            Some((least, most)) => (least.min(&low), most.max(&high)),
        });
    }
    hull.map_or(Unknown, |(low, high)| Between(low, high))
}

fn corners_of(op: Op, operands: &[Enclosure], precision: u32) -> Enclosure {
    let ranges: Option<Vec<[&Float; 2]>> = operands
        .iter()
        .map(|operand| match operand {
            Between(low, high) => Some([low, high]),
            _ => None,
        })
        .collect();
    ranges.map_or(Unknown, |ranges| corners(op, &ranges, precision))
}

fn sum(left: [&Float; 2], right: [&Float; 2], precision: u32) -> Enclosure {
    let [low, high] = [0, 1].map(|end| at(Op::Add, &[left[end], right[end]], precision));
    match (low, high) {
        (Some(Between(low, _)), Some(Between(_, high))) => Between(low, high),
        _ => Unknown,
    }
}

fn negated(range: [&Float; 2]) -> [Float; 2] {
    let negative = |value: &Float| Float::with_val(value.prec(), -value);
    [negative(range[1]), negative(range[0])]
}

fn holds_zero(range: [&Float; 2]) -> bool {
    *range[0] <= 0 && *range[1] >= 0
}

/// The sign of everything in the range.
fn signs(range: [&Float; 2]) -> Option<Ordering> {
    if *range[0] > 0 {
        Some(Ordering::Greater)
    } else if *range[1] < 0 {
        Some(Ordering::Less)
    } else {
        let same =
            range[0] == range[1] && range[0].is_sign_negative() == range[1].is_sign_negative();
        same.then(|| {
            if range[0].is_sign_negative() {
                Ordering::Less
            } else {
                Ordering::Greater
            }
        })
    }
}

fn monotone(op: Op, range: [&Float; 2], precision: u32) -> Enclosure {
    let ends = range.map(|end| at(op, &[end], precision));
    match ends {
        [Some(Between(..)), Some(Between(..))] => corners(op, &[range], precision),
        // Outside of the domain on one side of it.
        [Some(Nan), Some(Nan)] if signs(range).is_some() => Nan,
        _ => Unknown,
    }
}

/// Falls to 0, then rises.
fn even(op: Op, range: [&Float; 2], precision: u32) -> Enclosure {
    let hull = corners(op, &[range], precision);
    if !(*range[0] < 0 && *range[1] > 0) {
        return hull;
    }
    let bottom = at(op, &[&Float::new(precision)], precision);
    match (bottom, hull) {
        (Some(Between(low, _)), Between(_, high)) => Between(low, high),
        _ => Unknown,
    }
}

/// Between −1 and 1, nowhere steeper than `slope`.
fn wave(op: Op, range: [&Float; 2], slope: u32, precision: u32) -> Enclosure {
    let Some(Between(mut low, mut high)) = at(op, &[range[0]], precision) else {
        return Unknown;
    };
    let mut width = Float::with_val(32, range[1] - range[0]);
    width.next_up();
    width *= slope;
    low -= &width;
    high += &width;
    low.next_down();
    high.next_up();
    if low.is_nan() || high.is_nan() {
        return Unknown;
    }
    let one = Float::with_val(precision, 1);
    Between(low.max(&Float::with_val(precision, -1)), high.min(&one))
}

fn power(ranges: &[[&Float; 2]], precision: u32) -> Enclosure {
    let [base, exponent] = [ranges[0], ranges[1]];
    if *base[0] > 0 {
        return corners(Op::Pow, ranges, precision);
    }
    let whole = exponent[0] == exponent[1] && exponent[0].is_integer();
    if !whole {
        return Unknown;
    }
    let is_even = Float::with_val(exponent[0].prec(), exponent[0] / 2u32).is_integer();
    match (is_even, *base[1] < 0, *exponent[0] > 0) {
        (_, true, _) => corners(Op::Pow, ranges, precision),
        (false, _, true) => corners(Op::Pow, ranges, precision),
        (true, _, true) => match corners(Op::Pow, ranges, precision) {
            Between(_, high) => Between(Float::new(precision), high),
            other => other,
        },
        _ => Unknown,
    }
}

/// x − n·y where n is the quotient, made whole in one way over all of the operands.
fn remainder(rounding: Op, operands: &[Enclosure], precision: u32) -> Enclosure {
    let quotient = operation(Op::Div, operands, precision);
    let whole = operation(rounding, &[quotient], precision);
    if whole.point().is_none() {
        return Unknown;
    }
    let multiple = operation(Op::Mul, &[whole, operands[1].clone()], precision);
    operation(Op::Sub, &[operands[0].clone(), multiple], precision)
}

/// The truth of a comparison; `None` where the enclosures do not decide it.
pub fn compare(comparison: Comparison, left: &Enclosure, right: &Enclosure) -> Option<bool> {
    use Comparison::*;
    let ([low, high], [right_low, right_high]) = match (left, right) {
        (Unknown, _) | (_, Unknown) => return None,
        (Nan, _) | (_, Nan) => return Some(comparison == Different),
        (Between(a, b), Between(c, d)) => ([a, b], [c, d]),
    };
    let decide = |surely: bool, surely_not: bool| match (surely, surely_not) {
        (true, _) => Some(true),
        (_, true) => Some(false),
        _ => None,
    };
    let apart = high < right_low || right_high < low;
    let same = low == high && right_low == right_high && low == right_low;
    match comparison {
        Less => decide(high < right_low, low >= right_high),
        AtMost => decide(high <= right_low, low > right_high),
        Greater => decide(low > right_high, high <= right_low),
        AtLeast => decide(low >= right_high, high < right_low),
        Equal => decide(same, apart),
        Different => decide(apart, same),
    }
}

/// Whether all of it is one value as far as `bits` of precision go, or rounds to the same zero or infinity
/// from well beyond the range of doubles.
pub fn is_tight(low: &Float, high: &Float, bits: u32) -> bool {
    if low == high {
        return true;
    }
    let (least, most) = (low.to_f64(), high.to_f64());
    if least == most && beyond_doubles(low) && beyond_doubles(high) {
        return true;
    }
    if !low.is_finite() || !high.is_finite() || holds_zero([low, high]) {
        return false;
    }
    let width = Float::with_val(32, high - low);
    match (width.get_exp(), low.get_exp()) {
        (Some(width), Some(value)) => width + bits as i32 <= value,
        _ => false,
    }
}

fn beyond_doubles(value: &Float) -> bool {
    value
        .get_exp()
        .is_none_or(|exponent| exponent.abs() > 1_200)
}

/// A NaN at a precision.
pub fn nan(precision: u32) -> Float {
    Float::with_val(precision, Special::Nan)
}
