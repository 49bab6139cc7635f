//! Operations in exact arithmetic: by double-double functions (`twofold`) where they cover the arguments, otherwise by MPFR.

use lostbits_abi::ops::Op;
use twofold::Bounded;

use super::double_double::DoubleDouble;
use crate::library;

/// High enough that errors are far below what residues keep.
const PRECISION: u32 = 192;
/// A bound on the relative error of rounding to a sum of two doubles.
const RELATIVE: f64 = 2.5e-32;

/// The exact result, and a bound on its error if each operand's error is within its bound (an empty slice: exact operands).
pub fn evaluate(op: u16, operands: &[DoubleDouble], bounds: &[f64]) -> Option<(DoubleDouble, f64)> {
    let known = Op::from_u16(op)?;
    let (result, own) = match by_twofold(known, operands) {
        Some(bounded) => (
            DoubleDouble {
                high: bounded.hi,
                low: bounded.lo,
            },
            bounded.error,
        ),
        None => {
            let result = by_mpfr(op, operands)?;
            let own = match known.rounds_to_integer() {
                true => 0.0,
                false => (result.high * RELATIVE).abs(),
            };
            (result, own)
        }
    };
    if bounds.iter().all(|bound| *bound == 0.0) {
        return Some((result, own));
    }
    let propagated = match slope(known, operands, result.high) {
        Some(slope) => slope * bounds[0],
        None => by_perturbation(known, operands, bounds, result),
    };
    Some((result, own + propagated))
}

fn by_twofold(op: Op, operands: &[DoubleDouble]) -> Option<Bounded> {
    use Op::*;
    if let [x, y] = operands {
        let (x, y) = (*x, *y);
        return match op {
            Atan2 => twofold::atan2(x.high, x.low, y.high, y.low),
            Hypot => twofold::hypot(x.high, x.low, y.high, y.low),
            Pow | Powi => twofold::pow(x.high, x.low, y.high, y.low),
            _ => None,
        };
    }
    let [x] = operands else { return None };
    let function = match op {
        Exp => twofold::exp,
        Exp2 => twofold::exp2,
        Expm1 => twofold::expm1,
        Erf => twofold::erf,
        Erfc => twofold::erfc,
        Log => twofold::log,
        Log2 => twofold::log2,
        Log10 => twofold::log10,
        Log1p => twofold::log1p,
        Sin | Sincos => twofold::sin,
        Cos => twofold::cos,
        Tan => twofold::tan,
        Asin => twofold::asin,
        Acos => twofold::acos,
        Atan => twofold::atan,
        Sinh => twofold::sinh,
        Cosh => twofold::cosh,
        Tanh => twofold::tanh,
        Asinh => twofold::asinh,
        Acosh => twofold::acosh,
        Atanh => twofold::atanh,
        Sqrt => twofold::sqrt,
        Cbrt => twofold::cbrt,
        _ => return None,
    };
    function(x.high, x.low)
}

fn by_mpfr(op: u16, operands: &[DoubleDouble]) -> Option<DoubleDouble> {
    let mut pairs = [[0.0; 2]; 3];
    for (pair, operand) in pairs.iter_mut().zip(operands) {
        *pair = [operand.high, operand.low];
    }
    let pairs = pairs.get(..operands.len())?;
    library::evaluate(u32::from(op), PRECISION, pairs).map(|[high, low]| DoubleDouble { high, low })
}

/// A bound on the derivative near `x`, with a margin of a tenth, for functions of one operand where it is cheap; `f` is the
/// result.
pub fn slope(op: Op, operands: &[DoubleDouble], f: f64) -> Option<f64> {
    use Op::*;
    let [x] = operands else { return None };
    let x = x.high;
    let slope = match op {
        Exp | Sinh | Cosh => f.abs() + 1.0,
        Exp2 => f.abs(),
        Expm1 => (f + 1.0).abs(),
        // Its derivative is less than 2/√π, and for x ≥ 0 than (x + √(x² + 2)) times the result.
        Erfc if x >= 0.0 => (2.0 * x + 1.5) * f,
        Erf | Erfc => 1.13,
        Log => 1.0 / x.abs(),
        Log2 => 1.5 / x.abs(),
        Log10 => 0.5 / x.abs(),
        Log1p => 1.0 / (1.0 + x).abs(),
        Sin | Sincos | Cos | Atan | Tanh | Asinh => 1.0,
        Tan => 1.0 + f * f,
        _ => return None,
    };
    Some(slope * 1.1)
}

/// Twice the change of the result when each operand changes by its bound; the factor allows for extremes in between. Functions
/// that jump may do so on one side alone.
fn by_perturbation(op: Op, operands: &[DoubleDouble], bounds: &[f64], result: DoubleDouble) -> f64 {
    let directions = match op.is_discrete() {
        true => 1 << operands.len(),
        false => 1,
    };
    let mut most = 0.0f64;
    for direction in 0..directions {
        let mut moved = [DoubleDouble::ZERO; 3];
        for (index, operand) in operands.iter().enumerate().take(3) {
            let bound = bounds.get(index).copied().unwrap_or(0.0);
            let is_down = direction >> index & 1 == 1;
            moved[index] = operand.plus(if is_down { -bound } else { bound });
        }
        let moved = moved.get(..operands.len()).unwrap_or_default();
        let again = by_twofold_or_mpfr(op as u16, moved);
        let change = again.map_or(f64::INFINITY, |again| again.minus(result).high.abs());
        most = most.max(change);
    }
    2.0 * most
}

fn by_twofold_or_mpfr(op: u16, operands: &[DoubleDouble]) -> Option<DoubleDouble> {
    let fast = by_twofold(Op::from_u16(op)?, operands).map(|bounded| DoubleDouble {
        high: bounded.hi,
        low: bounded.lo,
    });
    fast.or_else(|| by_mpfr(op, operands))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bound_of_floor(high: f64, low: f64, bound: f64) -> (f64, f64) {
        let operand = DoubleDouble { high, low };
        let (result, bound) = evaluate(Op::Floor as u16, &[operand], &[bound]).expect("a number");
        (result.high, bound)
    }

    #[test]
    fn roundings_are_exact_unless_a_whole_number_is_within_the_bound() {
        assert_eq!(bound_of_floor(1.59, 1e-18, 1e-20), (1.0, 0.0));
        assert_eq!(bound_of_floor(2.0, 1e-17, 1e-20), (2.0, 0.0));
        assert_eq!(bound_of_floor(2.0, 0.0, 1e-20), (2.0, 2.0));
        assert_eq!(bound_of_floor(2.0, -1e-21, 1e-20), (1.0, 2.0));
    }
}
