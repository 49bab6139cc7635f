//! Sine, cosine, tangent and arctangent.

use gmp_mpfr_sys::mpfr::{self, rnd_t};

use super::{
    estimate::estimate,
    fixed::{self, Fixed},
    series::{Powers, Series},
    tables::{self, ENTRIES, LEFT, Once, TABLES},
};
use crate::{
    arithmetic,
    number::{Number, Short, Slot},
    settings,
    value::Value,
};

struct Tables {
    /// π/2 and π/4.
    quarter: Fixed,
    eighth: Fixed,
    /// At multiples of 2^−7, 2^−14 and 2^−21.
    angles: [[Angle; ENTRIES]; TABLES],
    sine: Series,
    cosine: Series,
}

/// The sine of an angle, and 1 minus its cosine.
#[derive(Clone, Copy)]
struct Angle {
    sine: Fixed,
    versine: Fixed,
}

static MADE: Once<Tables> = Once::new();

fn made(length: usize) -> &'static Tables {
    MADE.get(|| {
        let quarters = |count: u32| {
            // SAFETY: `constant` passes an initialised number.
            tables::constant(length, |turn| unsafe {
                mpfr::const_pi(turn, rnd_t::RNDZ);
                mpfr::div_2ui(turn, turn, count.into(), rnd_t::RNDZ);
            })
        };
        Tables {
            quarter: quarters(1),
            eighth: quarters(2),
            angles: core::array::from_fn(|table| multiples(tables::step(table), length)),
            sine: Series::new(|k| 2 * k * (2 * k + 1), true, 2 * LEFT, length),
            cosine: Series::new(|k| (2 * k - 1) * 2 * k, true, 2 * LEFT, length),
        }
    })
}

fn multiples(step: f64, length: usize) -> [Angle; ENTRIES] {
    let one = Angle {
        sine: tables::by_mpfr(mpfr::sin, step, length),
        versine: one_less(&tables::by_mpfr(mpfr::cos, step, length), length),
    };
    let (mut sine, mut cosine) = (Fixed::ZERO, one_less(&Fixed::ZERO, length));
    core::array::from_fn(|_| {
        let this = Angle {
            sine,
            versine: one_less(&cosine, length),
        };
        (sine, cosine) = turned(&sine, &cosine, &one, length);
        this
    })
}

/// 1 − x
fn one_less(x: &Fixed, length: usize) -> Fixed {
    let mut one = Fixed::ZERO;
    one.set_whole(1, length);
    one.subtract(x, length);
    one
}

/// Sine and cosine of a sum of angles, at most π/2.
fn turned(sine: &Fixed, cosine: &Fixed, by: &Angle, length: usize) -> (Fixed, Fixed) {
    (
        turned_sine(sine, cosine, by, length),
        turned_cosine(sine, cosine, by, length),
    )
}

fn turned_sine(sine: &Fixed, cosine: &Fixed, by: &Angle, length: usize) -> Fixed {
    let mut turned = *sine;
    turned.subtract(&sine.times(&by.versine, length), length);
    turned.add(&cosine.times(&by.sine, length), length);
    turned
}

fn turned_cosine(sine: &Fixed, cosine: &Fixed, by: &Angle, length: usize) -> Fixed {
    let mut turned = *cosine;
    turned.subtract(&cosine.times(&by.versine, length), length);
    turned.subtract(&sine.times(&by.sine, length), length);
    turned
}

/// Arguments beyond 2^LARGEST are left to MPFR.
const LARGEST: i64 = 12;

/// What the caller needs.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Wanted {
    Sine,
    Cosine,
    Both,
}

/// Sine and cosine of |x|, reduced to the first quarter turn, as far as they are wanted; and the number of quarter turns.
fn of_first_quarter(x: &Number, wanted: Wanted, length: usize) -> Option<([Fixed; 2], u64)> {
    if x.size > LARGEST || x.size < -fixed::LEAST {
        return None;
    }
    let tables = made(length);
    let mut rest = Fixed::new(x, length)?;
    let about = rest.whole(length) as f64 + (rest.first(length) >> 11) as f64 / (1u64 << 53) as f64;
    // May be one too small.
    let mut quarters = (about * core::f64::consts::FRAC_2_PI * (1.0 - 1e-12)) as u64;
    rest.subtract_times(&tables.quarter, quarters, length);
    let mut less = rest;
    less.subtract(&tables.quarter, length);
    if !less.is_negative(length) {
        rest = less;
        quarters += 1;
    }
    let mut beyond = rest;
    beyond.subtract(&tables.eighth, length);
    let is_beyond = !beyond.is_negative(length);
    if is_beyond {
        let mut other = tables.quarter;
        other.subtract(&rest, length);
        rest = other;
    }
    if rest.whole(length) != 0 {
        return None;
    }
    let taken = tables::take(&mut rest, length);
    let powers = Powers::new(&rest.times(&rest, length), length);
    let mut sine = tables.sine.sum_of(&powers, length).times(&rest, length);
    let mut cosine = tables.cosine.sum_of(&powers, length);
    let [first, second, third] = [0, 1, 2].map(|table| &tables.angles[table][taken[table]]);
    for angle in [third, second] {
        (sine, cosine) = turned(&sine, &cosine, angle, length);
    }
    // Usually the last rotation needs only one of both. Which one depends on the exchange and on the parity of the quarters.
    let is_other = is_beyond != (quarters % 2 == 1);
    let (wants_sine, wants_cosine) = match (wanted, is_other) {
        (Wanted::Both, _) => (true, true),
        (Wanted::Sine, is_other) => (!is_other, is_other),
        (Wanted::Cosine, is_other) => (is_other, !is_other),
    };
    let (before_sine, before_cosine) = (sine, cosine);
    if wants_sine {
        sine = turned_sine(&before_sine, &before_cosine, first, length);
    }
    if wants_cosine {
        cosine = turned_cosine(&before_sine, &before_cosine, first, length);
    }
    match is_beyond {
        true => Some(([cosine, sine], quarters)),
        false => Some(([sine, cosine], quarters)),
    }
}

/// One of both, with its sign; none if it is too small to have all bits.
fn put(slot: &mut Slot, both: &[Fixed; 2], sign: i32, quarters: u64, length: usize) -> Option<()> {
    let sign = if quarters & 2 == 0 { sign } else { -sign };
    both[quarters as usize % 2].put(slot, sign, 0, length, settings::limbs())?;
    (slot.number.size >= -fixed::LEAST).then_some(())
}

pub fn sin(slot: &mut Slot, x: &Number) -> Option<()> {
    let length = fixed::length()?;
    let (both, quarters) = of_first_quarter(x, Wanted::Sine, length)?;
    put(slot, &both, x.sign, quarters, length)
}

pub fn cos(slot: &mut Slot, x: &Number) -> Option<()> {
    let length = fixed::length()?;
    let (both, quarters) = of_first_quarter(x, Wanted::Cosine, length)?;
    put(slot, &both, 1, quarters + 1, length)
}

pub fn tan(slot: &mut Slot, x: &Number) -> Option<()> {
    let length = fixed::length()?;
    let (both, quarters) = of_first_quarter(x, Wanted::Both, length)?;
    let (mut sine, mut cosine) = (Slot::new(), Slot::new());
    put(&mut sine, &both, x.sign, quarters, length)?;
    put(&mut cosine, &both, 1, quarters + 1, length)?;
    arithmetic::div(slot, &sine.number, &cosine.number);
    Some(())
}

/// Arguments between 2^−STEEP and 2^STEEP are covered.
const STEEP: i64 = 40;

/// arctan x = y + arctan((x cos y − sin y) / (cos y + x sin y)), where y is an estimate.
pub fn atan(slot: &mut Slot, x: &Number) -> Option<()> {
    let length = fixed::length()?;
    if x.size.abs() > STEEP {
        return None;
    }
    let mut short = Short::new();
    let about = short.set(Value::of_double(estimate(mpfr::atan, x)));
    let [
        mut sine,
        mut cosine,
        mut product,
        mut above,
        mut below,
        mut ratio,
        mut rest,
    ] = [(); 7].map(|()| Slot::new());
    let (both, quarters) = of_first_quarter(about, Wanted::Both, length)?;
    put(&mut sine, &both, about.sign, quarters, length)?;
    put(&mut cosine, &both, 1, quarters + 1, length)?;
    arithmetic::mul(&mut product, x, &cosine.number);
    arithmetic::sub(&mut above, &product.number, &sine.number);
    arithmetic::mul(&mut product, x, &sine.number);
    arithmetic::add(&mut below, &cosine.number, &product.number);
    arithmetic::div(&mut ratio, &above.number, &below.number);
    tables::sum_of_odd_fractions(&mut rest, &ratio.number, true, length)?;
    arithmetic::add(slot, about, &rest.number);
    Some(())
}
