//! An estimate of a high-precision number's own error.
//!
//! A worst-case bound grows with the number of operations even where the error does not: it doubles with every step of
//! `x2 = 2*x1 - x0`, so that no precision is enough for a few thousand steps. Therefore the error is followed as it arises,
//! signed and to first order. Each inexact operation contributes an error of 2^(size − precision), and derivatives propagate
//! it. Errors that come from one source cancel where the true ones do, and grow where the true ones grow.
//!
//! The sign and the leading bits of a contribution depend on the operands and the result alone ([`OwnError::of_rounding`]).
//! So the same operation on the same numbers has the same error, as it has in truth; others are as good as independent. The
//! true error is a sum with the same derivatives and smaller terms: numbers have at least
//! [`SPARE_BITS`](crate::settings::SPARE_BITS) bits more than their precision. What an estimate may lack by accident is
//! covered by [`MARGIN_BITS`], and by escalation, which requires that two precisions agree.

use core::ops::Neg;

use crate::number::Number;

/// The true error is less than the estimate times two to this power. An estimate is the sum of random terms, so it is too
/// small by a factor 2ᵏ with a probability of about 2⁻ᵏ, and the spare bits of numbers add eight.
pub const MARGIN_BITS: i64 = 8;

/// `fraction`·2^(`exponent` − 31), with 2³⁰ ≤ |`fraction`| ≤ 2³¹; or 0.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(C)]
pub struct OwnError {
    fraction: i32,
    /// Twice the exponent, plus [`ABSORBED`].
    word: i32,
}

/// Set where a result was rounded to a number that is much shorter than the precision: a term far below it is gone, as in
/// 1 + 2⁻¹⁰⁰⁰. Then zero may be left of a number that is none, at the next precision too.
const ABSORBED: i32 = 1;

/// Below all powers of errors.
const NO_POWER: i64 = i64::MIN / 8;
const MOST_EXPONENT: i64 = i32::MAX as i64 / 4;
const LEAST_EXPONENT: i64 = -MOST_EXPONENT;

impl OwnError {
    pub const EXACT: OwnError = OwnError {
        fraction: 0,
        word: 0,
    };
    /// Nothing is known about the error.
    pub const UNKNOWN: OwnError = OwnError {
        fraction: i32::MAX,
        word: i32::MAX,
    };

    /// `fraction`·2^(`exponent` − 31).
    #[inline(always)]
    fn normalised(fraction: i64, exponent: i64) -> OwnError {
        if fraction == 0 {
            return OwnError::EXACT;
        }
        let excess = 33 - i64::from(fraction.unsigned_abs().leading_zeros());
        let fraction = match excess > 0 {
            true => fraction >> excess,
            false => fraction << -excess,
        };
        match exponent + excess {
            ..LEAST_EXPONENT => OwnError::EXACT,
            exponent @ LEAST_EXPONENT..=MOST_EXPONENT => OwnError {
                fraction: fraction as i32,
                word: exponent as i32 * 2,
            },
            _ => OwnError::UNKNOWN,
        }
    }

    /// The positive error 2^`power`.
    pub fn power_of_two(power: i64) -> OwnError {
        OwnError::normalised(1, power + 31)
    }

    /// The error of an inexact operation whose result has this size at the current precision; `salt` identifies the
    /// operands ([`Number::salt`]).
    #[inline(always)]
    pub fn of_rounding(result: &Number, precision: i64, salt: u64) -> OwnError {
        const GOLDEN_RATIO: u64 = 0x9e37_79b9_7f4a_7c15;
        let hash = (salt ^ result.salt()).wrapping_mul(GOLDEN_RATIO);
        let fraction = 1 << 30 | hash >> 34;
        let is_negative = (hash >> 33 & 1 != 0) != (result.sign < 0);
        let fraction = fraction as i64 * if is_negative { -1 } else { 1 };
        let error = OwnError::normalised(fraction, result.size - precision);
        match result.is_shorter_than(precision / 2) {
            true => error.with_absorption_of(OwnError::UNKNOWN),
            false => error,
        }
    }

    /// The same, knowing that something was absorbed.
    #[inline(always)]
    pub fn with_absorption_of(self, other: OwnError) -> OwnError {
        OwnError {
            word: self.word | other.word & ABSORBED,
            ..self
        }
    }

    /// Whether a term was absorbed on the way to the number.
    #[inline(always)]
    pub fn has_absorbed(self) -> bool {
        self.word & ABSORBED != 0
    }

    #[inline(always)]
    pub fn is_exact(self) -> bool {
        self.fraction == 0
    }

    #[inline(always)]
    pub fn is_unknown(self) -> bool {
        self.word == i32::MAX
    }

    pub fn is_negative(self) -> bool {
        self.fraction < 0
    }

    /// The error is less than 2^power; far below all others for none.
    #[inline(always)]
    pub fn power(self) -> i64 {
        match self {
            OwnError { fraction: 0, .. } => NO_POWER,
            OwnError { word, .. } => i64::from(word >> 1),
        }
    }

    #[inline(always)]
    pub fn plus(self, other: OwnError) -> OwnError {
        let (large, small) = match self.power() >= other.power() {
            true => (self, other),
            false => (other, self),
        };
        let distance = large.power() - small.power();
        if small.is_exact() || large.is_unknown() || distance > 31 {
            return large.with_absorption_of(small);
        }
        let fraction = (i64::from(large.fraction) << distance) + i64::from(small.fraction);
        OwnError::normalised(fraction, small.power())
            .with_absorption_of(large)
            .with_absorption_of(small)
    }

    /// The larger one.
    #[inline(always)]
    pub fn or(self, other: OwnError) -> OwnError {
        match self.power() >= other.power() {
            true => self,
            false => other,
        }
    }

    /// This error with another size.
    #[inline(always)]
    fn scaled_to(self, fraction: i64, exponent: i64) -> OwnError {
        OwnError::normalised(fraction, exponent).with_absorption_of(self)
    }

    #[inline(always)]
    pub fn times(self, number: &Number) -> OwnError {
        if self.is_exact() || !number.is_regular() {
            return OwnError::EXACT;
        }
        if self.is_unknown() {
            return self;
        }
        let fraction = i64::from(self.fraction) * leading_31(number);
        self.scaled_to(fraction, self.power() + number.size - 31)
    }

    /// The product of two errors.
    pub fn squared_with(self, other: OwnError) -> OwnError {
        if self.is_exact() || other.is_exact() {
            return OwnError::EXACT;
        }
        if self.is_unknown() || other.is_unknown() {
            return OwnError::UNKNOWN;
        }
        let fraction = i64::from(self.fraction) * i64::from(other.fraction);
        self.scaled_to(fraction, self.power() + other.power() - 31)
            .with_absorption_of(other)
    }

    /// Divided by a regular number.
    #[inline(always)]
    pub fn over(self, number: &Number) -> OwnError {
        if self.is_exact() || self.is_unknown() {
            return self;
        }
        let fraction = (i64::from(self.fraction) << 31) / leading_31(number);
        self.scaled_to(fraction, self.power() - number.size)
    }

    /// Times a double.
    pub fn scaled(self, factor: f64) -> OwnError {
        if self.is_exact() || factor == 0.0 {
            return OwnError::EXACT;
        }
        if self.is_unknown() || !factor.is_finite() {
            return OwnError::UNKNOWN;
        }
        let bits = factor.to_bits();
        let biased = (bits >> 52 & 0x7ff) as i64;
        // Subnormal factors count as the least normal one.
        let fraction = 1 << 30 | (bits >> 22 & ((1 << 30) - 1)) as i64;
        let fraction = if factor < 0.0 { -fraction } else { fraction };
        let exponent = self.power() + biased.max(1) - 1022 - 31;
        self.scaled_to(i64::from(self.fraction) * fraction, exponent)
    }

    /// At most 2^`power`.
    pub fn at_most(self, power: i64) -> OwnError {
        match self.power() > power {
            true => OwnError {
                fraction: self.fraction,
                word: (power as i32 * 2) | (self.word & ABSORBED),
            },
            false => self,
        }
    }
}

impl Neg for OwnError {
    type Output = OwnError;

    #[inline(always)]
    fn neg(self) -> OwnError {
        match self.is_unknown() {
            true => self,
            false => OwnError {
                // The least `i32` has no opposite; the next is as good.
                fraction: self.fraction.checked_neg().unwrap_or(i32::MAX),
                word: self.word,
            },
        }
    }
}

/// The leading 31 bits of a regular number, with its sign.
#[inline(always)]
fn leading_31(number: &Number) -> i64 {
    (number.leading_64() >> 33) as i64 * i64::from(number.sign)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        number::{Short, Slot},
        value::Value,
    };

    fn error(power: i64) -> OwnError {
        OwnError::power_of_two(power)
    }

    fn product(error: OwnError, factor: f64) -> OwnError {
        error.times(Short::new().set(Value::of_double(factor)))
    }

    fn quotient(error: OwnError, divisor: f64) -> OwnError {
        error.over(Short::new().set(Value::of_double(divisor)))
    }

    #[test]
    fn errors_are_added_with_their_signs() {
        assert_eq!(error(-100).plus(error(-100)), error(-99));
        assert_eq!(error(-100).plus(-error(-100)), OwnError::EXACT);
        assert_eq!(error(-100).plus(-error(-101)), error(-101));
        assert_eq!(error(-100).plus(OwnError::EXACT), error(-100));
        assert_eq!(error(-100).plus(OwnError::UNKNOWN), OwnError::UNKNOWN);
        assert_eq!(error(-100).plus(error(-200)), error(-100));
    }

    #[test]
    fn errors_are_scaled_by_numbers() {
        for (factor, power) in [(2.0, 1), (0.25, -2), (1.0, 0)] {
            assert_eq!(product(error(-100), factor), error(power - 100));
            assert_eq!(product(error(-100), -factor), -error(power - 100));
            assert_eq!(quotient(error(-100), factor), error(-100 - power));
            assert_eq!(error(-100).scaled(factor), error(power - 100));
            assert_eq!(error(-100).scaled(-factor), -error(power - 100));
        }
        assert_eq!(product(error(-100), 3.0), error(-100).plus(error(-99)));
        assert_eq!(error(-100).scaled(3.0), error(-100).plus(error(-99)));
        assert_eq!(product(error(-100), 0.0), OwnError::EXACT);
        assert_eq!(error(-10).squared_with(-error(-20)), -error(-30));
        assert_eq!(error(-10).at_most(-50).power(), -50);
        assert_eq!(error(5_000_000_000), OwnError::UNKNOWN);
    }

    /// A recurrence whose worst case doubles with every step: the error grows like its true one.
    #[test]
    fn estimates_follow_the_error_not_the_steps() {
        let (mut before, mut error) = (OwnError::EXACT, OwnError::EXACT);
        let mut slot = Slot::new();
        for step in 0..20_000u32 {
            slot.set_value(Value::of_double(f64::from(step + 1) * 0.1));
            let own = OwnError::of_rounding(&slot.number, 128, u64::from(step));
            let twice = product(error, 2.0 - 1e-6);
            (before, error) = (error, twice.plus(-before).plus(own));
        }
        assert!((-128..-90).contains(&error.power()), "{error:?}");
    }
}
