//! Sums and differences: limbs lie above each other, so one pass adds them.
//!
//! A difference is computed with one limb more than there is room for: terms that cancel are at most a limb apart, or
//! cancel one limb only, so nothing is cut off before it is known how much is left.

use gmp_mpfr_sys::mpfr;

use super::{
    by_mpfr,
    limbs::{add_carry, add_limbs, copy, fill, negate, subtract_borrow, subtract_limbs},
    vectors,
};
use crate::number::{Number, Slot, ZERO, compare_limbs};

/// The sum of two numbers, of which the second has another sign perhaps, in at most `room` limbs.
#[inline(always)]
pub unsafe fn add(to: &mut Slot, x: &Number, y: &Number, sign_of_y: i32, room: usize) -> bool {
    if !x.is_regular() || !y.is_regular() {
        return unsafe { of_specials(to, x, y, sign_of_y) };
    }
    if vectors::has_both(x, y, room)
        && let Some(inexact) = unsafe { vectors::add(to, x, y, sign_of_y) }
    {
        return inexact;
    }
    unsafe { by_limbs(to, x, y, sign_of_y, room) }
}

/// The same of regular numbers, limb by limb.
#[inline(always)]
pub unsafe fn by_limbs(to: &mut Slot, x: &Number, y: &Number, sign_of_y: i32, room: usize) -> bool {
    let (larger, smaller, sign) = match x.size >= y.size {
        true => (x, y, x.sign),
        false => (y, x, sign_of_y),
    };
    let apart = (larger.exponent() - smaller.exponent()) as usize;
    unsafe {
        match x.sign == sign_of_y {
            true => sum(to, [larger, smaller], apart, sign, room),
            false => difference(to, [larger, smaller], apart, sign, room),
        }
    }
}

/// One is zero, infinite or not a number. Sums begin with 0: that is frequent.
#[inline(never)]
unsafe fn of_specials(to: &mut Slot, x: &Number, y: &Number, sign_of_y: i32) -> bool {
    let (number, sign) = match (x.size, y.size) {
        (ZERO, _) if y.is_regular() => (y, sign_of_y),
        (_, ZERO) if x.is_regular() => (x, x.sign),
        _ => {
            let mut y = *y;
            y.sign = sign_of_y;
            return unsafe { by_mpfr(to, mpfr::add, x, &y) };
        }
    };
    to.set(sign, number.size, number.limbs());
    false
}

/// How the terms lie, all counted from the lowest limb of the result.
struct Layout {
    /// The result's limbs, and whether there would be more.
    count: usize,
    is_cut: bool,
    /// Where the larger term begins; it ends at `count`.
    start: usize,
    /// Where the smaller one begins and ends.
    low: usize,
    high: usize,
    /// The smaller one's limbs that are cut off.
    cut: usize,
}

impl Layout {
    /// None where nothing of the smaller term is left.
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
            to.become_number(0, count, sign, larger.exponent(), room);
            return is_cut;
        }
        // One limb more, and one less below if there is no room.
        *limbs.add(count) = 1;
        let lost = usize::from(count == room);
        let loses = lost != 0 && *limbs != 0;
        to.become_number(lost, count + 1, sign, larger.exponent() + 1, room);
        is_cut | loses
    }
}

#[inline(always)]
unsafe fn difference(
    to: &mut Slot,
    [mut larger, mut smaller]: [&Number; 2],
    apart: usize,
    mut sign: i32,
    room: usize,
) -> bool {
    if larger.size == smaller.size {
        match compare_limbs(larger.limbs(), smaller.limbs()) {
            0 => {
                to.become_special(ZERO, 1);
                return false;
            }
            1.. => {}
            _ => {
                (larger, smaller) = (smaller, larger);
                sign = -sign;
            }
        }
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
        cut_to(to, count, larger.exponent(), sign, room) | is_cut
    }
}

/// Makes the slot a number of so many of its limbs, of which the highest may be zeros. Gives whether anything was cut off.
#[inline(always)]
pub unsafe fn cut_to(to: &mut Slot, count: usize, exponent: i64, sign: i32, room: usize) -> bool {
    let limbs = to.limbs_mut();
    let mut end = count;
    while end > 0 && limbs[end - 1] == 0 {
        end -= 1;
    }
    if end == 0 {
        to.become_special(ZERO, 1);
        return true;
    }
    // At most one limb more than there is room for.
    let start = end.saturating_sub(room);
    let is_cut = start != 0 && limbs[0] != 0;
    to.become_number(start, end, sign, exponent - (count - end) as i64, room);
    is_cut
}
