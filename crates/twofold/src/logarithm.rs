//! Logarithms: x = 2^e · m with m near 1; m·c = 1 + f with |f| < 0.01 for a short c from a table; and
//! ln (1 + f) = 2 artanh (f / (2 + f)) as a series.

use crate::Bounded;
use crate::double_double::{Dd, abs, nearest, power_of_two};
use crate::product::Product;
use crate::tables::{INVERSE_LN_2, INVERSE_LN_10, LN_2_PARTS, LOG, ODD_RECIPROCALS};

const LOG_ERROR: f64 = power_of_two(-102);

/// ln (1 + f) for |f| < 0.01, with a relative error of at most 2^-102.
#[inline(always)]
fn near_one<P: Product>(f: Dd) -> Dd {
    let s = f.div::<P>(f.add_f64(2.0));
    let square = s.square::<P>();
    let z = square.hi;
    const C: [f64; 4] = [1.0 / 9.0, 1.0 / 11.0, 1.0 / 13.0, 1.0 / 15.0];
    let tail = C[0] + z * (C[1] + z * (C[2] + z * C[3]));
    let [third, fifth, seventh] = ODD_RECIPROCALS;
    let sum = seventh.add_f64(tail * z);
    let sum = sum.mul::<P>(square).add(fifth);
    let sum = sum.mul::<P>(square).add(third);
    let rest = sum.mul::<P>(square.mul::<P>(s));
    s.add(rest).scale(2.0)
}

/// e and ln m, for x > 0 and normal.
#[inline(always)]
fn parts<P: Product>(x: Dd) -> (f64, Dd) {
    const ROOT_2: f64 = core::f64::consts::SQRT_2;
    let mut exponent = (x.hi.to_bits() >> 52) as i32 - 1023;
    let mut m = x.scale(power_of_two(-exponent));
    if m.hi > ROOT_2 {
        m = m.scale(0.5);
        exponent += 1;
    }
    let (inverse, logarithm) = LOG[nearest(m.hi * 128.0) as usize - 90];
    let (p, e) = P::product(m.hi, inverse);
    let (q, d) = P::product(m.lo, inverse);
    let f = Dd::sum(p - 1.0, e).add(Dd::new(q, d));
    (f64::from(exponent), logarithm.add(near_one::<P>(f)))
}

/// ln x for x > 0, with a relative error of at most 2^-102.
#[inline(always)]
pub fn log_dd<P: Product>(x: Dd) -> Dd {
    let (exponent, mantissa) = parts::<P>(x);
    let [first, second, third] = LN_2_PARTS;
    let power = Dd::sum(exponent * first, exponent * second).add_f64(exponent * third);
    power.add(mantissa)
}

#[inline(always)]
pub fn log<P: Product>(x: Dd) -> Option<Bounded> {
    (x.hi > 0.0).then(|| log_dd::<P>(x).within(LOG_ERROR))
}

#[inline(always)]
pub fn log10<P: Product>(x: Dd) -> Option<Bounded> {
    (x.hi > 0.0).then(|| log_dd::<P>(x).mul::<P>(INVERSE_LN_10).within(LOG_ERROR))
}

#[inline(always)]
pub fn log2<P: Product>(x: Dd) -> Option<Bounded> {
    if x.hi <= 0.0 {
        return None;
    }
    let (exponent, mantissa) = parts::<P>(x);
    let result = mantissa.mul::<P>(INVERSE_LN_2).add_f64(exponent);
    Some(result.within(LOG_ERROR))
}

/// ln (1 + x) for x > −1.
#[inline(always)]
pub fn log1p_dd<P: Product>(x: Dd) -> (Dd, f64) {
    if abs(x.hi) < 0.0055 {
        let result = near_one::<P>(x);
        return (result, abs(result.hi) * LOG_ERROR);
    }
    let result = log_dd::<P>(x.add_f64(1.0));
    // The sum 1 + x was rounded.
    (result, abs(result.hi) * LOG_ERROR + power_of_two(-104))
}

#[inline(always)]
pub fn log1p<P: Product>(x: Dd) -> Option<Bounded> {
    let shifted = x.add_f64(1.0).hi;
    if shifted < power_of_two(-900) {
        return None;
    }
    let (result, error) = log1p_dd::<P>(x);
    Some(result.bounded(error))
}
