//! Fixed-point numbers: one limb before the point, and as many after it as the precision needs.

use core::mem::MaybeUninit;

use gmp_mpfr_sys::gmp;

use crate::{
    arithmetic::upper_half,
    number::{Number, Slot},
    settings,
};

/// The most limbs after the point.
pub const MOST: usize = 18;

/// Results down to 2^−LEAST have all requested bits.
pub const LEAST: i64 = 62;
/// Bits that rounding errors may take.
const LOST: i64 = 16;

/// The limbs after the point that the current precision needs, if there is code for them.
pub fn length() -> Option<usize> {
    let bits = settings::precision() + settings::SPARE_BITS + LEAST + LOST;
    let length = (bits as usize).div_ceil(64).max(settings::limbs());
    (length <= MOST && !settings::emulates()).then_some(length)
}

/// The limbs after the point, lowest first, then the one before it, in two's complement; the rest is unused. `length` is the
/// number of limbs after the point, at most [`MOST`], in all methods.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct Fixed {
    /// Products are computed with one more limb.
    below: u64,
    limbs: [u64; MOST + 1],
}

impl Fixed {
    pub const ZERO: Fixed = Fixed {
        below: 0,
        limbs: [0; MOST + 1],
    };

    pub fn new(number: &Number, length: usize) -> Option<Fixed> {
        let mut fixed = Fixed::ZERO;
        let limbs = number.limbs();
        // Where the number's limbs end, from our lowest limb.
        let end = length as i64 + number.exponent();
        if end > length as i64 + 1 {
            return None;
        }
        let start = end - limbs.len() as i64;
        for (at, limb) in (start..).zip(limbs) {
            if at >= 0 {
                fixed.limbs[at as usize] = *limb;
            }
        }
        Some(fixed)
    }

    /// Sets a slot to ±self · 2^(64·exponent), with at most `room` limbs; none if that is zero.
    pub fn put(
        &self,
        slot: &mut Slot,
        sign: i32,
        exponent: i64,
        length: usize,
        room: usize,
    ) -> Option<()> {
        let end = (0..=length).rfind(|at| self.limbs[*at] != 0)? + 1;
        slot.limbs_mut()[..end].copy_from_slice(&self.limbs[..end]);
        let exponent = exponent + end as i64 - length as i64;
        slot.set_limbs(end.saturating_sub(room), end, sign, exponent, room);
        Some(())
    }

    pub fn whole(&self, length: usize) -> u64 {
        self.limbs[length]
    }

    pub fn set_whole(&mut self, whole: u64, length: usize) {
        self.limbs[length] = whole;
    }

    pub fn is_negative(&self, length: usize) -> bool {
        self.limbs[length] >> 63 != 0
    }

    /// The first 64 bits after the point.
    pub fn first(&self, length: usize) -> u64 {
        self.limbs[length - 1]
    }

    /// Removes the first `bits` bits after the point and returns them.
    pub fn take_first(&mut self, bits: u32, length: usize) -> u64 {
        let first = &mut self.limbs[length - 1];
        let taken = *first >> (64 - bits);
        *first &= u64::MAX >> bits;
        taken
    }

    pub fn add(&mut self, other: &Fixed, length: usize) {
        let to = self.limbs.as_mut_ptr();
        // SAFETY: both have `length + 1` limbs; GMP allows the result to be an operand.
        unsafe { gmp::mpn_add_n(to, to, other.limbs.as_ptr(), length as i64 + 1) };
    }

    pub fn subtract(&mut self, other: &Fixed, length: usize) {
        let to = self.limbs.as_mut_ptr();
        // SAFETY: as in `add`.
        unsafe { gmp::mpn_sub_n(to, to, other.limbs.as_ptr(), length as i64 + 1) };
    }

    /// self += other · factor
    pub fn add_times(&mut self, other: &Fixed, factor: u64, length: usize) {
        let to = self.limbs.as_mut_ptr();
        // SAFETY: as in `add`.
        unsafe { gmp::mpn_addmul_1(to, other.limbs.as_ptr(), length as i64 + 1, factor) };
    }

    /// self −= other · factor
    pub fn subtract_times(&mut self, other: &Fixed, factor: u64, length: usize) {
        let to = self.limbs.as_mut_ptr();
        // SAFETY: as in `add`.
        unsafe { gmp::mpn_submul_1(to, other.limbs.as_ptr(), length as i64 + 1, factor) };
    }

    pub fn negate(&mut self, length: usize) {
        let to = self.limbs.as_mut_ptr();
        // SAFETY: as in `add`.
        unsafe { gmp::mpn_neg(to, to, length as i64 + 1) };
    }

    pub fn divide(&mut self, by: u64, length: usize) {
        let is_negative = self.is_negative(length);
        if is_negative {
            self.negate(length);
        }
        let to = self.limbs.as_mut_ptr();
        // SAFETY: as in `add`; divisors are products of positive integers, never 0.
        unsafe { gmp::mpn_divrem_1(to, 0, to, length as i64 + 1, by) };
        if is_negative {
            self.negate(length);
        }
    }

    pub fn times(&self, other: &Fixed, length: usize) -> Fixed {
        let mut result = Fixed::ZERO;
        result.set_product(self, other, length);
        result
    }

    /// Sets it to the product of two numbers ≥ 0, the second below 1; too small by fewer than 20 units of the last limb.
    pub fn set_product(&mut self, a: &Fixed, b: &Fixed, length: usize) {
        // SAFETY: both have `length` ≤ MOST limbs. `self` has 20 limbs from `below` on.
        unsafe {
            let (a, b) = (a.limbs.as_ptr(), b.limbs.as_ptr());
            if !upper_half((&raw mut *self).cast(), a, b, length) {
                let mut product = MaybeUninit::<[u64; 2 * MOST]>::uninit();
                let product = product.as_mut_ptr().cast::<u64>();
                gmp::mpn_mul_n(product, a, b, length as i64);
                let above = product.add(length);
                core::ptr::copy_nonoverlapping(above, self.limbs.as_mut_ptr(), length);
            }
        }
        self.limbs[length] = 0;
        if a.whole(length) != 0 {
            self.add_times(b, a.whole(length), length);
        }
    }

    /// Shifted up by fewer than 64 bits.
    pub fn shifted(&self, bits: u32, length: usize) -> Fixed {
        let mut shifted = *self;
        if bits != 0 {
            let to = shifted.limbs.as_mut_ptr();
            // SAFETY: as in `add`; `bits` is between 1 and 63.
            unsafe { gmp::mpn_lshift(to, to, length as i64 + 1, bits) };
        }
        shifted
    }
}
