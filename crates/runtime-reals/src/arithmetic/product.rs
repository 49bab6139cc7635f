//! Products.
//!
//! Short factors are multiplied as they are. Where the product would be too long, limbs that do not count are not computed.
//! What the rows then lack is less than rows + 1 units of the limb above the lowest one computed. So one limb more than
//! needed is computed, and another one where the highest limb will be zero.

use gmp_mpfr_sys::{gmp, mpfr};

use super::{by_mpfr, rows, vectors};
use crate::number::{Number, Slot};

/// Beyond this exponent (in limbs) MPFR decides about overflow and underflow.
pub const MOST_EXPONENT: u64 = 1 << 55;

/// How many of the lowest limbs of a full-length product need not be computed, counted from two limbs below the result. The
/// fewer leading zeros the product has, the more. Numbers have `slack` bits more than they must.
#[inline(always)]
pub fn skipped_limbs(x: &Number, y: &Number, slack: u32) -> usize {
    // A product may begin with one zero more than its factors together.
    const ENOUGH: u32 = 62;
    let zeros = x.leading_zeros() + y.leading_zeros();
    usize::from(zeros <= ENOUGH + slack) + usize::from(zeros + 64 <= ENOUGH + slack)
}

/// A product in at most `room` limbs, which have `slack` bits more than they must.
///
/// # Safety
///
/// Neither factor has more than `room` limbs, and the slot has room for `room + 2`.
#[inline(always)]
pub unsafe fn multiply(to: &mut Slot, x: &Number, y: &Number, room: usize, slack: u32) -> bool {
    if !x.is_regular() || !y.is_regular() {
        return of_specials(to, x, y);
    }
    let (a, b) = (x.limbs(), y.limbs());
    let (exponent, sign) = (x.exponent() + y.exponent(), x.sign * y.sign);
    if exponent.unsigned_abs() > MOST_EXPONENT {
        return of_specials(to, x, y);
    }
    if a.len() <= 2 && b.len() <= 2 && room >= 4 {
        short_product(to, [a, b], exponent, sign, room);
        return false;
    }
    if a.len() == room
        && b.len() == room
        && vectors::has(room)
        // SAFETY: both have `room` limbs, for which `has` found code and instructions.
        && let Some(inexact) = unsafe { vectors::multiply(to, x, y) }
    {
        return inexact;
    }
    let skipped_limbs = skipped_limbs(x, y, slack);
    let factors = match a.len() < b.len() {
        true => [b, a],
        false => [a, b],
    };
    // SAFETY: the caller's promise; the longer factor is first.
    unsafe { general_product(to, factors, exponent, sign, skipped_limbs, room) }
}

#[cold]
fn of_specials(to: &mut Slot, x: &Number, y: &Number) -> bool {
    by_mpfr(to, mpfr::mul, x, y)
}

/// Factors of at most two limbs, as the program's values have.
#[inline(always)]
fn short_product(to: &mut Slot, [a, b]: [&[u64]; 2], exponent: i64, sign: i32, room: usize) {
    let both = |limbs: &[u64]| match *limbs {
        [low, high] => (low, high),
        [high, ..] => (0, high),
        [] => (0, 0),
    };
    let wide = |x: u64, y: u64| u128::from(x) * u128::from(y);
    let ((a0, a1), (b0, b1)) = (both(a), both(b));
    let low = wide(a0, b0);
    let (middle, crossing) = wide(a0, b1).overflowing_add(wide(a1, b0));
    let (middle, again) = middle.overflowing_add(low >> 64);
    let carries = u128::from(crossing) + u128::from(again);
    let high = wide(a1, b1) + (middle >> 64) + (carries << 64);
    let limbs = to.limbs_mut();
    limbs[..4].copy_from_slice(&[low as u64, middle as u64, high as u64, (high >> 64) as u64]);
    set_product_limbs(to, 4, exponent, sign, room);
}

/// # Safety
///
/// `a` is not shorter than `b` nor longer than `room`, and the slot has room for `room + 2` limbs.
#[inline(always)]
unsafe fn general_product(
    to: &mut Slot,
    [a, b]: [&[u64]; 2],
    exponent: i64,
    sign: i32,
    skipped_limbs: usize,
    room: usize,
) -> bool {
    let whole = a.len() + b.len();
    let product = to.limbs_mut().as_mut_ptr();
    // SAFETY: the product of whole factors has `whole` ≤ `room` limbs. Otherwise `lowest` leaves `room + 2 − skipped_limbs`
    // limbs at most, and `rows` is asked whether it has code for these lengths.
    unsafe {
        if whole <= room {
            whole_product(product, a, b);
            set_product_limbs(to, whole, exponent, sign, room);
            return false;
        }
        // The lowest limb of full-length factors contributes nothing.
        let unused = usize::from(skipped_limbs == 2 && b.len() == room);
        let (a, b) = (&a[unused..], &b[unused..]);
        let whole = a.len() + b.len();
        let lowest = whole.saturating_sub(room + 2 - skipped_limbs);
        let has_rows = a.len() == b.len() && a.len() + unused == room;
        if has_rows && skipped_limbs == 0 && rows::has_one_more(room) {
            rows::one_more_than_half(product, a.as_ptr(), b.as_ptr(), room);
        } else if has_rows && skipped_limbs == unused + 1 && rows::has(a.len()) {
            rows::upper_half(product, a.as_ptr(), b.as_ptr(), a.len());
        } else {
            upper_part(product, a, b, lowest);
        }
        let count = whole - lowest;
        let missing = usize::from(*product.add(count - 1) == 0);
        let end = count - missing;
        let start = end.saturating_sub(room);
        to.set_limbs(start, end, sign, exponent - missing as i64, room);
    }
    true
}

/// # Safety
///
/// `product` has room for the limbs of both factors; `a` is not shorter than `b`, which is not empty.
#[inline(always)]
unsafe fn whole_product(product: *mut u64, a: &[u64], b: &[u64]) {
    let (long, short) = (a.len() as i64, b.len() as i64);
    // SAFETY: GMP's preconditions are the caller's promise.
    unsafe {
        if short == 1 {
            *product.add(a.len()) = gmp::mpn_mul_1(product, a.as_ptr(), long, b[0]);
        } else {
            gmp::mpn_mul(product, a.as_ptr(), long, b.as_ptr(), short);
        }
    }
}

/// The limbs `lowest` and above of a product.
///
/// # Safety
///
/// `a` has more limbs than `lowest`, and `out` has room for the limbs above.
unsafe fn upper_part(out: *mut u64, a: &[u64], b: &[u64], lowest: usize) {
    // SAFETY: `from` is at most `lowest`, so each row has at least one limb; it ends at limb `a.len() + j`, which is within
    // the product.
    unsafe {
        // Row j adds a[i] · b[j] at i + j, without what is below `lowest`. Each row ends one limb above the row before.
        for (j, factor) in b.iter().enumerate() {
            let from = lowest.saturating_sub(j);
            let to = out.add(j.saturating_sub(lowest));
            let (row, count) = (a.as_ptr().add(from), a.len() - from);
            *to.add(count) = match j {
                0 => gmp::mpn_mul_1(to, row, count as i64, *factor),
                _ => gmp::mpn_addmul_1(to, row, count as i64, *factor),
            };
        }
    }
}

/// Sets the number to the lowest `count` limbs of the slot, of which the highest may be zero.
#[inline(always)]
fn set_product_limbs(to: &mut Slot, count: usize, exponent: i64, sign: i32, room: usize) {
    let missing = usize::from(to.limbs_mut()[count - 1] == 0);
    to.set_limbs(0, count - missing, sign, exponent - missing as i64, room);
}
