//! Products.
//!
//! Short factors are multiplied as they are. Where the product would be longer than there is room, limbs that
//! do not count are not computed. What the rows lack then is less than rows + 1 units of the limb above the lowest
//! computed: so one more than is needed is computed, and another one where the highest limb will be zero.

use gmp_mpfr_sys::{gmp, mpfr};

use super::{by_mpfr, rows, vectors};
use crate::number::{Number, Slot};

/// Beyond it MPFR decides what is infinite and what is nothing.
pub const MOST_EXPONENT: u64 = 1 << 55;

/// How many of the two limbs below a product of all limbs need not be computed, or even the lowest limb of the product
/// itself: the more, the fewer zeros it begins with. Numbers have `slack` bits more than they must.
#[inline(always)]
pub fn left_out(x: &Number, y: &Number, slack: u32) -> usize {
    // A product may begin with one zero more than both together.
    const ENOUGH: u32 = 62;
    let zeros = x.leading_zeros() + y.leading_zeros();
    usize::from(zeros <= ENOUGH + slack) + usize::from(zeros + 64 <= ENOUGH + slack)
}

/// A product in at most `room` limbs, which have `slack` bits more than they must.
#[inline(always)]
pub unsafe fn multiply(to: &mut Slot, x: &Number, y: &Number, room: usize, slack: u32) -> bool {
    if !x.is_regular() || !y.is_regular() {
        return unsafe { of_specials(to, x, y) };
    }
    let (a, b) = (x.limbs(), y.limbs());
    let (exponent, sign) = (x.exponent() + y.exponent(), x.sign * y.sign);
    if exponent.unsigned_abs() > MOST_EXPONENT {
        return unsafe { of_specials(to, x, y) };
    }
    if a.len() <= 2 && b.len() <= 2 && room >= 4 {
        of_values(to, [a, b], exponent, sign, room);
        return false;
    }
    if a.len() == room
        && b.len() == room
        && vectors::has(room)
        && let Some(inexact) = unsafe { vectors::multiply(to, x, y) }
    {
        return inexact;
    }
    let left_out = left_out(x, y, slack);
    match a.len() < b.len() {
        true => unsafe { of_many(to, [b, a], exponent, sign, left_out, room) },
        false => unsafe { of_many(to, [a, b], exponent, sign, left_out, room) },
    }
}

#[cold]
unsafe fn of_specials(to: &mut Slot, x: &Number, y: &Number) -> bool {
    unsafe { by_mpfr(to, mpfr::mul, x, y) }
}

/// Of at most two limbs each, as the program's values have.
#[inline(always)]
fn of_values(to: &mut Slot, [a, b]: [&[u64]; 2], exponent: i64, sign: i32, room: usize) {
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
    settle(to, 4, exponent, sign, room);
}

/// `a` is not shorter than `b`.
#[inline(always)]
unsafe fn of_many(
    to: &mut Slot,
    [a, b]: [&[u64]; 2],
    exponent: i64,
    sign: i32,
    left_out: usize,
    room: usize,
) -> bool {
    let whole = a.len() + b.len();
    let product = to.limbs_mut().as_mut_ptr();
    unsafe {
        if whole <= room {
            whole_product(product, a, b);
            settle(to, whole, exponent, sign, room);
            return false;
        }
        // The lowest limbs of numbers of all limbs.
        let unused = usize::from(left_out == 2 && b.len() == room);
        let (a, b) = (&a[unused..], &b[unused..]);
        let whole = a.len() + b.len();
        let lowest = whole.saturating_sub(room + 2 - left_out);
        let has_rows = a.len() == b.len() && a.len() + unused == room;
        if has_rows && left_out == 0 && rows::has_one_more(room) {
            rows::one_more_than_half(product, a.as_ptr(), b.as_ptr(), room);
        } else if has_rows && left_out == unused + 1 && rows::has(a.len()) {
            rows::upper_half(product, a.as_ptr(), b.as_ptr(), a.len());
        } else {
            upper_part(product, a, b, lowest);
        }
        let count = whole - lowest;
        let missing = usize::from(*product.add(count - 1) == 0);
        let end = count - missing;
        let start = end.saturating_sub(room);
        to.become_number(start, end, sign, exponent - missing as i64, room);
    }
    true
}

#[inline(always)]
unsafe fn whole_product(product: *mut u64, a: &[u64], b: &[u64]) {
    let (long, short) = (a.len() as i64, b.len() as i64);
    unsafe {
        if short == 1 {
            *product.add(a.len()) = gmp::mpn_mul_1(product, a.as_ptr(), long, b[0]);
        } else {
            gmp::mpn_mul(product, a.as_ptr(), long, b.as_ptr(), short);
        }
    }
}

/// The limbs `lowest` and above, where `a` has more limbs than `lowest`.
unsafe fn upper_part(out: *mut u64, a: &[u64], b: &[u64], lowest: usize) {
    unsafe {
        // Row j adds a[i] * b[j] at i + j; what is below `lowest` is left out. Each row ends one above the last.
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

/// Makes the slot a number of so many of its limbs, of which the highest may be zero.
#[inline(always)]
fn settle(to: &mut Slot, count: usize, exponent: i64, sign: i32, room: usize) {
    let missing = usize::from(to.limbs_mut()[count - 1] == 0);
    to.become_number(0, count - missing, sign, exponent - missing as i64, room);
}
