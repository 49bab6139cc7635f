//! Whether a value is near its number, from the highest limb alone: what is asked of every operation.

use gmp_mpfr_sys::mpfr::mpfr_t;
use lostbits_abi::kind::FpKind;

use super::{Format, Value};
use crate::number::ZERO;

impl Value {
    /// Whether fewer than so many steps lead from the value to a number; quickly, and sometimes not seen where it
    /// is so.
    #[inline(always)]
    pub fn is_surely_near(self, number: &mpfr_t, steps: u64) -> bool {
        let format = Format::of(self.kind);
        if !matches!(self.kind, FpKind::Double | FpKind::Float) {
            return false;
        }
        let sign = u64::from(number.sign < 0) << (self.kind.storage_bits() - 1);
        if number.exp == ZERO {
            return (self.bits & !(1 << (self.kind.storage_bits() - 1))) == 0;
        }
        // Of normal numbers only; marks of specials are far below.
        let biased = number.exp - 1 + format.largest;
        if biased < 1 || biased > 2 * format.largest {
            return false;
        }
        // SAFETY: regular, so it has a top limb.
        let top = unsafe { *number.d.as_ptr().add((number.prec as usize - 1) / 64) };
        let significand = top >> (64 - format.precision);
        let magnitude = (((biased - 1) as u64) << (format.precision - 1)) + significand;
        // Cut off, not rounded: one step more, perhaps.
        (magnitude | sign).abs_diff(self.bits) + 1 < steps && self.is_finite()
    }

    /// How far a number is from the value, and how large that is, both in units of the last bit of the number's highest
    /// limb; of doubles and floats that have the number's sign and exponent.
    #[inline(always)]
    pub fn against(self, number: &mpfr_t) -> Option<(u64, u64)> {
        let format = Format::of(self.kind);
        let (negative, biased, fraction) = self.fields();
        let is_like = matches!(self.kind, FpKind::Double | FpKind::Float)
            && biased != 0
            && biased <= 2 * format.largest as u64
            && biased as i64 == number.exp.wrapping_sub(1).wrapping_add(format.largest)
            && negative == (number.sign < 0);
        if !is_like {
            return None;
        }
        let size = (fraction | 1 << (format.precision - 1)) << (64 - format.precision);
        // SAFETY: regular, so it has a top limb.
        let top = unsafe { *number.d.as_ptr().add((number.prec as usize - 1) / 64) };
        Some((top.abs_diff(size), size))
    }

    /// The exponent as MPFR counts it, of normal doubles and floats.
    #[inline(always)]
    pub fn exponent(self) -> i64 {
        self.fields().1 as i64 + 1 - Format::of(self.kind).largest
    }
}
