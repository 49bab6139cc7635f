//! Numbers: MPFR's, in slots and out of them.
//!
//! A number in a slot is kept short: limbs of zeros at its low end are cut off by moving the pointer to
//! the significand and lowering the precision. The value is the same, and arithmetic on numbers of few
//! bits (data, integers, products of two doubles) costs little, however many bits are allowed.

use core::{mem::MaybeUninit, ptr::NonNull};

use gmp_mpfr_sys::mpfr::{self, mpfr_t};
use lostbits_abi::numbers::{MOST_BITS, SLOT_BYTES};

use crate::{arithmetic::copy, value::Value};

pub const LIMB_BITS: i64 = 64;
/// One more than a number can have: differences are computed with it.
pub const MOST_LIMBS: usize = crate::settings::limbs_for(MOST_BITS as i64) + 1;

/// MPFR's marks in the place of an exponent (`__MPFR_EXP_ZERO` and so on in its header).
pub const ZERO: i64 = -i64::MAX;
pub const NOT_A_NUMBER: i64 = 1 - i64::MAX;
pub const INFINITY: i64 = 2 - i64::MAX;

/// A place for a number.
#[repr(C, align(64))]
pub struct Slot {
    pub number: mpfr_t,
    /// Mode `explain-reals`: node and influences, as in [`lostbits_abi::explain::meta`] …
    pub meta: u64,
    /// … and the order of the number's own error; see `explain::by_numbers::errors`.
    pub order: i64,
    limbs: [u64; MOST_LIMBS],
}

const _: () = assert!(size_of::<Slot>() == SLOT_BYTES as usize);

impl Slot {
    /// Makes the slot a number of `precision` bits, whatever it was.
    #[inline]
    pub fn prepare(&mut self, precision: i64) -> *mut mpfr_t {
        self.number.prec = precision;
        self.number.d = NonNull::from(&mut self.limbs).cast();
        &raw mut self.number
    }

    /// The same in a place that holds nothing yet.
    #[inline]
    pub fn prepare_in(place: &mut MaybeUninit<Slot>, precision: i64) -> *mut mpfr_t {
        let slot = place.as_mut_ptr();
        // SAFETY: writes within the place; the significand is MPFR's to write.
        unsafe {
            let limbs = NonNull::new_unchecked(&raw mut (*slot).limbs).cast();
            (&raw mut (*slot).number).write(mpfr_t {
                prec: precision,
                sign: 1,
                exp: ZERO,
                d: limbs,
            });
            &raw mut (*slot).number
        }
    }

    /// A place for a result of [`crate::arithmetic`], with no limb written.
    #[inline(always)]
    pub fn of_nothing(place: &mut MaybeUninit<Slot>) -> &mut Slot {
        Slot::prepare_in(place, LIMB_BITS);
        // SAFETY: plain words; limbs are written before they are read.
        unsafe { &mut *place.as_mut_ptr() }
    }

    #[inline(always)]
    pub fn limbs_mut(&mut self) -> &mut [u64; MOST_LIMBS] {
        &mut self.limbs
    }

    /// Makes it the number of `count` limbs that are now in their places, from `start` on.
    #[inline(always)]
    pub fn become_number(&mut self, start: usize, count: usize, sign: i32, exponent: i64) {
        self.number = mpfr_t {
            prec: count as i64 * LIMB_BITS,
            sign,
            exp: exponent,
            d: NonNull::from(&mut self.limbs[start]),
        };
    }

    /// The same, without limbs of zeros at the low end; the highest is not one.
    #[inline(always)]
    pub fn become_trimmed(&mut self, count: usize, sign: i32, exponent: i64) {
        let mut start = 0;
        while start + 1 < count && self.limbs[start] == 0 {
            start += 1;
        }
        self.become_number(start, count - start, sign, exponent);
    }

    pub fn become_zero(&mut self) {
        self.become_number(0, 1, 1, ZERO);
    }

    #[inline]
    pub fn copy_from(&mut self, other: &Slot) {
        let number = &other.number;
        self.set(number.prec, number.sign, number.exp, limbs_of(number));
        self.meta = other.meta;
        self.order = other.order;
    }

    /// `limbs` are as many as `precision` needs.
    #[inline]
    pub fn set(&mut self, precision: i64, sign: i32, exponent: i64, limbs: &[u64]) {
        let count = limbs.len().min(MOST_LIMBS);
        // SAFETY: so many are there.
        unsafe { copy(self.limbs.as_mut_ptr(), limbs.as_ptr(), count) };
        self.prepare(precision);
        self.number.sign = sign;
        self.number.exp = exponent;
    }

    /// Makes it the number that a value of the program's is.
    #[inline]
    pub fn set_value(&mut self, value: Value) {
        let (short, limb) = value.parts();
        self.set(short.prec, short.sign, short.exp, &[limb]);
    }

    /// Cuts off limbs of zeros.
    #[inline]
    pub fn shorten(&mut self) {
        let number = &mut self.number;
        if !is_regular(number) {
            // Specials have no significand that matters.
            number.prec = LIMB_BITS;
            return;
        }
        let mut limbs = limb_count(number.prec);
        // SAFETY: within the significand, whose top limb is not zero.
        unsafe {
            while limbs > 1 && *number.d.as_ref() == 0 {
                number.d = number.d.add(1);
                limbs -= 1;
                number.prec = limbs as i64 * LIMB_BITS;
            }
        }
    }
}

/// A number of one limb, for a value that has no slot.
pub struct Short {
    number: mpfr_t,
    limb: u64,
}

impl Short {
    #[inline]
    pub const fn new() -> Short {
        Short {
            number: mpfr_t {
                prec: 53,
                sign: 1,
                exp: ZERO,
                d: NonNull::dangling(),
            },
            limb: 0,
        }
    }

    #[inline]
    pub fn set(&mut self, value: Value) -> &mpfr_t {
        let (number, limb) = value.parts();
        self.number = number;
        self.limb = limb;
        self.number.d = NonNull::from(&mut self.limb);
        &self.number
    }

    #[inline]
    pub fn set_integer(&mut self, integer: u64, is_signed: bool) -> &mpfr_t {
        let negative = is_signed && (integer as i64) < 0;
        let magnitude = match negative {
            true => integer.wrapping_neg(),
            false => integer,
        };
        let shift = magnitude.leading_zeros();
        self.number.prec = LIMB_BITS;
        self.number.sign = if negative { -1 } else { 1 };
        self.number.exp = match magnitude {
            0 => ZERO,
            _ => LIMB_BITS - i64::from(shift),
        };
        self.limb = magnitude.checked_shl(shift).unwrap_or(0);
        self.number.d = NonNull::from(&mut self.limb);
        &self.number
    }
}

pub fn limb_count(precision: i64) -> usize {
    (precision as usize).div_ceil(LIMB_BITS as usize)
}

#[inline]
pub fn limbs_of(number: &mpfr_t) -> &[u64] {
    if !is_regular(number) {
        return &[0];
    }
    // SAFETY: a regular number's significand has as many limbs.
    unsafe { core::slice::from_raw_parts(number.d.as_ptr(), limb_count(number.prec)) }
}

/// Neither zero nor infinite nor not a number.
#[inline]
pub fn is_regular(number: &mpfr_t) -> bool {
    marks_regular(number.exp)
}

/// Whether an exponent is one, and no mark.
#[inline]
pub fn marks_regular(exponent: i64) -> bool {
    exponent > INFINITY
}

pub fn is_not_a_number(number: &mpfr_t) -> bool {
    number.exp == NOT_A_NUMBER
}

/// The number a shadow stands for: in its slot, or the value itself.
///
/// # Safety
///
/// `slot` is 0 or the address of a number.
#[inline(always)]
pub unsafe fn number_of(slot: u64, value: Value, short: &mut Short) -> &mpfr_t {
    match slot {
        0 => short.set(value),
        _ => unsafe { &*(slot as *const mpfr_t) },
    }
}

/// -1, 0, 1, or none where one is not a number.
pub fn compare(a: &mpfr_t, b: &mpfr_t) -> Option<i32> {
    if is_not_a_number(a) || is_not_a_number(b) {
        return None;
    }
    let negative = if a.sign < 0 { -1 } else { 1 };
    if is_regular(a) && is_regular(b) && a.sign == b.sign {
        let sizes = a.exp.cmp(&b.exp) as i32;
        let (x, y) = (limbs_of(a), limbs_of(b));
        match sizes {
            0 if x.last() != y.last() => {
                return Some(negative * (x.last().cmp(&y.last()) as i32));
            }
            0 => {}
            sizes => return Some(negative * sizes),
        }
    }
    // SAFETY: both are numbers.
    Some(unsafe { mpfr::cmp(a, b) }.signum())
}

impl Slot {
    pub fn new() -> Slot {
        let mut slot = Slot {
            number: *Short::new().set_integer(0, true),
            meta: 0,
            order: 0,
            limbs: [0; MOST_LIMBS],
        };
        slot.prepare(LIMB_BITS);
        slot
    }

    /// A whole number that fits into so many bits, in two's complement.
    pub fn to_integer(&self, width: u32, is_signed: bool) -> Option<u64> {
        let number = &self.number;
        if number.exp == ZERO {
            return Some(0);
        }
        let negative = number.sign < 0;
        let room = i64::from(width) - i64::from(is_signed);
        if !is_regular(number) || number.exp > LIMB_BITS || number.exp < 1 {
            return None;
        }
        let top = *limbs_of(number).last()?;
        let magnitude = top >> (LIMB_BITS - number.exp);
        let is_least = negative && is_signed && magnitude == 1 << room;
        if (negative && !is_signed) || (number.exp > room && !is_least) {
            return None;
        }
        Some(if negative {
            magnitude.wrapping_neg()
        } else {
            magnitude
        })
    }
}
