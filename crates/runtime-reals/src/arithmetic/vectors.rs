//! Numbers of 17 limbs, as 1000 bits need them, in vectors: on processors with AVX-512 (IFMA and VBMI), sums and copies
//! by eight limbs at once. Products are in [`digits`].
//!
//! Vectors are written to where they are read from later, eight limbs here and eight there: what was written in other parts than
//! it is read in has to reach the cache first, and everything waits for it. So either all that computes with long numbers
//! uses vectors, or nothing does.

use core::arch::x86_64::*;

use super::{
    digits::{self, Product},
    processor::has_digits,
    product::MOST_EXPONENT,
};
use crate::number::{Number, Slot};

pub const LIMBS: usize = 17;

/// As many limbs as the program's values have, which most long numbers meet now and then.
const SHORT: usize = 2;

/// Whether there is code for numbers of so many limbs.
#[inline(always)]
pub fn has(length: usize) -> bool {
    length == LIMBS && has_digits()
}

/// Whether there is code for two numbers, one of so many limbs and another as long or short.
#[inline(always)]
pub fn has_both(x: &Number, y: &Number, room: usize) -> bool {
    let is_served = |number: &Number| number.len() == LIMBS || number.len() <= SHORT;
    let are_regular = x.is_regular() && y.is_regular();
    x.len().max(y.len()) == LIMBS && is_served(x) && is_served(y) && are_regular && has(room)
}

/// A constant for a vector.
#[repr(align(64))]
pub struct Aligned<T>(pub T);

impl<T> Aligned<T> {
    #[inline]
    #[target_feature(enable = "avx512f")]
    pub fn load(&'static self) -> __m512i {
        const { assert!(size_of::<T>() == 64) };
        // SAFETY: aligned, and 64 bytes.
        unsafe { _mm512_load_si512((&raw const self.0).cast()) }
    }
}

/// 17 limbs.
#[derive(Clone, Copy)]
pub struct Row {
    pub low: __m512i,
    pub high: __m512i,
    pub top: u64,
}

impl Row {
    #[inline]
    #[target_feature(enable = "avx512f")]
    pub unsafe fn load(from: *const u64) -> Row {
        unsafe {
            Row {
                low: _mm512_loadu_si512(from.cast()),
                high: _mm512_loadu_si512(from.add(8).cast()),
                top: *from.add(16),
            }
        }
    }

    /// A number with a row's limbs or at most two, these with zeros below.
    #[inline]
    #[target_feature(enable = "avx512f")]
    unsafe fn of(number: &Number) -> Row {
        if let Some([low, top]) = short_limbs(number) {
            return Row {
                low: _mm512_setzero_si512(),
                high: _mm512_maskz_set1_epi64(1 << 7, low as i64),
                top,
            };
        }
        unsafe { Row::load(number.limbs().as_ptr()) }
    }

    #[inline]
    #[target_feature(enable = "avx512f")]
    pub unsafe fn store(&self, to: *mut u64) {
        unsafe {
            _mm512_storeu_si512(to.cast(), self.low);
            _mm512_storeu_si512(to.add(8).cast(), self.high);
            *to.add(16) = self.top;
        }
    }

    /// Whether the lowest `count` limbs are zeros.
    #[inline]
    #[target_feature(enable = "avx512f")]
    pub fn ends_in_zeros(&self, count: u32) -> bool {
        _mm512_mask_test_epi64_mask((1 << count) - 1, self.low, self.low) == 0
    }

    /// Without its highest limb, with another below.
    #[inline]
    #[target_feature(enable = "avx512f")]
    fn one_up(&self, lowest: u64) -> Row {
        let below = _mm512_set1_epi64(lowest as i64);
        let highest = _mm512_castsi512_si128(_mm512_alignr_epi64::<7>(self.high, self.high));
        Row {
            low: _mm512_alignr_epi64::<7>(self.low, below),
            high: _mm512_alignr_epi64::<7>(self.high, self.low),
            top: _mm_cvtsi128_si64(highest) as u64,
        }
    }

    /// The highest limb has a vector to itself.
    #[inline]
    #[target_feature(enable = "avx512f")]
    pub fn vectors(&self) -> [__m512i; 3] {
        let top = _mm512_zextsi128_si512(_mm_cvtsi64_si128(self.top as i64));
        [self.low, self.high, top]
    }

    /// Without its lowest limbs, fewer than eight.
    #[inline]
    #[target_feature(enable = "avx512f")]
    fn without_lowest(&self, count: usize) -> Row {
        static PLACES: Aligned<[u64; 8]> = Aligned([0, 1, 2, 3, 4, 5, 6, 7]);
        if count == 0 {
            return *self;
        }
        let [low, high, top] = self.vectors();
        let places = _mm512_add_epi64(PLACES.load(), _mm512_set1_epi64(count as i64));
        Row {
            low: _mm512_permutex2var_epi64(low, places, high),
            high: _mm512_permutex2var_epi64(high, places, top),
            top: 0,
        }
    }

    #[inline]
    #[target_feature(enable = "avx512f")]
    fn is_less(&self, other: &Row) -> bool {
        if self.top != other.top {
            return self.top < other.top;
        }
        let less = join(
            _mm512_cmplt_epu64_mask(self.low, other.low),
            _mm512_cmplt_epu64_mask(self.high, other.high),
        );
        let more = join(
            _mm512_cmplt_epu64_mask(other.low, self.low),
            _mm512_cmplt_epu64_mask(other.high, self.high),
        );
        // The highest limb that differs decides.
        less > more
    }

    /// None where there is one limb more.
    #[inline]
    #[target_feature(enable = "avx512f")]
    fn plus(&self, other: &Row) -> Option<Row> {
        let (low, high) = (
            _mm512_add_epi64(self.low, other.low),
            _mm512_add_epi64(self.high, other.high),
        );
        let (all, one) = (_mm512_set1_epi64(-1), _mm512_set1_epi64(1));
        let over = join(
            _mm512_cmplt_epu64_mask(low, self.low),
            _mm512_cmplt_epu64_mask(high, self.high),
        );
        let full = join(
            _mm512_cmpeq_epu64_mask(low, all),
            _mm512_cmpeq_epu64_mask(high, all),
        );
        let given = passed_on(over, full, false);
        let (top, is_over) = self.top.overflowing_add(other.top);
        let (top, again) = top.overflowing_add(u64::from(given >> 16));
        (!is_over && !again).then(|| Row {
            low: _mm512_mask_add_epi64(low, given as u8, low, one),
            high: _mm512_mask_add_epi64(high, (given >> 8) as u8, high, one),
            top,
        })
    }

    /// Of a row that is not larger by its highest limb.
    #[inline]
    #[target_feature(enable = "avx512f")]
    fn minus(&self, other: &Row, borrow: bool) -> Row {
        let (low, high) = (
            _mm512_sub_epi64(self.low, other.low),
            _mm512_sub_epi64(self.high, other.high),
        );
        let (zero, one) = (_mm512_setzero_si512(), _mm512_set1_epi64(1));
        let under = join(
            _mm512_cmplt_epu64_mask(self.low, other.low),
            _mm512_cmplt_epu64_mask(self.high, other.high),
        );
        let empty = join(
            _mm512_cmpeq_epu64_mask(low, zero),
            _mm512_cmpeq_epu64_mask(high, zero),
        );
        let given = passed_on(under, empty, borrow);
        Row {
            low: _mm512_mask_sub_epi64(low, given as u8, low, one),
            high: _mm512_mask_sub_epi64(high, (given >> 8) as u8, high, one),
            top: self
                .top
                .wrapping_sub(other.top)
                .wrapping_sub(u64::from(given >> 16)),
        }
    }
}

#[inline(always)]
fn join(low: u8, high: u8) -> u32 {
    u32::from(low) | u32::from(high) << 8
}

/// Which of 17 limbs are given a carry: what comes out of one goes to the next, and on through those that are `full`, as a carry
/// goes through ones in a sum of integers.
#[inline(always)]
fn passed_on(out: u32, full: u32, first: bool) -> u32 {
    ((out << 1 | u32::from(first)) + full) ^ full
}

/// Of a short number, with a zero below where there is one limb only.
#[inline(always)]
fn short_limbs(number: &Number) -> Option<[u64; 2]> {
    match *number.limbs() {
        [top] => Some([0, top]),
        [low, top] => Some([low, top]),
        _ => None,
    }
}

/// As [`long::add`](super::long::add), and none where terms are far apart, or cancel by more than a limb.
///
/// # Safety
///
/// There is code for [both](has_both).
#[target_feature(enable = "avx512f")]
pub unsafe fn add(to: &mut Slot, x: &Number, y: &Number, sign_of_y: i32) -> Option<bool> {
    const FAR: usize = 8;
    let (mut larger, mut smaller, mut sign) = match x.size >= y.size {
        true => (x, y, x.sign),
        false => (y, x, sign_of_y),
    };
    let apart = (larger.exponent() - smaller.exponent()) as usize;
    if apart >= FAR {
        return None;
    }
    unsafe {
        let (mut a, mut b) = (Row::of(larger), Row::of(smaller));
        if x.sign == sign_of_y {
            let sum = a.plus(&b.without_lowest(apart))?;
            to.become_row(&sum, sign, larger.exponent());
            return Some(apart != 0 && smaller.len() == LIMBS);
        }
        if apart == 0 && a.is_less(&b) {
            (larger, smaller, a, b) = (smaller, larger, b, a);
            sign = -sign;
        }
        let is_cut = apart != 0 && smaller.len() == LIMBS;
        let cut = if is_cut {
            smaller.limbs()[apart - 1]
        } else {
            0
        };
        let difference = a.minus(&b.without_lowest(apart), cut != 0);
        if difference.top != 0 {
            to.become_row(&difference, sign, larger.exponent());
            return Some(cut != 0 || is_cut && apart > 1);
        }
        let difference = difference.one_up(cut.wrapping_neg());
        if difference.top == 0 {
            return None;
        }
        to.become_row(&difference, sign, larger.exponent() - 1);
        Some(is_cut && apart > 1)
    }
}

/// A product; none where it is too large or small.
///
/// # Safety
///
/// There is code for it, and both have so many limbs.
#[target_feature(enable = "avx512f,avx512bw,avx512ifma,avx512vbmi")]
pub unsafe fn multiply(to: &mut Slot, x: &Number, y: &Number) -> Option<bool> {
    let exponent = x.exponent() + y.exponent();
    if exponent.unsigned_abs() > MOST_EXPONENT {
        return None;
    }
    unsafe {
        let [a, b] = [x, y].map(|number| Row::load(number.limbs().as_ptr()));
        let Product { row, is_longer } = digits::product(&a, &b);
        to.become_row(&row, x.sign * y.sign, exponent - i64::from(!is_longer));
    }
    Some(true)
}

/// Copies 17 limbs.
#[target_feature(enable = "avx512f")]
pub unsafe fn copy(to: *mut u64, from: *const u64) {
    unsafe { Row::load(from).store(to) }
}
