//! Roots, distances, powers.

use crate::Bounded;
use crate::double_double::{Dd, abs, nearest, power_of_two};
use crate::exponential::{EXP_ERROR, exp_dd};
use crate::logarithm::log_dd;
use crate::product::Product;

const RELATIVE: f64 = power_of_two(-102);

#[inline(always)]
pub fn sqrt<P: Product>(x: Dd) -> Option<Bounded> {
    (x.hi >= 0.0).then(|| x.sqrt::<P>().within(RELATIVE))
}

#[inline(always)]
pub fn hypot<P: Product>(x: Dd, y: Dd) -> Option<Bounded> {
    const SIZES: core::ops::Range<f64> = power_of_two(-400)..power_of_two(400);
    let fits = |side: Dd| side.hi == 0.0 || SIZES.contains(&abs(side.hi));
    if !fits(x) || !fits(y) {
        return None;
    }
    let square = x.square::<P>().add(y.square::<P>());
    Some(square.sqrt::<P>().within(RELATIVE))
}

/// A double with a relative error of 2^-50 or less, then one Newton step with its second-order term.
#[inline(always)]
pub fn cbrt<P: Product>(x: Dd) -> Option<Bounded> {
    if x.hi == 0.0 {
        return Some(Dd::ZERO.signed_like(x).bounded(0.0));
    }
    let size = x.abs();
    // A third of the exponent: a relative error below 6 percent.
    const BIAS: u64 = 0x2a9f_7893_782d_a1ce;
    let mut root = f64::from_bits(size.hi.to_bits() / 3 + BIAS);
    // Halley's step triples the number of correct bits.
    for _ in 0..3 {
        let cube = root * root * root;
        root *= (cube + 2.0 * size.hi) / (2.0 * cube + size.hi);
    }
    let square = Dd::new(root, 0.0).square::<P>();
    let rest = size.sub(square.mul_f64::<P>(root));
    let step = rest.hi / (3.0 * square.hi);
    // (root + step)³ differs from size by 3·root·step², less than 2^-96 of it.
    let result = Dd::sum(root, step).add_f64(-(step * step) / root);
    Some(result.signed_like(x).within(RELATIVE))
}

#[inline(always)]
pub fn pow<P: Product>(x: Dd, y: Dd) -> Option<Bounded> {
    let is_whole = y.lo == 0.0 && abs(y.hi) < power_of_two(31) && nearest(y.hi) == y.hi;
    if is_whole && abs(y.hi) <= 32.0 {
        return small_power::<P>(x, y.hi as i32);
    }
    if x.hi == 0.0 || (x.is_negative() && !is_whole) {
        return None;
    }
    let exponent = log_dd::<P>(x.abs()).mul::<P>(y);
    let result = exp_dd::<P>(exponent)?;
    // An absolute error of the exponent is a relative error of the power.
    let error = abs(exponent.hi) * power_of_two(-101) + EXP_ERROR;
    let is_odd = is_whole && y.hi as i64 & 1 == 1;
    let result = if x.is_negative() && is_odd {
        result.neg()
    } else {
        result
    };
    Some(result.within(error))
}

/// By repeated squaring: at most 2·|n| rounding errors accumulate.
#[inline(always)]
fn small_power<P: Product>(x: Dd, n: i32) -> Option<Bounded> {
    const SIZES: core::ops::Range<f64> = power_of_two(-800)..power_of_two(800);
    // Bounds the exponent of the result, so that products are exact.
    let exponent = (x.hi.to_bits() >> 52 & 0x7ff) as i32 - 1023;
    if n == 0 {
        return Some(Dd::ONE.bounded(0.0));
    }
    if x.hi == 0.0 || ((exponent + 1) * n).abs() > 800 || (exponent * n).abs() > 800 {
        return None;
    }
    let (mut result, mut factor, mut rest) = (Dd::ONE, x, n.unsigned_abs());
    while rest > 0 {
        if rest & 1 == 1 {
            result = result.mul::<P>(factor);
        }
        rest >>= 1;
        if rest > 0 {
            factor = factor.square::<P>();
        }
    }
    if n < 0 {
        result = Dd::ONE.div::<P>(result);
    }
    let fits = SIZES.contains(&abs(result.hi));
    fits.then(|| result.within((f64::from(n.unsigned_abs()) + 1.0) * power_of_two(-103)))
}
