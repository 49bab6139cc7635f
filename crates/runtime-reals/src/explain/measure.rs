//! Errors in ulps and in bits, and verdicts about them.
//!
//! An error in ulps is the number of values of the format between a value and its exact value, one end included. An error in
//! bits is log₂ of one more.

use lostbits_abi::kind::FpKind;

const SIGN: u64 = 1 << 63;
const EXPONENT: u64 = 0x7ff << 52;

pub use lostbits_abi::explain::ALLOWANCE;

/// An error in bits.
#[derive(Clone, Copy, PartialEq, PartialOrd, Debug)]
#[repr(transparent)]
pub struct Bits(pub f64);

impl Bits {
    pub const ZERO: Bits = Bits(0.0);
    /// The value or its exact value is infinite or NaN.
    pub const ALL: Bits = Bits(64.0);
}

/// An error or a threshold in units in the last place.
#[derive(Clone, Copy, PartialEq, PartialOrd, Debug)]
#[repr(transparent)]
pub struct Ulps(pub f64);

impl Ulps {
    /// A threshold in bits. Linear between powers of two: thresholds are mostly whole numbers.
    pub fn of(bits: Bits) -> Ulps {
        let whole = bits.0 as i32;
        let part = bits.0 - f64::from(whole);
        Ulps(power_of_two(whole) * (1.0 + part) - 1.0)
    }

    /// To about five digits.
    pub fn bits(self) -> Bits {
        let y = 1.0 + self.0;
        if !y.is_finite() {
            return Bits::ALL;
        }
        let exponent = exponent(y);
        let fraction = y / power_of_two(exponent);
        let s = (fraction - 1.0) / (fraction + 1.0);
        let square = s * s;
        let series =
            s * (1.0 + square * (1.0 / 3.0 + square * (0.2 + square * (1.0 / 7.0 + square / 9.0))));
        let bits = f64::from(exponent) + series * (2.0 * core::f64::consts::LOG2_E);
        Bits(bits.min(Bits::ALL.0))
    }
}

/// Whether an error exceeds a threshold.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Verdict {
    Within,
    Over,
    /// The residue is not known well enough.
    Undecided,
}

impl Verdict {
    /// Over if both are.
    pub fn both(self, other: Verdict) -> Verdict {
        match (self, other) {
            (Verdict::Within, _) | (_, Verdict::Within) => Verdict::Within,
            (Verdict::Over, Verdict::Over) => Verdict::Over,
            _ => Verdict::Undecided,
        }
    }

    /// Over if one is.
    pub fn either(self, other: Verdict) -> Verdict {
        match (self, other) {
            (Verdict::Over, _) | (_, Verdict::Over) => Verdict::Over,
            (Verdict::Within, Verdict::Within) => Verdict::Within,
            _ => Verdict::Undecided,
        }
    }
}

/// A value with its error: the exact value is value + residue ± bound.
#[derive(Clone, Copy, Debug)]
pub struct Measured {
    pub kind: FpKind,
    pub value: f64,
    pub residue: f64,
    pub bound: f64,
}

impl Measured {
    /// Whether the error exceeds `limit`.
    pub fn verdict(&self, limit: Ulps) -> Verdict {
        if self.value.is_finite() && self.residue.is_nan() && !self.bound.is_finite() {
            // The exact value is beyond the range of doubles, or unknown: a run in high precision decides.
            return Verdict::Undecided;
        }
        if !self.value.is_finite() || self.residue.is_nan() {
            return Verdict::Over;
        }
        if let Some(clear) = self.clear_verdict(limit) {
            return clear;
        }
        let ulps = self.ulps(self.residue);
        let over = ulps > limit;
        let negligible = self.bound <= self.value.abs() * 1e-19;
        if negligible && (ulps.0 - limit.0).abs() > 1.5 {
            return if over { Verdict::Over } else { Verdict::Within };
        }
        match (over, self.is_doubtful(limit)) {
            (_, true) => Verdict::Undecided,
            (true, _) => Verdict::Over,
            (false, _) => Verdict::Within,
        }
    }

    /// The verdict where it is so clear that no ulps need be counted.
    #[inline]
    fn clear_verdict(&self, Ulps(limit): Ulps) -> Option<Verdict> {
        let least_normal = match self.kind {
            FpKind::Double => f64::MIN_POSITIVE,
            FpKind::Float => f64::from(f32::MIN_POSITIVE),
            _ => return None,
        };
        let size = self.value.abs();
        if size < least_normal {
            return None;
        }
        // An ulp is between size / 2^p and size / 2^(p−1); at most twice as large above the next power of two, half as large
        // below the previous one.
        let precision = self.kind.precision() as i32;
        let doubt = ALLOWANCE * self.bound;
        if (self.residue.abs() - doubt) * power_of_two(precision - 1) > size * (2.0 * limit + 4.0) {
            return Some(Verdict::Over);
        }
        if (self.residue.abs() + doubt) * power_of_two(precision + 1) < size * limit {
            return Some(Verdict::Within);
        }
        None
    }

    fn is_doubtful(&self, limit: Ulps) -> bool {
        // A bound that is infinite or NaN says nothing.
        if !(self.bound <= f64::MAX) {
            return true;
        }
        let bound = ALLOWANCE * self.bound;
        let away = if self.residue < 0.0 { -bound } else { bound };
        let most = self.residue + away;
        let (least, most) = match self.residue.abs() > bound {
            true => (self.ulps(self.residue - away), self.ulps(most)),
            false => {
                let most = self.ulps(most).0.max(self.ulps(-most).0);
                (Ulps(0.0), Ulps(most))
            }
        };
        (least > limit) != (most > limit)
    }

    /// To a tenth of a bit, for sums.
    #[inline(always)]
    pub fn approximate_bits(&self) -> Bits {
        let (value, residue) = (self.value.to_bits() & !SIGN, self.residue.to_bits() & !SIGN);
        let one_ulp = (value & EXPONENT).wrapping_sub(u64::from(self.kind.precision() - 1) << 52);
        // Where all ulps have one size, and there are many. The bits of a double are nearly its logarithm.
        match residue < value && residue > one_ulp && value < EXPONENT {
            true => Bits((residue - one_ulp) as i64 as f64 * power_of_two(-52)),
            false => self.bits(),
        }
    }

    pub fn bits(&self) -> Bits {
        if !self.value.is_finite() || self.residue.is_nan() {
            return Bits::ALL;
        }
        self.ulps(self.residue).bits()
    }

    /// The distance of the value from the number of its format nearest to value + residue.
    fn ulps(&self, residue: f64) -> Ulps {
        Ulps(match self.kind {
            FpKind::Double => ordinal(self.value).abs_diff(ordinal(self.value + residue)) as f64,
            FpKind::Float => {
                let exact = (self.value + residue) as f32;
                f64::from(ordinal_f32(self.value as f32).abs_diff(ordinal_f32(exact)))
            }
            FpKind::X87 | FpKind::Half | FpKind::BFloat => {
                let precision = self.kind.precision() as i32;
                let ulp = power_of_two((exponent(self.value) - precision + 1).max(-1074));
                (residue / ulp).abs()
            }
        })
    }
}

/// The index of a double in the order of all doubles.
fn ordinal(x: f64) -> i64 {
    let bits = x.to_bits() as i64;
    if bits < 0 { i64::MIN - bits } else { bits }
}

fn ordinal_f32(x: f32) -> i32 {
    let bits = x.to_bits() as i32;
    if bits < 0 { i32::MIN - bits } else { bits }
}

/// The exponent of a double; the smallest one for zero.
pub fn exponent(x: f64) -> i32 {
    let biased = ((x.to_bits() >> 52) & 0x7ff) as i32;
    match biased {
        0 => {
            let fraction = x.to_bits() << 12;
            -1023 - fraction.leading_zeros().min(51) as i32
        }
        biased => biased - 1023,
    }
}

/// 2^power, as far as doubles go.
#[inline]
pub fn power_of_two(power: i32) -> f64 {
    match power {
        ..-1074 => 0.0,
        -1074..-1022 => f64::from_bits(1 << (power + 1074)),
        -1022..=1023 => f64::from_bits(((power + 1023) as u64) << 52),
        _ => f64::INFINITY,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn near(x: f64, y: f64) -> bool {
        (x - y).abs() < 1e-4
    }

    fn measured(kind: FpKind, value: f64, residue: f64, bound: f64) -> Measured {
        Measured {
            kind,
            value,
            residue,
            bound,
        }
    }

    #[test]
    fn errors_are_counted_in_ulps() {
        let bits = |kind, value, residue| measured(kind, value, residue, 0.0).bits().0;
        assert_eq!(bits(FpKind::Double, 1.0, 0.0), 0.0);
        assert!(near(bits(FpKind::Double, 1.0, f64::EPSILON), 1.0));
        assert!(near(bits(FpKind::Double, 1.0, 31.0 * f64::EPSILON), 5.0));
        let short = f64::from(f32::EPSILON);
        assert!(near(bits(FpKind::Float, 1.0, 31.0 * short), 5.0));
        assert!(near(
            bits(FpKind::X87, 1.0, 31.0 * f64::EPSILON / 2048.0),
            5.0
        ));
        assert!(bits(FpKind::Double, 0.0, 1e-33) > 60.0);
        assert_eq!(bits(FpKind::Double, f64::NAN, 1.0), Bits::ALL.0);
    }

    #[test]
    fn errors_near_the_limit_are_undecided_on_both_sides() {
        let unit = f64::EPSILON;
        let limit = Ulps::of(Bits(5.0));
        assert_eq!(limit, Ulps(31.0));
        let judge = |residue, bound| measured(FpKind::Double, 1.0, residue, bound).verdict(limit);
        assert_eq!(judge(100.0 * unit, 0.0), Verdict::Over);
        assert_eq!(judge(31.0 * unit, 0.0), Verdict::Within);
        assert_eq!(judge(32.0 * unit, 0.0), Verdict::Over);
        assert_eq!(judge(10.0 * unit, 0.0), Verdict::Within);
        assert_eq!(judge(100.0 * unit, 90.0 * unit), Verdict::Undecided);
        assert_eq!(judge(10.0 * unit, 90.0 * unit), Verdict::Undecided);
        assert_eq!(judge(10.0 * unit, f64::INFINITY), Verdict::Undecided);
        assert_eq!(judge(10.0 * unit, f64::NAN), Verdict::Undecided);
        // Zero, with a residue that is only noise.
        let zero = measured(FpKind::Double, 0.0, 1e-33, 1e-32);
        assert_eq!(zero.verdict(limit), Verdict::Undecided);
    }

    #[test]
    fn logarithms_have_four_digits() {
        for (x, y) in [
            (0.0, 0.0),
            (1.0, 1.0),
            (31.0, 5.0),
            (1e6, 19.931_570),
            (0.5, 0.584_962),
        ] {
            assert!(near(Ulps(x).bits().0, y), "{x}");
        }
    }

    #[test]
    fn exponents_invert_powers_of_two() {
        for power in [-1074, -1030, -1022, -5, 0, 7, 1023] {
            assert_eq!(exponent(power_of_two(power)), power);
        }
    }
}
