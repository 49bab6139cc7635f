//! Operations of mode `explain-reals`: numbers, the order of their errors, nodes.

use core::mem::MaybeUninit;

use lostbits_abi::{
    explain::{CONTINUED, Node, RING_NODES, TRACED_NODES, Thread, meta, node_site},
    kind::FpKind,
    numbers::{Operand, SIGNED},
    ops::Op,
};

use super::{
    super::trace,
    errors::{self, EXACT},
    telling::{self, as_double},
};
use crate::{
    arithmetic,
    number::{Short, Slot, number_of},
    operate::{self, Shadowed},
    value::Value,
};

/// Where an operation is executed, and where its number goes.
#[derive(Clone, Copy)]
pub struct Place {
    pub slot: *mut Slot,
    pub site: u32,
    pub thread: *mut Thread,
}

/// Operands, of which influences are inherited, and how many of them are told of.
///
/// It goes by value to what is in line, so that much of it is known there, and as a copy to what is not.
#[derive(Clone, Copy)]
pub struct Seen<const ROOM: usize> {
    operands: [Shadowed; ROOM],
    count: usize,
    shown: usize,
}

impl<const ROOM: usize> Seen<ROOM> {
    #[inline(always)]
    pub fn all(operands: [Shadowed; ROOM]) -> Seen<ROOM> {
        Seen {
            operands,
            count: ROOM,
            shown: ROOM,
        }
    }

    #[inline(always)]
    pub fn operands(&self) -> &[Shadowed] {
        &self.operands[..self.count]
    }

    #[inline(always)]
    pub fn shown(&self) -> &[Shadowed] {
        &self.operands[..self.shown]
    }
}

#[inline(always)]
pub unsafe fn order_of(slot: u64) -> i64 {
    match slot {
        0 => EXACT,
        slot => unsafe { (*(slot as *const Slot)).order },
    }
}

/// A product and a sum; the product is rounded too, as it would be apart from the sum.
#[inline(always)]
pub unsafe fn fused<const KIND: u8>(
    place: Place,
    op: Op,
    operands: [Shadowed; 3],
    result: Value,
) -> u64 {
    let mut shorts = [Short::new(), Short::new(), Short::new()];
    let [short_a, short_b, short_c] = &mut shorts;
    let [a, b, c] = operands;
    unsafe {
        let x = number_of(a.0, a.1, short_a);
        let y = number_of(b.0, b.1, short_b);
        let z = number_of(c.0, c.1, short_c);
        let mut product = MaybeUninit::<Slot>::uninit();
        let product = Slot::of_nothing(&mut product);
        let inexact = arithmetic::mul(product, x, y);
        let product = &product.number;
        let of_product = errors::product(x, order_of(a.0), y, order_of(b.0))
            .max(errors::rounding(product, inexact));
        let inexact = arithmetic::add(&mut *place.slot, product, z);
        let order = of_product
            .max(order_of(c.0))
            .max(errors::rounding(&(*place.slot).number, inexact));
        conclude::<KIND, _>(place, op, Seen::all(operands), result, order)
    }
}

#[inline(always)]
pub unsafe fn root<const KIND: u8>(place: Place, operand: Shadowed, result: Value) -> u64 {
    let mut short = Short::new();
    unsafe {
        let x = number_of(operand.0, operand.1, &mut short);
        let inexact = arithmetic::sqrt(&mut *place.slot, x);
        let number = &(*place.slot).number;
        let carried = errors::root(order_of(operand.0), number);
        let order = carried.max(errors::rounding(number, inexact));
        conclude::<KIND, _>(place, Op::Sqrt, Seen::all([operand]), result, order)
    }
}

/// In the place of a format that is not known before the program runs.
pub const ANY_KIND: u8 = 0;

/// A value of a format that is known: the compiler forgets it where memory may have changed.
#[inline(always)]
fn known<const KIND: u8>(value: Value) -> Value {
    match FpKind::from_u8(KIND) {
        Some(kind) => Value { kind, ..value },
        None => value,
    }
}

/// The slot holds the number: writes the node, and looks closer where that is called for.
#[inline(always)]
unsafe fn conclude<const KIND: u8, const ROOM: usize>(
    place: Place,
    op: Op,
    seen: Seen<ROOM>,
    result: Value,
    order: i64,
) -> u64 {
    unsafe {
        let known = known::<KIND>(result);
        let sampled = note::<KIND, ROOM>(place, op, seen, order);
        if sampled || !telling::is_settled_at_once(place, op, seen, known) {
            look_closer(place, op, seen, known, sampled);
        }
    }
    place.slot as u64
}

/// Writes the node; gives whether the operation is one that is looked at closely.
#[inline(always)]
pub unsafe fn note<const KIND: u8, const ROOM: usize>(
    place: Place,
    op: Op,
    seen: Seen<ROOM>,
    order: i64,
) -> bool {
    unsafe {
        let slot = &mut *place.slot;
        slot.order = order;
        slot.meta = meta::new(write_node::<KIND>(place, op, seen.shown()), 0);
        trace::is_sampled(place.thread)
    }
}

/// How far from its real result a value may be to be accurate without a closer look.
const NEAR: u64 = 4;

#[inline(always)]
pub unsafe fn look_closer<const ROOM: usize>(
    place: Place,
    op: Op,
    seen: Seen<ROOM>,
    result: Value,
    sampled: bool,
) {
    unsafe {
        let number = &(*place.slot).number;
        let is_settled = !sampled
            && (result.is_surely_near(number, NEAR + 1)
                || telling::is_settled(place, op, seen, result));
        if !is_settled {
            let copy = seen;
            let operands = [copy.operands(), copy.shown()];
            telling::look(place, op, operands, result, sampled);
        }
    }
}

/// Gives the node's number; as in mode `explain`, long runs write their nodes now and then only.
#[inline(always)]
pub unsafe fn write_node<const KIND: u8>(place: Place, op: Op, operands: &[Shadowed]) -> u32 {
    unsafe {
        let thread = &mut *place.thread;
        let (number, at) = (thread.counter as u32, thread.counter as usize % RING_NODES);
        let is_traced = thread.counter & thread.trace_mask < TRACED_NODES;
        let (first, rest) = operands.split_at(operands.len().min(2));
        thread.counter += 1 + u64::from(!rest.is_empty());
        if is_traced {
            let node = thread.ring.add(at);
            fill::<KIND>(node, node_site::join(place.site, op as u16), number, first);
            if !rest.is_empty() {
                fill::<KIND>(node.add(1), CONTINUED, number.wrapping_add(1), rest);
            }
        }
        number
    }
}

#[inline(always)]
unsafe fn fill<const KIND: u8>(node: *mut Node, site: u32, number: u32, operands: &[Shadowed]) {
    let mut values = [0.0; 2];
    let mut from = [0; 2];
    for (index, (slot, value)) in operands.iter().take(2).enumerate() {
        values[index] = as_double(known::<KIND>(*value));
        from[index] = match *slot {
            0 => 0,
            slot => meta::node(unsafe { (*(slot as *const Slot)).meta }),
        };
    }
    let filled = Node {
        operands: values,
        site,
        number,
        from,
    };
    unsafe { node.write(filled) };
}

// ---- everything else ----

/// What an event has room for.
const MOST_OPERANDS: usize = 3;

/// Any operation with a floating-point result.
pub unsafe fn operate(place: Place, op: u32, operands: &[Operand], result: &Operand) -> u64 {
    let (Some(op), Some(program)) = (Op::from_u16(op as u16), Value::of_operand(result)) else {
        return 0;
    };
    if let (Op::Neg, [operand], FpKind::Double) = (op, operands, program.kind) {
        return unsafe { negate(place, operand, program) };
    }
    unsafe {
        if !operate::evaluate(op, place.slot, operands) {
            // Nothing is known of such an operation in the reals: the program's word is taken.
            (*place.slot).set_value(program);
        }
        let number = &(*place.slot).number;
        let own = match op.info().stability.is_exact() {
            true => EXACT,
            false => errors::rounding(number, true),
        };
        let order = errors::carried(op, operands, number).max(own);
        if passes_on(op) {
            return pass_on(place, &operands[0], program, order);
        }
        if op.info().folds.is_some() {
            let seen = Seen {
                operands: [influential(operands, program)],
                count: 1,
                shown: 0,
            };
            return conclude::<ANY_KIND, _>(place, op, seen, program, order);
        }
        let (operands, count) = numbers_of(operands, program);
        let seen = Seen {
            operands,
            count,
            shown: count,
        };
        conclude::<ANY_KIND, _>(place, op, seen, program, order)
    }
}

/// Frequent, because a product that is subtracted is fused with its sum.
unsafe fn negate(place: Place, operand: &Operand, program: Value) -> u64 {
    const DOUBLE: u8 = FpKind::Double as u8;
    let value = Value::of_double(f64::from_bits(operand.bits));
    let mut short = Short::new();
    unsafe {
        let x = number_of(operand.slot, value, &mut short);
        arithmetic::copy_signed(&mut *place.slot, x, -x.sign);
        let seen = Seen::all([(operand.slot, value)]);
        conclude::<DOUBLE, _>(place, Op::Neg, seen, program, order_of(operand.slot))
    }
}

/// Operands as far as an event has room for them, and how many that are.
pub fn numbers_of(operands: &[Operand], filling: Value) -> ([Shadowed; MOST_OPERANDS], usize) {
    let mut seen = [(0, filling); MOST_OPERANDS];
    for (seen, operand) in seen.iter_mut().zip(operands) {
        *seen = (operand.slot, value_of(operand));
    }
    (seen, operands.len().min(MOST_OPERANDS))
}

/// Integers as doubles.
fn value_of(operand: &Operand) -> Value {
    let integer = || match operand.kind {
        SIGNED => operand.bits as i64 as f64,
        _ => operand.bits as f64,
    };
    Value::of_operand(operand).unwrap_or_else(|| Value::of_double(integer()))
}

/// Conversions are no operations on reals.
fn passes_on(op: Op) -> bool {
    use Op::*;
    matches!(
        op,
        Extend | Truncate | Canonicalize | FromSigned | FromUnsigned
    )
}

unsafe fn pass_on(place: Place, operand: &Operand, program: Value, order: i64) -> u64 {
    unsafe {
        let slot = &mut *place.slot;
        slot.order = order;
        slot.meta = match operand.slot {
            0 => 0,
            from => (*(from as *const Slot)).meta,
        };
        match slot.meta == 0 && operate::is_exactly(&slot.number, program) {
            true => 0,
            false => place.slot as u64,
        }
    }
}

/// A reduction has the influences of one of its terms; meeting ones are united where the result is used.
unsafe fn influential(operands: &[Operand], program: Value) -> Shadowed {
    let has_any = |operand: &&Operand| {
        operand.slot != 0 && meta::influences(unsafe { (*(operand.slot as *const Slot)).meta }) != 0
    };
    let slot = operands.iter().find(has_any).map_or(0, |one| one.slot);
    (slot, program)
}
