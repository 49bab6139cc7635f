//! Operations: what the program does with values, done with their numbers.
//!
//! Each gives the shadow of the result: the slot it was told to use, or 0 where the real result is
//! exactly the program's.

use core::{
    mem::{ManuallyDrop, MaybeUninit},
    sync::atomic::{AtomicU64, Ordering::Relaxed},
};

use gmp_mpfr_sys::mpfr::{self, mpfr_t, rnd_t};
use lostbits_abi::{
    numbers::{Operand, SIGNED},
    ops::Op,
    site::SiteTotals,
};
use rug::Float;

use crate::{
    arithmetic,
    environment::undisturbed,
    number::{Short, Slot, number_of},
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
        if settings::emulates() {
            let to = (*slot).prepare(settings::precision());
            emulate_fused(to, [a, b, c], result, surely);
            (*slot).shorten();
        } else {
            let mut place = MaybeUninit::<Slot>::uninit();
            let product = Slot::of_nothing(&mut place);
            arithmetic::mul(product, a, b);
            arithmetic::add(&mut *slot, &product.number, c);
        }
        finish(&mut *slot, totals, result)
    }
}

#[cold]
unsafe fn emulate_fused(to: *mut mpfr_t, [a, b, c]: [&mpfr_t; 3], result: Value, surely: bool) {
    unsafe {
        if surely || !is_unfused(to, [a, b, c], result) {
            mpfr::fma(to, a, b, c, rnd_t::RNDN);
        }
    }
}

/// Whether the program's result is that of a product that was rounded, and a sum; then the number is it.
#[cold]
unsafe fn is_unfused(to: *mut mpfr_t, [a, b, c]: [&mpfr_t; 3], result: Value) -> bool {
    unsafe {
        mpfr::mul(to, a, b, rnd_t::RNDN);
        let mut product = Slot::new();
        product.set_value(Value::nearest(result.kind, &*to));
        mpfr::add(to, &product.number, c, rnd_t::RNDN);
        let sum = Value::nearest(result.kind, &*to);
        let slot = &mut *to.cast::<Slot>();
        if sum == result {
            slot.set_value(sum);
            return true;
        }
        slot.prepare(settings::precision());
        false
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
pub fn is_exactly(number: &mpfr_t, value: Value) -> bool {
    if number.prec > 64 {
        return false;
    }
    let mut short = Short::new();
    let value = short.set(value);
    number.exp == value.exp
        && (!crate::number::is_regular(number)
            || crate::number::limbs_of(number) == crate::number::limbs_of(value))
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
    /// Not to be freed: they borrow their significands.
    numbers: [ManuallyDrop<Float>; ROOM],
    count: usize,
}

impl<const ROOM: usize> Numbers<ROOM> {
    unsafe fn with<T>(operands: &[Operand], work: impl FnOnce(&[Float]) -> T) -> Option<T> {
        if operands.len() > ROOM {
            return None;
        }
        let nothing = || {
            let mut number = *Short::new().set_integer(0, true);
            number.prec = 64;
            ManuallyDrop::new(unsafe { Float::from_raw(number) })
        };
        let mut all = Numbers {
            shorts: [const { Short::new() }; ROOM],
            numbers: core::array::from_fn(|_| nothing()),
            count: operands.len(),
        };
        let places = all.shorts.iter_mut().zip(&mut all.numbers);
        for ((short, number), operand) in places.zip(operands) {
            let raw = match Value::of_operand(operand) {
                Some(value) => unsafe { number_of(operand.slot, value, short) },
                None => short.set_integer(operand.bits, operand.kind == SIGNED),
            };
            *number = ManuallyDrop::new(unsafe { Float::from_raw(*raw) });
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
    unsafe {
        let to = (*slot).prepare(settings::precision());
        let work =
            |numbers: &[Float]| undisturbed(|| lostbits_reals::evaluate_into(op, numbers, to));
        let evaluated = match operands.len() {
            ..=FEW_OPERANDS => Numbers::<FEW_OPERANDS>::with(operands, work),
            _ => Numbers::<MOST_OPERANDS>::with(operands, work),
        };
        (*slot).shorten();
        evaluated == Some(true)
    }
}

/// Frequent, and nothing to compute.
unsafe fn change_sign(op: Op, slot: &mut Slot, operand: &Operand) -> bool {
    let Some(value) = Value::of_operand(operand) else {
        return false;
    };
    let mut short = Short::new();
    unsafe {
        let number = number_of(operand.slot, value, &mut short);
        let sign = if op == Op::Neg { -number.sign } else { 1 };
        arithmetic::copy_signed(slot, number, sign);
    }
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
        let real = Value::nearest(program.kind, unsafe { &*(operand.slot as *const mpfr_t) });
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
