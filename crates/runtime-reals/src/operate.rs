//! Operations of mode `reals`: what the program computes with values, computed with their high-precision numbers.
//!
//! Each function returns the word of the result's shadow: the address of the given slot, or 0 where the exact result is the
//! program's own.

use core::mem::{ManuallyDrop, MaybeUninit};

use lostbits_abi::{
    numbers::{Operand, SIGNED},
    ops::Op,
};
use rug::Float;

use crate::{
    arithmetic,
    counters::Counters,
    elementary,
    environment::in_default_environment,
    exchange::{self, Scratch},
    number::{Number, Shadow, Short, Slot},
    settings,
    value::Value,
};

/// An operand: its shadow and its value.
pub type Shadowed<'a> = (Shadow<'a>, Value);

#[inline(always)]
pub fn binary(
    function: arithmetic::Operation,
    slot: &mut Slot,
    counters: Counters,
    [a, b]: [Shadowed; 2],
    result: Value,
) -> u64 {
    let (mut short_a, mut short_b) = (Short::new(), Short::new());
    let x = a.0.number(a.1, &mut short_a);
    let y = b.0.number(b.1, &mut short_b);
    function(slot, x, y);
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
    arithmetic::mul(product, x, y);
    arithmetic::add(slot, &product.number, z);
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
    arithmetic::sqrt(slot, a.0.number(a.1, &mut short));
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
    if is_exactly(&slot.number, program) {
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
    number.size == value.size && number.limbs() == value.limbs()
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

/// Operands of most operations, and the most that a reduction of a vector has, with its start value.
const FEW_OPERANDS: usize = 3;
const MOST_OPERANDS: usize = 66;

/// Operands as MPFR's numbers.
struct Numbers<const ROOM: usize> {
    shorts: [Short; ROOM],
    scratches: [Scratch; ROOM],
    /// Never dropped: their significands are borrowed.
    numbers: [ManuallyDrop<Float>; ROOM],
    count: usize,
}

impl<const ROOM: usize> Numbers<ROOM> {
    fn with<T>(operands: &[Operand], work: impl FnOnce(&[Float]) -> T) -> Option<T> {
        if operands.len() > ROOM {
            return None;
        }
        let lend = |scratch: &mut Scratch, number: &Number| {
            // SAFETY: `lend` makes a valid MPFR number; `ManuallyDrop` keeps rug from freeing the borrowed significand.
            ManuallyDrop::new(unsafe { Float::from_raw(scratch.lend(number)) })
        };
        let zero = Slot::new();
        let mut all = Numbers {
            shorts: [const { Short::new() }; ROOM],
            scratches: [const { Scratch::new() }; ROOM],
            numbers: core::array::from_fn(|_| lend(&mut Scratch::new(), &zero.number)),
            count: operands.len(),
        };
        let scratches = all.shorts.iter_mut().zip(&mut all.scratches);
        let slots = scratches.zip(&mut all.numbers);
        for (((short, scratch), number), operand) in slots.zip(operands) {
            let own = match Value::of_operand(operand) {
                Some(value) => Shadow::of_operand(operand).number(value, short),
                None => short.set_integer(operand.bits, operand.kind == SIGNED),
            };
            *number = lend(scratch, own);
        }
        let floats = all.numbers.get(..all.count)?;
        // SAFETY: `ManuallyDrop<Float>` has the layout of `Float`.
        let floats = unsafe { &*(&raw const *floats as *const [Float]) };
        Some(work(floats))
    }
}

/// Computes any operation into a slot; returns whether it has a meaning in exact arithmetic.
pub fn evaluate(op: Op, slot: &mut Slot, operands: &[Operand]) -> bool {
    if let (Op::Neg | Op::Abs, [operand]) = (op, operands) {
        return change_sign(op, slot, operand);
    }
    if evaluate_elementary(op, slot, operands) {
        return true;
    }
    let mut scratch = Scratch::new();
    let mut result = scratch.prepare();
    let work = |numbers: &[Float]| {
        // SAFETY: `result` is an initialised number with memory of its own; the pass gives every operation its operands.
        in_default_environment(|| unsafe {
            lostbits_reals::evaluate_into(op, numbers, &mut result)
        })
    };
    let evaluated = match operands.len() {
        ..=FEW_OPERANDS => Numbers::<FEW_OPERANDS>::with(operands, work),
        _ => Numbers::<MOST_OPERANDS>::with(operands, work),
    };
    exchange::take(slot, &result);
    evaluated == Some(true)
}

/// Uses our own implementation, where there is one.
fn evaluate_elementary(op: Op, slot: &mut Slot, operands: &[Operand]) -> bool {
    if !elementary::has(op) {
        return false;
    }
    let (mut short_a, mut short_b) = (Short::new(), Short::new());
    in_default_environment(|| match operands {
        [a] => number_of(a, &mut short_a).is_some_and(|x| elementary::evaluate(op, slot, x)),
        [a, b] => match (number_of(a, &mut short_a), number_of(b, &mut short_b)) {
            (Some(x), Some(y)) => elementary::evaluate_two(op, slot, x, y),
            _ => false,
        },
        _ => false,
    })
}

/// The exact value of a floating-point operand.
fn number_of<'a>(operand: &'a Operand, short: &'a mut Short) -> Option<&'a Number> {
    let value = Value::of_operand(operand)?;
    Some(Shadow::of_operand(operand).number(value, short))
}

/// Frequent, and needs no arithmetic.
fn change_sign(op: Op, slot: &mut Slot, operand: &Operand) -> bool {
    let mut short = Short::new();
    let Some(number) = number_of(operand, &mut short) else {
        return false;
    };
    let sign = if op == Op::Neg { -number.sign } else { 1 };
    arithmetic::copy_signed(slot, number, sign);
    true
}

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
    if !evaluate(op, slot, operands) {
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{number, testing::Shadowing};

    const EXTREMES: [(Op, i32); 6] = [
        (Op::Fmin, -1),
        (Op::Minimum, -1),
        (Op::MinimumNum, -1),
        (Op::Fmax, 1),
        (Op::Maximum, 1),
        (Op::MaximumNum, 1),
    ];

    /// The exact extreme counts, also where the program's values are equal or in the other order.
    #[test]
    fn minimum_and_maximum_take_the_shadow_of_the_exact_extreme() {
        let pairs = [
            [(1.0, 1e-20), (2.0, 1e-20)],
            [(1.0, 1e-20), (1.0, -1e-20)],
            [(1.0, 0.5), (1.25, -0.5)],
        ];
        for (op, wanted) in EXTREMES {
            for [x, y] in pairs.into_iter().flat_map(|[x, y]| [[x, y], [y, x]]) {
                let [x, y] = [x, y].map(|(value, residue)| Shadowing::new(value, residue));
                let mut result = Slot::new();
                assert!(evaluate(op, &mut result, &[x.operand(), y.operand()]));
                let order = number::compare(&x.slot().number, &y.slot().number).unwrap();
                let extreme = if order == wanted { &x } else { &y };
                let same = number::compare(&result.number, &extreme.slot().number);
                assert_eq!(same, Some(0), "{op:?} of {:?}", [x.value(), y.value()]);
            }
        }
    }
}
