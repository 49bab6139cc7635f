//! Numbers of 17 limbs, the length of 1000 bits, in vectors: sums and copies by eight limbs at once, on processors with
//! AVX-512 (IFMA and VBMI). Products are in [`digits`].
//!
//! Vectors are stored exactly where they are loaded from later, eight limbs here and eight there. Loads that overlap several
//! smaller stores would stall until these reach the cache (no store forwarding). So either all code that computes with long
//! numbers uses vectors, or none does.

use core::arch::x86_64::*;

use super::{
    digits::{self, Product},
    processor::has_ifma,
    product::MOST_EXPONENT,
    sum::by_size,
};
use crate::number::{Number, Slot};

pub const LIMBS: usize = 17;

/// The most limbs of a value of the program; sums of a long number and such a value are frequent.
const SHORT: usize = 2;

/// Whether there is code and the processor for this many limbs.
#[inline(always)]
pub fn has(length: usize) -> bool {
    length == LIMBS && has_ifma()
}

/// Whether there is code for the sum of two numbers: one has [`LIMBS`] limbs, the other has as many or at most [`SHORT`].
#[inline(always)]
pub fn has_both(x: &Number, y: &Number, room: usize) -> bool {
    let is_served = |number: &Number| number.len() == LIMBS || number.len() <= SHORT;
    let are_regular = x.is_regular() && y.is_regular();
    x.len().max(y.len()) == LIMBS && is_served(x) && is_served(y) && are_regular && has(room)
}

/// A constant vector.
#[repr(align(64))]
pub struct Aligned<T>(pub T);

impl<T> Aligned<T> {
    #[inline]
    #[target_feature(enable = "avx512f")]
    pub fn load(&'static self) -> __m512i {
        const { assert!(size_of::<T>() == 64) };
        // SAFETY: `Aligned` is aligned to 64 bytes, and T has 64.
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
    /// # Safety
    ///
    /// `from` has 17 limbs.
    #[inline]
    #[target_feature(enable = "avx512f")]
    pub unsafe fn load(from: *const u64) -> Row {
        // SAFETY: the two vectors cover the limbs 0 to 15.
        unsafe {
            Row {
                low: _mm512_loadu_si512(from.cast()),
                high: _mm512_loadu_si512(from.add(8).cast()),
                top: *from.add(16),
            }
        }
    }

    /// A number of 17 limbs, or of at most two, which get zeros below.
    ///
    /// # Safety
    ///
    /// The number has one of these lengths.
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
        // SAFETY: a number that is not short has 17 limbs.
        unsafe { Row::load(number.limbs().as_ptr()) }
    }

    /// # Safety
    ///
    /// `to` has room for 17 limbs.
    #[inline]
    #[target_feature(enable = "avx512f")]
    pub unsafe fn store(&self, to: *mut u64) {
        // SAFETY: the two vectors cover the limbs 0 to 15.
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

    /// One limb higher: without the highest limb, with `lowest` below.
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

    /// The highest limb gets a vector of its own.
    #[inline]
    #[target_feature(enable = "avx512f")]
    pub fn vectors(&self) -> [__m512i; 3] {
        let top = _mm512_zextsi128_si512(_mm_cvtsi64_si128(self.top as i64));
        [self.low, self.high, top]
    }

    /// Without the lowest `count` limbs, fewer than eight.
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

    /// The sum; none where it has one limb more.
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
        let given = carries_into(over, full, false);
        let (top, is_over) = self.top.overflowing_add(other.top);
        let (top, again) = top.overflowing_add(u64::from(given >> 16));
        (!is_over && !again).then(|| Row {
            low: _mm512_mask_add_epi64(low, given as u8, low, one),
            high: _mm512_mask_add_epi64(high, (given >> 8) as u8, high, one),
            top,
        })
    }

    /// The difference; `other` is not larger.
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
        let given = carries_into(under, empty, borrow);
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

/// Which of 17 limbs get a carry: `out` are the limbs that produce one. It goes to the next limb, and on through limbs that
/// are `full`, as a carry goes through ones in a sum of integers.
#[inline(always)]
fn carries_into(out: u32, full: u32, first: bool) -> u32 {
    ((out << 1 | u32::from(first)) + full) ^ full
}

/// The limbs of a short number, with a zero below if there is only one.
#[inline(always)]
fn short_limbs(number: &Number) -> Option<[u64; 2]> {
    match *number.limbs() {
        [top] => Some([0, top]),
        [low, top] => Some([low, top]),
        _ => None,
    }
}

/// As [`full_length::add`](super::full_length::add); none also where the exponents are far apart, or where more than one limb
/// cancels.
///
/// # Safety
///
/// [`has_both`] holds for the two numbers and this length.
#[target_feature(enable = "avx512f")]
pub unsafe fn add(to: &mut Slot, x: &Number, y: &Number, sign_of_y: i32) -> Option<bool> {
    const FAR: usize = 8;
    let (mut larger, mut smaller, mut sign, apart) = by_size(x, y, sign_of_y);
    if apart >= FAR {
        return None;
    }
    // SAFETY: `has_both` allows only the lengths that `Row::of` takes.
    unsafe {
        let (mut a, mut b) = (Row::of(larger), Row::of(smaller));
        if x.sign == sign_of_y {
            let sum = a.plus(&b.without_lowest(apart))?;
            to.set_row(&sum, sign, larger.exponent());
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
            to.set_row(&difference, sign, larger.exponent());
            return Some(cut != 0 || is_cut && apart > 1);
        }
        let difference = difference.one_up(cut.wrapping_neg());
        if difference.top == 0 {
            return None;
        }
        to.set_row(&difference, sign, larger.exponent() - 1);
        Some(is_cut && apart > 1)
    }
}

/// A product; none where its exponent is too large or too small.
///
/// # Safety
///
/// Both have 17 limbs, and [`has`] holds for 17.
#[target_feature(enable = "avx512f,avx512bw,avx512ifma,avx512vbmi")]
pub unsafe fn multiply(to: &mut Slot, x: &Number, y: &Number) -> Option<bool> {
    let exponent = x.exponent() + y.exponent();
    if exponent.unsigned_abs() > MOST_EXPONENT {
        return None;
    }
    // SAFETY: both have 17 limbs.
    unsafe {
        let [a, b] = [x, y].map(|number| Row::load(number.limbs().as_ptr()));
        let Product { row, is_longer } = digits::product(&a, &b);
        to.set_row(&row, x.sign * y.sign, exponent - i64::from(!is_longer));
    }
    Some(true)
}

/// Copies 17 limbs.
///
/// # Safety
///
/// `from` has 17 limbs, and `to` has room for as many.
#[target_feature(enable = "avx512f")]
pub unsafe fn copy(to: *mut u64, from: *const u64) {
    // SAFETY: the caller's promise.
    unsafe { Row::load(from).store(to) }
}
