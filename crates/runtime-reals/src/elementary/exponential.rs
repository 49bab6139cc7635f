//! Exponentials and logarithms.

use gmp_mpfr_sys::mpfr::{self, rnd_t};

use super::{
    estimate::estimate,
    fixed::{self, Fixed},
    series::Series,
    tables::{self, ENTRIES, LEFT, Once, TABLES},
};
use crate::{
    arithmetic,
    number::{Number, Short, Slot},
    settings,
    value::Value,
};

struct Tables {
    /// ln 2.
    unit: Fixed,
    /// e^(i·2^−7), e^(i·2^−14), e^(i·2^−21), minus 1.
    powers: [[Fixed; ENTRIES]; TABLES],
    series: Series,
}

static MADE: Once<Tables> = Once::new();

/// Computed for the process's precision, which does not change.
fn made(length: usize) -> &'static Tables {
    MADE.get(|| Tables {
        // SAFETY: `constant` passes an initialised number.
        unit: tables::constant(length, |unit| unsafe {
            mpfr::const_log2(unit, rnd_t::RNDZ);
        }),
        powers: core::array::from_fn(|table| {
            let base = tables::by_mpfr(mpfr::expm1, tables::step(table), length);
            let mut power = Fixed::ZERO;
            core::array::from_fn(|_| {
                let this = power;
                power = product(&power, &base, length);
                this
            })
        }),
        series: Series::new(|k| k, false, LEFT, length),
    })
}

/// (1 + a)·(1 + b) − 1, where a or b is below 1.
fn product(a: &Fixed, b: &Fixed, length: usize) -> Fixed {
    let mut product = Fixed::ZERO;
    set_product(&mut product, a, b, length);
    product
}

fn set_product(product: &mut Fixed, a: &Fixed, b: &Fixed, length: usize) {
    product.set_product(a, b, length);
    product.add(a, length);
    product.add(b, length);
}

/// Arguments beyond 2^LARGEST are left to MPFR.
const LARGEST: i64 = 15;
const LARGEST_POWER: i64 = 10;

pub fn exp(slot: &mut Slot, x: &Number) -> Option<()> {
    exp_of(slot, x, settings::limbs())
}

/// e^x in at most `room` limbs.
fn exp_of(slot: &mut Slot, x: &Number, room: usize) -> Option<()> {
    let length = fixed::length()?;
    if x.size > LARGEST {
        return None;
    }
    let tables = made(length);
    let mut rest = Fixed::new(x, length)?;
    if x.sign < 0 {
        rest.negate(length);
    }
    // How often ln 2 fits; may be one too small.
    let whole = rest.whole(length) as i64;
    let about = whole as f64 + (rest.first(length) >> 11) as f64 / (1u64 << 53) as f64;
    let mut doublings = (about * core::f64::consts::LOG2_E - 1e-9) as i64 - i64::from(about < 0.0);
    match doublings {
        0.. => rest.subtract_times(&tables.unit, doublings as u64, length),
        _ => rest.add_times(&tables.unit, doublings.unsigned_abs(), length),
    }
    let mut less = rest;
    less.subtract(&tables.unit, length);
    if !less.is_negative(length) {
        rest = less;
        doublings += 1;
    }
    if rest.whole(length) != 0 {
        return None;
    }
    let taken = tables::take(&mut rest, length);
    let (mut power, mut other) = (tables.series.sum(&rest, length), Fixed::ZERO);
    let (mut power, mut other) = (&mut power, &mut other);
    // Minus 1.
    power.set_whole(power.whole(length).wrapping_sub(1), length);
    for (table, index) in tables.powers.iter().zip(taken).rev() {
        set_product(other, power, &table[index], length);
        core::mem::swap(&mut power, &mut other);
    }
    power.set_whole(power.whole(length) + 1, length);
    if power.whole(length) != 1 {
        return None;
    }
    let shifted = power.shifted(doublings.rem_euclid(64) as u32, length);
    shifted.put(slot, 1, doublings.div_euclid(64), length, room)
}

/// log x = y + log(x / e^y), where y is an estimate; the rest is 2 artanh((x − e^y) / (x + e^y)).
pub fn log(slot: &mut Slot, x: &Number) -> Option<()> {
    let length = fixed::length()?;
    if x.sign < 0 {
        return None;
    }
    let about = Value::of_double(estimate(mpfr::log, x));
    let mut short = Short::new();
    let about = short.set(about);
    if !about.is_regular() || about.size < -fixed::LEAST || about.size > LARGEST {
        return None;
    }
    let [
        mut power,
        mut above,
        mut below,
        mut ratio,
        mut rest,
        mut twice,
    ] = [(); 6].map(|()| Slot::new());
    // Near 1 the difference from x is small: all limbs after the point matter.
    let all = length + 1;
    exp_of(&mut power, about, all)?;
    arithmetic::sub_within(&mut above, x, &power.number, all);
    arithmetic::add_within(&mut below, x, &power.number, all);
    arithmetic::div(&mut ratio, &above.number, &below.number);
    tables::sum_of_odd_fractions(&mut rest, &ratio.number, false, length)?;
    arithmetic::add(&mut twice, &rest.number, &rest.number);
    arithmetic::add(slot, about, &twice.number);
    Some(())
}

/// Powers with exponents of at most this many bits may be exact: MPFR detects that.
const FEW_BITS: u32 = 12;

/// x^y = e^(y log x)
pub fn pow(slot: &mut Slot, x: &Number, y: &Number) -> Option<()> {
    if let &[limb] = y.limbs() {
        let bits = 64 - limb.leading_zeros() - limb.trailing_zeros();
        if bits <= FEW_BITS {
            return None;
        }
    }
    let (mut logarithm, mut exponent) = (Slot::new(), Slot::new());
    log(&mut logarithm, x)?;
    arithmetic::mul_fully(&mut exponent, y, &logarithm.number);
    // The logarithm's error grows with the exponent: there must be spare bits for it.
    if exponent.number.size > LARGEST_POWER.min(settings::slack().into()) {
        return None;
    }
    exp(slot, &exponent.number)
}
