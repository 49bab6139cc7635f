//! Decisions and outputs of mode `explain-reals`.

use core::mem::MaybeUninit;

use lostbits_abi::{explain::Thread, kind::FpKind, numbers::Operand};

use super::{
    super::{
        formatted::{self, List},
        measure::Verdict,
        spots::of_signs,
        state::if_looking,
    },
    errors::EXACT,
    telling::{begin, put},
};
use crate::{
    arithmetic,
    environment::undisturbed,
    memory,
    number::{self, Number, Short, Slot, number_of},
    value::Value,
};

/// What verdicts allow for, as a power of two: errors that met were compared, not added.
const ALLOWANCE_BITS: i64 = 5;

/// The bit of LLVM's predicates that stands for numbers without order.
const UNORDERED: u16 = 8;

pub unsafe fn compare(
    site: u32,
    thread: *mut Thread,
    predicate: u32,
    operands: &[Operand; 2],
    decided: u32,
) {
    let [a, b] = operands;
    if a.slot | b.slot == 0 || unsafe { (*thread).blind } != 0 {
        return;
    }
    let (Some(x), Some(y)) = (Value::of_operand(a), Value::of_operand(b)) else {
        return;
    };
    let (mut short_a, mut short_b) = (Short::new(), Short::new());
    unsafe {
        let numbers = [
            number_of(a.slot, x, &mut short_a),
            number_of(b.slot, y, &mut short_b),
        ];
        let order = order_of(a).max(order_of(b));
        let verdict = verdict(predicate as u16, numbers, order, decided != 0);
        if verdict == Verdict::Within {
            return;
        }
        undisturbed(|| {
            let event = begin(thread, site, predicate as u16, x.kind);
            event.operands = 2;
            put(event, 0, (0, Value::of_double(decided.into())));
            put(event, 1, (a.slot, x));
            put(event, 2, (b.slot, y));
            if_looking(|state| state.decided(event, verdict));
        });
    }
}

unsafe fn order_of(operand: &Operand) -> i64 {
    match operand.slot {
        0 => EXACT,
        slot => unsafe { (*(slot as *const Slot)).order },
    }
}

unsafe fn verdict(predicate: u16, [x, y]: [&Number; 2], order: i64, decided: bool) -> Verdict {
    let Some(sign) = number::compare(x, y) else {
        // Not a number in the reals: no order holds.
        return match decided == (predicate & UNORDERED != 0) {
            true => Verdict::Within,
            false => Verdict::Over,
        };
    };
    match order != EXACT && unsafe { is_less(x, y, order + ALLOWANCE_BITS) } {
        true => of_signs(predicate, decided, sign, [-1, 1]),
        false => of_signs(predicate, decided, sign, [sign, sign]),
    }
}

/// Whether two numbers are less than a power of two apart.
unsafe fn is_less(x: &Number, y: &Number, order: i64) -> bool {
    // Numbers of different sizes may be near each other, but not if one is much larger.
    if x.is_regular() && y.is_regular() && x.size.abs_diff(y.size) > 1 {
        return x.size.max(y.size) - 1 <= order;
    }
    let mut place = MaybeUninit::<Slot>::uninit();
    let to = Slot::of_nothing(&mut place);
    unsafe { arithmetic::sub(to, x, y) };
    match to.number.is_regular() {
        true => to.number.size <= order,
        false => to.number.is_zero(),
    }
}

/// A conversion to an integer; `result` is the program's.
pub unsafe fn convert(site: u32, thread: *mut Thread, op: u32, operand: &Operand, result: f64) {
    let Some(value) = Value::of_operand(operand).filter(|_| operand.slot != 0) else {
        return;
    };
    if unsafe { (*thread).blind } != 0 {
        return;
    }
    undisturbed(|| unsafe {
        let event = begin(thread, site, op as u16, value.kind);
        event.operands = 1;
        put(event, 0, (0, Value::of_double(result)));
        put(event, 1, (operand.slot, value));
        if_looking(|state| state.decision(event));
    });
}

pub unsafe fn output(site: u32, thread: *mut Thread, operand: &Operand) {
    let Some(value) = Value::of_operand(operand) else {
        return;
    };
    undisturbed(|| unsafe { put_out(site, thread, operand.slot, value) });
}

unsafe fn put_out(site: u32, thread: *mut Thread, slot: u64, value: Value) {
    unsafe {
        if (*thread).blind != 0 {
            return;
        }
        let event = begin(thread, site, 0, value.kind);
        event.operands = 1;
        put(event, 1, (slot, value));
        if_looking(|state| state.output(event, 1));
    }
}

/// The arguments of `vprintf` and its like.
pub unsafe fn output_formatted(format: &[u8], list: &List, site: u32, thread: *mut Thread) {
    let mut slot = Slot::new();
    formatted::doubles(format, list, |at| unsafe {
        let (shadow, value) = memory::load_any(&mut slot, at, FpKind::Double);
        let value = match memory::was_float(at) {
            true => Value::of_float(f64::from_bits(value.bits) as f32),
            false => value,
        };
        undisturbed(|| put_out(site, thread, shadow, value));
    });
}

/// Every value in a stretch of memory that was computed.
pub unsafe fn output_memory(start: usize, bytes: usize, site: u32, thread: *mut Thread) {
    let mut slot = Slot::new();
    let mut at = start.next_multiple_of(4);
    while at + 4 <= start + bytes {
        let kind = unsafe { memory::kind_at(at) };
        let size = match kind {
            Some(FpKind::Double) => 8,
            Some(FpKind::X87) => 16,
            _ => 4,
        };
        if let Some(kind) = kind.filter(|_| at + size <= start + bytes) {
            let (shadow, value) = unsafe { memory::load_any(&mut slot, at, kind) };
            if shadow != 0 {
                undisturbed(|| unsafe { put_out(site, thread, shadow, value) });
                at += size;
                continue;
            }
        }
        at += 4;
    }
}
