//! Sums, products, quotients and roots of numbers, faster than MPFR's.
//!
//! Numbers look like MPFR's (`mpfr_t` is a view that MPFR itself can compute with), but are kept as short as
//! they can be, and results are **not correctly rounded**: they are cut off after
//! [`settings::limbs`](crate::settings::limbs) limbs, which are at least [`SPARE_BITS`](crate::settings::SPARE_BITS)
//! bits more than the precision that was asked for. So every result is within 2^−N of the real one,
//! relatively, and exact where it fits. Products do not depend on the order of their factors, nor sums on that of
//! their terms.
//!
//! Each function says whether the result may be inexact. The slot it goes to must not be an operand's. All
//! is done with integers: the program's floating-point environment is not touched; what has no significand
//! (zeros, infinities, what is not a number) is left to MPFR, which does not touch it there.

mod limbs;
mod processor;
mod product;
mod rows;
mod shifted;
mod sum;
#[cfg(test)]
mod tests;

use gmp_mpfr_sys::mpfr::{self, mpfr_t, rnd_t};

pub use self::limbs::copy;
use crate::{number::Slot, settings};

/// An operation of two operands; gives whether the result may be inexact.
pub type Operation = unsafe fn(&mut Slot, &mpfr_t, &mpfr_t) -> bool;

/// x + y
#[inline(always)]
pub unsafe fn add(to: &mut Slot, x: &mpfr_t, y: &mpfr_t) -> bool {
    unsafe { sum::add(to, x, y, y.sign, settings::limbs()) }
}

/// x − y
#[inline(always)]
pub unsafe fn sub(to: &mut Slot, x: &mpfr_t, y: &mpfr_t) -> bool {
    unsafe { sum::add(to, x, y, -y.sign, settings::limbs()) }
}

/// x · y
#[inline(always)]
pub unsafe fn mul(to: &mut Slot, x: &mpfr_t, y: &mpfr_t) -> bool {
    unsafe { product::multiply(to, x, y, settings::limbs()) }
}

/// A number with another sign.
pub unsafe fn copy_signed(to: &mut Slot, x: &mpfr_t, sign: i32) {
    let from = crate::number::limbs_of(x);
    to.set(
        from.len() as i64 * crate::number::LIMB_BITS,
        sign,
        x.exp,
        from,
    );
}

/// A quotient.
#[inline]
pub unsafe fn div(to: &mut Slot, x: &mpfr_t, y: &mpfr_t) -> bool {
    unsafe { by_mpfr(to, mpfr::div, x, y) }
}

/// A square root.
#[inline]
pub unsafe fn sqrt(to: &mut Slot, x: &mpfr_t) -> bool {
    let inexact = unsafe { mpfr::sqrt(to.prepare(settings::precision()), x, rnd_t::RNDN) };
    to.shorten();
    inexact != 0
}

type Binary = unsafe extern "C" fn(*mut mpfr_t, *const mpfr_t, *const mpfr_t, rnd_t) -> i32;

#[inline]
unsafe fn by_mpfr(to: &mut Slot, function: Binary, x: &mpfr_t, y: &mpfr_t) -> bool {
    let inexact = unsafe { function(to.prepare(settings::precision()), x, y, rnd_t::RNDN) };
    to.shorten();
    inexact != 0
}
