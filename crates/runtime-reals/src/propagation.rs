//! How operations propagate the error of high-precision numbers.
//!
//! Each number carries an [`OwnError`]: an estimate, signed and to first order. An operation's result has the operands' errors,
//! multiplied by its derivatives, and the error of its own rounding.

use lostbits_abi::{kind::FpKind, numbers::Operand, ops::Op};
use twofold::Bounded;

use crate::{
    arithmetic,
    evaluate::evaluate,
    number::{LIMB_BITS, Number, Shadow, Slot},
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

/// Near zero a root changes more than its slope says, but never by more than the root of the error. A number that is negative
/// only by its error has an unknown root.
#[inline(always)]
pub fn root((x, x_error): Known, result: &Number) -> OwnError {
    if x_error.is_exact() || x_error.is_unknown() {
        return x_error;
    }
    if result.is_nan() {
        return match x.is_regular() && x.size > sure_power(x_error) {
            true => OwnError::EXACT,
            false => OwnError::UNKNOWN,
        };
    }
    let most = x_error.power().div_euclid(2) + 1;
    match result.is_regular() {
        true => x_error.over(result).scaled(0.5).at_most(most),
        // A root of nothing may be one of something that was absorbed.
        false => OwnError::power_of_two(most).with_absorption_of(x_error),
    }
}

/// A number and its own error.
pub type Known<'a> = (&'a Number, OwnError);

/// The error of the result of an operation with two operands that is due to the operands' errors.
pub type Propagation = fn(Known, Known, &Number) -> OwnError;

#[inline(always)]
pub fn add((_, x): Known, (_, y): Known, _: &Number) -> OwnError {
    x.plus(y)
}

#[inline(always)]
pub fn sub((_, x): Known, (_, y): Known, _: &Number) -> OwnError {
    x.plus(-y)
}

#[inline(always)]
pub fn mul((x, x_error): Known, (y, y_error): Known, _: &Number) -> OwnError {
    product(x, x_error, y, y_error)
}

#[inline(always)]
pub fn div((_, x_error): Known, (y, y_error): Known, result: &Number) -> OwnError {
    quotient(x_error, y, y_error, result)
}

/// The whole error of such a result.
#[inline(always)]
pub fn of_binary(
    propagated: Propagation,
    [x, y]: [Known; 2],
    result: &Number,
    inexact: bool,
) -> OwnError {
    propagated(x, y, result).plus(rounding(result, inexact, salt(x.0, y.0)))
}

/// The whole error of any operation's result.
pub fn of_any(op: Op, operands: &[Operand], result: &Number) -> OwnError {
    let own = match op.info().stability.is_exact() {
        true => OwnError::EXACT,
        false => rounding(result, true, salt_of(operands)),
    };
    propagated(op, operands, result).plus(own)
}

/// Identifies the operands of an operation.
fn salt_of(operands: &[Operand]) -> u64 {
    let salt = |operand: &Operand| match Shadow::of_operand(operand).slot() {
        Some(slot) => slot.number.salt(),
        None => operand.bits,
    };
    operands.iter().map(salt).fold(0, u64::wrapping_add)
}

/// The power of two that surely exceeds the error.
#[inline(always)]
pub fn sure_power(error: OwnError) -> i64 {
    error.power() + MARGIN_BITS
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
        Extend | Truncate | Canonicalize | ComplexPart | FromSigned | FromUnsigned => first(),
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
            None => {
                let errors = operands
                    .iter()
                    .map(|one| Shadow::of_operand(one).own_error());
                let error = by_perturbation(op, operands, result);
                errors.fold(error, OwnError::with_absorption_of)
            }
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
    if !evaluate(op, &mut again, &changed[..operands.len()]) {
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

pub fn set_power_of_two(slot: &mut Slot, power: i64) {
    let limb = 1 << power.rem_euclid(LIMB_BITS);
    slot.set_one_limb(limb, 1, power.div_euclid(LIMB_BITS) + 1);
}
