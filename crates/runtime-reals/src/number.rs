//! Numbers in slots and out of them.
//!
//! A number is a row of limbs whose exponent counts whole limbs: 0.LLL… · 2^(64·exponent). So limbs of two numbers
//! always lie above each other, and sums need no shifts; what is paid for it is that the highest limb may begin with
//! zeros. Limbs of zeros at both ends are cut off: arithmetic on numbers of few bits (data, integers, products of two
//! doubles) costs little, however many bits are allowed. Numbers of nearly as many limbs as there may be have all of
//! them, the lowest zero perhaps, because there is fast code for that length.
//!
//! MPFR, which wants a leading bit at the top, is given copies: see [`crate::exchange`].

use core::{mem::MaybeUninit, ptr::NonNull};

use lostbits_abi::numbers::{MOST_BITS, SLOT_BYTES};

use crate::{
    arithmetic::{
        copy_number,
        vectors::{self, Row},
    },
    value::Value,
};

pub const LIMB_BITS: i64 = 64;
/// Numbers that lack at most so many limbs are made as long as they may be …
const NEARLY: usize = 3;
/// … if they have at least so many.
const LONG: usize = 4;
/// More than a number can have: products are computed with two more, differences with one.
pub const MOST_LIMBS: usize = crate::settings::limbs_for(MOST_BITS as i64) + 2;

/// Marks in the place of an exponent.
pub const ZERO: i64 = -i64::MAX;
pub const NOT_A_NUMBER: i64 = 1 - i64::MAX;
pub const INFINITY: i64 = 2 - i64::MAX;

/// A number whose limbs lie elsewhere.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct Number {
    /// The lowest limb; the highest one is not zero, nor, of short numbers, is it.
    limbs: NonNull<u64>,
    count: u32,
    /// 1 or -1.
    pub sign: i32,
    /// In bits: the number is at least half of 2 to this power, and less than it. Or a mark.
    pub size: i64,
}

impl Number {
    const fn zero() -> Number {
        Number {
            limbs: NonNull::dangling(),
            count: 0,
            sign: 1,
            size: ZERO,
        }
    }

    /// Neither zero nor infinite nor not a number.
    #[inline(always)]
    pub fn is_regular(&self) -> bool {
        marks_regular(self.size)
    }

    #[inline(always)]
    pub fn is_zero(&self) -> bool {
        self.size == ZERO
    }

    pub fn is_not_a_number(&self) -> bool {
        self.size == NOT_A_NUMBER
    }

    /// Of specials, none.
    #[inline(always)]
    pub fn limbs(&self) -> &[u64] {
        // SAFETY: so many are there.
        unsafe { core::slice::from_raw_parts(self.limbs.as_ptr(), self.count as usize) }
    }

    /// Its highest limbs, at most so many.
    pub fn cut_off(&self, most: usize) -> Number {
        let cut = (self.count as usize).saturating_sub(most);
        Number {
            // SAFETY: so many limbs are there.
            limbs: unsafe { self.limbs.add(cut) },
            count: self.count - cut as u32,
            ..*self
        }
    }

    pub fn len(&self) -> usize {
        self.count as usize
    }

    /// In limbs, of a regular number.
    #[inline(always)]
    pub fn exponent(&self) -> i64 {
        (self.size + LIMB_BITS - 1) >> 6
    }

    /// Of a regular number's highest limb.
    #[inline(always)]
    pub fn leading_zeros(&self) -> u32 {
        self.size.wrapping_neg() as u32 & 63
    }

    /// The 64 bits that a regular number begins with.
    #[inline(always)]
    pub fn beginning(&self) -> u64 {
        let zeros = self.leading_zeros();
        self.limb(1) << zeros | (self.limb(2) >> 1) >> (63 - zeros)
    }

    /// The 128 bits that a regular number begins with, and whether more follow.
    #[inline(always)]
    pub fn long_beginning(&self) -> (u128, bool) {
        let zeros = self.leading_zeros();
        let high = u128::from(self.limb(1)) << 64 | u128::from(self.limb(2));
        let third = self.limb(3);
        let bits = high << zeros | u128::from((third >> 1) >> (63 - zeros));
        (bits, self.count > 3 || third << zeros != 0)
    }

    /// Counted from the highest.
    #[inline(always)]
    fn limb(&self, place: u32) -> u64 {
        match place <= self.count {
            // SAFETY: so many limbs are there.
            true => unsafe { *self.limbs.as_ptr().add((self.count - place) as usize) },
            false => 0,
        }
    }
}

/// Whether a size is one, and no mark.
#[inline(always)]
pub fn marks_regular(size: i64) -> bool {
    size > INFINITY
}

/// A place for a number.
#[repr(C, align(64))]
pub struct Slot {
    pub number: Number,
    /// Mode `explain-reals`: node and influences, as in [`lostbits_abi::explain::meta`] …
    pub meta: u64,
    /// … and the order of the number's own error; see `explain::by_numbers::errors`.
    pub order: i64,
    /// Limbs of zeros, for numbers that are made longer, and the number's.
    limbs: [u64; NEARLY + MOST_LIMBS],
}

const _: () = assert!(size_of::<Slot>() == SLOT_BYTES as usize);

impl Slot {
    pub fn new() -> Slot {
        Slot {
            number: Number::zero(),
            meta: 0,
            order: 0,
            limbs: [0; NEARLY + MOST_LIMBS],
        }
    }

    /// A place for a result of [`crate::arithmetic`], with no limb written.
    #[inline(always)]
    pub fn of_nothing(place: &mut MaybeUninit<Slot>) -> &mut Slot {
        // SAFETY: plain words; limbs are written before they are read.
        unsafe {
            (&raw mut (*place.as_mut_ptr()).number).write(Number::zero());
            &mut *place.as_mut_ptr()
        }
    }

    /// Where limbs are to be written.
    #[inline(always)]
    pub fn limbs_mut(&mut self) -> &mut [u64; MOST_LIMBS] {
        self.limbs[..NEARLY].fill(0);
        // SAFETY: so many follow.
        unsafe { &mut *self.limbs.as_mut_ptr().add(NEARLY).cast() }
    }

    /// Makes it the number of the limbs from `start` to `end` that are now in their places, the highest of them not zero;
    /// there may be up to `room`.
    #[inline(always)]
    pub fn become_number(
        &mut self,
        start: usize,
        end: usize,
        sign: i32,
        exponent: i64,
        room: usize,
    ) {
        let (mut start, end) = (NEARLY + start, NEARLY + end);
        while start + 1 < end && self.limbs[start] == 0 {
            start += 1;
        }
        if end - start + NEARLY >= room && end - start >= LONG {
            start = end - room;
        }
        let zeros = self.limbs[end - 1].leading_zeros();
        self.number = Number {
            // SAFETY: within the limbs.
            limbs: unsafe { NonNull::from(&mut self.limbs).cast::<u64>().add(start) },
            count: (end - start) as u32,
            sign,
            size: exponent * LIMB_BITS - i64::from(zeros),
        };
    }

    /// Makes it the number of a row whose highest limb is not zero.
    #[inline]
    #[target_feature(enable = "avx512f")]
    pub fn become_row(&mut self, row: &Row, sign: i32, exponent: i64) {
        // SAFETY: there is room for so many.
        let limbs = unsafe {
            let limbs = NonNull::from(&mut self.limbs).cast::<u64>().add(NEARLY);
            row.store(limbs.as_ptr());
            limbs
        };
        if row.ends_in_zeros(NEARLY as u32 + 1) {
            self.limbs_mut();
            return self.become_number(0, vectors::LIMBS, sign, exponent, vectors::LIMBS);
        }
        self.number = Number {
            limbs,
            count: vectors::LIMBS as u32,
            sign,
            size: exponent * LIMB_BITS - i64::from(row.top.leading_zeros()),
        };
    }

    /// A zero, an infinity or what is not a number.
    pub fn become_special(&mut self, mark: i64, sign: i32) {
        self.number = Number {
            sign,
            size: mark,
            ..Number::zero()
        };
    }

    /// ±limb · 2^(64·exponent − 64)
    pub fn become_one_limb(&mut self, limb: u64, sign: i32, exponent: i64) {
        self.limbs_mut()[0] = limb;
        self.become_number(0, 1, sign, exponent, MOST_LIMBS);
    }

    #[inline]
    pub fn copy_from(&mut self, other: &Slot) {
        let Number { sign, size, .. } = other.number;
        self.set(sign, size, other.number.limbs());
        self.meta = other.meta;
        self.order = other.order;
    }

    /// The limbs of another number, of this sign and size.
    #[inline(always)]
    pub fn set(&mut self, sign: i32, size: i64, limbs: &[u64]) {
        let count = limbs.len().min(MOST_LIMBS);
        // SAFETY: so many follow.
        let to = unsafe { NonNull::from(&mut self.limbs).cast::<u64>().add(NEARLY) };
        // SAFETY: so many are there.
        unsafe { copy_number(to.as_ptr(), limbs.as_ptr(), count) };
        self.number = Number {
            limbs: to,
            count: count as u32,
            sign,
            size,
        };
    }

    /// Makes it the number that a value of the program's is.
    #[inline]
    pub fn set_value(&mut self, value: Value) {
        let mut short = Short::new();
        let &Number { sign, size, .. } = short.set(value);
        self.set(sign, size, short.number.limbs());
    }

    /// A whole number that fits into so many bits, in two's complement.
    pub fn to_integer(&self, width: u32, is_signed: bool) -> Option<u64> {
        let number = &self.number;
        if number.is_zero() {
            return Some(0);
        }
        let negative = number.sign < 0;
        let room = width - u32::from(is_signed);
        let &[magnitude] = number.limbs() else {
            return None;
        };
        if number.exponent() != 1 || (negative && !is_signed) {
            return None;
        }
        let is_least = negative && is_signed && magnitude == 1 << room;
        let fits = magnitude.checked_shr(room).unwrap_or(0) == 0;
        (fits || is_least).then(|| match negative {
            true => magnitude.wrapping_neg(),
            false => magnitude,
        })
    }
}

/// A number of at most two limbs, for a value that has no slot.
pub struct Short {
    number: Number,
    limbs: [u64; 2],
}

impl Short {
    #[inline(always)]
    pub const fn new() -> Short {
        Short {
            number: Number::zero(),
            limbs: [0; 2],
        }
    }

    #[inline(always)]
    pub fn set(&mut self, value: Value) -> &Number {
        let (negative, significand, weight) = value.parts();
        self.number.sign = if negative { -1 } else { 1 };
        match significand {
            0 => {
                self.number.count = 0;
                self.number.size = weight;
            }
            _ => self.place(significand, weight),
        }
        &self.number
    }

    #[inline]
    pub fn set_integer(&mut self, integer: u64, is_signed: bool) -> &Number {
        let negative = is_signed && (integer as i64) < 0;
        self.number.sign = if negative { -1 } else { 1 };
        match integer {
            0 => self.number = Number::zero(),
            _ if negative => self.place(integer.wrapping_neg(), 0),
            _ => self.place(integer, 0),
        }
        &self.number
    }

    /// Becomes significand · 2^weight.
    #[inline(always)]
    fn place(&mut self, significand: u64, weight: i64) {
        let wide = u128::from(significand) << (weight & 63);
        let (low, high) = (wide as u64, (wide >> 64) as u64);
        let start = usize::from(low == 0);
        let end = 1 + usize::from(high != 0);
        self.limbs = [low, high];
        self.number.size = weight + LIMB_BITS - i64::from(significand.leading_zeros());
        self.number.count = (end - start) as u32;
        // SAFETY: start is 0 or 1.
        self.number.limbs = unsafe { NonNull::from(&mut self.limbs).cast::<u64>().add(start) };
    }
}

/// The number a shadow stands for: in its slot, or the value itself.
///
/// # Safety
///
/// `slot` is 0 or the address of a number.
#[inline(always)]
pub unsafe fn number_of(slot: u64, value: Value, short: &mut Short) -> &Number {
    match slot {
        0 => short.set(value),
        _ => unsafe { &*(slot as *const Number) },
    }
}

/// -1, 0, 1, or none where one is not a number.
pub fn compare(a: &Number, b: &Number) -> Option<i32> {
    if a.is_not_a_number() || b.is_not_a_number() {
        return None;
    }
    let sign_of = |number: &Number| match number.is_zero() {
        true => 0,
        false => number.sign,
    };
    let (of_a, of_b) = (sign_of(a), sign_of(b));
    if of_a != of_b || of_a == 0 {
        return Some((of_a - of_b).signum());
    }
    let sizes = match (a.is_regular(), b.is_regular()) {
        (true, true) => match a.size.cmp(&b.size) as i32 {
            0 => compare_limbs(a.limbs(), b.limbs()),
            sizes => sizes,
        },
        (a, b) => i32::from(b) - i32::from(a),
    };
    Some(of_a * sizes)
}

/// Of numbers of the same size: -1, 0 or 1.
#[inline(always)]
pub fn compare_limbs(a: &[u64], b: &[u64]) -> i32 {
    for (x, y) in a.iter().rev().zip(b.iter().rev()) {
        if x != y {
            return if x > y { 1 } else { -1 };
        }
    }
    // What is longer has something below, unless it was made longer.
    let (longer, sign) = match a.len() >= b.len() {
        true => (&a[..a.len() - b.len()], 1),
        false => (&b[..b.len() - a.len()], -1),
    };
    match longer.iter().all(|limb| *limb == 0) {
        true => 0,
        false => sign,
    }
}
