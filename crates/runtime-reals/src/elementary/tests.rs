//! Compares with MPFR.

use gmp_mpfr_sys::mpfr::{self, mpfr_t, rnd_t};
use lostbits_abi::ops::Op;
use rug::{Float, ops::Pow};

use super::{evaluate, evaluate_two};
use crate::{
    exchange::{self, Scratch},
    number::Slot,
    settings,
};

type Function = unsafe extern "C" fn(*mut mpfr_t, *const mpfr_t, rnd_t) -> i32;

const FUNCTIONS: [(Op, Function); 6] = [
    (Op::Exp, mpfr::exp),
    (Op::Log, mpfr::log),
    (Op::Sin, mpfr::sin),
    (Op::Cos, mpfr::cos),
    (Op::Tan, mpfr::tan),
    (Op::Atan, mpfr::atan),
];

fn random(seed: &mut u64) -> u64 {
    *seed ^= *seed << 13;
    *seed ^= *seed >> 7;
    *seed ^= *seed << 17;
    *seed
}

/// Of many sizes, short and long, some near zeros of the functions.
fn argument(seed: &mut u64) -> Float {
    let whole = Float::with_val(1000, random(seed) >> 11) / (1u64 << 52);
    let long = Float::with_val(1000, Float::with_val(1000, random(seed)).sqrt()) / (1u64 << 32);
    let number = match random(seed) % 4 {
        0 => whole,
        1 => Float::with_val(1000, random(seed) % 100) / 8,
        _ => long,
    };
    let scale = Float::with_val(1000, 2).pow((random(seed) % 30) as i32 - 20);
    let number = match random(seed) % 7 {
        // Just below a power of two, where an estimate is above.
        6 => scale - Float::with_val(1000, random(seed)) / (1u128 << 120),
        0 => Float::with_val(1000, 1) + number / (1u64 << (random(seed) % 60)),
        1 => {
            let quarter = Float::with_val(1000, rug::float::Constant::Pi) / 2;
            quarter * (random(seed) % 40) + number / (1u64 << (random(seed) % 60))
        }
        _ => number * scale,
    };
    if random(seed).is_multiple_of(2) {
        number
    } else {
        -number
    }
}

/// LOSTBITS_PRECISION may select another precision.
#[test]
fn errors_are_within_the_requested_precision() {
    let mut seed = 99;
    for (op, function) in FUNCTIONS {
        let mut done = 0;
        for round in 0..2000 {
            let x = argument(&mut seed);
            let mut slot = Slot::new();
            let mut own = Slot::new();
            // SAFETY: valid MPFR numbers.
            let real = unsafe {
                exchange::take(&mut own, &*x.as_raw());
                let mut real = Float::new(2000);
                // The argument as truncated to this precision.
                let mut scratch = Scratch::new();
                function(real.as_raw_mut(), &scratch.lend(&own.number), rnd_t::RNDN);
                real
            };
            if !evaluate(op, &mut slot, &own.number) {
                continue;
            }
            done += 1;
            let order = order_of_error(&slot, &real);
            assert!(
                order <= -settings::precision(),
                "{op:?} of {x} in round {round}: off by 2^{order}"
            );
        }
        assert!(done > 600, "{op:?}: {done}");
    }
}

/// The relative error, as a power of two.
fn order_of_error(slot: &Slot, real: &Float) -> i64 {
    let mut scratch = Scratch::new();
    let mut off = Float::new(2000);
    // SAFETY: valid MPFR numbers.
    unsafe {
        let lent = scratch.lend(&slot.number);
        mpfr::sub(off.as_raw_mut(), &lent, real.as_raw(), rnd_t::RNDN);
    }
    match off.get_exp() {
        Some(order) => i64::from(order) - i64::from(real.get_exp().unwrap_or(0)),
        None => i64::MIN,
    }
}

#[test]
fn errors_of_powers_are_within_the_requested_precision() {
    let mut seed = 3;
    let mut done = 0;
    for round in 0..2000 {
        let (x, y) = (argument(&mut seed).abs(), argument(&mut seed));
        let [mut slot, mut own_x, mut own_y] = [(); 3].map(|()| Slot::new());
        // SAFETY: valid MPFR numbers.
        let real = unsafe {
            exchange::take(&mut own_x, &*x.as_raw());
            exchange::take(&mut own_y, &*y.as_raw());
            let (mut scratch_x, mut scratch_y) = (Scratch::new(), Scratch::new());
            let (x, y) = (scratch_x.lend(&own_x.number), scratch_y.lend(&own_y.number));
            let mut real = Float::new(2000);
            mpfr::pow(real.as_raw_mut(), &x, &y, rnd_t::RNDN);
            real
        };
        if evaluate_two(Op::Pow, &mut slot, &own_x.number, &own_y.number) {
            done += 1;
            let order = order_of_error(&slot, &real);
            assert!(
                order <= -settings::precision(),
                "{x} to the power of {y} in round {round}: off by 2^{order}"
            );
        }
    }
    assert!(done > 600, "{done}");
}
