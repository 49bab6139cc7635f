//! Sine, cosine, tangent: x = k·π/256 + r with |r| ≤ π/512. Sine and cosine of k·π/256 are in a table, those of r are series; the
//! addition theorems combine them. Arguments beyond 2^20 are not covered.

use crate::Bounded;
use crate::double_double::{Dd, abs, nearest, power_of_two};
use crate::product::Product;
use crate::tables::{FACTORIAL_RECIPROCALS, PER_PI_256, PI_256_PARTS, SINE};

const LARGEST: f64 = power_of_two(20);
const RELATIVE: f64 = power_of_two(-103);
/// A bound on the errors of the reduced argument and of the tables.
const ABSOLUTE: f64 = power_of_two(-105);

struct Angle {
    /// Sine and cosine of the multiple of π/256.
    sine: Dd,
    cosine: Dd,
    r: Dd,
    /// k is 0.
    is_small: bool,
}

#[inline(always)]
fn reduced(x: Dd) -> Option<Angle> {
    if abs(x.hi) >= LARGEST {
        return None;
    }
    let k = nearest(x.hi * PER_PI_256);
    let [first, second, third, fourth, fifth] = PI_256_PARTS;
    let r = Dd::sum(x.hi - k * first, -(k * second))
        .add_f64(-(k * third))
        .add(Dd::sum(x.lo, -(k * fourth)))
        .add_f64(-(k * fifth));
    let number = k as i32 as usize & 511;
    let (s, c) = (SINE[number & 127], SINE[128 - (number & 127)]);
    let (sine, cosine) = match number >> 7 {
        0 => (s, c),
        1 => (c, s.neg()),
        2 => (s.neg(), c.neg()),
        _ => (c.neg(), s),
    };
    Some(Angle {
        sine,
        cosine,
        r,
        is_small: k == 0.0,
    })
}

/// sin r and cos r − 1.
#[inline(always)]
fn series<P: Product>(r: Dd) -> (Dd, Dd) {
    let square = r.square::<P>();
    let z = square.hi;
    let [third, fourth, fifth, _] = FACTORIAL_RECIPROCALS;
    const S: [f64; 3] = [-1.0 / 5_040.0, 1.0 / 362_880.0, -1.0 / 39_916_800.0];
    const C: [f64; 4] = [
        -1.0 / 720.0,
        1.0 / 40_320.0,
        -1.0 / 3_628_800.0,
        1.0 / 479_001_600.0,
    ];
    let tail = S[0] + z * (S[1] + z * S[2]);
    let sum = fifth.add_f64(tail * z).mul::<P>(square).sub(third);
    let sine = r.add(sum.mul::<P>(square.mul::<P>(r)));
    let tail = C[0] + z * (C[1] + z * (C[2] + z * C[3]));
    let sum = fourth.add_f64(tail * z).mul::<P>(square).add_f64(-0.5);
    (sine, sum.mul::<P>(square))
}

impl Angle {
    #[inline(always)]
    fn sine_and_cosine<P: Product>(&self) -> (Dd, Dd) {
        let (s, c) = series::<P>(self.r);
        let sine = self
            .sine
            .add(self.sine.mul::<P>(c).add(self.cosine.mul::<P>(s)));
        let cosine = self
            .cosine
            .add(self.cosine.mul::<P>(c).sub(self.sine.mul::<P>(s)));
        (sine, cosine)
    }

    #[inline(always)]
    fn sine_error(&self, sine: Dd) -> f64 {
        let absolute = if self.is_small { 0.0 } else { ABSOLUTE };
        abs(sine.hi) * RELATIVE + absolute
    }
}

#[inline(always)]
pub fn sin<P: Product>(x: Dd) -> Option<Bounded> {
    let angle = reduced(x)?;
    let (sine, _) = angle.sine_and_cosine::<P>();
    Some(sine.bounded(angle.sine_error(sine)))
}

#[inline(always)]
pub fn cos<P: Product>(x: Dd) -> Option<Bounded> {
    let (_, cosine) = reduced(x)?.sine_and_cosine::<P>();
    Some(cosine.bounded(abs(cosine.hi) * RELATIVE + ABSOLUTE))
}

#[inline(always)]
pub fn tan<P: Product>(x: Dd) -> Option<Bounded> {
    let angle = reduced(x)?;
    let (sine, cosine) = angle.sine_and_cosine::<P>();
    if abs(cosine.hi) < power_of_two(-40) {
        return None;
    }
    let result = sine.div::<P>(cosine);
    let size = abs(result.hi);
    // The error of the quotient, and those of its operands: the cosine may be small, but not its error. Products of errors are
    // below 2^-40 of the bound.
    let cosine_error = abs(cosine.hi) * RELATIVE + if angle.is_small { 0.0 } else { ABSOLUTE };
    let propagated = (angle.sine_error(sine) + size * cosine_error) / abs(cosine.hi);
    Some(result.bounded(1.001 * (size * RELATIVE + propagated)))
}
