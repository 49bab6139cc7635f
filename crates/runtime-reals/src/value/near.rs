//! Whether a value is near its number, from its first 64 bits: what is asked of every operation.

use lostbits_abi::kind::FpKind;

use super::{Format, Value};
use crate::number::Number;

impl Value {
    /// Whether fewer than so many steps lead from the value to a number; quickly, and sometimes not seen where it
    /// is so.
    #[inline(always)]
    pub fn is_surely_near(self, number: &Number, steps: u64) -> bool {
        let format = Format::of(self.kind);
        if !matches!(self.kind, FpKind::Double | FpKind::Float) {
            return false;
        }
        let sign = u64::from(number.sign < 0) << (self.kind.storage_bits() - 1);
        if number.is_zero() {
            return (self.bits & !(1 << (self.kind.storage_bits() - 1))) == 0;
        }
        // Of normal numbers only; marks of specials are far below.
        let biased = number.size - 1 + format.largest;
        if biased < 1 || biased > 2 * format.largest {
            return false;
        }
        let significand = number.beginning() >> (64 - format.precision);
        let magnitude = (((biased - 1) as u64) << (format.precision - 1)) + significand;
        // Cut off, not rounded: one step more, perhaps.
        (magnitude | sign).abs_diff(self.bits) + 1 < steps && self.is_finite()
    }

    /// How far a number is from the value, and how large that is, both in units of the last of the 64 bits that the number
    /// begins with; of doubles and floats that have the number's sign and exponent.
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
        Some((number.beginning().abs_diff(own), own))
    }

    /// As [`Number::size`], of normal doubles and floats.
    #[inline(always)]
    pub fn exponent(self) -> i64 {
        self.fields().1 as i64 + 1 - Format::of(self.kind).largest
    }
}
