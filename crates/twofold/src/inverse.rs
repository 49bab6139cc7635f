//! Inverse trigonometric functions, all by the angle of a point. With c = j/64 near the quotient q ≤ 1 of the coordinates,
//! atan q = atan c + atan ((q − c) / (1 + qc)); the first term is in a table, the second is a series.

use crate::Bounded;
use crate::double_double::{Dd, abs, nearest, power_of_two};
use crate::product::Product;
use crate::tables::{ATAN, HALF_PI, ODD_RECIPROCALS, PI};

const RELATIVE: f64 = power_of_two(-103);
/// A bound on the errors of the table, of the multiples of π, and of q − c.
const ABSOLUTE: f64 = power_of_two(-105);

/// atan t for |t| ≤ 1/120.
#[inline(always)]
fn series<P: Product>(t: Dd) -> Dd {
    let square = t.square::<P>();
    let z = square.hi;
    const C: [f64; 5] = [1.0 / 9.0, -1.0 / 11.0, 1.0 / 13.0, -1.0 / 15.0, 1.0 / 17.0];
    let tail = C[0] + z * (C[1] + z * (C[2] + z * (C[3] + z * C[4])));
    let [third, fifth, seventh] = ODD_RECIPROCALS;
    let sum = seventh.neg().add_f64(tail * z);
    let sum = sum.mul::<P>(square).add(fifth);
    let sum = sum.mul::<P>(square).sub(third);
    t.add(sum.mul::<P>(square.mul::<P>(t)))
}

/// The angle of (x, y), and a bound on its error.
#[inline(always)]
fn angle<P: Product>(y: Dd, x: Dd) -> Option<(Dd, f64)> {
    let (height, width) = (y.abs(), x.abs());
    let is_steep = height.hi > width.hi;
    let (small, large) = if is_steep {
        (width, height)
    } else {
        (height, width)
    };
    const SIZES: core::ops::Range<f64> = power_of_two(-400)..power_of_two(400);
    let fits = SIZES.contains(&large.hi) && (small.hi == 0.0 || SIZES.contains(&small.hi));
    if !fits {
        return None;
    }
    let j = nearest(small.hi / large.hi * 64.0);
    let c = j / 64.0;
    let above = small.sub(large.mul_f64::<P>(c));
    let below = large.add(small.mul_f64::<P>(c));
    let mut angle = ATAN[j as usize].add(series::<P>(above.div::<P>(below)));
    if is_steep {
        angle = HALF_PI.sub(angle);
    }
    if x.is_negative() {
        angle = PI.sub(angle);
    }
    let is_small = j == 0.0 && !is_steep && !x.is_negative();
    let error = abs(angle.hi) * RELATIVE + if is_small { 0.0 } else { ABSOLUTE };
    Some((angle.signed_like(y), error))
}

#[inline(always)]
pub fn atan2<P: Product>(y: Dd, x: Dd) -> Option<Bounded> {
    let (angle, error) = angle::<P>(y, x)?;
    Some(angle.bounded(error))
}

#[inline(always)]
pub fn atan<P: Product>(x: Dd) -> Option<Bounded> {
    atan2::<P>(x, Dd::ONE)
}

/// √(1 − x²), with a relative error below 2^-101. That changes the angle by at most the same factor of either coordinate, which
/// is at most the angle.
#[inline(always)]
fn other_side<P: Product>(x: Dd) -> Option<Dd> {
    let square = x.neg().add_f64(1.0).mul::<P>(x.add_f64(1.0));
    (square.hi >= 0.0).then(|| square.sqrt::<P>())
}

#[inline(always)]
pub fn asin<P: Product>(x: Dd) -> Option<Bounded> {
    let (angle, error) = angle::<P>(x, other_side::<P>(x)?)?;
    Some(angle.bounded(error + abs(angle.hi) * RELATIVE))
}

#[inline(always)]
pub fn acos<P: Product>(x: Dd) -> Option<Bounded> {
    let (angle, error) = angle::<P>(other_side::<P>(x)?, x)?;
    Some(angle.bounded(error + abs(angle.hi) * RELATIVE))
}
