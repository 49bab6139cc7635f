//! Operations that MPFR lacks, has with another signature, or defines differently in a special case. Each function takes the
//! operands and the precision, and rounds to nearest.

use gmp_mpfr_sys::mpfr::{self, rnd_t};
use rug::{Assign, Float, float::Special, ops::NegAssign};

use crate::evaluate::{binary, unary};

/// Additional bits where a result needs several roundings.
const GUARD: u32 = 64;

/// Exact arithmetic gives the operation no meaning.
pub fn undefined(_: &[Float], _: u32) -> Option<Float> {
    None
}

/// 1/√x with IEEE's −∞ for −0, where MPFR has +∞.
pub fn rsqrt(operands: &[Float], precision: u32) -> Option<Float> {
    let mut result = unary(mpfr::rec_sqrt, operands, precision)?;
    if operands[0].is_zero() && operands[0].is_sign_negative() {
        result.neg_assign();
    }
    Some(result)
}

/// ln |Γ(x)|: MPFR gives the sign of Γ apart, as C does.
pub fn lgamma(operands: &[Float], precision: u32) -> Option<Float> {
    let mut result = Float::new(precision);
    let mut sign = 0;
    // SAFETY: a `Float` is an initialised MPFR number; `sign` is an integer that MPFR writes.
    unsafe {
        mpfr::lgamma(
            result.as_raw_mut(),
            &mut sign,
            operands[0].as_raw(),
            rnd_t::RNDN,
        )
    };
    Some(result)
}

/// e^x² · erfc x, Fortran's ERFC_SCALED.
pub fn erfc_scaled(operands: &[Float], precision: u32) -> Option<Float> {
    let x = &operands[0];
    let working = precision + GUARD;
    // Beyond 2^13 the two factors soon leave even MPFR's range of 2^±(2^30).
    const ASYMPTOTIC: i32 = 13;
    if x.is_sign_positive() && x.get_exp().is_some_and(|exponent| exponent > ASYMPTOTIC) {
        return Some(Float::with_val(
            precision,
            asymptotic_erfc_scaled(x, working),
        ));
    }
    if x.is_infinite() {
        let limit = if x.is_sign_positive() {
            Special::Zero
        } else {
            Special::Infinity
        };
        return Some(Float::with_val(precision, limit));
    }
    let square = Float::with_val(2 * x.prec(), x * x); // exact
    let growth = Float::with_val(working, square.exp_ref());
    let tail = Float::with_val(working, x.erfc_ref());
    Some(Float::with_val(precision, growth * tail))
}

/// Σ (−1)^k (2k−1)!! (2x²)^−k / (x√π), whose terms shrink by about 2^27 each for x > 2^13.
fn asymptotic_erfc_scaled(x: &Float, working: u32) -> Float {
    let ratio = Float::with_val(working, x * x).recip() / 2u32;
    let mut term = Float::with_val(working, 1);
    let mut sum = term.clone();
    let mut odd = 1u32;
    while term
        .get_exp()
        .is_some_and(|exponent| exponent > -(working as i32))
    {
        term *= &ratio;
        term *= odd;
        term.neg_assign();
        sum += &term;
        odd += 2;
    }
    let root = Float::with_val(working, rug::float::Constant::Pi).sqrt();
    sum / (root * x)
}

type OfOrder = unsafe extern "C" fn(
    *mut mpfr::mpfr_t,
    core::ffi::c_long,
    *const mpfr::mpfr_t,
    rnd_t,
) -> core::ffi::c_int;

/// MPFR's time grows fast with the order where the operand is about its square: seconds at 200,
/// minutes beyond 1000.
const HIGHEST_ORDER: u32 = 64;

/// Negative orders by symmetry, f₋ₙ = (−1)ⁿ fₙ: MPFR's own method takes time and memory that grow with the operand.
fn bessel(function: OfOrder, operands: &[Float], precision: u32) -> Option<Float> {
    let order = operands[0].to_i32_saturating()?;
    if order.unsigned_abs() > HIGHEST_ORDER {
        return None;
    }
    let mut result = Float::new(precision);
    // SAFETY: a `Float` is an initialised MPFR number; `OfOrder` is the type of MPFR's functions of an order.
    unsafe {
        function(
            result.as_raw_mut(),
            order.abs().into(),
            operands[1].as_raw(),
            rnd_t::RNDN,
        )
    };
    if order < 0 && order % 2 != 0 {
        result.neg_assign();
    }
    Some(result)
}

pub fn jn(operands: &[Float], precision: u32) -> Option<Float> {
    bessel(mpfr::jn, operands, precision)
}

pub fn yn(operands: &[Float], precision: u32) -> Option<Float> {
    bessel(mpfr::yn, operands, precision)
}

/// Fortran's MODULO: x − y·⌊x/y⌋, with the sign of y.
pub fn modulo(operands: &[Float], precision: u32) -> Option<Float> {
    let [x, y] = [&operands[0], &operands[1]];
    let truncated = binary(
        mpfr::fmod,
        operands,
        x.prec().max(y.prec()) + precision + GUARD,
    )?;
    let opposite = truncated.is_sign_negative() != y.is_sign_negative();
    Some(if truncated.is_zero() {
        let mut zero = Float::new(precision);
        if y.is_sign_negative() {
            zero.neg_assign();
        }
        zero
    } else if opposite && !truncated.is_nan() {
        Float::with_val(precision, &truncated + y)
    } else {
        Float::with_val(precision, truncated)
    })
}

/// IEEE 754-2019's minimum: unlike C's fmin, NaN if an operand is NaN.
pub fn minimum(operands: &[Float], precision: u32) -> Option<Float> {
    nan_or(operands, precision, mpfr::min)
}

pub fn maximum(operands: &[Float], precision: u32) -> Option<Float> {
    nan_or(operands, precision, mpfr::max)
}

type Extreme = unsafe extern "C" fn(
    *mut mpfr::mpfr_t,
    *const mpfr::mpfr_t,
    *const mpfr::mpfr_t,
    rnd_t,
) -> core::ffi::c_int;

fn nan_or(operands: &[Float], precision: u32, extreme: Extreme) -> Option<Float> {
    if operands.iter().any(Float::is_nan) {
        return Some(Float::with_val(precision, Special::Nan));
    }
    binary(extreme, operands, precision)
}

/// x · 2^n.
pub fn ldexp(operands: &[Float], precision: u32) -> Option<Float> {
    let exponent = operands[1].to_i32_saturating()?;
    Some(Float::with_val(precision, &operands[0] << exponent))
}

/// The fraction of frexp, 1/2 ≤ |f| < 1.
pub fn fraction(operands: &[Float], precision: u32) -> Option<Float> {
    let x = &operands[0];
    let exponent = x.get_exp().unwrap_or(0);
    Some(Float::with_val(precision, x >> exponent))
}

/// The exponent e of x = m · 2^e, 1 ≤ |m| < 2.
pub fn logb(operands: &[Float], precision: u32) -> Option<Float> {
    let x = &operands[0];
    let mut result = Float::new(precision);
    match x.get_exp() {
        Some(exponent) => result.assign(exponent - 1),
        None if x.is_zero() => result.assign(Special::NegInfinity),
        None if x.is_infinite() => result.assign(Special::Infinity),
        None => result.assign(Special::Nan),
    }
    Some(result)
}

pub fn sum(lanes: &[Float], precision: u32) -> Option<Float> {
    Some(Float::with_val(precision, Float::sum(lanes.iter())))
}

pub fn product(lanes: &[Float], precision: u32) -> Option<Float> {
    let working = precision + GUARD;
    let product = lanes
        .iter()
        .fold(Float::with_val(working, 1), |product, lane| product * lane);
    Some(Float::with_val(precision, product))
}

pub fn minimum_lane(lanes: &[Float], precision: u32) -> Option<Float> {
    fold(lanes, precision, |pair, precision| {
        binary(mpfr::min, pair, precision)
    })
}

pub fn maximum_lane(lanes: &[Float], precision: u32) -> Option<Float> {
    fold(lanes, precision, |pair, precision| {
        binary(mpfr::max, pair, precision)
    })
}

pub fn strict_minimum_lane(lanes: &[Float], precision: u32) -> Option<Float> {
    fold(lanes, precision, minimum)
}

pub fn strict_maximum_lane(lanes: &[Float], precision: u32) -> Option<Float> {
    fold(lanes, precision, maximum)
}

/// Lane by lane at the lanes' own precision, where an extreme is exact; rounds at the end.
fn fold(
    lanes: &[Float],
    precision: u32,
    step: fn(&[Float], u32) -> Option<Float>,
) -> Option<Float> {
    let widest = lanes.iter().map(Float::prec).max()?;
    let mut result = Float::with_val(widest, &lanes[0]);
    for lane in &lanes[1..] {
        result = step(&[result, lane.clone()], widest)?;
    }
    Some(Float::with_val(precision, result))
}
