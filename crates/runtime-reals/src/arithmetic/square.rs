//! Upper halves of squares at the length of 1000 bits: each product of two different limbs is computed once and doubled,
//! which takes 0.7 times as long as a product. The limbs are those that [`rows`](super::rows) computes.

use core::arch::asm;

use super::{
    processor::has_adx,
    rows::{row, row_of},
};

/// Whether there is code for this many limbs.
#[inline(always)]
pub fn has(length: usize) -> bool {
    length == 17 && has_adx()
}

/// Writes the limbs 16 and above of the square of 17 limbs.
///
/// # Safety
///
/// `a` has 17 limbs, `out` has room for 18, and there is [code](has) for 17 limbs, hence ADX.
pub unsafe fn half_of_17(out: *mut u64, a: *const u64) {
    // SAFETY: the rows write the limbs 0 to 17 of `out` and read `a` up to limb 16.
    unsafe {
        out.write_bytes(0, 18);
        row_of!(out, a.add(7), *a.add(9), 2);
        row_of!(out, a.add(6), *a.add(10), 4);
        row_of!(out, a.add(5), *a.add(11), 6);
        row_of!(out, a.add(4), *a.add(12), 8);
        row_of!(out, a.add(3), *a.add(13), 10);
        row_of!(out, a.add(2), *a.add(14), 12);
        row_of!(out, a.add(1), *a.add(15), 14);
        row_of!(out, a, *a.add(16), 16);
        double_and_add(out, 0, a.add(8), 9);
    }
}

/// Writes the limbs 15 and above of the square of 16 limbs.
///
/// # Safety
///
/// `a` has 16 limbs, `out` has room for 17, and the processor has ADX.
pub unsafe fn half_of_16(out: *mut u64, a: *const u64) {
    // SAFETY: the rows write the limbs 0 to 16 of `out` and read `a` up to limb 15.
    unsafe {
        out.write_bytes(0, 17);
        odd_rows(out, a);
        double_and_add(out, 1, a.add(8), 8);
    }
}

/// Writes the limbs 15 and above of the square of 17 limbs.
///
/// # Safety
///
/// `a` has 17 limbs, `out` has room for 19, and the processor has ADX.
pub unsafe fn one_more_of_17(out: *mut u64, a: *const u64) {
    // SAFETY: the rows write the limbs 0 to 18 of `out` and read `a` up to limb 16.
    unsafe {
        out.write_bytes(0, 19);
        odd_rows(out, a);
        row_of!(out.add(1), a, *a.add(16), 16);
        double_and_add(out, 1, a.add(8), 9);
    }
}

/// The products of different limbs among the lowest 16, from the limb 15 of the square on.
///
/// # Safety
///
/// `a` has 16 limbs, `out` has room for 16, and the processor has ADX.
#[inline(always)]
unsafe fn odd_rows(out: *mut u64, a: *const u64) {
    // SAFETY: the longest row has 15 limbs and writes the limb 15 of `out`.
    unsafe {
        let first = u128::from(*a.add(7)) * u128::from(*a.add(8));
        *out = first as u64;
        *out.add(1) = (first >> 64) as u64;
        row_of!(out, a.add(6), *a.add(9), 3);
        row_of!(out, a.add(5), *a.add(10), 5);
        row_of!(out, a.add(4), *a.add(11), 7);
        row_of!(out, a.add(3), *a.add(12), 9);
        row_of!(out, a.add(2), *a.add(13), 11);
        row_of!(out, a.add(1), *a.add(14), 13);
        row_of!(out, a, *a.add(15), 15);
    }
}

/// Doubles `out` and adds the squares of `count` limbs, the first at `start`, which is 0 or 1.
///
/// # Safety
///
/// `limbs` has `count` limbs and `out` has `start + 2·count`.
#[inline(always)]
unsafe fn double_and_add(out: *mut u64, start: usize, limbs: *const u64, count: usize) {
    let mut below = 0;
    let mut carry = 0;
    // SAFETY: the highest limb accessed is `start + 2·count − 1`.
    unsafe {
        if start == 1 {
            below = *out >> 63;
            *out <<= 1;
        }
        for at in 0..count {
            let (low, high) = (out.add(start + 2 * at), out.add(start + 2 * at + 1));
            let both = u128::from(*high) << 64 | u128::from(*low);
            let limb = u128::from(*limbs.add(at));
            let (sum, over) = (both << 1 | u128::from(below)).overflowing_add(limb * limb);
            let (sum, again) = sum.overflowing_add(carry);
            below = (both >> 127) as u64;
            carry = u128::from(over | again);
            *low = sum as u64;
            *high = (sum >> 64) as u64;
        }
    }
}
