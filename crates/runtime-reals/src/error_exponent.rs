//! The unit in which a high-precision number's own error is kept.

use core::ops::{Add, Sub};

/// A power of two that bounds an error: a number with error exponent e lies within about 2^e of the exact value.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
#[repr(transparent)]
pub struct ErrorExponent(i64);

impl ErrorExponent {
    /// No error. Far enough from the ends of `i64` that a few exponents can be added.
    pub const EXACT: ErrorExponent = ErrorExponent(i64::MIN / 8);
    /// No bound is known.
    pub const UNKNOWN: ErrorExponent = ErrorExponent(i64::MAX / 8);

    #[inline(always)]
    pub const fn new(power: i64) -> ErrorExponent {
        ErrorExponent(power)
    }

    #[inline(always)]
    pub const fn power(self) -> i64 {
        self.0
    }

    /// Back into the range from exact to unknown, after exponents were added: an exact operand contributes no error,
    /// whatever it is multiplied by.
    #[inline(always)]
    pub fn clamped(self) -> ErrorExponent {
        const NEGLIGIBLE: i64 = ErrorExponent::EXACT.0 / 2;
        const UNKNOWN: i64 = ErrorExponent::UNKNOWN.0;
        match self.0 {
            ..NEGLIGIBLE => ErrorExponent::EXACT,
            NEGLIGIBLE..UNKNOWN => self,
            _ => ErrorExponent::UNKNOWN,
        }
    }

    /// Of the square root of the error, rounded up.
    #[inline(always)]
    pub fn root(self) -> ErrorExponent {
        ErrorExponent(self.0.div_euclid(2) + 1)
    }
}

/// The error times 2^power.
impl Add<i64> for ErrorExponent {
    type Output = ErrorExponent;

    #[inline(always)]
    fn add(self, power: i64) -> ErrorExponent {
        ErrorExponent(self.0 + power)
    }
}

impl Sub<i64> for ErrorExponent {
    type Output = ErrorExponent;

    #[inline(always)]
    fn sub(self, power: i64) -> ErrorExponent {
        ErrorExponent(self.0 - power)
    }
}
