//! Interventions on high-precision numbers: where an operation's own rounding error or its operands' errors are left out.
//!
//! What residues do to first order, numbers do exactly: an operation whose own error is left out gets the error that it has in the
//! program, replayed; one whose inherited errors are left out is computed from the program's operands. With all errors left out every
//! number is the program's value. So runs can ask which statement makes a NaN, or an error too large for residues.

use lostbits_abi::{explain::intervention, numbers::Operand, ops::Op};

use super::super::intervening;
use crate::{
    arithmetic,
    evaluate::evaluate,
    number::{Number, Short, Slot},
    operate::Shadowed,
    value::Value,
};

/// Operands of most operations, and the most that a reduction of a vector has, with its start value.
const MOST_OPERANDS: usize = 66;

/// Changes the number of a result, where a run intervenes.
#[inline(always)]
pub fn apply(slot: &mut Slot, site: u32, op: Op, operands: &[Shadowed], result: Value) {
    if intervening::is_active() {
        apply_to_shadowed(slot, site, op, operands, result);
    }
}

#[cold]
fn apply_to_shadowed(slot: &mut Slot, site: u32, op: Op, operands: &[Shadowed], result: Value) {
    let mut values = [NONE; 3];
    for (value, (_, operand)) in values.iter_mut().zip(operands) {
        *value = of_program(*operand);
    }
    change(
        slot,
        intervening::at(site),
        op,
        &values[..operands.len().min(3)],
        result,
    );
}

/// As [`apply`], for any operation.
#[inline(always)]
pub fn apply_to_any(slot: &mut Slot, site: u32, op: Op, operands: &[Operand], result: Value) {
    if intervening::is_active() {
        apply_to_operands(slot, site, op, operands, result);
    }
}

#[cold]
fn apply_to_operands(slot: &mut Slot, site: u32, op: Op, operands: &[Operand], result: Value) {
    let mut values = [NONE; MOST_OPERANDS];
    let Some(values) = values.get_mut(..operands.len()) else {
        return;
    };
    for (value, operand) in values.iter_mut().zip(operands) {
        *value = Operand {
            slot: 0,
            ..*operand
        };
    }
    change(slot, intervening::at(site), op, values, result);
}

const NONE: Operand = Operand {
    slot: 0,
    bits: 0,
    high: 0,
    kind: 0,
};

fn of_program(value: Value) -> Operand {
    Operand {
        slot: 0,
        bits: value.bits,
        high: value.high.into(),
        kind: value.kind as u32,
    }
}

/// `operands` are the program's, without shadows.
fn change(slot: &mut Slot, left_out: u8, op: Op, operands: &[Operand], result: Value) {
    if left_out == 0 {
        return;
    }
    let without_own = left_out & intervention::WITHOUT_OWN_ERROR != 0;
    let without_inherited = left_out & intervention::WITHOUT_INHERITED_ERROR != 0;
    if without_own && without_inherited {
        slot.set_value(result);
        return;
    }
    let mut between = Slot::new();
    if !evaluate(op, &mut between, operands) {
        return;
    }
    if without_inherited {
        copy(slot, &between);
        return;
    }
    let is_number = between.number.is_regular() || between.number.is_zero();
    if !without_own || !is_number {
        return;
    }
    if !result.is_finite() {
        // The program's rounding made an infinity: it overflows as the number does.
        slot.set_value(Value::nearest(result.kind, &slot.number));
        return;
    }
    let (mut short, mut error, mut sum) = (Short::new(), Slot::new(), Slot::new());
    arithmetic::sub(&mut error, short.set(result), &between.number);
    arithmetic::add(&mut sum, &slot.number, &error.number);
    copy(slot, &sum);
}

/// Only the number.
fn copy(slot: &mut Slot, from: &Slot) {
    let Number { sign, size, .. } = from.number;
    slot.set(sign, size, from.number.limbs());
}

#[cfg(test)]
mod tests {
    use lostbits_abi::kind::FpKind;

    use super::*;
    use crate::testing::Shadowing;

    /// The program's 1 + 2, with a large error of its own.
    const PROGRAM: f64 = 3.5;

    /// The number of 1 + 2 as it is with something left out, where 1 is 1.25 in exact arithmetic.
    fn sum(left_out: u8) -> Value {
        let (x, y) = (Shadowing::new(1.0, 0.25), Shadowing::new(2.0, 0.0));
        let operands = [x.operand(), y.operand()];
        let mut slot = Slot::new();
        assert!(evaluate(Op::Add, &mut slot, &operands));
        let of_program = operands.map(|operand| Operand { slot: 0, ..operand });
        let program = Value::of_double(PROGRAM);
        change(&mut slot, left_out, Op::Add, &of_program, program);
        Value::nearest(FpKind::Double, &slot.number)
    }

    #[test]
    fn errors_are_left_out_one_by_one() {
        let (own, inherited) = (
            intervention::WITHOUT_OWN_ERROR,
            intervention::WITHOUT_INHERITED_ERROR,
        );
        assert_eq!(sum(0), Value::of_double(3.25));
        assert_eq!(sum(own), Value::of_double(3.75));
        assert_eq!(sum(inherited), Value::of_double(3.0));
        assert_eq!(sum(own | inherited), Value::of_double(PROGRAM));
    }

    #[test]
    fn an_overflow_is_an_error_too() {
        let [large, infinity] = [1e308, f64::INFINITY].map(Value::of_double);
        let operands = [of_program(large); 2];
        let mut slot = Slot::new();
        assert!(evaluate(Op::Add, &mut slot, &operands));
        assert!(slot.number.is_regular());
        let own = intervention::WITHOUT_OWN_ERROR;
        change(&mut slot, own, Op::Add, &operands, infinity);
        assert_eq!(Value::nearest(FpKind::Double, &slot.number), infinity);
    }
}
