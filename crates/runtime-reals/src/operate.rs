//! Operations of mode `reals`: what the program computes with values, computed with their high-precision numbers.
//!
//! Each function returns the word of the result's shadow: the address of the given slot, or 0 where the exact result is the
//! program's own. A steered run also follows the numbers' own errors, because its decisions depend on them ([`thresholds`]).

use core::mem::MaybeUninit;

use lostbits_abi::{numbers::Operand, ops::Op};

use crate::{
    arithmetic,
    counters::Counters,
    evaluate::evaluate,
    number::{Number, Shadow, Short, Slot},
    propagation::{self, Propagation},
    settings, thresholds,
    value::Value,
};

/// An operand: its shadow and its value.
pub type Shadowed<'a> = (Shadow<'a>, Value);

#[inline(always)]
pub fn binary(
    (function, propagated): (arithmetic::Operation, Propagation),
    slot: &mut Slot,
    counters: Counters,
    [a, b]: [Shadowed; 2],
    result: Value,
) -> u64 {
    let (mut short_a, mut short_b) = (Short::new(), Short::new());
    let x = a.0.number(a.1, &mut short_a);
    let y = b.0.number(b.1, &mut short_b);
    let inexact = function(slot, x, y);
    if settings::steers() {
        let known = [(x, a.0.own_error()), (y, b.0.own_error())];
        slot.own_error = propagation::of_binary(propagated, known, &slot.number, inexact);
    }
    finish(slot, counters, result)
}

/// A product and a sum. The product is rounded to high precision, exactly as a separate product would be: so what a program
/// computes as the error of a product is 0. `is_fused` says whether the program rounds only once.
#[inline(always)]
pub fn multiply_add(
    slot: &mut Slot,
    counters: Counters,
    [a, b, c]: [Shadowed; 3],
    result: Value,
    is_fused: bool,
) -> u64 {
    let mut shorts = [Short::new(), Short::new(), Short::new()];
    let [short_a, short_b, short_c] = &mut shorts;
    let x = a.0.number(a.1, short_a);
    let y = b.0.number(b.1, short_b);
    let z = c.0.number(c.1, short_c);
    let mut memory = MaybeUninit::<Slot>::uninit();
    let product = Slot::uninit(&mut memory);
    let inexact = arithmetic::mul(product, x, y);
    let sum_is_inexact = arithmetic::add(slot, &product.number, z);
    if settings::steers() {
        let known = [(x, a.0.own_error()), (y, b.0.own_error())];
        let number = &product.number;
        let error = propagation::of_binary(propagation::mul, known, number, inexact);
        let known = [(number, error), (z, c.0.own_error())];
        let sum = &slot.number;
        slot.own_error = propagation::of_binary(propagation::add, known, sum, sum_is_inexact);
    }
    if settings::emulates() && !is_fused {
        emulate_unfused(slot, product, z, result);
    }
    finish(slot, counters, result)
}

/// If the program's result is that of a rounded product and a sum, sets the number to it.
#[cold]
fn emulate_unfused(fused: &mut Slot, product: &mut Slot, z: &Number, result: Value) {
    let mut sum = Slot::new();
    product.set_value(Value::nearest(result.kind, &product.number));
    arithmetic::add(&mut sum, &product.number, z);
    if Value::nearest(result.kind, &sum.number) == result {
        fused.set_value(result);
    }
}

#[inline(always)]
pub fn root(slot: &mut Slot, counters: Counters, a: Shadowed, result: Value) -> u64 {
    let mut short = Short::new();
    let x = a.0.number(a.1, &mut short);
    let inexact = arithmetic::sqrt(slot, x);
    if settings::steers() {
        let own = propagation::rounding(&slot.number, inexact, x.salt());
        slot.own_error = propagation::root((x, a.0.own_error()), &slot.number).plus(own);
    }
    finish(slot, counters, result)
}

/// Compares the exact result, which the slot holds, with the program's.
#[inline(always)]
pub fn finish(slot: &mut Slot, counters: Counters, program: Value) -> u64 {
    if settings::emulates() {
        return emulate(slot, counters, program);
    }
    let exact = Value::nearest(program.kind, &slot.number);
    if exact != program {
        return finish_different(slot, counters, program, exact);
    }
    let is_sure = !settings::steers() || slot.own_error.is_exact();
    if is_sure && is_exactly(&slot.number, program) {
        return 0;
    }
    Shadow::of(slot).word()
}

#[inline(always)]
pub fn is_exactly(number: &Number, value: Value) -> bool {
    if number.len() > 2 {
        return false;
    }
    let mut short = Short::new();
    let value = short.set(value);
    // Limb by limb: `memcmp` loads vectors of what was stored in limbs just now, which stalls store forwarding.
    let mut limbs = number.limbs().iter().zip(value.limbs());
    number.size == value.size && number.len() == value.len() && limbs.all(|(x, y)| x == y)
}

#[inline(always)]
fn finish_different(slot: &Slot, counters: Counters, program: Value, exact: Value) -> u64 {
    let distance = program.distance(exact);
    if distance == 0 && program.is_nan() {
        return 0;
    }
    if distance != 0 {
        counters.count_difference(distance, program.bits, exact.bits);
    }
    Shadow::of(slot).word()
}

/// Rounds the number to the program's format, where it must equal the program's value.
#[cold]
fn emulate(slot: &mut Slot, counters: Counters, program: Value) -> u64 {
    let mut rounded = Value::nearest(program.kind, &slot.number);
    if rounded.is_nan() && program.is_nan() {
        // The processor chooses sign and payload.
        rounded = program;
    }
    slot.set_value(rounded);
    if rounded != program {
        let distance = program.distance(rounded).max(1);
        counters.count_difference(distance, program.bits, rounded.bits);
    }
    Shadow::of(slot).word()
}

// ---- operations of any kind ----

/// Any operation with a floating-point result.
pub fn operate(
    op: u32,
    slot: &mut Slot,
    counters: Counters,
    operands: &[Operand],
    result: &Operand,
) -> u64 {
    let (Some(op), Some(program)) = (Op::from_u16(op as u16), Value::of_operand(result)) else {
        return 0;
    };
    if settings::emulates() && !is_correctly_rounded(op) {
        // The result depends on the program's library.
        compare_operands(counters, operands);
        return 0;
    }
    let are_exact = operands.iter().all(|operand| operand.slot == 0);
    if are_exact && op.info().stability.is_exact() && !settings::emulates() {
        return 0;
    }
    if !settings::steers() {
        return match evaluate(op, slot, operands) {
            true => finish(slot, counters, program),
            false => 0,
        };
    }
    if !thresholds::evaluate(op, slot, operands) {
        return 0;
    }
    finish(slot, counters, program)
}

/// Operations whose result is the same in every implementation.
fn is_correctly_rounded(op: Op) -> bool {
    use Op::*;
    matches!(
        op,
        Add | Sub
            | Mul
            | Div
            | Neg
            | Abs
            | Sqrt
            | Fma
            | Extend
            | Truncate
            | FromSigned
            | FromUnsigned
            | CopySign
            | Floor
            | Ceil
            | Trunc
            | Round
            | RoundEven
            | Canonicalize
    )
}

fn compare_operands(counters: Counters, operands: &[Operand]) {
    for operand in operands {
        let (Some(program), Some(slot)) = (
            Value::of_operand(operand),
            Shadow::of_operand(operand).slot(),
        ) else {
            continue;
        };
        let exact = Value::nearest(program.kind, &slot.number);
        let distance = program.distance(exact);
        if distance != 0 {
            counters.count_difference(distance, program.bits, exact.bits);
        }
    }
}

/// Copies the number that the word `source` refers to into another slot; returns the copy's word.
///
/// # Safety
///
/// `slot` is a slot of the active frame, and `source` the word of a shadow. They may be the same slot.
#[inline]
pub unsafe fn copy(slot: *mut Slot, source: u64) -> u64 {
    if source == 0 || source == slot as u64 {
        return source;
    }
    // SAFETY: the caller's promise; the slots differ.
    unsafe { (*slot).copy_from(&*(source as *const Slot)) };
    slot as u64
}
