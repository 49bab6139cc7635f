//! Arithmetic on high-precision numbers: our own sums and products, which are faster than MPFR's; quotients and roots by
//! MPFR.
//!
//! Results are **not correctly rounded**. They are truncated to [`settings::limbs`] limbs, which hold at least
//! [`SPARE_BITS`](settings::SPARE_BITS) bits more than the requested precision N. Every result is therefore within a
//! relative error of 2^−N, and exact where it fits. Sums and products are commutative to the last bit.
//!
//! Each function returns whether the result may be inexact. All computation is by integers and leaves the program's
//! floating-point environment alone. Zeros, infinities and NaN, which have no limbs, go to MPFR, which does not touch the
//! environment for them.
//!
//! The unsafe code here relies on the [invariants of numbers](crate::number). The result's slot is borrowed mutably, so
//! it is never an operand's.

mod digits;
pub mod full_length;
mod limbs;
mod processor;
mod product;
mod rows;
mod square;
mod sum;
#[cfg(test)]
mod tests;
pub mod vectors;

use gmp_mpfr_sys::mpfr::{self, mpfr_t, rnd_t};

use self::limbs::copy;
pub use self::{
    limbs::{shift_down, shift_up},
    processor::has_adx,
};
use crate::{
    exchange::{self, Scratch},
    number::{Number, Slot},
    settings,
};

/// An operation with two operands; returns whether the result may be inexact.
pub type Operation = fn(&mut Slot, &Number, &Number) -> bool;

/// x + y
#[inline(always)]
pub fn add(to: &mut Slot, x: &Number, y: &Number) -> bool {
    add_within(to, x, y, settings::limbs())
}

/// x − y
#[inline(always)]
pub fn sub(to: &mut Slot, x: &Number, y: &Number) -> bool {
    sub_within(to, x, y, settings::limbs())
}

/// x + y in at most `room` limbs; neither term has more.
#[inline(always)]
pub fn add_within(to: &mut Slot, x: &Number, y: &Number, room: usize) -> bool {
    // SAFETY: numbers have at most `settings::limbs()` limbs, and `room` is no less.
    unsafe { sum::add(to, x, y, y.sign, room) }
}

/// x − y in at most `room` limbs; neither term has more.
#[inline(always)]
pub fn sub_within(to: &mut Slot, x: &Number, y: &Number, room: usize) -> bool {
    // SAFETY: as in `add_within`.
    unsafe { sum::add(to, x, y, -y.sign, room) }
}

/// x · y
#[inline(always)]
pub fn mul(to: &mut Slot, x: &Number, y: &Number) -> bool {
    // SAFETY: numbers have at most `settings::limbs()` limbs.
    unsafe { product::multiply(to, x, y, settings::limbs(), settings::slack()) }
}

/// x · y with all bits that fit, without skipping the spare ones.
pub fn mul_fully(to: &mut Slot, x: &Number, y: &Number) -> bool {
    // SAFETY: as in `mul`.
    unsafe { product::multiply(to, x, y, settings::limbs(), 0) }
}

/// Writes the limbs `length − 1` and above of a product, without what the limbs below would carry; returns whether there
/// is code for this length.
///
/// # Safety
///
/// `a` and `b` have `length` limbs. `out` has room for 20 limbs if `length` is 17, otherwise for `length + 1`.
#[inline(always)]
pub unsafe fn upper_half(out: *mut u64, a: *const u64, b: *const u64, length: usize) -> bool {
    let can = rows::has(length);
    // SAFETY: `has` says that the processor has the instructions and that there is code for this length. The digits' code
    // writes 20 limbs for `length` 17, the rows' `length + 1`.
    unsafe {
        if vectors::has(length) {
            digits::upper_half(out, a, b);
            return true;
        }
        if can && core::ptr::eq(a, b) && square::has(length) {
            square::half_of_17(out, a);
        } else if can {
            rows::upper_half(out, a, b, length);
        }
    }
    can
}

/// Copies the limbs of a number.
///
/// # Safety
///
/// `from` has `count` limbs, `to` has room for as many, and they do not overlap.
#[inline(always)]
pub unsafe fn copy_number(to: *mut u64, from: *const u64, count: usize) {
    // SAFETY: the caller's promise; `has` checks the processor.
    unsafe {
        match vectors::has(count) {
            true => vectors::copy(to, from),
            false => copy(to, from, count),
        }
    }
}

/// x with another sign.
pub fn copy_signed(to: &mut Slot, x: &Number, sign: i32) {
    to.set(sign, x.size, x.limbs());
}

/// x / y
#[inline]
pub fn div(to: &mut Slot, x: &Number, y: &Number) -> bool {
    by_mpfr(to, mpfr::div, x, y)
}

/// √x
#[inline]
pub fn sqrt(to: &mut Slot, x: &Number) -> bool {
    let (mut scratch, mut place) = (Scratch::new(), Scratch::new());
    let mut root = place.prepare();
    // SAFETY: `root` has room for the precision that `prepare` gave it, and `lend` makes a valid MPFR number of `x`.
    let inexact = unsafe { mpfr::sqrt(&mut root, &scratch.lend(x), rnd_t::RNDN) };
    exchange::take(to, &root);
    inexact != 0
}

type Binary = unsafe extern "C" fn(*mut mpfr_t, *const mpfr_t, *const mpfr_t, rnd_t) -> i32;

fn by_mpfr(to: &mut Slot, function: Binary, x: &Number, y: &Number) -> bool {
    let (mut scratch_x, mut scratch_y, mut place) =
        (Scratch::new(), Scratch::new(), Scratch::new());
    let mut result = place.prepare();
    // SAFETY: as in `sqrt`; `Binary` is the type of MPFR's functions with two operands, which read both before they write.
    let inexact = unsafe {
        function(
            &mut result,
            &scratch_x.lend(x),
            &scratch_y.lend(y),
            rnd_t::RNDN,
        )
    };
    exchange::take(to, &result);
    inexact != 0
}
