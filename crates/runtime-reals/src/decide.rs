//! Where the program leaves the numbers: comparisons, conversions to integers, outputs.
//!
//! What is decided in the reals is compared with what the program decided. If the run is *steered*, the
//! program goes on with the former: its control flow, its integers and its outputs are then those of the
//! reals, and its own floating-point values only follow along.

use lostbits_abi::{numbers::Operand, ops::Op, site::SiteTotals};

use crate::{
    number::{self, Short, Slot, number_of},
    operate::{self, Shadowed, count},
    settings,
    value::Value,
};

/// LLVM's predicates have a bit for each relation that fulfils them.
const EQUAL: u32 = 0;
const GREATER: u32 = 1;
const LESS: u32 = 2;
const UNORDERED: u32 = 3;

#[inline(always)]
pub unsafe fn compare(
    totals: *mut SiteTotals,
    predicate: u32,
    [a, b]: [Shadowed; 2],
    decided: u32,
) -> u32 {
    if a.0 | b.0 == 0 {
        return decided;
    }
    let (mut short_a, mut short_b) = (Short::new(), Short::new());
    let order = unsafe {
        let x = number_of(a.0, a.1, &mut short_a);
        let y = number_of(b.0, b.1, &mut short_b);
        number::compare(x, y)
    };
    let relation = match order {
        Some(0) => EQUAL,
        Some(1..) => GREATER,
        Some(_) => LESS,
        None => UNORDERED,
    };
    let real = predicate >> relation & 1;
    if real == decided {
        return decided;
    }
    unsafe { count(totals, 1, a.1.bits, b.1.bits) };
    if settings::steers() { real } else { decided }
}

/// A conversion to an integer of `width` bits; `program` is the program's result.
pub unsafe fn integer(
    totals: *mut SiteTotals,
    op: u32,
    width: u32,
    operand: &Operand,
    program: u64,
) -> u64 {
    let Some(op) = Op::from_u16(op as u16).filter(|_| operand.slot != 0) else {
        return program;
    };
    let mut slot = Slot::new();
    let operands = core::slice::from_ref(operand);
    if !unsafe { operate::evaluate(op, &mut slot, operands) } {
        return program;
    }
    let is_signed = op != Op::ToUnsigned;
    let Some(real) = slot.to_integer(width, is_signed) else {
        return program;
    };
    let mask = u64::MAX >> (64 - width.clamp(1, 64));
    if real & mask == program & mask {
        return program;
    }
    unsafe { count(totals, 1, operand.bits, real) };
    if settings::steers() { real } else { program }
}

/// What an output or a function that is not instrumented is given.
#[inline]
pub unsafe fn steer(slot: u64, value: Value) -> Value {
    if slot == 0 || !settings::steers() {
        return value;
    }
    Value::nearest(value.kind, unsafe { &(*(slot as *const Slot)).number })
}
