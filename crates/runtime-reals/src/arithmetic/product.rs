//! Products.
//!
//! Short factors are multiplied as they are. Where the product would be longer than there is room, limbs that
//! do not fit are not computed, but for the highest of them, whose carries matter: what is left out of m rows is less
//! than m + 1 units of the last limb kept.

use gmp_mpfr_sys::{
    gmp,
    mpfr::{self, mpfr_t},
};

use super::{by_mpfr, limbs, rows};
use crate::number::{Slot, is_regular, limbs_of};

/// Beyond it MPFR decides what is infinite and what is nothing.
const MOST_EXPONENT: u64 = 1 << 61;

/// A product in at most `room` limbs.
#[inline(always)]
pub unsafe fn multiply(to: &mut Slot, x: &mpfr_t, y: &mpfr_t, room: usize) -> bool {
    if !is_regular(x) || !is_regular(y) {
        return unsafe { of_specials(to, x, y) };
    }
    let (a, b) = (limbs_of(x), limbs_of(y));
    let (exponent, sign) = (x.exp + y.exp, x.sign * y.sign);
    if exponent.unsigned_abs() > MOST_EXPONENT {
        return unsafe { of_specials(to, x, y) };
    }
    if a.len() == 1 && b.len() == 1 {
        of_single_limbs(to, a[0], b[0], exponent, sign);
        return false;
    }
    match a.len() < b.len() {
        true => unsafe { of_many(to, [b, a], exponent, sign, room) },
        false => unsafe { of_many(to, [a, b], exponent, sign, room) },
    }
}

#[cold]
unsafe fn of_specials(to: &mut Slot, x: &mpfr_t, y: &mpfr_t) -> bool {
    unsafe { by_mpfr(to, mpfr::mul, x, y) }
}

#[inline(always)]
fn of_single_limbs(to: &mut Slot, a: u64, b: u64, exponent: i64, sign: i32) {
    let product = u128::from(a) * u128::from(b);
    let shift = product.leading_zeros();
    let product = product << shift;
    let limbs = to.limbs_mut();
    let (low, high) = (product as u64, (product >> 64) as u64);
    // Room for two limbs is always there.
    match low {
        0 => limbs[0] = high,
        _ => {
            limbs[0] = low;
            limbs[1] = high;
        }
    }
    to.become_number(
        0,
        1 + usize::from(low != 0),
        sign,
        exponent - i64::from(shift),
    );
}

/// `a` is not shorter than `b`.
unsafe fn of_many(
    to: &mut Slot,
    [a, b]: [&[u64]; 2],
    exponent: i64,
    sign: i32,
    room: usize,
) -> bool {
    const POWER_OF_TWO: u64 = 1 << 63;
    if b == [POWER_OF_TWO] {
        unsafe { limbs::copy(to.limbs_mut().as_mut_ptr(), a.as_ptr(), a.len()) };
        to.become_number(0, a.len(), sign, exponent - 1);
        return false;
    }
    let whole = a.len() + b.len();
    let product = to.limbs_mut().as_mut_ptr();
    unsafe {
        if whole <= room {
            whole_product(product, a, b);
            settle(to, 0, whole, exponent, sign);
            return false;
        }
        // The limb below those that are kept comes first.
        let is_square = a.len() == room && b.len() == room;
        if !is_square || !rows::upper_half(product, a.as_ptr(), b.as_ptr(), room) {
            upper_part(product, a, b, whole - room);
        }
    }
    settle(to, 1, room, exponent, sign);
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

/// The limbs `cut - 1` and above, where `cut` is at least 1 and not more than `b` has limbs.
unsafe fn upper_part(out: *mut u64, a: &[u64], b: &[u64], cut: usize) {
    let lowest = cut - 1;
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

/// Makes the slot a number of so many of its limbs, of which the highest may begin with a zero bit.
#[inline(always)]
fn settle(to: &mut Slot, mut start: usize, mut count: usize, exponent: i64, sign: i32) {
    let limbs = to.limbs_mut();
    while limbs[start] == 0 {
        (start, count) = (start + 1, count - 1);
    }
    let is_normal = limbs[start + count - 1] >> 63 != 0;
    if !is_normal {
        // SAFETY: so many are there.
        unsafe { limbs::shift_up(limbs.as_mut_ptr().add(start), count, 1) };
        // A limb of which the only bit went up.
        let emptied = usize::from(limbs[start] == 0);
        (start, count) = (start + emptied, count - emptied);
    }
    to.become_number(start, count, sign, exponent - i64::from(!is_normal));
}
