//! erf and erfc: up to 12 the series about the nearest c = k/16, beyond it the asymptotic series.
//!
//! With h = x − c, e^-(c+h)² = e^-c² · Σ tₙ, where t₀ = 1 and (n + 1) tₙ₊₁ = −2ch · tₙ − 2h² · tₙ₋₁ (Hermite's polynomials). The integral of
//! that series is what erfc loses from c to x. The series is short because |h| ≤ 1/32, and terms below 2^-56 need only doubles.

use crate::Bounded;
use crate::double_double::{Dd, abs, nearest, power_of_two};
use crate::exponential::exp_dd;
use crate::product::Product;
use crate::tables::{ERFC, INVERSE_SQRT_PI, RECIPROCALS};

/// Relative, up to 12.
const ERROR: f64 = power_of_two(-98);
/// The same beyond, where the square's own error counts as often as the square is large.
const ERROR_BEYOND: f64 = power_of_two(-92);
/// What erfc is at most beyond the table.
const NOTHING: f64 = power_of_two(-200);
const STEPS: f64 = 16.0;
const END: f64 = 12.0;
/// Beyond it the result is nearly subnormal.
const MOST: f64 = 25.0;

/// erfc(c) − erfc(c + h), over the magnitude of the derivative at c.
#[inline(always)]
fn integral<P: Product>(c: f64, h: Dd) -> Dd {
    let first = h.mul_f64::<P>(-2.0 * c);
    let second = h.square::<P>().scale(-2.0);
    let (mut before, mut term, mut sum) = (Dd::ONE, first, Dd::ONE);
    let mut n = 1;
    while n < RECIPROCALS.len() && abs(term.hi) + abs(before.hi) > power_of_two(-56) {
        sum = sum.add(term.mul::<P>(RECIPROCALS[n]));
        let next = first.mul::<P>(term).add(second.mul::<P>(before));
        (before, term) = (term, next.mul::<P>(RECIPROCALS[n]));
        n += 1;
    }
    let (mut before, mut term, mut rest) = (before.hi, term.hi, 0.0);
    while n < RECIPROCALS.len() && abs(term) + abs(before) > power_of_two(-112) {
        rest += term * RECIPROCALS[n].hi;
        let next = first.hi * term + second.hi * before;
        (before, term) = (term, next * RECIPROCALS[n].hi);
        n += 1;
    }
    sum.add_f64(rest).mul::<P>(h)
}

/// For 0 ≤ x ≤ 12.
#[inline(always)]
fn near<P: Product>(x: Dd) -> Dd {
    let k = nearest(x.hi * STEPS);
    let c = k / STEPS;
    let (start, slope) = ERFC[k as usize];
    start.sub(slope.mul::<P>(integral::<P>(c, x.add_f64(-c))))
}

/// For 12 ≤ x: e^-x² / (x√π) · (1 − z (1 − 3z (1 − 5z …))) with z = 1/(2x²).
#[inline(always)]
fn far<P: Product>(x: Dd) -> Option<Dd> {
    const TERMS: usize = 32;
    let square = x.square::<P>();
    let z = Dd::ONE.div::<P>(square.scale(2.0));
    let mut sum = Dd::ONE;
    for n in (0..TERMS).rev() {
        let factor = z.mul_f64::<P>((2 * n + 1) as f64);
        sum = Dd::ONE.sub(factor.mul::<P>(sum));
    }
    let size = exp_dd::<P>(square.neg())?.mul::<P>(INVERSE_SQRT_PI);
    Some(size.div::<P>(x).mul::<P>(sum))
}

#[inline(always)]
pub fn erfc<P: Product>(x: Dd) -> Option<Bounded> {
    let size = x.abs();
    if x.is_negative() {
        if size.hi >= END {
            return Some(Dd::new(2.0, 0.0).bounded(NOTHING));
        }
        return Some(Dd::new(2.0, 0.0).sub(near::<P>(size)).within(ERROR));
    }
    match x.hi {
        ..END => Some(near::<P>(x).within(ERROR)),
        END..MOST => Some(far::<P>(x)?.within(ERROR_BEYOND)),
        _ => None,
    }
}

#[inline(always)]
pub fn erf<P: Product>(x: Dd) -> Option<Bounded> {
    let size = x.abs();
    if size.hi >= END {
        return Some(Dd::ONE.signed_like(x).bounded(NOTHING));
    }
    if size.hi * STEPS < 0.5 {
        let (_, slope) = ERFC[0];
        let result = slope.mul::<P>(integral::<P>(0.0, x));
        return Some(result.within(ERROR));
    }
    let rest = near::<P>(size);
    // The table's own error does not shrink with the result.
    let error = ERROR * rest.hi + power_of_two(-104);
    Some(Dd::ONE.sub(rest).signed_like(x).bounded(error))
}
