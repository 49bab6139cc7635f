//! Thresholds of a steered run: a number that lies within its own error of a threshold counts as equal to it.
//!
//! High-precision arithmetic rounds too: `r/cut*40` may be 18.99… where it is exactly 19. Without this rule a steered run would
//! make a right result wrong, at any precision. Thresholds are the other operand of a comparison, whole numbers and halves for
//! roundings, multiples of the divisor for remainders, and zero for outputs.
//!
//! What it can miss: a number that differs from a threshold by less than its own error counts as equal too.

use core::mem::MaybeUninit;

use lostbits_abi::{kind::FpKind, numbers::Operand, ops::Op};

use crate::{
    arithmetic,
    evaluate::{self, number_of},
    number::{Number, Shadow, Short, Slot},
    own_error::OwnError,
    propagation::{self, sure_power},
    value::Value,
};

/// Verdicts allow for errors this many bits larger, beside the estimate's own margin.
pub const ALLOWANCE_BITS: i64 = 4;

/// Whether two numbers are less than 2^power apart.
pub fn are_within(x: &Number, y: &Number, power: i64) -> bool {
    let is_within = |size: i64| size <= power;
    // Numbers of sizes that differ by more than one are far apart.
    if x.is_regular() && y.is_regular() && x.size.abs_diff(y.size) > 1 {
        return is_within(x.size.max(y.size) - 1);
    }
    let mut memory = MaybeUninit::<Slot>::uninit();
    let difference = Slot::uninit(&mut memory);
    arithmetic::sub(difference, x, y);
    match difference.number.is_regular() {
        true => is_within(difference.number.size),
        false => difference.number.is_zero(),
    }
}

/// Whether two numbers cannot be distinguished, given the error of their difference.
pub fn are_equal(x: &Number, y: &Number, error: OwnError) -> bool {
    !error.is_exact() && are_within(x, y, sure_power(error) + ALLOWANCE_BITS)
}

/// Whether an operation's result jumps where its operands change continuously.
pub fn jumps(op: Op) -> bool {
    use Op::*;
    matches!(
        op,
        ToSigned
            | ToUnsigned
            | Floor
            | Ceil
            | Trunc
            | Round
            | RoundEven
            | Rint
            | Nearbyint
            | Lrint
            | Llrint
            | Lround
            | Llround
    )
}

/// As [`evaluate::evaluate`], with operands at thresholds taken for equal to them; also sets the result's own error. Returns
/// false, which leaves the program's own result, if nothing is known about an operand that matters.
pub fn evaluate(op: Op, slot: &mut Slot, operands: &[Operand]) -> bool {
    match (op, operands) {
        (Op::Rem | Op::Modulo | Op::Remainder, [x, y]) if may_err(operands) => {
            remainder(op, slot, x, y)
        }
        (_, [x]) if jumps(op) => round(op, slot, x),
        _ => {
            let is_known = evaluate::evaluate(op, slot, operands);
            slot.own_error = propagation::of_any(op, operands, &slot.number);
            is_known
        }
    }
}

fn may_err(operands: &[Operand]) -> bool {
    let has_error = |operand: &Operand| !Shadow::of_operand(operand).own_error().is_exact();
    operands.iter().any(has_error)
}

/// A rounding to a whole number. Each side of a jump is exact.
fn round(op: Op, slot: &mut Slot, operand: &Operand) -> bool {
    slot.own_error = OwnError::EXACT;
    let shadow = Shadow::of_operand(operand);
    let Some(from) = shadow.slot().filter(|slot| !slot.own_error.is_exact()) else {
        return evaluate::evaluate(op, slot, core::slice::from_ref(operand));
    };
    let mut half = Slot::new();
    match at_half(&mut half, &from.number, from.own_error) {
        None => false,
        Some(false) => evaluate::evaluate(op, slot, core::slice::from_ref(operand)),
        Some(true) => evaluate::evaluate(op, slot, &[as_operand(&half, operand)]),
    }
}

/// The format of a number that is no value of the program.
const DOUBLE: Operand = Operand {
    slot: 0,
    bits: 0,
    high: 0,
    kind: FpKind::Double as u32,
};

/// Sets a slot to the multiple of 1/2 nearest to a number, and says whether they cannot be distinguished; none if the error is
/// too large to say which multiple that is.
fn at_half(slot: &mut Slot, number: &Number, error: OwnError) -> Option<bool> {
    const LARGEST: i64 = -3;
    if error.is_unknown() || sure_power(error) + ALLOWANCE_BITS > LARGEST {
        return None;
    }
    let (mut twice, mut whole) = (Slot::new(), Slot::new());
    arithmetic::add(&mut twice, number, number);
    let double = as_operand(&twice, &DOUBLE);
    if !evaluate::evaluate(Op::RoundEven, &mut whole, &[double]) {
        return None;
    }
    let mut short = Short::new();
    arithmetic::mul(slot, &whole.number, short.set(Value::of_double(0.5)));
    Some(are_equal(number, &slot.number, error))
}

/// A remainder: x − n·y, where the quotient that gives n may be at a threshold.
fn remainder(op: Op, slot: &mut Slot, x: &Operand, y: &Operand) -> bool {
    let (mut short_x, mut short_y) = (Short::new(), Short::new());
    let (Some(dividend), Some(divisor)) = (number_of(x, &mut short_x), number_of(y, &mut short_y))
    else {
        return false;
    };
    let errors = [x, y].map(|operand| Shadow::of_operand(operand).own_error());
    let mut quotient = Slot::new();
    let inexact = arithmetic::div(&mut quotient, dividend, divisor);
    let known = [(dividend, errors[0]), (divisor, errors[1])];
    let number = &quotient.number;
    let error = propagation::of_binary(propagation::div, known, number, inexact);
    let mut half = Slot::new();
    let counted = match at_half(&mut half, number, error) {
        _ if !number.is_regular() && !number.is_zero() => return false,
        None => return false,
        Some(true) => as_operand(&half, x),
        Some(false) => as_operand(&quotient, x),
    };
    let rounding = match op {
        Op::Rem => Op::Trunc,
        Op::Modulo => Op::Floor,
        _ => Op::RoundEven,
    };
    let (mut times, mut multiple) = (Slot::new(), Slot::new());
    if !evaluate::evaluate(rounding, &mut times, &[counted]) {
        return false;
    }
    let product_is_inexact = arithmetic::mul(&mut multiple, &times.number, divisor);
    let inexact = arithmetic::sub(slot, dividend, &multiple.number);
    let of_product = propagation::of_binary(
        propagation::mul,
        [(&times.number, OwnError::EXACT), (divisor, errors[1])],
        &multiple.number,
        product_is_inexact,
    );
    let known = [(dividend, errors[0]), (&multiple.number, of_product)];
    slot.own_error = propagation::of_binary(propagation::sub, known, &slot.number, inexact);
    true
}

/// An operand that is a slot's number, in another operand's format.
fn as_operand(slot: &Slot, like: &Operand) -> Operand {
    Operand {
        slot: Shadow::of(slot).word(),
        ..*like
    }
}

/// The value nearest to a number that is to be printed. Noise prints as zero, and where two values are equally near, the
/// program's counts.
pub fn nearest(slot: &Slot, program: Value) -> Value {
    let (number, error) = (&slot.number, slot.own_error);
    let nearest = Value::nearest(program.kind, number);
    if nearest == program || error.is_exact() || error.is_unknown() {
        return nearest;
    }
    let mut zero = Short::new();
    let zero = zero.set(Value::of_double(0.0));
    if are_equal(number, zero, error) {
        return Value::nearest(program.kind, zero);
    }
    match program.distance(nearest) == 1 && is_between(number, [program, nearest], error) {
        true => program,
        false => nearest,
    }
}

/// Whether a number cannot be distinguished from the middle of two values.
fn is_between(number: &Number, values: [Value; 2], error: OwnError) -> bool {
    let (mut twice, mut sum) = (Slot::new(), Slot::new());
    let (mut x, mut y) = (Short::new(), Short::new());
    arithmetic::add(&mut twice, number, number);
    arithmetic::add(&mut sum, x.set(values[0]), y.set(values[1]));
    are_equal(&twice.number, &sum.number, error.plus(error))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Shadowing;

    const NOISE: f64 = 1e-30;

    /// What an operation makes of values whose numbers differ from them by noise of ±1e-30, with an error just as large.
    fn evaluated(op: Op, values: &[f64], noise: f64, error: f64) -> Option<f64> {
        let power = error.log2() as i64;
        let shadowings: std::vec::Vec<Shadowing> = values
            .iter()
            .map(|value| Shadowing::with_error(*value, noise, OwnError::power_of_two(power)))
            .collect();
        let operands: std::vec::Vec<Operand> = shadowings.iter().map(Shadowing::operand).collect();
        let mut slot = Slot::new();
        let nearest = |slot: &Slot| nearest(slot, Value::of_double(0.5)).bits;
        evaluate(op, &mut slot, &operands).then(|| f64::from_bits(nearest(&slot)))
    }

    #[test]
    fn numbers_within_their_error_of_a_jump_are_at_it() {
        for noise in [NOISE, -NOISE] {
            for (op, values, expected) in [
                (Op::Floor, &[19.0][..], 19.0),
                (Op::Ceil, &[19.0], 19.0),
                (Op::ToSigned, &[19.0], 19.0),
                (Op::Trunc, &[-3.0], -3.0),
                (Op::Trunc, &[0.75], 0.0),
                (Op::Round, &[2.5], 3.0),
                (Op::RoundEven, &[2.5], 2.0),
                (Op::Lround, &[-2.5], -3.0),
                (Op::Rem, &[6.0, 2.0], 0.0),
                (Op::Rem, &[7.25, 2.0], 1.25),
                (Op::Modulo, &[-1.0, 4.0], 3.0),
                (Op::Remainder, &[5.0, 2.0], 1.0),
            ] {
                let result = evaluated(op, values, noise, NOISE);
                assert_eq!(result, Some(expected), "{op:?} of {values:?}");
            }
        }
    }

    #[test]
    fn numbers_beyond_their_error_decide() {
        let error = NOISE * 1e-10;
        assert_eq!(evaluated(Op::Floor, &[19.0], -NOISE, error), Some(18.0));
        assert_eq!(evaluated(Op::Ceil, &[19.0], NOISE, error), Some(20.0));
        assert_eq!(evaluated(Op::RoundEven, &[2.5], NOISE, error), Some(3.0));
        // 6 + ε is three times 2 + ε, less 2ε.
        let rest = evaluated(Op::Rem, &[6.0, 2.0], NOISE, error).unwrap();
        assert_eq!(rest, 2.0);
        assert_eq!(evaluated(Op::Floor, &[19.0], NOISE, 1.0), None);
    }

    #[test]
    fn noise_prints_as_zero_and_ties_as_the_program_has_them() {
        let printed = |value: f64, residue: f64, program: f64, error: i64| {
            let error = OwnError::power_of_two(error);
            let shadowing = Shadowing::with_error(value, residue, error);
            f64::from_bits(nearest(shadowing.slot(), Value::of_double(program)).bits)
        };
        assert_eq!(printed(0.0, NOISE, 5e-17, -100), 0.0);
        assert_eq!(printed(0.0, NOISE, 5e-17, -140), NOISE);
        let half_ulp = f64::EPSILON / 2.0;
        assert_eq!(
            printed(1.0, half_ulp, 1.0 + f64::EPSILON, -120),
            1.0 + f64::EPSILON
        );
        assert_eq!(printed(1.0, half_ulp, 1.0, -120), 1.0);
        assert_eq!(printed(1.0, half_ulp * 1.01, 1.0, -120), 1.0 + f64::EPSILON);
    }
}
