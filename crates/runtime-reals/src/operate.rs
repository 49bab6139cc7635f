//! Operations: what the program does with values, done with their numbers.
//!
//! Each gives the shadow of the result: the slot it was told to use, or 0 where the real result is
//! exactly the program's.

use core::{
    mem::{ManuallyDrop, MaybeUninit},
    sync::atomic::{AtomicU64, Ordering::Relaxed},
};

use lostbits_abi::{
    numbers::{Operand, SIGNED},
    ops::Op,
    site::SiteTotals,
};
use rug::Float;

use crate::{
    arithmetic, elementary,
    environment::undisturbed,
    exchange::{self, Scratch},
    number::{Number, Short, Slot, number_of},
    settings,
    value::Value,
};

/// An operand: its shadow and its value.
pub type Shadowed = (u64, Value);

#[inline(always)]
pub unsafe fn binary(
    function: arithmetic::Operation,
    slot: *mut Slot,
    totals: *mut SiteTotals,
    [a, b]: [Shadowed; 2],
    result: Value,
) -> u64 {
    let (mut short_a, mut short_b) = (Short::new(), Short::new());
    unsafe {
        let a = number_of(a.0, a.1, &mut short_a);
        let b = number_of(b.0, b.1, &mut short_b);
        function(&mut *slot, a, b);
        finish(&mut *slot, totals, result)
    }
}

/// A product and a sum. The product is rounded too: to many bits, and as it would be apart from the sum, so
/// that what a program computes as the error of a product is 0.
#[inline(always)]
pub unsafe fn fused(
    slot: *mut Slot,
    totals: *mut SiteTotals,
    operands: [Shadowed; 3],
    result: Value,
    surely: bool,
) -> u64 {
    let mut shorts = [Short::new(), Short::new(), Short::new()];
    let [short_a, short_b, short_c] = &mut shorts;
    let [a, b, c] = operands;
    unsafe {
        let a = number_of(a.0, a.1, short_a);
        let b = number_of(b.0, b.1, short_b);
        let c = number_of(c.0, c.1, short_c);
        let mut place = MaybeUninit::<Slot>::uninit();
        let product = Slot::of_nothing(&mut place);
        arithmetic::mul(product, a, b);
        arithmetic::add(&mut *slot, &product.number, c);
        if settings::emulates() && !surely {
            emulate_unfused(&mut *slot, product, c, result);
        }
        finish(&mut *slot, totals, result)
    }
}

/// If the program's result is that of a product that was rounded, and a sum, the number is it.
#[cold]
unsafe fn emulate_unfused(fused: &mut Slot, product: &mut Slot, c: &Number, result: Value) {
    let mut sum = Slot::new();
    unsafe {
        product.set_value(Value::nearest(result.kind, &product.number));
        arithmetic::add(&mut sum, &product.number, c);
    }
    if Value::nearest(result.kind, &sum.number) == result {
        fused.set_value(result);
    }
}

#[inline(always)]
pub unsafe fn root(slot: *mut Slot, totals: *mut SiteTotals, a: Shadowed, result: Value) -> u64 {
    let mut short = Short::new();
    unsafe {
        let a = number_of(a.0, a.1, &mut short);
        arithmetic::sqrt(&mut *slot, a);
        finish(&mut *slot, totals, result)
    }
}

/// The slot holds the real result: looks at it beside the program's.
#[inline(always)]
pub unsafe fn finish(slot: &mut Slot, totals: *mut SiteTotals, program: Value) -> u64 {
    if settings::emulates() {
        return unsafe { emulate(slot, totals, program) };
    }
    let real = Value::nearest(program.kind, &slot.number);
    if real != program {
        return unsafe { differ(slot, totals, program, real) };
    }
    if is_exactly(&slot.number, program) {
        return 0;
    }
    &raw const *slot as u64
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
unsafe fn differ(slot: &Slot, totals: *mut SiteTotals, program: Value, real: Value) -> u64 {
    let distance = program.distance(real);
    if distance == 0 && program.is_not_a_number() {
        return 0;
    }
    if distance != 0 {
        unsafe { count(totals, distance, program.bits, real.bits) };
    }
    &raw const *slot as u64
}

/// Counts a difference, and keeps the worst.
#[inline]
pub unsafe fn count(totals: *mut SiteTotals, distance: u64, program: u64, real: u64) {
    let at = |field: *mut u64| unsafe { AtomicU64::from_ptr(field) };
    unsafe {
        at(&raw mut (*totals).differences).fetch_add(1, Relaxed);
        if distance > at(&raw mut (*totals).fresh).load(Relaxed) {
            at(&raw mut (*totals).fresh).store(distance, Relaxed);
            at(&raw mut (*totals).program_bits).store(program, Relaxed);
            at(&raw mut (*totals).shadow_bits).store(real, Relaxed);
        }
    }
}

/// Rounds the number to the program's format, where it must be the program's value.
#[cold]
unsafe fn emulate(slot: &mut Slot, totals: *mut SiteTotals, program: Value) -> u64 {
    let mut rounded = Value::nearest(program.kind, &slot.number);
    if rounded.is_not_a_number() && program.is_not_a_number() {
        // The processor chooses sign and payload.
        rounded = program;
    }
    slot.set_value(rounded);
    if rounded != program {
        let distance = program.distance(rounded).max(1);
        unsafe { count(totals, distance, program.bits, rounded.bits) };
    }
    &raw const *slot as u64
}

// ---- everything else ----

/// What most operations take, and what reductions of vectors take at most, with a start value.
const FEW_OPERANDS: usize = 3;
const MOST_OPERANDS: usize = 66;

/// Operands as MPFR's numbers.
struct Numbers<const ROOM: usize> {
    shorts: [Short; ROOM],
    scratches: [Scratch; ROOM],
    /// Not to be freed: they borrow their significands.
    numbers: [ManuallyDrop<Float>; ROOM],
    count: usize,
}

impl<const ROOM: usize> Numbers<ROOM> {
    unsafe fn with<T>(operands: &[Operand], work: impl FnOnce(&[Float]) -> T) -> Option<T> {
        if operands.len() > ROOM {
            return None;
        }
        let lend = |scratch: &mut Scratch, number: &Number| {
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
        let places = scratches.zip(&mut all.numbers);
        for (((short, scratch), number), operand) in places.zip(operands) {
            let own = match Value::of_operand(operand) {
                Some(value) => unsafe { number_of(operand.slot, value, short) },
                None => short.set_integer(operand.bits, operand.kind == SIGNED),
            };
            *number = lend(scratch, own);
        }
        let floats = all.numbers.get(..all.count)?;
        // SAFETY: `ManuallyDrop` does not change the layout.
        let floats = unsafe { &*(&raw const *floats as *const [Float]) };
        Some(work(floats))
    }
}

/// An operation of the table into a slot; gives whether the reals give it a meaning.
pub unsafe fn evaluate(op: Op, slot: *mut Slot, operands: &[Operand]) -> bool {
    if let (Op::Neg | Op::Abs, [operand]) = (op, operands) {
        return unsafe { change_sign(op, &mut *slot, operand) };
    }
    if unsafe { evaluate_elementary(op, &mut *slot, operands) } {
        return true;
    }
    unsafe {
        let mut place = Scratch::new();
        let mut result = place.prepare();
        let work = |numbers: &[Float]| {
            undisturbed(|| lostbits_reals::evaluate_into(op, numbers, &mut result))
        };
        let evaluated = match operands.len() {
            ..=FEW_OPERANDS => Numbers::<FEW_OPERANDS>::with(operands, work),
            _ => Numbers::<MOST_OPERANDS>::with(operands, work),
        };
        exchange::take(&mut *slot, &result);
        evaluated == Some(true)
    }
}

/// By our own functions, where there is one.
unsafe fn evaluate_elementary(op: Op, slot: &mut Slot, operands: &[Operand]) -> bool {
    if !elementary::has(op) {
        return false;
    }
    let (mut short_a, mut short_b) = (Short::new(), Short::new());
    let number = |operand: &Operand, short| {
        let value = Value::of_operand(operand)?;
        Some(unsafe { number_of(operand.slot, value, short) })
    };
    undisturbed(|| match operands {
        [a] => number(a, &mut short_a).is_some_and(|a| elementary::evaluate(op, slot, a)),
        [a, b] => match (number(a, &mut short_a), number(b, &mut short_b)) {
            (Some(a), Some(b)) => elementary::evaluate_two(op, slot, a, b),
            _ => false,
        },
        _ => false,
    })
}

/// Frequent, and nothing to compute.
unsafe fn change_sign(op: Op, slot: &mut Slot, operand: &Operand) -> bool {
    let Some(value) = Value::of_operand(operand) else {
        return false;
    };
    let mut short = Short::new();
    let number = unsafe { number_of(operand.slot, value, &mut short) };
    let sign = if op == Op::Neg { -number.sign } else { 1 };
    arithmetic::copy_signed(slot, number, sign);
    true
}

/// Any operation with a floating-point result.
pub unsafe fn operate(
    op: u32,
    slot: *mut Slot,
    totals: *mut SiteTotals,
    operands: &[Operand],
    result: &Operand,
) -> u64 {
    let (Some(op), Some(program)) = (Op::from_u16(op as u16), Value::of_operand(result)) else {
        return 0;
    };
    if settings::emulates() && !is_correctly_rounded(op) {
        // The program's function rounds as it likes.
        unsafe { compare_operands(totals, operands) };
        return 0;
    }
    let are_exact = operands.iter().all(|operand| operand.slot == 0);
    if are_exact && op.info().stability.is_exact() && !settings::emulates() {
        return 0;
    }
    unsafe {
        if !evaluate(op, slot, operands) {
            return 0;
        }
        finish(&mut *slot, totals, program)
    }
}

/// Operations of which every implementation gives the same result.
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

unsafe fn compare_operands(totals: *mut SiteTotals, operands: &[Operand]) {
    for operand in operands.iter().filter(|operand| operand.slot != 0) {
        let Some(program) = Value::of_operand(operand) else {
            continue;
        };
        let real = Value::nearest(program.kind, unsafe { &*(operand.slot as *const Number) });
        if program.distance(real) != 0 {
            unsafe { count(totals, program.distance(real), program.bits, real.bits) };
        }
    }
}

/// The number of one shadow, copied into another slot.
#[inline]
pub unsafe fn copy(slot: *mut Slot, source: u64) -> u64 {
    if source == 0 || source == slot as u64 {
        return source;
    }
    unsafe { (*slot).copy_from(&*(source as *const Slot)) };
    slot as u64
}
