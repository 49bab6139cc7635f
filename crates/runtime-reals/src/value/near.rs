//! Compares a value with its number by the leading 64 bits: the check that every operation makes.

use lostbits_abi::kind::FpKind;

use super::{Format, Value};
use crate::number::Number;

impl Value {
    /// Whether the value is less than `ulps` units in the last place from a number. A fast check that may miss some.
    #[inline(always)]
    pub fn is_surely_within(self, number: &Number, ulps: u64) -> bool {
        let format = Format::of(self.kind);
        if !matches!(self.kind, FpKind::Double | FpKind::Float) {
            return false;
        }
        let sign = u64::from(number.sign < 0) << (self.kind.storage_bits() - 1);
        if number.is_zero() {
            return (self.bits & !(1 << (self.kind.storage_bits() - 1))) == 0;
        }
        // Normal numbers only; the marks of zeros, infinities and NaN are far below.
        let biased = number.size - 1 + format.largest;
        if biased < 1 || biased > 2 * format.largest {
            return false;
        }
        let significand = number.leading_64() >> (64 - format.precision);
        let magnitude = (((biased - 1) as u64) << (format.precision - 1)) + significand;
        // Truncated, not rounded: the distance may be one more.
        (magnitude | sign).abs_diff(self.bits) + 1 < ulps && self.is_finite()
    }

    /// The distance of a number from the value, and the value's magnitude, both in units of the last of the number's leading
    /// 64 bits. For doubles and floats with the sign and exponent of the number.
    #[inline(always)]
    pub fn against(self, number: &Number) -> Option<(u64, u64)> {
        let format = Format::of(self.kind);
        let (negative, biased, fraction) = self.fields();
        let is_like = matches!(self.kind, FpKind::Double | FpKind::Float)
            && biased != 0
            && biased <= 2 * format.largest as u64
            && biased as i64 == number.size.wrapping_sub(1).wrapping_add(format.largest)
            && negative == (number.sign < 0);
        if !is_like {
            return None;
        }
        let own = (fraction | 1 << (format.precision - 1)) << (64 - format.precision);
        Some((number.leading_64().abs_diff(own), own))
    }

    /// As [`Number::size`]; for normal doubles and floats.
    #[inline(always)]
    pub fn exponent(self) -> i64 {
        self.fields().1 as i64 + 1 - Format::of(self.kind).largest
    }
}
