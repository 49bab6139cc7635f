//! Hyperbolic functions and their inverses, by e^x − 1 and ln (1 + x), which are accurate for small arguments.

use crate::Bounded;
use crate::double_double::{Dd, abs, power_of_two};
use crate::exponential::{EXP_ERROR, exp_dd, expm1_dd};
use crate::logarithm::log1p_dd;
use crate::product::Product;

/// A bound on the error of the few operations around a function.
const AROUND: f64 = power_of_two(-102);

#[inline(always)]
pub fn sinh<P: Product>(x: Dd) -> Option<Bounded> {
    let (m, error) = expm1_dd::<P>(x.abs())?;
    // (e^x − e^-x)/2; its derivative with respect to m is at most 1.
    let result = m.add(m.div::<P>(m.add_f64(1.0))).scale(0.5);
    Some(result.signed_like(x).bounded(error + result.hi * AROUND))
}

#[inline(always)]
pub fn cosh<P: Product>(x: Dd) -> Option<Bounded> {
    let e = exp_dd::<P>(x.abs())?;
    let result = e.add(Dd::ONE.div::<P>(e)).scale(0.5);
    Some(result.within(EXP_ERROR + AROUND))
}

#[inline(always)]
pub fn tanh<P: Product>(x: Dd) -> Option<Bounded> {
    // For larger |x|, 1 − 2/(e^2x + 1) differs from 1 by less than 2^-860.
    if abs(x.hi) > 300.0 {
        return Some(Dd::ONE.signed_like(x).bounded(power_of_two(-850)));
    }
    let (m, error) = expm1_dd::<P>(x.abs().scale(2.0))?;
    let below = m.add_f64(2.0);
    let result = m.div::<P>(below);
    // The derivative with respect to m is 2/(m + 2)².
    let propagated = 2.0 * error / (below.hi * below.hi);
    Some(
        result
            .signed_like(x)
            .bounded(1.001 * propagated + result.hi * AROUND),
    )
}

/// ln (1 + t) for t ≥ 0. It does not amplify a relative error of t.
#[inline(always)]
fn logarithm<P: Product>(t: Dd, sign: Dd, factor: f64) -> Bounded {
    let (result, error) = log1p_dd::<P>(t);
    let error = error + abs(result.hi) * AROUND;
    result
        .scale(factor)
        .signed_like(sign)
        .bounded(error * factor)
}

#[inline(always)]
pub fn asinh<P: Product>(x: Dd) -> Option<Bounded> {
    let x_size = x.abs();
    if x_size.hi > power_of_two(400) {
        return None;
    }
    let square = x_size.square::<P>();
    let root = square.add_f64(1.0).sqrt::<P>();
    let t = x_size.add(square.div::<P>(root.add_f64(1.0)));
    Some(logarithm::<P>(t, x, 1.0))
}

#[inline(always)]
pub fn acosh<P: Product>(x: Dd) -> Option<Bounded> {
    let above = x.add_f64(-1.0);
    if above.is_negative() || above.hi > power_of_two(400) {
        return None;
    }
    let root = above.mul::<P>(x.add_f64(1.0)).sqrt::<P>();
    Some(logarithm::<P>(above.add(root), Dd::ONE, 1.0))
}

#[inline(always)]
pub fn atanh<P: Product>(x: Dd) -> Option<Bounded> {
    let x_size = x.abs();
    let below = x_size.neg().add_f64(1.0);
    if below.hi <= 0.0 {
        return None;
    }
    let t = x_size.scale(2.0).div::<P>(below);
    Some(logarithm::<P>(t, x, 0.5))
}
