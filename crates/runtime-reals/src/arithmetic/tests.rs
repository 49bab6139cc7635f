//! Compares with MPFR at more than twice the precision.

use std::{format, string::String, vec::Vec};

use gmp_mpfr_sys::{
    gmp,
    mpfr::{self, rnd_t},
};
use rug::{Assign, Float, float::Special};

use super::{full_length, product, sum};
use crate::{
    exchange::{self, Scratch},
    number::{LIMB_BITS, MOST_LIMBS, Number, Slot},
    settings::{SPARE_BITS, limbs_for, slack_for},
};

const PRECISIONS: [i64; 9] = [54, 128, 200, 256, 512, 1000, 1024, 1500, 4096];

/// A pseudo-random stream (xorshift).
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    fn below(&mut self, end: u64) -> u64 {
        (self.next() >> 11) % end
    }

    /// Limbs of zeros, of ones and of a few bits are where carries fail.
    fn limb(&mut self) -> u64 {
        match self.below(6) {
            0 => 0,
            1 => u64::MAX,
            2 => 1 << self.below(64),
            _ => self.next(),
        }
    }

    /// Sets the slot in place: a number must not be moved.
    fn number(&mut self, slot: &mut Slot, room: usize) {
        let count = match self.below(4) {
            0 => 1,
            1 => 1 + self.below(3.min(room as u64)) as usize,
            2 => room,
            _ => 1 + self.below(room as u64) as usize,
        };
        let mut limbs: Vec<u64> = (0..count).map(|_| self.limb()).collect();
        *limbs.last_mut().unwrap() |= 1 << self.below(64);
        if limbs[0] == 0 {
            limbs[0] = 1;
        }
        let exponent = match self.below(4) {
            0 => 0,
            1 => self.below(5) as i64 - 2,
            2 => self.below(room as u64) as i64,
            _ => self.below(3 * room as u64) as i64 - room as i64,
        };
        let sign = if self.below(2) == 0 { 1 } else { -1 };
        slot.limbs_mut()[..count].copy_from_slice(&limbs);
        slot.set_limbs(0, count, sign, exponent, room);
    }

    /// Sets `near` to something near `number`, so that most of a difference cancels.
    fn near(&mut self, near: &mut Slot, number: &Slot) {
        let mut limbs = number.number.limbs().to_vec();
        let changed = self.below(limbs.len() as u64) as usize;
        for limb in limbs.iter_mut().take(changed) {
            *limb = self.limb();
        }
        limbs[0] |= 1;
        let size = number.number.size + LIMB_BITS * i64::from(self.below(4) == 0);
        near.set(number.number.sign, size, &limbs);
    }
}

fn exact(number: &Number) -> Float {
    let mut scratch = Scratch::new();
    let mut copy = Float::new(64 * MOST_LIMBS as u32);
    // SAFETY: both are valid MPFR numbers.
    unsafe { mpfr::set(copy.as_raw_mut(), &scratch.lend(number), rnd_t::RNDN) };
    copy
}

fn exponent(number: &Float) -> i64 {
    // SAFETY: a valid MPFR number; its exponent may exceed what `rug` can return.
    unsafe { (*number.as_raw()).exp }
}

/// Checks a result: normal, trimmed, not too long, within a relative error of 2^−N, and exact unless `may_be_inexact`.
fn check_result(
    result: &Slot,
    real: &Float,
    may_be_inexact: bool,
    precision: i64,
) -> Result<(), String> {
    let number = &result.number;
    if !number.is_regular() {
        let same = real.is_nan() && number.is_nan()
            || *real == exact(number)
                && (!real.is_zero() || real.is_sign_negative() == (number.sign < 0));
        return same
            .then_some(())
            .ok_or(format!("special: {}", number.size));
    }
    let limbs = number.limbs();
    if limbs.len() > limbs_for(precision) {
        return Err(format!("{} limbs", limbs.len()));
    }
    let is_long = limbs.len() == limbs_for(precision);
    if *limbs.last().unwrap() == 0 || (limbs[0] == 0 && !is_long) {
        return Err(String::from("not trimmed"));
    }
    let mut off = Float::new(real.prec());
    off.assign(real - exact(number));
    if off.is_zero() {
        return Ok(());
    }
    let order = exponent(&off) - exponent(real);
    match (may_be_inexact, order <= -precision) {
        (true, true) => Ok(()),
        _ => Err(format!(
            "relative error 2^{order}, may be inexact: {may_be_inexact}"
        )),
    }
}

const WIDE: u32 = 20_000;

#[test]
fn errors_are_within_the_requested_precision() {
    let mut random = Random(0x2545_f491_4f6c_dd1d);
    for precision in PRECISIONS {
        let (room, slack) = (limbs_for(precision), slack_for(precision));
        assert!(room as i64 * LIMB_BITS - 63 >= precision + SPARE_BITS);
        for round in 0..3000 {
            let (mut x, mut y) = (Slot::new(), Slot::new());
            random.number(&mut x, room);
            match random.below(3) {
                0 => random.near(&mut y, &x),
                _ => random.number(&mut y, room),
            }
            let (mut result, mut again) = (Slot::new(), Slot::new());
            let (a, b) = (&x.number, &y.number);
            let (x, y) = (exact(a), exact(b));
            let check = |what: &str, result: &Slot, real: Float, off: bool| {
                if let Err(why) = check_result(result, &real, off, precision) {
                    panic!("{what} at {precision} bits, round {round}: {why}");
                }
            };
            // SAFETY: `random.number` makes numbers of at most `room` limbs.
            unsafe {
                let off = sum::add(&mut result, a, b, b.sign, room);
                check("sum", &result, Float::with_val(WIDE, &x + &y), off);
                sum::add(&mut again, b, a, a.sign, room);
                assert!(exact(&again.number) == exact(&result.number), "{round}");
                let off = sum::add(&mut result, a, b, -b.sign, room);
                check("difference", &result, Float::with_val(WIDE, &x - &y), off);
                let off = product::multiply(&mut result, a, b, room, slack);
                check("product", &result, Float::with_val(WIDE, &x * &y), off);
                product::multiply(&mut again, b, a, room, slack);
                assert!(exact(&again.number) == exact(&result.number), "{round}");
            }
        }
    }
}

/// The code for full-length numbers agrees with the general code to the last bit.
#[test]
fn full_length_code_agrees_with_general_code() {
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    for precision in PRECISIONS {
        let (room, slack) = (limbs_for(precision), slack_for(precision));
        let (mut sums, mut products) = (0, 0);
        for round in 0..6000 {
            let (mut x, mut y) = (Slot::new(), Slot::new());
            random.number(&mut x, room);
            match random.below(3) {
                0 => random.near(&mut y, &x),
                _ => random.number(&mut y, room),
            }
            let (a, b) = (&x.number, &y.number);
            if a.len() != room || b.len() != room {
                continue;
            }
            let agree = |of_long: Option<bool>, long: &Slot, of_any: bool, any: &Slot| {
                let parts = |slot: &Slot| (slot.number.sign, slot.number.size);
                let same = parts(long) == parts(any) && long.number.limbs() == any.number.limbs();
                assert!(of_long.is_none_or(|off| off == of_any && same), "{round}");
                u32::from(of_long.is_some())
            };
            let (mut any, mut to) = (Slot::new(), Slot::new());
            // SAFETY: both numbers have `room` limbs.
            unsafe {
                for sign in [b.sign, -b.sign] {
                    let of_any = sum::by_limbs(&mut any, a, b, sign, room);
                    sums += agree(
                        full_length::add(&mut to, a, b, sign, room),
                        &to,
                        of_any,
                        &any,
                    );
                }
                let of_any = product::multiply(&mut any, a, b, room, slack);
                let of_long = full_length::multiply(&mut to, a, b, room, slack);
                products += agree(of_long, &to, of_any, &any);
                let of_any = product::multiply(&mut any, a, a, room, slack);
                let of_long = full_length::multiply(&mut to, a, a, room, slack);
                agree(of_long, &to, of_any, &any);
            }
        }
        assert!(sums > 200, "{precision}: {sums}");
        assert_eq!(
            products > 200,
            super::rows::has_one_more(room) || super::vectors::has(room),
            "{precision}"
        );
    }
}

/// Tests every implementation that this processor supports, not only the one it would select.
#[test]
fn upper_limbs_are_those_of_the_product() {
    const LIMBS: usize = 17;
    const BY_ROWS: u128 = (LIMBS as u128) << 64;
    let mut random = Random(0xda94_2042_e4dd_58b5);
    for round in 0..20_000 {
        let [a, b] = [(); 2].map(|()| [(); LIMBS].map(|()| random.limb()));
        let b = if round % 4 == 0 { a } else { b };
        let mut whole = [0; 2 * LIMBS];
        // SAFETY: the arrays have LIMBS and twice as many limbs.
        unsafe { gmp::mpn_mul_n(whole.as_mut_ptr(), a.as_ptr(), b.as_ptr(), LIMBS as i64) };
        // What the result lacks, in units of its lowest limb.
        let lacks = |out: &[u64], lowest: usize| {
            let (mut lack, count) = ([0; 2 * LIMBS], 2 * LIMBS - lowest);
            let (lack_at, whole_at) = (lack.as_mut_ptr(), whole[lowest..].as_ptr());
            // SAFETY: `out` has at least `count` limbs, as `whole` has from `lowest` on.
            let borrow = unsafe { gmp::mpn_sub_n(lack_at, whole_at, out.as_ptr(), count as i64) };
            assert_eq!(borrow, 0, "{round}: too large");
            assert!(
                lack[2..].iter().all(|limb| *limb == 0),
                "{round}: too small"
            );
            u128::from(lack[1]) << 64 | u128::from(lack[0])
        };
        let mut out = [0; 21];
        // SAFETY: `out` has room for LIMBS + 3 limbs; `has` checks the processor.
        unsafe {
            let (a, b, to) = (a.as_ptr(), b.as_ptr(), out.as_mut_ptr());
            if super::vectors::has(LIMBS) {
                super::digits::upper_half(to, a, b);
                assert!(lacks(&out, LIMBS - 1) < 2, "{round}");
            }
            if super::rows::has_one_more(LIMBS) {
                super::rows::one_more_than_half(to, a, b, LIMBS);
                assert!(lacks(&out, LIMBS - 2) <= BY_ROWS, "{round}");
                super::rows::upper_half(to, a, b, LIMBS);
                assert!(lacks(&out, LIMBS - 1) <= BY_ROWS, "{round}");
            }
            if round % 4 == 0 && super::square::has(LIMBS) {
                super::square::one_more_of_17(to, a);
                assert!(lacks(&out, LIMBS - 2) <= BY_ROWS, "{round}");
                super::square::half_of_17(to, a);
                assert!(lacks(&out, LIMBS - 1) <= BY_ROWS, "{round}");
            }
        }
    }
}

/// The largest exponent of MPFR.
const MPFR_MOST: i64 = (1 << 62) - 1;

fn huge(exponent: i64) -> Float {
    let mut number = Float::with_val(64, 1.5);
    // SAFETY: a valid number, and an exponent within MPFR's range.
    unsafe { mpfr::set_exp(number.as_raw_mut(), exponent) };
    number
}

#[test]
fn specials_are_computed_as_by_mpfr() {
    let specials = [
        Float::with_val(64, 0.0),
        Float::with_val(64, -0.0),
        Float::with_val(64, Special::Infinity),
        Float::with_val(64, Special::NegInfinity),
        Float::with_val(64, Special::Nan),
        Float::with_val(64, 1.5),
        Float::with_val(64, -3.0),
        huge(MPFR_MOST - 1),
        huge(-MPFR_MOST + 70),
    ];
    let (precision, room, slack) = (128, limbs_for(128), slack_for(128));
    for x in &specials {
        for y in &specials {
            let [mut result, mut of_x, mut of_y] = [(); 3].map(|()| Slot::new());
            // SAFETY: valid MPFR numbers.
            unsafe {
                exchange::take(&mut of_x, &*x.as_raw());
                exchange::take(&mut of_y, &*y.as_raw());
            }
            let (a, b) = (&of_x.number, &of_y.number);
            let check = |what: &str, result: &Slot, real: Float, off: bool| {
                if let Err(why) = check_result(result, &real, off, precision) {
                    panic!("{what} of exponents {} and {}: {why}", a.size, b.size);
                }
            };
            // SAFETY: the numbers have at most two limbs.
            unsafe {
                let off = sum::add(&mut result, a, b, b.sign, room);
                check("sum", &result, Float::with_val(4096, x + y), off);
                let off = sum::add(&mut result, a, b, -b.sign, room);
                check("difference", &result, Float::with_val(4096, x - y), off);
                let off = product::multiply(&mut result, a, b, room, slack);
                check("product", &result, Float::with_val(4096, x * y), off);
            }
        }
    }
}

/// Adds a tiny number to 1 and subtracts 1 again.
#[test]
fn a_tiny_term_survives_cancellation() {
    let room = limbs_for(1000);
    let mut one = Slot::new();
    one.set_one_limb(1, 1, 1);
    for power in 1..1000 {
        let (mut little, mut both, mut left) = (Slot::new(), Slot::new(), Slot::new());
        little.set_one_limb(1 << (power % 64), 1, -power / 64);
        // SAFETY: the numbers have at most `room` limbs.
        unsafe {
            assert!(!sum::add(&mut both, &one.number, &little.number, 1, room));
            assert!(!sum::add(&mut left, &both.number, &one.number, -1, room));
        }
        assert!(exact(&left.number) == exact(&little.number), "{power}");
        assert_eq!(left.number.len(), 1);
    }
}
