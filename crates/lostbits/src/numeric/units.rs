//! How far a computed number is from the exact one: four units, each a type of its own.
//!
//! No measured error is NaN. If both sides are NaN, or equal infinities, there is no error; NaN or infinity on one
//! side only is the largest error, except that an infinity is right where the exact value rounds to it.

use std::fmt;

use lostbits_abi::kind::FpKind;
use rug::{Float, ops::Pow};
use serde::{Deserialize, Serialize};

use super::{ordinal, ordinal_f32};

/// Bits of error as Herbie and Herbgrind count them: the logarithm to base 2 of one more than the number of
/// values of the format from the computed to the correctly rounded one. From 0 (correctly rounded) to 64 (nothing
/// right), for single precision to 32.
#[derive(Clone, Copy, PartialEq, PartialOrd, Debug)]
pub struct Bits(f64);

/// The distance in units in the last place of the format at the exact value.
#[derive(Clone, Copy, PartialEq, PartialOrd, Debug)]
pub struct Ulps(f64);

/// The distance divided by the exact value.
#[derive(Clone, Copy, PartialEq, PartialOrd, Debug, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Relative(f64);

/// Decimal digits of a double that are right: from 0 to [`Digits::ALL`].
#[derive(Clone, Copy, PartialEq, PartialOrd, Debug)]
pub struct Digits(f64);

impl Bits {
    pub const NONE: Bits = Bits(0.0);
    pub const ALL: Bits = Bits(64.0);

    pub const fn new(bits: f64) -> Bits {
        Bits(bits)
    }

    /// In doubles.
    pub fn between(computed: f64, exact: &Float) -> Bits {
        Bits::in_format(FpKind::Double, &Float::with_val(53, computed), exact)
    }

    /// In a format: that of the computed value.
    pub fn in_format(kind: FpKind, computed: &Float, exact: &Float) -> Bits {
        let all = match kind {
            FpKind::Half | FpKind::BFloat => 16.0,
            FpKind::Float => 32.0,
            FpKind::Double | FpKind::X87 => 64.0,
        };
        let distance = match (computed.is_nan(), exact.is_nan()) {
            (true, true) => Some(0.0),
            (false, false) => values_between(kind, computed, exact),
            _ => None,
        };
        Bits(distance.map_or(all, |distance| (distance + 1.0).log2().min(all)))
    }

    pub fn get(self) -> f64 {
        self.0
    }
}

/// How many values of the format lie between two numbers, counting the second; none if one is infinite and
/// the format is not counted through.
fn values_between(kind: FpKind, computed: &Float, exact: &Float) -> Option<f64> {
    match kind {
        FpKind::Double => {
            let [computed, exact] = [computed, exact].map(|value| ordinal(value.to_f64()));
            Some(computed.abs_diff(exact) as f64)
        }
        FpKind::Float => {
            let [computed, exact] = [computed, exact].map(|value| ordinal_f32(value.to_f32()));
            Some(f64::from(computed.abs_diff(exact)))
        }
        // In units of the last bit, which is the same as counting where the exponents are alike.
        _ => {
            let precision = kind.precision();
            let rounded = Float::with_val(precision, exact);
            if *computed == rounded {
                return Some(0.0);
            }
            let exponent = rounded.get_exp().filter(|_| computed.is_finite())?;
            let distance = Float::with_val(64, computed - &rounded).abs();
            Some((distance >> (exponent - precision as i32)).to_f64())
        }
    }
}

impl Ulps {
    pub const NONE: Ulps = Ulps(0.0);

    /// In units of doubles.
    pub fn between(computed: f64, exact: &Float) -> Ulps {
        Ulps::in_format(FpKind::Double, computed, exact)
    }

    /// In units of another format; the computed value is widened to `f64`, which holds all formats
    /// but x87's.
    pub fn in_format(kind: FpKind, computed: f64, exact: &Float) -> Ulps {
        Ulps(match finite_distance(computed, exact) {
            Ok(distance) => (distance / unit(kind, exact)).to_f64(),
            Err(Special::Right) => 0.0,
            Err(Special::Wrong) => f64::INFINITY,
        })
    }

    pub fn get(self) -> f64 {
        self.0
    }
}

/// The weight of the last bit of a format at a value: that of the smallest subnormal at 0.
fn unit(kind: FpKind, exact: &Float) -> Float {
    let smallest = match kind {
        FpKind::Half => -24,
        FpKind::BFloat => -133,
        FpKind::Float => -149,
        FpKind::Double => -1074,
        FpKind::X87 => -16445,
    };
    let last = exact
        .get_exp()
        .map_or(smallest, |exponent| exponent - kind.precision() as i32);
    Float::with_val(2, 2).pow(last.max(smallest))
}

impl Relative {
    pub const NONE: Relative = Relative(0.0);
    pub const INFINITE: Relative = Relative(f64::INFINITY);

    pub const fn new(error: f64) -> Relative {
        Relative(error)
    }

    pub fn between(computed: f64, exact: &Float) -> Relative {
        Relative(match finite_distance(computed, exact) {
            Ok(distance) if distance.is_zero() => 0.0,
            Ok(distance) => (distance / exact).to_f64().abs(),
            Err(Special::Right) => 0.0,
            Err(Special::Wrong) => f64::INFINITY,
        })
    }

    pub fn get(self) -> f64 {
        self.0
    }
}

impl Relative {
    pub fn max(self, other: Relative) -> Relative {
        Relative(self.0.max(other.0))
    }

    pub fn min(self, other: Relative) -> Relative {
        Relative(self.0.min(other.0))
    }

    pub fn total_cmp(&self, other: &Relative) -> std::cmp::Ordering {
        self.0.total_cmp(&other.0)
    }
}

impl From<f64> for Relative {
    fn from(error: f64) -> Relative {
        Relative(error)
    }
}

impl From<Relative> for f64 {
    fn from(error: Relative) -> f64 {
        error.0
    }
}

impl Digits {
    /// The digits that every correctly rounded double has.
    pub const ALL: Digits = Digits(f64::DIGITS as f64);

    /// The digits that a relative error leaves.
    pub fn left_by(error: Relative) -> Digits {
        Digits((-error.0.log10()).clamp(0.0, Digits::ALL.0))
    }

    pub fn get(self) -> f64 {
        self.0
    }
}

impl fmt::Display for Digits {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "{:.0} of {} digits", self.0.floor(), Digits::ALL.0)
    }
}

enum Special {
    Right,
    Wrong,
}

/// |computed − exact| to 64 bits; where one of them is not finite, whether the computed one is right.
fn finite_distance(computed: f64, exact: &Float) -> Result<Float, Special> {
    if computed.is_finite() && exact.is_finite() {
        // Exact before it is rounded: MPFR rounds a difference once.
        return Ok(Float::with_val(64, exact - computed).abs());
    }
    let rounded = exact.to_f64();
    let right = computed == rounded || (computed.is_nan() && rounded.is_nan());
    Err(if right {
        Special::Right
    } else {
        Special::Wrong
    })
}

impl fmt::Display for Bits {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "{:.1} bits", self.0)
    }
}

impl fmt::Display for Ulps {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write_number(f, self.0)?;
        f.write_str(" ulp")
    }
}

impl fmt::Display for Relative {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write_number(f, self.0)
    }
}

/// Three digits, with an exponent unless the number is between 0.01 and 10,000.
fn write_number(f: &mut fmt::Formatter, number: f64) -> fmt::Result {
    if number.is_infinite() {
        f.write_str("infinite")
    } else if number == 0.0 {
        f.write_str("0")
    } else if (0.01..10_000.0).contains(&number) {
        write!(f, "{number:.2}")
    } else {
        write!(f, "{number:.2e}")
    }
}
