//! How far a computed number is from the exact one: three measures, each a type of its own.
//!
//! None is ever NaN. Both sides NaN, or equal infinities, is no error; NaN or infinity on one side
//! only is the largest there is, except that an infinity is right where the exact value rounds to it.

use std::fmt;

use lostbits_abi::kind::FpKind;
use rug::{Float, ops::Pow};

/// Bits of error as Herbie and Herbgrind count them: the logarithm to base 2 of one more than the
/// number of doubles from the computed to the correctly rounded value. From 0 (correctly rounded) to
/// 64 (nothing right).
#[derive(Clone, Copy, PartialEq, PartialOrd, Debug)]
pub struct Bits(f64);

/// The distance in units in the last place of the format at the exact value.
#[derive(Clone, Copy, PartialEq, PartialOrd, Debug)]
pub struct Ulps(f64);

/// The distance divided by the exact value.
#[derive(Clone, Copy, PartialEq, PartialOrd, Debug)]
pub struct Relative(f64);

impl Bits {
    pub const NONE: Bits = Bits(0.0);
    pub const ALL: Bits = Bits(64.0);

    pub fn between(computed: f64, exact: &Float) -> Bits {
        let rounded = exact.to_f64();
        match (computed.is_nan(), rounded.is_nan()) {
            (true, true) => Bits::NONE,
            (false, false) => {
                let distance = ordinal(computed).abs_diff(ordinal(rounded));
                Bits((distance as f64 + 1.0).log2())
            }
            _ => Bits::ALL,
        }
    }

    pub fn get(self) -> f64 {
        self.0
    }
}

/// The position of a double among all doubles; both zeros are at 0.
fn ordinal(x: f64) -> i64 {
    let magnitude = (x.to_bits() & !(1 << 63)) as i64;
    if x.is_sign_negative() {
        -magnitude
    } else {
        magnitude
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

enum Special {
    Right,
    Wrong,
}

/// |computed − exact| to 64 bits, or what is to be said where one of them is no finite number.
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

/// Three digits, with an exponent where the number is not of everyday size.
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
