//! Sums and products of numbers that are as long as they may be, which is most of what long programs compute: where limbs
//! begin and end is known then. What is rare is left to [`sum`](super::sum) and [`product`](super::product), with
//! which these agree to the last bit.

use super::{
    limbs::{add_carry, add_limbs, subtract_borrow, subtract_limbs},
    product::{MOST_EXPONENT, left_out},
    rows, square,
    sum::cut_to,
    vectors,
};
use crate::number::{Number, Slot, compare_limbs};

/// The sum of two numbers of `room` limbs, of which the second has another sign perhaps, and whether it may be inexact.
#[inline(always)]
pub unsafe fn add(
    to: &mut Slot,
    x: &Number,
    y: &Number,
    sign_of_y: i32,
    room: usize,
) -> Option<bool> {
    if vectors::has(room) {
        return unsafe { vectors::add(to, x, y, sign_of_y) };
    }
    let (larger, smaller, sign) = match x.size >= y.size {
        true => (x, y, x.sign),
        false => (y, x, sign_of_y),
    };
    let apart = (larger.exponent() - smaller.exponent()) as usize;
    if apart >= room {
        return None;
    }
    unsafe {
        match x.sign == sign_of_y {
            true => sum(to, [larger, smaller], apart, sign, room),
            false => difference(to, [larger, smaller], apart, sign, room),
        }
    }
}

/// None where there is one limb more.
#[inline(always)]
unsafe fn sum(
    to: &mut Slot,
    [larger, smaller]: [&Number; 2],
    apart: usize,
    sign: i32,
    room: usize,
) -> Option<bool> {
    let (a, b) = (larger.limbs().as_ptr(), smaller.limbs().as_ptr());
    let limbs = to.limbs_mut().as_mut_ptr();
    let both = room - apart;
    unsafe {
        let mut carry = add_limbs(limbs, a, b.add(apart), both, 0);
        if apart != 0 {
            carry = add_carry(limbs.add(both), a.add(both), apart, carry);
        }
        if carry != 0 {
            return None;
        }
    }
    to.become_number(0, room, sign, larger.exponent(), room);
    Some(apart != 0)
}

/// None where nothing is left. Numbers apart are subtracted with one limb more, as in [`super::sum`].
#[inline(always)]
unsafe fn difference(
    to: &mut Slot,
    [mut larger, mut smaller]: [&Number; 2],
    apart: usize,
    mut sign: i32,
    room: usize,
) -> Option<bool> {
    if larger.size == smaller.size {
        match compare_limbs(larger.limbs(), smaller.limbs()) {
            0 => return None,
            1.. => {}
            _ => {
                (larger, smaller) = (smaller, larger);
                sign = -sign;
            }
        }
    }
    let (a, b) = (larger.limbs().as_ptr(), smaller.limbs().as_ptr());
    let limbs = to.limbs_mut().as_mut_ptr();
    let below = usize::from(apart != 0);
    unsafe {
        let mut borrow = 0;
        if apart != 0 {
            let lowest = *b.add(apart - 1);
            *limbs = lowest.wrapping_neg();
            borrow = u8::from(lowest != 0);
        }
        let (both, above) = (room - apart, limbs.add(below));
        borrow = subtract_limbs(above, a, b.add(apart), both, borrow);
        if apart != 0 {
            subtract_borrow(above.add(both), a.add(both), apart, borrow);
        }
        let is_cut = cut_to(to, room + below, larger.exponent(), sign, room);
        Some(is_cut | (apart > 1))
    }
}

/// The product of two numbers of `room` limbs, and whether it may be inexact.
#[inline(always)]
pub unsafe fn multiply(
    to: &mut Slot,
    x: &Number,
    y: &Number,
    room: usize,
    slack: u32,
) -> Option<bool> {
    if vectors::has(room) {
        return unsafe { vectors::multiply(to, x, y) };
    }
    let (exponent, sign) = (x.exponent() + y.exponent(), x.sign * y.sign);
    if exponent.unsigned_abs() > MOST_EXPONENT || !rows::has_one_more(room) {
        return None;
    }
    let limbs = to.limbs_mut().as_mut_ptr();
    let (a, b) = (x.limbs().as_ptr(), y.limbs().as_ptr());
    let left_out = left_out(x, y, slack);
    unsafe {
        by_rows(limbs, [a, b], room, left_out);
        let highest = room + 1 - left_out;
        let missing = usize::from(*limbs.add(highest) == 0);
        let end = highest + 1 - missing;
        let start = end.saturating_sub(room);
        to.become_number(start, end, sign, exponent - missing as i64, room);
    }
    Some(true)
}

#[inline(always)]
unsafe fn by_rows(limbs: *mut u64, [a, b]: [*const u64; 2], room: usize, left_out: usize) {
    let is_square = core::ptr::eq(a, b) && square::has(room);
    unsafe {
        match left_out {
            0 if is_square => square::one_more_of_17(limbs, a),
            1 if is_square => square::half_of_17(limbs, a),
            2 if is_square => square::half_of_16(limbs, a.add(1)),
            0 => rows::one_more_than_half(limbs, a, b, room),
            1 => rows::upper_half(limbs, a, b, room),
            _ => rows::upper_half(limbs, a.add(1), b.add(1), room - 1),
        }
    }
}
