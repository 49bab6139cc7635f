//! Sums and products of numbers, faster than MPFR's; quotients and roots by MPFR.
//!
//! Results are **not correctly rounded**: they are cut off after
//! [`settings::limbs`](crate::settings::limbs) limbs, which are at least [`SPARE_BITS`](crate::settings::SPARE_BITS)
//! bits more than the precision that was asked for. So every result is within 2^−N of the real one,
//! relatively, and exact where it fits. Products do not depend on the order of their factors, nor sums on that of
//! their terms.
//!
//! Each function says whether the result may be inexact. The slot it goes to must not be an operand's. All
//! is done with integers: the program's floating-point environment is not touched; what has no limbs
//! (zeros, infinities, what is not a number) is left to MPFR, which does not touch it there.

mod digits;
mod limbs;
pub mod long;
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
    processor::has_two_chains,
};
use crate::{
    exchange::{self, Scratch},
    number::{Number, Slot},
    settings,
};

/// An operation of two operands; gives whether the result may be inexact.
pub type Operation = unsafe fn(&mut Slot, &Number, &Number) -> bool;

/// x + y
#[inline(always)]
pub unsafe fn add(to: &mut Slot, x: &Number, y: &Number) -> bool {
    unsafe { sum::add(to, x, y, y.sign, settings::limbs()) }
}

/// x − y
#[inline(always)]
pub unsafe fn sub(to: &mut Slot, x: &Number, y: &Number) -> bool {
    unsafe { sum::add(to, x, y, -y.sign, settings::limbs()) }
}

/// x + y in at most `room` limbs, of terms that have no more.
pub unsafe fn add_within(to: &mut Slot, x: &Number, y: &Number, room: usize) -> bool {
    unsafe { sum::add(to, x, y, y.sign, room) }
}

/// x − y, likewise.
pub unsafe fn sub_within(to: &mut Slot, x: &Number, y: &Number, room: usize) -> bool {
    unsafe { sum::add(to, x, y, -y.sign, room) }
}

/// x · y
#[inline(always)]
pub unsafe fn mul(to: &mut Slot, x: &Number, y: &Number) -> bool {
    unsafe { product::multiply(to, x, y, settings::limbs(), settings::slack()) }
}

/// The same with all the bits that there is room for.
pub unsafe fn mul_fully(to: &mut Slot, x: &Number, y: &Number) -> bool {
    unsafe { product::multiply(to, x, y, settings::limbs(), 0) }
}

/// Writes the limbs `length - 1` and above of the product of two rows of limbs, about; gives whether there is code for it.
#[inline(always)]
pub unsafe fn upper_half(out: *mut u64, a: *const u64, b: *const u64, length: usize) -> bool {
    let can = rows::has(length);
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
#[inline(always)]
pub unsafe fn copy_number(to: *mut u64, from: *const u64, count: usize) {
    unsafe {
        match vectors::has(count) {
            true => vectors::copy(to, from),
            false => copy(to, from, count),
        }
    }
}

/// A number with another sign.
pub fn copy_signed(to: &mut Slot, x: &Number, sign: i32) {
    to.set(sign, x.size, x.limbs());
}

/// A quotient.
#[inline]
pub unsafe fn div(to: &mut Slot, x: &Number, y: &Number) -> bool {
    unsafe { by_mpfr(to, mpfr::div, x, y) }
}

/// A square root.
#[inline]
pub unsafe fn sqrt(to: &mut Slot, x: &Number) -> bool {
    let (mut scratch, mut place) = (Scratch::new(), Scratch::new());
    let mut root = place.prepare();
    let inexact = unsafe { mpfr::sqrt(&mut root, &scratch.lend(x), rnd_t::RNDN) };
    exchange::take(to, &root);
    inexact != 0
}

type Binary = unsafe extern "C" fn(*mut mpfr_t, *const mpfr_t, *const mpfr_t, rnd_t) -> i32;

unsafe fn by_mpfr(to: &mut Slot, function: Binary, x: &Number, y: &Number) -> bool {
    let (mut scratch_x, mut scratch_y, mut place) =
        (Scratch::new(), Scratch::new(), Scratch::new());
    let mut result = place.prepare();
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
