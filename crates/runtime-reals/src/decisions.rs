//! Where values leave floating-point: comparisons, conversions to integers, outputs.
//!
//! Each decision of the program is compared with the decision of exact arithmetic. A *steered* run continues with the
//! latter: control flow, integers and outputs are then those of exact arithmetic, and the program's own floating-point
//! values merely follow along. Numbers within their own error of a [threshold](thresholds) count as equal to it.

use lostbits_abi::{numbers::Operand, ops::Op};

use crate::{
    counters::Counters,
    evaluate::evaluate,
    number::{self, Short, Slot},
    operate::Shadowed,
    own_error::OwnError,
    settings, thresholds,
    value::Value,
};

/// LLVM's predicates have a bit for each relation that satisfies them.
const EQUAL: u32 = 0;
const GREATER: u32 = 1;
const LESS: u32 = 2;
const UNORDERED: u32 = 3;

#[inline(always)]
pub fn compare(counters: Counters, predicate: u32, [a, b]: [Shadowed; 2], decided: u32) -> u32 {
    if a.0.is_none() && b.0.is_none() {
        return decided;
    }
    let (mut short_a, mut short_b) = (Short::new(), Short::new());
    let x = a.0.number(a.1, &mut short_a);
    let y = b.0.number(b.1, &mut short_b);
    let error = match settings::steers() {
        true => a.0.own_error().plus(-b.0.own_error()),
        false => OwnError::EXACT,
    };
    if error.is_unknown() {
        return decided;
    }
    let relation = match number::compare(x, y) {
        Some(_) if thresholds::are_equal(x, y, error) => EQUAL,
        Some(0) => EQUAL,
        Some(1..) => GREATER,
        Some(_) => LESS,
        None => UNORDERED,
    };
    let exact = predicate >> relation & 1;
    if exact == decided {
        return decided;
    }
    counters.count_difference(1, a.1.bits, b.1.bits);
    match settings::steers_decisions() {
        true => exact,
        false => decided,
    }
}

/// A conversion to an integer of `width` bits; `program` is the program's result.
pub fn integer(counters: Counters, op: u32, width: u32, operand: &Operand, program: u64) -> u64 {
    let Some(op) = Op::from_u16(op as u16).filter(|_| operand.slot != 0) else {
        return program;
    };
    let mut slot = Slot::new();
    let operands = core::slice::from_ref(operand);
    let is_known = match settings::steers() {
        true => thresholds::evaluate(op, &mut slot, operands),
        false => evaluate(op, &mut slot, operands),
    };
    if !is_known {
        return program;
    }
    let is_signed = op != Op::ToUnsigned;
    let Some(exact) = slot.to_integer(width, is_signed) else {
        return program;
    };
    let mask = u64::MAX >> (64 - width.clamp(1, 64));
    if exact & mask == program & mask {
        return program;
    }
    counters.count_difference(1, operand.bits, exact);
    match settings::steers_decisions() {
        true => exact,
        false => program,
    }
}

/// The value that an output, or a function without instrumentation, receives.
#[inline]
pub fn steer((shadow, value): Shadowed) -> Value {
    match shadow.slot() {
        Some(slot) if settings::steers() => thresholds::nearest(slot, value),
        _ => value,
    }
}

#[cfg(test)]
mod tests {
    use lostbits_abi::totals::SiteTotals;

    use super::*;
    use crate::testing::Shadowing;

    /// How often a conversion of 2.75 to 2 differs from that of 2.75 + residue, and the exact integer.
    fn conversion(op: Op, residue: f64) -> (u64, u64) {
        let mut totals = SiteTotals::default();
        let operand = Shadowing::new(2.75, residue);
        // SAFETY: the totals are local, and only this thread uses them.
        let counters = unsafe { Counters::new(&mut totals) };
        assert_eq!(integer(counters, op as u32, 32, &operand.operand(), 2), 2);
        let totals = totals.high_precision();
        (totals.times, totals.bits[1])
    }

    #[test]
    fn a_conversion_is_checked_on_both_sides() {
        for op in [Op::ToSigned, Op::ToUnsigned] {
            assert_eq!(conversion(op, 0.125), (0, 0), "{op:?}");
            assert_eq!(conversion(op, -0.625), (0, 0), "{op:?}");
            assert_eq!(conversion(op, 0.25), (1, 3), "{op:?}");
            assert_eq!(conversion(op, 1e-20 - 1.0), (1, 1), "{op:?}");
        }
    }
}
