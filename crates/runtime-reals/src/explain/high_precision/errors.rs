//! The error of high-precision numbers themselves, and how operations propagate it.
//!
//! Each number carries an [`OwnError`]: an estimate, signed and to first order. So a difference of which only noise is left
//! is not taken for a result, at any precision ([`is_noise`]).

use core::sync::atomic::{AtomicBool, Ordering::Relaxed};

use lostbits_abi::{kind::FpKind, numbers::Operand, ops::Op};

use twofold::Bounded;

use super::super::measure;
use crate::{
    arithmetic,
    number::{LIMB_BITS, Number, Shadow, Slot},
    operate,
    own_error::{MARGIN_BITS, OwnError},
    settings,
    value::Value,
};

/// A divisor must be known to this many bits.
const SURE_BITS: i64 = 20;

/// Identifies the operands of an operation, in any order.
#[inline(always)]
pub fn salt(x: &Number, y: &Number) -> u64 {
    x.salt().wrapping_add(y.salt())
}

/// The error of rounding a result to the current precision; `salt` identifies the operands.
#[inline(always)]
pub fn rounding(result: &Number, inexact: bool, salt: u64) -> OwnError {
    match inexact && result.is_regular() {
        true => OwnError::of_rounding(result, settings::precision(), salt),
        false => OwnError::EXACT,
    }
}

#[inline(always)]
pub fn product(x: &Number, x_error: OwnError, y: &Number, y_error: OwnError) -> OwnError {
    let first_order = x_error.times(y).plus(y_error.times(x));
    match x.is_zero() || y.is_zero() {
        true => first_order.plus(x_error.squared_with(y_error)),
        false => first_order,
    }
}

#[inline(always)]
pub fn quotient(x_error: OwnError, y: &Number, y_error: OwnError, result: &Number) -> OwnError {
    if !y_error.is_exact() && (!y.is_regular() || y_error.power() >= y.size - SURE_BITS) {
        return OwnError::UNKNOWN;
    }
    if !y.is_regular() {
        return OwnError::EXACT;
    }
    x_error.plus(-y_error.times(result)).over(y)
}

/// Near zero a root changes more than its slope says, but never by more than the root of the error.
#[inline(always)]
pub fn root(x_error: OwnError, result: &Number) -> OwnError {
    if x_error.is_exact() || x_error.is_unknown() {
        return x_error;
    }
    let most = x_error.power().div_euclid(2) + 1;
    match result.is_regular() {
        true => x_error.over(result).scaled(0.5).at_most(most),
        false => OwnError::power_of_two(most),
    }
}

/// From a bound in doubles.
pub fn from_bound(bound: f64) -> OwnError {
    match bound {
        0.0 => OwnError::EXACT,
        bound if bound <= f64::MAX => {
            OwnError::power_of_two(i64::from(measure::exponent(bound)) + 1)
        }
        _ => OwnError::UNKNOWN,
    }
}

/// The power of two that surely exceeds the error.
#[inline(always)]
pub fn sure_power(error: OwnError) -> i64 {
    error.power() + MARGIN_BITS
}

/// As a bound in doubles.
pub fn bound(error: OwnError) -> f64 {
    measure::power_of_two(sure_power(error).clamp(-2000, 2000) as i32)
}

static NOISE_IS_ZERO: AtomicBool = AtomicBool::new(false);

/// Another precision confirms this run, or does not.
pub fn set_noise_is_zero(is_zero: bool) {
    NOISE_IS_ZERO.store(is_zero, Relaxed);
}

/// Whether a number that is nothing but noise may be taken for zero.
pub fn is_noise_zero() -> bool {
    NOISE_IS_ZERO.load(Relaxed)
}

/// Whether a number cannot be told from zero: nothing is left above its own error, and no term was absorbed that more
/// precision would show.
#[inline(always)]
pub fn is_noise(number: &Number, error: OwnError) -> bool {
    !error.is_exact()
        && !error.is_unknown()
        && !error.has_absorbed()
        && (number.is_zero() || (number.is_regular() && number.size <= sure_power(error)))
}

/// The error of any operation's result that is due to its operands' errors.
pub fn propagated(op: Op, operands: &[Operand], result: &Number) -> OwnError {
    use Op::*;
    let most = largest(operands);
    if most.is_exact() || most.is_unknown() || !result.is_regular() {
        return most;
    }
    let first = || Shadow::of_operand(&operands[0]).own_error();
    match op {
        Extend | Truncate | Canonicalize | FromSigned | FromUnsigned => first(),
        Neg => -first(),
        Abs | CopySign => match is_turned(&operands[0], result) {
            true => -first(),
            false => first(),
        },
        Fmin | Fmax | Minimum | Maximum | MinimumNum | MaximumNum => most,
        _ if op.info().folds == Some(Add) => operands
            .iter()
            .map(|operand| Shadow::of_operand(operand).own_error())
            .fold(OwnError::EXACT, OwnError::plus),
        _ => match derivative(op, operands, result) {
            Some(derivative) => first().scaled(derivative),
            None => by_perturbation(op, operands, result),
        },
    }
}

/// Whether an operand's number has the other sign.
fn is_turned(operand: &Operand, result: &Number) -> bool {
    let slot = Shadow::of_operand(operand).slot();
    slot.is_some_and(|slot| slot.number.sign != result.sign)
}

fn largest(operands: &[Operand]) -> OwnError {
    operands
        .iter()
        .map(|operand| Shadow::of_operand(operand).own_error())
        .fold(OwnError::EXACT, OwnError::or)
}

/// The derivative of a function of one operand, where that is cheap to compute.
fn derivative(op: Op, operands: &[Operand], result: &Number) -> Option<f64> {
    use Op::*;
    let [x] = operands else { return None };
    let x = &Shadow::of_operand(x).slot()?.number;
    let nearest = |number| f64::from_bits(Value::nearest(FpKind::Double, number).bits);
    let (x, f) = (nearest(x), nearest(result));
    let of = |function: fn(f64, f64) -> Option<Bounded>| Some(function(x, 0.0)?.hi);
    let derivative = match op {
        Exp => f,
        Exp2 => f * core::f64::consts::LN_2,
        Expm1 => f + 1.0,
        Log => 1.0 / x,
        Log2 => core::f64::consts::LOG2_E / x,
        Log10 => core::f64::consts::LOG10_E / x,
        Log1p => 1.0 / (1.0 + x),
        Sin => of(twofold::cos)?,
        Cos => -of(twofold::sin)?,
        Tan => 1.0 + f * f,
        Atan => 1.0 / (1.0 + x * x),
        Sinh => of(twofold::cosh)?,
        Cosh => of(twofold::sinh)?,
        Tanh => 1.0 - f * f,
        _ => return None,
    };
    // Where it is tiny, the second order may matter.
    (derivative.is_finite() && derivative.abs() > LEAST_DERIVATIVE).then_some(derivative)
}

const LEAST_DERIVATIVE: f64 = 1e-9;

/// The change of the result when each operand changes by its error, and up to twice that: it allows for extremes in between.
fn by_perturbation(op: Op, operands: &[Operand], result: &Number) -> OwnError {
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
        if let Some(from) = shadow.slot().filter(|from| !from.own_error.is_exact()) {
            let mut step = Slot::new();
            set_power_of_two(&mut step, from.own_error.power());
            step.number.sign = if from.own_error.is_negative() { -1 } else { 1 };
            arithmetic::add(slot, &from.number, &step.number);
            changed.slot = Shadow::of(slot).word();
        }
    }
    let mut again = Slot::new();
    if !operate::evaluate(op, &mut again, &changed[..operands.len()]) {
        return OwnError::UNKNOWN;
    }
    let mut difference = Slot::new();
    arithmetic::sub(&mut difference, &again.number, result);
    let difference = &difference.number;
    match difference.is_regular() {
        true if difference.sign < 0 => -OwnError::power_of_two(difference.size),
        true => OwnError::power_of_two(difference.size),
        false if difference.is_zero() => OwnError::EXACT,
        false => OwnError::UNKNOWN,
    }
}

fn set_power_of_two(slot: &mut Slot, power: i64) {
    let limb = 1 << power.rem_euclid(LIMB_BITS);
    slot.set_one_limb(limb, 1, power.div_euclid(LIMB_BITS) + 1);
}

#[cfg(test)]
mod tests {
    use super::*;

    const EXACT: OwnError = OwnError::EXACT;
    const UNKNOWN: OwnError = OwnError::UNKNOWN;

    /// The smallest number of a size.
    fn number(slot: &mut Slot, size: i64) -> &Number {
        set_power_of_two(slot, size - 1);
        &slot.number
    }

    #[test]
    fn errors_are_scaled_by_operands_and_slopes() {
        let error = OwnError::power_of_two;
        let (mut x, mut y, mut z) = (Slot::new(), Slot::new(), Slot::new());
        let (x, y, z) = (number(&mut x, 10), number(&mut y, -5), number(&mut z, 15));
        // Numbers of a size are at least half as large as the next power of two.
        let sum = error(-91).plus(error(-96));
        assert_eq!(product(x, error(-90), y, error(-100)), sum);
        assert_eq!(product(x, error(-90), y, EXACT), error(-96));
        assert_eq!(product(x, EXACT, y, EXACT), EXACT);
        // Of two zeros only the product of both errors is left.
        let mut zero = Slot::new();
        zero.set_value(Value::of_double(0.0));
        let zero = &zero.number;
        assert_eq!(product(zero, error(-90), zero, error(-100)), error(-190));
        assert_eq!(quotient(EXACT, y, EXACT, z), EXACT);
        assert_eq!(quotient(error(-90), y, EXACT, z), error(-84));
        assert_eq!(quotient(EXACT, y, error(-100), z), -error(-80));
        assert_eq!(quotient(EXACT, y, error(-6), z), UNKNOWN);
        assert_eq!(root(error(-90), x), error(-100));
        assert_eq!(root(error(-90), zero), error(-44));
        assert_eq!(root(EXACT, x), EXACT);
        assert_eq!(bound(EXACT), 0.0);
        assert_eq!(
            bound(error(-3)),
            0.25 * measure::power_of_two(MARGIN_BITS as i32)
        );
        assert!(is_noise(zero, error(-90)) && !is_noise(zero, EXACT));
        assert!(is_noise(y, error(-12)) && !is_noise(y, error(-20)));
        assert_eq!(bound(UNKNOWN), f64::INFINITY);
    }
}
