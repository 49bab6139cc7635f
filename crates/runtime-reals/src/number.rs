//! High-precision numbers, the slots that hold them, and shadows, which refer to slots.
//!
//! A number is an array of limbs whose exponent counts whole limbs: 0.LLL… · 2^(64·exponent). Limbs of two numbers are
//! therefore always aligned, and sums need no shifts. The price: the highest limb may begin with zero bits. Zero limbs at
//! both ends are cut off, so that arithmetic on short numbers (data, integers, products of two doubles) stays cheap at any
//! precision. Numbers that lack at most [`PADDED`] limbs are padded to full length, because
//! [`full_length`](crate::arithmetic::full_length) has fast code for that length.
//!
//! MPFR wants its leading bit at the top of a limb; it gets shifted copies: see [`crate::exchange`].
//!
//! # Invariants
//!
//! The unsafe code of `arithmetic` relies on these; only this module creates numbers.
//!
//! - `limbs` points to `count` initialised limbs in the [`Slot`] or [`Short`] that contains the number. Neither is moved
//!   after it holds a number: instrumented code owns slots at fixed addresses, and our own live on the stack where they
//!   were made.
//! - `count` is at most [`MOST_LIMBS`], and at most [`settings::limbs`](crate::settings::limbs) for every number that
//!   reaches [`arithmetic`](crate::arithmetic) without a length of its own: results are cut to it, and
//!   `memory::load` checks it.
//! - The highest limb of a regular number is not zero. Zeros, infinities and NaN have no limbs.

use core::{mem::MaybeUninit, ptr::NonNull};

use lostbits_abi::numbers::{MOST_BITS, Operand, SLOT_BYTES};

use crate::{
    arithmetic::{
        copy_number,
        vectors::{self, Row},
    },
    own_error::OwnError,
    value::Value,
};

pub const LIMB_BITS: i64 = 64;
/// Numbers that lack at most this many limbs are padded to full length …
const PADDED: usize = 3;
/// … if they have at least this many.
const LEAST_PADDED: usize = 4;
/// More than a number can have: products need two more limbs while they are computed, differences one.
pub const MOST_LIMBS: usize = crate::settings::limbs_for(MOST_BITS as i64) + 2;

/// Values of `size` that mark numbers without limbs.
pub const ZERO: i64 = -i64::MAX;
pub const NAN: i64 = 1 - i64::MAX;
pub const INFINITY: i64 = 2 - i64::MAX;

/// A number; its limbs lie in the slot around it.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct Number {
    /// The lowest limb.
    limbs: NonNull<u64>,
    count: u32,
    /// 1 or -1.
    pub sign: i32,
    /// For regular numbers: 2^(size − 1) ≤ |number| < 2^size. Otherwise one of the marks above.
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

    /// Neither zero nor infinite nor NaN.
    #[inline(always)]
    pub fn is_regular(&self) -> bool {
        is_regular_size(self.size)
    }

    #[inline(always)]
    pub fn is_zero(&self) -> bool {
        self.size == ZERO
    }

    pub fn is_nan(&self) -> bool {
        self.size == NAN
    }

    /// Empty for zeros, infinities and NaN.
    #[inline(always)]
    pub fn limbs(&self) -> &[u64] {
        // SAFETY: the first invariant above.
        unsafe { core::slice::from_raw_parts(self.limbs.as_ptr(), self.count as usize) }
    }

    /// The highest `most` limbs of this number. The result must not outlive the slot that holds the limbs.
    pub fn cut_off(&self, most: usize) -> Number {
        let cut = (self.count as usize).saturating_sub(most);
        Number {
            // SAFETY: `cut` is at most `count`, so the pointer stays within the limbs.
            limbs: unsafe { self.limbs.add(cut) },
            count: self.count - cut as u32,
            ..*self
        }
    }

    pub fn len(&self) -> usize {
        self.count as usize
    }

    /// In limbs; for regular numbers.
    #[inline(always)]
    pub fn exponent(&self) -> i64 {
        (self.size + LIMB_BITS - 1) >> 6
    }

    /// Of the highest limb; for regular numbers.
    #[inline(always)]
    pub fn leading_zeros(&self) -> u32 {
        self.size.wrapping_neg() as u32 & 63
    }

    /// The leading 64 bits of a regular number.
    #[inline(always)]
    pub fn leading_64(&self) -> u64 {
        let zeros = self.leading_zeros();
        self.limb(1) << zeros | (self.limb(2) >> 1) >> (63 - zeros)
    }

    /// The leading 128 bits of a regular number, and whether nonzero bits may follow.
    #[inline(always)]
    pub fn leading_128(&self) -> (u128, bool) {
        let zeros = self.leading_zeros();
        let high = u128::from(self.limb(1)) << 64 | u128::from(self.limb(2));
        let third = self.limb(3);
        let bits = high << zeros | u128::from((third >> 1) >> (63 - zeros));
        (bits, self.count > 3 || third << zeros != 0)
    }

    /// Whether all bits after the first `bits`, rounded up to limbs, are zero.
    #[inline(always)]
    pub fn is_shorter_than(&self, bits: i64) -> bool {
        let kept = (bits / LIMB_BITS + 1) as usize;
        let limbs = self.limbs();
        let lower = &limbs[..limbs.len().saturating_sub(kept)];
        lower.iter().all(|limb| *limb == 0)
    }

    /// A word that numbers have in common only if they are equal, but for a rare accident.
    #[inline(always)]
    pub fn salt(&self) -> u64 {
        self.limb(1).rotate_left(32) ^ self.limb(self.count) ^ self.size as u64
    }

    /// Counted from the highest, which is 1; 0 below the lowest.
    #[inline(always)]
    fn limb(&self, place: u32) -> u64 {
        match place.wrapping_sub(1) < self.count {
            // SAFETY: 1 ≤ place ≤ count.
            true => unsafe { *self.limbs.as_ptr().add((self.count - place) as usize) },
            false => 0,
        }
    }
}

/// Whether `size` is a size, not a mark.
#[inline(always)]
pub fn is_regular_size(size: i64) -> bool {
    size > INFINITY
}

/// Memory for a number. Instrumented code reserves slots in its frames.
#[repr(C, align(64))]
pub struct Slot {
    pub number: Number,
    /// Mode `explain-reals`: node and influences, as in [`lostbits_abi::explain::meta`] …
    pub meta: u64,
    /// … and an estimate of the number's own error.
    pub own_error: OwnError,
    /// Zero limbs for padding, then the number's limbs.
    limbs: [u64; PADDED + MOST_LIMBS],
}

const _: () = assert!(size_of::<Slot>() == SLOT_BYTES as usize);

impl Slot {
    pub fn new() -> Slot {
        Slot {
            number: Number::zero(),
            meta: 0,
            own_error: OwnError::EXACT,
            limbs: [0; PADDED + MOST_LIMBS],
        }
    }

    /// A slot for a result of [`crate::arithmetic`], without the cost of clearing its limbs.
    #[inline(always)]
    pub fn uninit(place: &mut MaybeUninit<Slot>) -> &mut Slot {
        // SAFETY: all fields but `number`, which is written here, are integers. The functions of `arithmetic` write limbs
        // before they read them, and `Number::limbs` covers only limbs that were written.
        unsafe {
            (&raw mut (*place.as_mut_ptr()).number).write(Number::zero());
            &mut *place.as_mut_ptr()
        }
    }

    /// The memory for limbs, with cleared padding below.
    #[inline(always)]
    pub fn limbs_mut(&mut self) -> &mut [u64; MOST_LIMBS] {
        self.limbs[..PADDED].fill(0);
        // SAFETY: MOST_LIMBS limbs follow the padding.
        unsafe { &mut *self.limbs.as_mut_ptr().add(PADDED).cast() }
    }

    /// Sets the number to the limbs `start..end` that [`limbs_mut`](Slot::limbs_mut) holds, the highest of which is not
    /// zero. Numbers have at most `room` limbs.
    #[inline(always)]
    pub fn set_limbs(&mut self, start: usize, end: usize, sign: i32, exponent: i64, room: usize) {
        let (mut start, end) = (PADDED + start, PADDED + end);
        while start + 1 < end && self.limbs[start] == 0 {
            start += 1;
        }
        if end - start + PADDED >= room && end - start >= LEAST_PADDED {
            start = end - room;
        }
        let zeros = self.limbs[end - 1].leading_zeros();
        self.number = Number {
            // SAFETY: `start` is below `end`, and `end` was checked by the index above. Padding lowers `start` by at most
            // PADDED, so it stays within the array.
            limbs: unsafe { NonNull::from(&mut self.limbs).cast::<u64>().add(start) },
            count: (end - start) as u32,
            sign,
            size: exponent * LIMB_BITS - i64::from(zeros),
        };
    }

    /// Sets the number to a row whose highest limb is not zero.
    #[inline]
    #[target_feature(enable = "avx512f")]
    pub fn set_row(&mut self, row: &Row, sign: i32, exponent: i64) {
        // SAFETY: a row has `vectors::LIMBS` limbs, fewer than MOST_LIMBS, which follow the padding.
        let limbs = unsafe {
            let limbs = NonNull::from(&mut self.limbs).cast::<u64>().add(PADDED);
            row.store(limbs.as_ptr());
            limbs
        };
        if row.ends_in_zeros(PADDED as u32 + 1) {
            self.limbs_mut();
            return self.set_limbs(0, vectors::LIMBS, sign, exponent, vectors::LIMBS);
        }
        self.number = Number {
            limbs,
            count: vectors::LIMBS as u32,
            sign,
            size: exponent * LIMB_BITS - i64::from(row.top.leading_zeros()),
        };
    }

    /// Sets the number to a zero, an infinity or NaN.
    pub fn set_special(&mut self, mark: i64, sign: i32) {
        self.number = Number {
            sign,
            size: mark,
            ..Number::zero()
        };
    }

    /// Sets the number to ±limb · 2^(64·exponent − 64).
    pub fn set_one_limb(&mut self, limb: u64, sign: i32, exponent: i64) {
        self.limbs_mut()[0] = limb;
        self.set_limbs(0, 1, sign, exponent, MOST_LIMBS);
    }

    #[inline]
    pub fn copy_from(&mut self, other: &Slot) {
        let Number { sign, size, .. } = other.number;
        self.set(sign, size, other.number.limbs());
        self.meta = other.meta;
        self.own_error = other.own_error;
    }

    /// Copies the limbs of another number, with this sign and size.
    #[inline(always)]
    pub fn set(&mut self, sign: i32, size: i64, limbs: &[u64]) {
        let count = limbs.len().min(MOST_LIMBS);
        // SAFETY: MOST_LIMBS limbs follow the padding, of which `count` are written; `limbs` has at least as many.
        let to = unsafe {
            let to = NonNull::from(&mut self.limbs).cast::<u64>().add(PADDED);
            copy_number(to.as_ptr(), limbs.as_ptr(), count);
            to
        };
        self.number = Number {
            limbs: to,
            count: count as u32,
            sign,
            size,
        };
    }

    /// Sets the number to a value of the program.
    #[inline]
    pub fn set_value(&mut self, value: Value) {
        let mut short = Short::new();
        let &Number { sign, size, .. } = short.set(value);
        self.set(sign, size, short.number.limbs());
    }

    /// The number as an integer of `width` bits in two's complement, if it is whole and fits.
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

/// A number of at most two limbs, for a value without a slot.
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

    /// Sets the number to significand · 2^weight.
    #[inline(always)]
    fn place(&mut self, significand: u64, weight: i64) {
        let wide = u128::from(significand) << (weight & 63);
        let (low, high) = (wide as u64, (wide >> 64) as u64);
        let start = usize::from(low == 0);
        let end = 1 + usize::from(high != 0);
        self.limbs = [low, high];
        self.number.size = weight + LIMB_BITS - i64::from(significand.leading_zeros());
        self.number.count = (end - start) as u32;
        // SAFETY: `start` is 0 or 1, and there are two limbs.
        self.number.limbs = unsafe { NonNull::from(&mut self.limbs).cast::<u64>().add(start) };
    }
}

/// The shadow of a value: the slot that holds its exact value as a high-precision number, or none where the exact value
/// is the program's own.
///
/// In instrumented code and in [`Operand`] it is a word: the slot's address, or 0.
#[derive(Clone, Copy)]
#[repr(transparent)]
pub struct Shadow<'a>(Option<&'a Slot>);

impl<'a> Shadow<'a> {
    /// The exact value is the program's own.
    pub const NONE: Shadow<'a> = Shadow(None);

    /// # Safety
    ///
    /// `word` is 0 or the address of a slot that holds a number. Nothing writes to the slot during `'a`. Instrumented code
    /// passes such words: the slot belongs to a frame that is still active, and it is never the slot of the result.
    #[inline(always)]
    pub unsafe fn from_word(word: u64) -> Shadow<'a> {
        // SAFETY: the caller's promise.
        Shadow(unsafe { (word as *const Slot).as_ref() })
    }

    #[inline(always)]
    pub fn of(slot: &'a Slot) -> Shadow<'a> {
        Shadow(Some(slot))
    }

    #[inline(always)]
    pub fn of_operand(operand: &'a Operand) -> Shadow<'a> {
        // SAFETY: operands come from instrumented code, to which `from_word` applies, or are made in
        // `propagation` and `thresholds` with the address of a slot that outlives them.
        unsafe { Shadow::from_word(operand.slot) }
    }

    /// As instrumented code knows it.
    #[inline(always)]
    pub fn word(self) -> u64 {
        self.0.map_or(0, |slot| &raw const *slot as u64)
    }

    #[inline(always)]
    pub fn slot(self) -> Option<&'a Slot> {
        self.0
    }

    #[inline(always)]
    pub fn is_none(self) -> bool {
        self.0.is_none()
    }

    /// The exact value: the slot's number, or `value` itself, which is then written to `short`.
    #[inline(always)]
    pub fn number<'b>(self, value: Value, short: &'b mut Short) -> &'b Number
    where
        'a: 'b,
    {
        match self.0 {
            None => short.set(value),
            Some(slot) => &slot.number,
        }
    }

    /// The number's own error.
    #[inline(always)]
    pub fn own_error(self) -> OwnError {
        match self.0 {
            None => OwnError::EXACT,
            Some(slot) => slot.own_error,
        }
    }

    /// Node and influences; 0 without a slot.
    #[inline(always)]
    pub fn meta(self) -> u64 {
        match self.0 {
            None => 0,
            Some(slot) => slot.meta,
        }
    }
}

/// -1, 0 or 1; none where one of them is NaN.
pub fn compare(a: &Number, b: &Number) -> Option<i32> {
    if a.is_nan() || b.is_nan() {
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

/// Compares numbers of the same size: -1, 0 or 1.
#[inline(always)]
pub fn compare_limbs(a: &[u64], b: &[u64]) -> i32 {
    for (x, y) in a.iter().rev().zip(b.iter().rev()) {
        if x != y {
            return if x > y { 1 } else { -1 };
        }
    }
    // The longer one is larger, unless its additional limbs are padding.
    let (longer, sign) = match a.len() >= b.len() {
        true => (&a[..a.len() - b.len()], 1),
        false => (&b[..b.len() - a.len()], -1),
    };
    match longer.iter().all(|limb| *limb == 0) {
        true => 0,
        false => sign,
    }
}
