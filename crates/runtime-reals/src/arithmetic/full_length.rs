//! Sums and products of numbers of full length, which are most of what long programs compute: their limbs begin and end
//! at known places. Rare cases go to [`sum`](super::sum) and [`product`](super::product). Both agree to the last bit.
//!
//! # Safety of all functions here
//!
//! Both operands are regular and have exactly `room` limbs, at most the slot's capacity.

use super::{
    limbs::{add_carry, add_limbs, subtract_borrow, subtract_limbs},
    product::{MOST_EXPONENT, skipped_limbs},
    rows, square,
    sum::{by_size, cut_to},
    vectors,
};
use crate::number::{Number, Slot};

/// The sum of two numbers of `room` limbs, the second with the sign `sign_of_y`, and whether it may be inexact; none in
/// rare cases.
///
/// # Safety
///
/// See the module.
#[inline(always)]
pub unsafe fn add(
    to: &mut Slot,
    x: &Number,
    y: &Number,
    sign_of_y: i32,
    room: usize,
) -> Option<bool> {
    if vectors::has(room) {
        // SAFETY: both have `room` limbs, for which `has` found code and instructions.
        return unsafe { vectors::add(to, x, y, sign_of_y) };
    }
    let (larger, smaller, sign, apart) = by_size(x, y, sign_of_y);
    if apart >= room {
        return None;
    }
    // SAFETY: the caller's promise, and `apart` is below `room`.
    unsafe {
        match x.sign == sign_of_y {
            true => sum(to, [larger, smaller], apart, sign, room),
            false => difference(to, [larger, smaller], apart, sign, room),
        }
    }
}

/// None where the sum has one limb more.
///
/// # Safety
///
/// See the module; `apart` is below `room`.
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
    // SAFETY: the larger number has `room` limbs, of which the upper `apart` have no partner; `both` limbs have one.
    unsafe {
        let mut carry = add_limbs(limbs, a, b.add(apart), both, 0);
        if apart != 0 {
            carry = add_carry(limbs.add(both), a.add(both), apart, carry);
        }
        if carry != 0 {
            return None;
        }
    }
    to.set_limbs(0, room, sign, larger.exponent(), room);
    Some(apart != 0)
}

/// None where the difference is zero. Numbers whose exponents differ are subtracted with one limb more, as in
/// [`super::sum`].
///
/// # Safety
///
/// See the module; `apart` is below `room`.
#[inline(always)]
unsafe fn difference(
    to: &mut Slot,
    [mut larger, mut smaller]: [&Number; 2],
    apart: usize,
    mut sign: i32,
    room: usize,
) -> Option<bool> {
    if larger.size == smaller.size {
        (larger, smaller, sign) = super::sum::by_limbs_of_same_size(larger, smaller, sign)?;
    }
    let (a, b) = (larger.limbs().as_ptr(), smaller.limbs().as_ptr());
    let limbs = to.limbs_mut().as_mut_ptr();
    let below = usize::from(apart != 0);
    // SAFETY: as in `sum`; the slot has room for `room + 1` limbs.
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

/// The product of two numbers of `room` limbs, and whether it may be inexact; none in rare cases.
///
/// # Safety
///
/// See the module.
#[inline(always)]
pub unsafe fn multiply(
    to: &mut Slot,
    x: &Number,
    y: &Number,
    room: usize,
    slack: u32,
) -> Option<bool> {
    if vectors::has(room) {
        // SAFETY: both have `room` limbs, for which `has` found code and instructions.
        return unsafe { vectors::multiply(to, x, y) };
    }
    let (exponent, sign) = (x.exponent() + y.exponent(), x.sign * y.sign);
    if exponent.unsigned_abs() > MOST_EXPONENT || !rows::has_one_more(room) {
        return None;
    }
    let limbs = to.limbs_mut().as_mut_ptr();
    let (a, b) = (x.limbs().as_ptr(), y.limbs().as_ptr());
    let skipped_limbs = skipped_limbs(x, y, slack);
    // SAFETY: `has_one_more` found code for `room` limbs. The product's `room + 2 − skipped_limbs` limbs fit into the slot.
    unsafe {
        by_rows(limbs, [a, b], room, skipped_limbs);
        let highest = room + 1 - skipped_limbs;
        let missing = usize::from(*limbs.add(highest) == 0);
        let end = highest + 1 - missing;
        let start = end.saturating_sub(room);
        to.set_limbs(start, end, sign, exponent - missing as i64, room);
    }
    Some(true)
}

/// # Safety
///
/// There is code for one limb more than half of `room` limbs; `a` and `b` have `room` limbs and `limbs` room for two more.
#[inline(always)]
unsafe fn by_rows(limbs: *mut u64, [a, b]: [*const u64; 2], room: usize, skipped_limbs: usize) {
    let is_square = core::ptr::eq(a, b) && square::has(room);
    // SAFETY: the caller's promise; code for one more than half of `room` implies code for half of `room` and `room − 1`.
    unsafe {
        match skipped_limbs {
            0 if is_square => square::one_more_of_17(limbs, a),
            1 if is_square => square::half_of_17(limbs, a),
            2 if is_square => square::half_of_16(limbs, a.add(1)),
            0 => rows::one_more_than_half(limbs, a, b, room),
            1 => rows::upper_half(limbs, a, b, room),
            _ => rows::upper_half(limbs, a.add(1), b.add(1), room - 1),
        }
    }
}
