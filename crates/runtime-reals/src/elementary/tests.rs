//! Against MPFR.

use gmp_mpfr_sys::mpfr::{self, mpfr_t, rnd_t};
use lostbits_abi::ops::Op;
use rug::{Float, ops::Pow};

use super::evaluate;
use crate::{
    exchange::{self, Scratch},
    number::Slot,
    settings, shared,
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

/// Of many sizes, short and long, some near where results are zero.
fn argument(seed: &mut u64) -> Float {
    let whole = Float::with_val(1000, random(seed) >> 11) / (1u64 << 52);
    let long = Float::with_val(1000, Float::with_val(1000, random(seed)).sqrt()) / (1u64 << 32);
    let number = match random(seed) % 4 {
        0 => whole,
        1 => Float::with_val(1000, random(seed) % 100) / 8,
        _ => long,
    };
    let scale = Float::with_val(1000, 2).pow((random(seed) % 30) as i32 - 20);
    let number = match random(seed) % 6 {
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

#[test]
fn results_are_as_near_as_they_must_be() {
    shared::reserve();
    // Other precisions may be asked for by LOSTBITS_PRECISION.
    settings::read();
    let mut seed = 99;
    for (op, function) in FUNCTIONS {
        let mut done = 0;
        for round in 0..2000 {
            let x = argument(&mut seed);
            let mut slot = Slot::new();
            let mut own = Slot::new();
            // SAFETY: numbers.
            let real = unsafe {
                exchange::take(&mut own, &*x.as_raw());
                let mut real = Float::new(2000);
                // What is there of it at this precision.
                let mut scratch = Scratch::new();
                function(real.as_raw_mut(), &scratch.lend(&own.number), rnd_t::RNDN);
                real
            };
            if !evaluate(op, &mut slot, &own.number) {
                continue;
            }
            done += 1;
            let mut scratch = Scratch::new();
            let lent = scratch.lend(&slot.number);
            let mut off = Float::new(2000);
            unsafe { mpfr::sub(off.as_raw_mut(), &lent, real.as_raw(), rnd_t::RNDN) };
            let order = off.get_exp().unwrap_or(i32::MIN / 2) - real.get_exp().unwrap_or(0);
            let limit = -settings::precision() as i32;
            assert!(
                order <= limit,
                "{op:?} of {x} in round {round}: off by 2^{order}"
            );
        }
        assert!(done > 600, "{op:?}: {done}");
    }
}
