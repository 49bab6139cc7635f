//! e^x, 2^x, e^x − 1: x = k·ln 2/64 + r with |r| ≤ 0.0055; 2^(k/64) from a table, e^r − 1 by its series.

use crate::Bounded;
use crate::double_double::{Dd, abs, nearest, power_of_two};
use crate::product::Product;
use crate::tables::{EXP2, FACTORIAL_RECIPROCALS, LN_2, LN_2_64_PARTS, PER_LN_2_64};

pub const EXP_ERROR: f64 = power_of_two(-103);

/// Results between 2^-920 and 2^953: their low halves are normal doubles, and splitting does not overflow.
const LEAST: f64 = -637.0;
const MOST: f64 = 660.0;

/// 2^(k/64) and e^r − 1.
struct Factors {
    table: Dd,
    rest: Dd,
    k: i32,
}

#[inline(always)]
fn factors<P: Product>(k: f64, r: Dd) -> Factors {
    let k = k as i32;
    let table = EXP2[(k & 63) as usize].scale(power_of_two(k >> 6));
    Factors {
        table,
        rest: series::<P>(r),
        k,
    }
}

#[inline(always)]
fn reduced<P: Product>(x: Dd) -> Factors {
    let k = nearest(x.hi * PER_LN_2_64);
    let [first, second, third] = LN_2_64_PARTS;
    // The low half of a large argument has bits far below those of r.
    let r = Dd::sum(x.hi - k * first, -(k * second)).add(Dd::sum(x.lo, -(k * third)));
    factors::<P>(k, r)
}

/// e^r − 1; doubles suffice from the seventh term on.
#[inline(always)]
fn series<P: Product>(r: Dd) -> Dd {
    let x = r.hi;
    const C: [f64; 6] = [
        1.0 / 5_040.0,
        1.0 / 40_320.0,
        1.0 / 362_880.0,
        1.0 / 3_628_800.0,
        1.0 / 39_916_800.0,
        1.0 / 479_001_600.0,
    ];
    let tail = C[0] + x * (C[1] + x * (C[2] + x * (C[3] + x * (C[4] + x * C[5]))));
    let [third, fourth, fifth, sixth] = FACTORIAL_RECIPROCALS;
    let sum = sixth.add_f64(tail * x);
    let sum = sum.mul::<P>(r).add(fifth);
    let sum = sum.mul::<P>(r).add(fourth);
    let sum = sum.mul::<P>(r).add(third);
    let sum = sum.mul::<P>(r).add_f64(0.5);
    r.add(sum.mul::<P>(r.square::<P>()))
}

/// e^x with a relative error of at most [`EXP_ERROR`].
#[inline(always)]
pub fn exp_dd<P: Product>(x: Dd) -> Option<Dd> {
    if !(LEAST..MOST).contains(&x.hi) {
        return None;
    }
    let Factors { table, rest, .. } = reduced::<P>(x);
    Some(table.add(table.mul::<P>(rest)))
}

/// e^x − 1.
#[inline(always)]
pub fn expm1_dd<P: Product>(x: Dd) -> Option<(Dd, f64)> {
    if !(LEAST..MOST).contains(&x.hi) {
        return None;
    }
    let Factors { table, rest, k } = reduced::<P>(x);
    if k == 0 {
        return Some((rest, abs(rest.hi) * EXP_ERROR));
    }
    let result = table.add_f64(-1.0).add(table.mul::<P>(rest));
    // The table's own error does not shrink with the result.
    let error = table.hi * power_of_two(-105) + abs(result.hi) * EXP_ERROR;
    Some((result, error))
}

#[inline(always)]
pub fn exp<P: Product>(x: Dd) -> Option<Bounded> {
    Some(exp_dd::<P>(x)?.within(EXP_ERROR))
}

#[inline(always)]
pub fn expm1<P: Product>(x: Dd) -> Option<Bounded> {
    let (result, error) = expm1_dd::<P>(x)?;
    Some(result.bounded(error))
}

#[inline(always)]
pub fn exp2<P: Product>(x: Dd) -> Option<Bounded> {
    const EXPONENTS: core::ops::Range<f64> = -920.0..950.0;
    if !EXPONENTS.contains(&x.hi) {
        return None;
    }
    let k = nearest(x.hi * 64.0);
    let r = x.add_f64(-k / 64.0).mul::<P>(LN_2);
    let Factors { table, rest, .. } = factors::<P>(k, r);
    Some(table.add(table.mul::<P>(rest)).within(EXP_ERROR))
}
