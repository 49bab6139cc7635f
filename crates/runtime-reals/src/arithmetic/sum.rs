//! Sums and differences. Limbs are aligned, so one pass adds them.
//!
//! A difference is computed with one limb more than it may keep: terms whose exponents differ by more than one cancel at
//! most one limb, so nothing is truncated before it is known how much is left.
//!
//! # Safety of all functions here
//!
//! `room` is below the slot's capacity, and no operand has more than `room` limbs.

use gmp_mpfr_sys::mpfr;

use super::{
    by_mpfr,
    limbs::{add_carry, add_limbs, copy, fill, negate, subtract_borrow, subtract_limbs},
    vectors,
};
use crate::number::{Number, Slot, ZERO, compare_limbs};

/// Orders two terms by size: larger, smaller, the sign of the larger, and how many limbs their exponents differ by.
/// `sign_of_y` replaces the sign of `y`. Terms of equal size keep their order.
#[inline(always)]
pub fn by_size<'a>(
    x: &'a Number,
    y: &'a Number,
    sign_of_y: i32,
) -> (&'a Number, &'a Number, i32, usize) {
    let (larger, smaller, sign) = match x.size >= y.size {
        true => (x, y, x.sign),
        false => (y, x, sign_of_y),
    };
    let apart = (larger.exponent() - smaller.exponent()) as usize;
    (larger, smaller, sign, apart)
}

/// Orders two terms of equal size by their limbs: larger, smaller and the sign of the larger; none if they are equal.
#[inline(always)]
pub fn by_limbs_of_same_size<'a>(
    x: &'a Number,
    y: &'a Number,
    sign_of_x: i32,
) -> Option<(&'a Number, &'a Number, i32)> {
    match compare_limbs(x.limbs(), y.limbs()) {
        0 => None,
        1.. => Some((x, y, sign_of_x)),
        _ => Some((y, x, -sign_of_x)),
    }
}

/// The sum of two numbers in at most `room` limbs, the second with the sign `sign_of_y`.
///
/// # Safety
///
/// See the module.
#[inline(always)]
pub unsafe fn add(to: &mut Slot, x: &Number, y: &Number, sign_of_y: i32, room: usize) -> bool {
    if !x.is_regular() || !y.is_regular() {
        return of_specials(to, x, y, sign_of_y);
    }
    if vectors::has_both(x, y, room)
        // SAFETY: `has_both` found code and instructions for these lengths.
        && let Some(inexact) = unsafe { vectors::add(to, x, y, sign_of_y) }
    {
        return inexact;
    }
    // SAFETY: the caller's promise; both are regular.
    unsafe { by_limbs(to, x, y, sign_of_y, room) }
}

/// The sum of regular numbers, limb by limb.
///
/// # Safety
///
/// See the module.
#[inline(always)]
pub unsafe fn by_limbs(to: &mut Slot, x: &Number, y: &Number, sign_of_y: i32, room: usize) -> bool {
    let (larger, smaller, sign, apart) = by_size(x, y, sign_of_y);
    // SAFETY: the caller's promise.
    unsafe {
        match x.sign == sign_of_y {
            true => sum(to, [larger, smaller], apart, sign, room),
            false => difference(to, [larger, smaller], apart, sign, room),
        }
    }
}

/// One term is zero, infinite or NaN. Many sums begin with 0.
#[inline(never)]
fn of_specials(to: &mut Slot, x: &Number, y: &Number, sign_of_y: i32) -> bool {
    let (number, sign) = match (x.size, y.size) {
        (ZERO, _) if y.is_regular() => (y, sign_of_y),
        (_, ZERO) if x.is_regular() => (x, x.sign),
        _ => {
            let mut y = *y;
            y.sign = sign_of_y;
            return by_mpfr(to, mpfr::add, x, &y);
        }
    };
    to.set(sign, number.size, number.limbs());
    false
}

/// How the terms lie; all places count from the lowest limb of the result.
struct Layout {
    /// The limbs of the result, and whether lower ones are truncated.
    count: usize,
    is_cut: bool,
    /// Where the larger term begins; it ends at `count`.
    start: usize,
    /// Where the smaller term begins and ends.
    low: usize,
    high: usize,
    /// The limbs of the smaller term that are truncated.
    cut: usize,
}

impl Layout {
    /// None where nothing of the smaller term remains.
    #[inline(always)]
    fn new(a: &[u64], b: &[u64], apart: usize, room: usize) -> Option<Layout> {
        if apart >= room {
            return None;
        }
        debug_assert!(a.len() <= room);
        let needed = a.len().max(apart + b.len());
        let count = needed.min(room);
        let high = count - apart;
        let cut = b.len().saturating_sub(high);
        Some(Layout {
            count,
            is_cut: needed > room,
            start: count - a.len(),
            low: high - (b.len() - cut),
            high,
            cut,
        })
    }
}

/// # Safety
///
/// See the module.
#[inline(always)]
unsafe fn sum(
    to: &mut Slot,
    [larger, smaller]: [&Number; 2],
    apart: usize,
    sign: i32,
    room: usize,
) -> bool {
    let (a, b) = (larger.limbs(), smaller.limbs());
    let Some(layout) = Layout::new(a, b, apart, room) else {
        to.set(sign, larger.size, a);
        return true;
    };
    let Layout {
        count,
        is_cut,
        start,
        low,
        high,
        cut,
    } = layout;
    let limbs = to.limbs_mut().as_mut_ptr();
    // SAFETY: `Layout` keeps all places within the limbs of both terms and at most `room` limbs of the slot; a carry needs
    // one more.
    unsafe {
        let (a, b) = (a.as_ptr(), b.as_ptr().add(cut));
        let mut at = start.max(low);
        if start < low {
            copy(limbs, a, low);
        } else if low < start {
            let alone = start.min(high);
            copy(limbs, b, alone);
            fill(limbs.add(alone), start - alone, 0);
        }
        let mut carry = 0;
        if at < high {
            carry = add_limbs(
                limbs.add(at),
                a.add(at - start),
                b.add(at - low),
                high - at,
                0,
            );
            at = high;
        }
        carry = add_carry(limbs.add(at), a.add(at - start), count - at, carry);
        if carry == 0 {
            to.set_limbs(0, count, sign, larger.exponent(), room);
            return is_cut;
        }
        // One limb more above, and one less below if there is no room.
        *limbs.add(count) = 1;
        let lost = usize::from(count == room);
        let loses = lost != 0 && *limbs != 0;
        to.set_limbs(lost, count + 1, sign, larger.exponent() + 1, room);
        is_cut | loses
    }
}

/// # Safety
///
/// See the module.
#[inline(always)]
unsafe fn difference(
    to: &mut Slot,
    [mut larger, mut smaller]: [&Number; 2],
    apart: usize,
    mut sign: i32,
    room: usize,
) -> bool {
    if larger.size == smaller.size {
        let Some(ordered) = by_limbs_of_same_size(larger, smaller, sign) else {
            to.set_special(ZERO, 1);
            return false;
        };
        (larger, smaller, sign) = ordered;
    }
    let (a, b) = (larger.limbs(), smaller.limbs());
    let Some(layout) = Layout::new(a, b, apart, room + 1) else {
        to.set(sign, larger.size, a);
        return true;
    };
    let Layout {
        count,
        is_cut,
        start,
        low,
        high,
        cut,
    } = layout;
    let limbs = to.limbs_mut().as_mut_ptr();
    // SAFETY: `Layout` keeps all places within the limbs of both terms and at most `room + 1` limbs of the slot.
    unsafe {
        let (a, b) = (a.as_ptr(), b.as_ptr().add(cut));
        let mut at = start.max(low);
        let mut borrow = 0;
        if start < low {
            copy(limbs, a, low);
        } else if low < start {
            let alone = start.min(high);
            borrow = negate(limbs, b, alone);
            fill(
                limbs.add(alone),
                start - alone,
                0u64.wrapping_sub(borrow.into()),
            );
        }
        if at < high {
            let (a, b) = (a.add(at - start), b.add(at - low));
            borrow = subtract_limbs(limbs.add(at), a, b, high - at, borrow);
            at = high;
        }
        subtract_borrow(limbs.add(at), a.add(at - start), count - at, borrow);
    }
    cut_to(to, count, larger.exponent(), sign, room) | is_cut
}

/// Sets the number to the lowest `count` limbs of the slot, of which the highest may be zeros. Returns whether nonzero limbs
/// were truncated.
#[inline(always)]
pub fn cut_to(to: &mut Slot, count: usize, exponent: i64, sign: i32, room: usize) -> bool {
    let limbs = to.limbs_mut();
    let mut end = count;
    while end > 0 && limbs[end - 1] == 0 {
        end -= 1;
    }
    if end == 0 {
        to.set_special(ZERO, 1);
        return true;
    }
    // There is at most one limb too many.
    let start = end.saturating_sub(room);
    let is_cut = start != 0 && limbs[0] != 0;
    to.set_limbs(start, end, sign, exponent - (count - end) as i64, room);
    is_cut
}
