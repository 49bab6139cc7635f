//! Against MPFR, at twice the precision and more.

use std::{format, string::String, vec::Vec};

use gmp_mpfr_sys::{
    gmp,
    mpfr::{self, rnd_t},
};
use rug::{Assign, Float, float::Special};

use super::{long, product, sum};
use crate::{
    exchange::{self, Scratch},
    number::{LIMB_BITS, MOST_LIMBS, Number, Slot},
    settings::{SPARE_BITS, limbs_for, slack_for},
};

const PRECISIONS: [i64; 9] = [54, 128, 200, 256, 512, 1000, 1024, 1500, 4096];

/// A stream of numbers that looks random (xorshift).
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

    /// Limbs that are all zeros, all ones or of a few bits are where carries go wrong.
    fn limb(&mut self) -> u64 {
        match self.below(6) {
            0 => 0,
            1 => u64::MAX,
            2 => 1 << self.below(64),
            _ => self.next(),
        }
    }

    /// Numbers stay where they are made: they know where their limbs are.
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
        slot.become_number(0, count, sign, exponent, room);
    }

    /// Something near `number`, so that most of a difference cancels.
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
    // SAFETY: both are numbers.
    unsafe { mpfr::set(copy.as_raw_mut(), &scratch.lend(number), rnd_t::RNDN) };
    copy
}

fn exponent(number: &Float) -> i64 {
    // SAFETY: a number; its exponent may be larger than `rug` can say.
    unsafe { (*number.as_raw()).exp }
}

/// The parts of a result that must hold: normal, trimmed, not too long, within 2^−N of the real one, and exact
/// unless it says that it may not be.
fn judge(result: &Slot, real: &Float, may_be_off: bool, precision: i64) -> Result<(), String> {
    let number = &result.number;
    if !number.is_regular() {
        let same = real.is_nan() && number.is_not_a_number()
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
    match (may_be_off, order <= -precision) {
        (true, true) => Ok(()),
        _ => Err(format!("off by 2^{order}, may be off: {may_be_off}")),
    }
}

const WIDE: u32 = 20_000;

#[test]
fn results_are_as_near_as_they_must_be() {
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
                if let Err(why) = judge(result, &real, off, precision) {
                    panic!("{what} at {precision} bits, round {round}: {why}");
                }
            };
            // SAFETY: numbers in slots.
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

/// Code for numbers of all limbs does what the code for any numbers does, to the last bit.
#[test]
fn long_numbers_are_no_others() {
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
            // SAFETY: numbers in slots.
            unsafe {
                for sign in [b.sign, -b.sign] {
                    let of_any = sum::by_limbs(&mut any, a, b, sign, room);
                    sums += agree(long::add(&mut to, a, b, sign, room), &to, of_any, &any);
                }
                let of_any = product::multiply(&mut any, a, b, room, slack);
                let of_long = long::multiply(&mut to, a, b, room, slack);
                products += agree(of_long, &to, of_any, &any);
                let of_any = product::multiply(&mut any, a, a, room, slack);
                let of_long = long::multiply(&mut to, a, a, room, slack);
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

/// All ways to the upper limbs of a product, whichever of them the processor at hand would take.
#[test]
fn upper_limbs_are_those_of_the_product() {
    const LIMBS: usize = 17;
    const BY_ROWS: u128 = (LIMBS as u128) << 64;
    let mut random = Random(0xda94_2042_e4dd_58b5);
    for round in 0..20_000 {
        let [a, b] = [(); 2].map(|()| [(); LIMBS].map(|()| random.limb()));
        let b = if round % 4 == 0 { a } else { b };
        let mut whole = [0; 2 * LIMBS];
        // SAFETY: so many limbs are there, and have room.
        unsafe { gmp::mpn_mul_n(whole.as_mut_ptr(), a.as_ptr(), b.as_ptr(), LIMBS as i64) };
        // What is lacking, in units of the lowest of the limbs.
        let lacks = |out: &[u64], lowest: usize| {
            let (mut lack, count) = ([0; 2 * LIMBS], 2 * LIMBS - lowest);
            let (lack_at, whole_at) = (lack.as_mut_ptr(), whole[lowest..].as_ptr());
            // SAFETY: as above.
            let borrow = unsafe { gmp::mpn_sub_n(lack_at, whole_at, out.as_ptr(), count as i64) };
            assert_eq!(borrow, 0, "{round}: too large");
            assert!(
                lack[2..].iter().all(|limb| *limb == 0),
                "{round}: too small"
            );
            u128::from(lack[1]) << 64 | u128::from(lack[0])
        };
        let mut out = [0; 21];
        // SAFETY: as above, and the processor has what it takes.
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

/// The largest exponent that MPFR knows.
const MPFR_MOST: i64 = (1 << 62) - 1;

fn huge(exponent: i64) -> Float {
    let mut number = Float::with_val(64, 1.5);
    // SAFETY: within the range.
    unsafe { mpfr::set_exp(number.as_raw_mut(), exponent) };
    number
}

#[test]
fn specials_are_mpfrs() {
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
            exchange::take(&mut of_x, unsafe { &*x.as_raw() });
            exchange::take(&mut of_y, unsafe { &*y.as_raw() });
            let (a, b) = (&of_x.number, &of_y.number);
            let check = |what: &str, result: &Slot, real: Float, off: bool| {
                if let Err(why) = judge(result, &real, off, precision) {
                    panic!("{what} of exponents {} and {}: {why}", a.size, b.size);
                }
            };
            // SAFETY: as above.
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

/// A number of which the bits below the top are far away, and the same of the other sign.
#[test]
fn one_and_a_little_cancel_to_the_little() {
    let room = limbs_for(1000);
    let mut one = Slot::new();
    one.become_one_limb(1, 1, 1);
    for power in 1..1000 {
        let (mut little, mut both, mut left) = (Slot::new(), Slot::new(), Slot::new());
        little.become_one_limb(1 << (power % 64), 1, -power / 64);
        // SAFETY: as above.
        unsafe {
            assert!(!sum::add(&mut both, &one.number, &little.number, 1, room));
            assert!(!sum::add(&mut left, &both.number, &one.number, -1, room));
        }
        assert!(exact(&left.number) == exact(&little.number), "{power}");
        assert_eq!(left.number.len(), 1);
    }
}
