//! The error of high-precision numbers themselves, and how operations propagate it.
//!
//! Each number carries an [`ErrorExponent`]. As in mode `explain`, where errors meet the larger one is kept instead of their
//! sum, and verdicts allow for a factor. So a difference of which only noise is left is not taken for a result, at any
//! precision.

use lostbits_abi::{kind::FpKind, numbers::Operand, ops::Op};

use super::super::{double_double::DoubleDouble, functions, measure};
use crate::{
    arithmetic,
    error_exponent::ErrorExponent,
    number::{LIMB_BITS, Number, Shadow, Slot},
    operate, settings,
    value::Value,
};

/// A divisor must be known to this many bits.
const SURE_BITS: i64 = 20;

/// The size of a number; far below all others for zeros, infinities and NaN.
#[inline(always)]
fn size(number: &Number) -> i64 {
    match number.is_regular() {
        true => number.size,
        false => ErrorExponent::EXACT.power(),
    }
}

/// The error of rounding a result to the current precision.
#[inline(always)]
pub fn rounding(result: &Number, inexact: bool) -> ErrorExponent {
    match inexact && result.is_regular() {
        true => ErrorExponent::new(result.size - settings::precision()),
        false => ErrorExponent::EXACT,
    }
}

#[inline(always)]
pub fn product(
    x: &Number,
    x_error: ErrorExponent,
    y: &Number,
    y_error: ErrorExponent,
) -> ErrorExponent {
    (x_error + size(y)).max(y_error + size(x)).clamped()
}

#[inline(always)]
pub fn quotient(
    x_error: ErrorExponent,
    y: &Number,
    y_error: ErrorExponent,
    result: &Number,
) -> ErrorExponent {
    let y_size = size(y);
    if y_error != ErrorExponent::EXACT && y_error >= ErrorExponent::new(y_size - SURE_BITS) {
        return ErrorExponent::UNKNOWN;
    }
    if !y.is_regular() {
        return ErrorExponent::EXACT;
    }
    let propagated = (x_error + 1).max(y_error + 1 + size(result));
    (propagated - y_size).clamped()
}

/// Near zero a root changes more than its slope says, but never by more than the root of the error.
#[inline(always)]
pub fn root(x_error: ErrorExponent, result: &Number) -> ErrorExponent {
    match x_error {
        ErrorExponent::EXACT => ErrorExponent::EXACT,
        _ => (x_error - size(result)).min(x_error.root()).clamped(),
    }
}

/// From a bound in doubles.
pub fn from_bound(bound: f64) -> ErrorExponent {
    match bound {
        0.0 => ErrorExponent::EXACT,
        bound if bound <= f64::MAX => ErrorExponent::new(i64::from(measure::exponent(bound)) + 1),
        _ => ErrorExponent::UNKNOWN,
    }
}

/// As a bound in doubles.
pub fn bound(error: ErrorExponent) -> f64 {
    measure::power_of_two(error.power().clamp(-2000, 2000) as i32)
}

/// The error of any operation's result that is due to its operands' errors.
pub fn propagated(op: Op, operands: &[Operand], result: &Number) -> ErrorExponent {
    let most = largest(operands);
    if most == ErrorExponent::EXACT || most == ErrorExponent::UNKNOWN || !result.is_regular() {
        return most;
    }
    match slope(op, operands, result) {
        Some(power) => (most + power).clamped(),
        None => by_perturbation(op, operands, result),
    }
}

fn largest(operands: &[Operand]) -> ErrorExponent {
    operands
        .iter()
        .map(|operand| Shadow::of_operand(operand).error_exponent())
        .max()
        .unwrap_or(ErrorExponent::EXACT)
}

/// A power of two above the derivative, where that is cheap to compute.
fn slope(op: Op, operands: &[Operand], result: &Number) -> Option<i64> {
    use Op::*;
    if matches!(
        op,
        Neg | Abs | Fmin | Fmax | Minimum | Maximum | MinimumNum | MaximumNum
    ) {
        return Some(0);
    }
    let [x] = operands else { return None };
    let value = Value::of_operand(x)?;
    let x = DoubleDouble::sum(super::events::as_double(value), 0.0);
    let result = Value::nearest(FpKind::Double, result);
    let slope = functions::slope(op, &[x], f64::from_bits(result.bits))?;
    (slope > 0.0 && slope.is_finite()).then(|| i64::from(measure::exponent(slope)) + 1)
}

/// Twice the change of the result when each operand changes by its error; the factor allows for extremes in between.
fn by_perturbation(op: Op, operands: &[Operand], result: &Number) -> ErrorExponent {
    const MOST: usize = 3;
    if operands.len() > MOST {
        // A reduction: its terms are summed or compared.
        return largest(operands);
    }
    let mut slots: [Slot; MOST] = core::array::from_fn(|_| Slot::new());
    let mut changed = [Operand {
        slot: 0,
        bits: 0,
        high: 0,
        kind: 0,
    }; MOST];
    for ((operand, slot), changed) in operands.iter().zip(&mut slots).zip(&mut changed) {
        *changed = *operand;
        let shadow = Shadow::of_operand(operand);
        if let Some(from) = shadow
            .slot()
            .filter(|from| from.error_exponent != ErrorExponent::EXACT)
        {
            let mut step = Slot::new();
            set_power_of_two(&mut step, from.error_exponent.power());
            arithmetic::add(slot, &from.number, &step.number);
            changed.slot = Shadow::of(slot).word();
        }
    }
    let mut again = Slot::new();
    if !operate::evaluate(op, &mut again, &changed[..operands.len()]) {
        return ErrorExponent::UNKNOWN;
    }
    let mut difference = Slot::new();
    arithmetic::sub(&mut difference, &again.number, result);
    let difference = &difference.number;
    match difference.is_regular() {
        true => ErrorExponent::new(difference.size + 1),
        false if difference.is_zero() => ErrorExponent::EXACT,
        false => ErrorExponent::UNKNOWN,
    }
}

fn set_power_of_two(slot: &mut Slot, power: i64) {
    let limb = 1 << power.rem_euclid(LIMB_BITS);
    slot.set_one_limb(limb, 1, power.div_euclid(LIMB_BITS) + 1);
}

#[cfg(test)]
mod tests {
    use super::*;

    const EXACT: ErrorExponent = ErrorExponent::EXACT;
    const UNKNOWN: ErrorExponent = ErrorExponent::UNKNOWN;

    /// The smallest number of a size.
    fn number(slot: &mut Slot, size: i64) -> &Number {
        set_power_of_two(slot, size - 1);
        &slot.number
    }

    #[test]
    fn errors_are_scaled_by_operands_and_slopes() {
        let error = ErrorExponent::new;
        let (mut x, mut y, mut z) = (Slot::new(), Slot::new(), Slot::new());
        let (x, y, z) = (number(&mut x, 10), number(&mut y, -5), number(&mut z, 15));
        assert_eq!(product(x, error(-90), y, error(-100)), error(-90));
        assert_eq!(product(x, error(-90), y, EXACT), error(-95));
        assert_eq!(product(x, EXACT, y, EXACT), EXACT);
        assert_eq!(quotient(EXACT, y, EXACT, z), EXACT);
        assert_eq!(quotient(error(-90), y, EXACT, z), error(-84));
        assert_eq!(quotient(EXACT, y, error(-100), z), error(-79));
        assert_eq!(quotient(EXACT, y, error(-6), z), UNKNOWN);
        assert_eq!(root(error(-90), x), error(-100));
        assert_eq!(root(EXACT, x), EXACT);
        assert_eq!(bound(EXACT), 0.0);
        assert_eq!(bound(error(-3)), 0.125);
        assert_eq!(bound(UNKNOWN), f64::INFINITY);
    }
}
