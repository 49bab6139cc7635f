//! Operations of mode `explain-reals`: numbers, their errors, trace nodes.

use core::mem::MaybeUninit;

use lostbits_abi::{
    explain::{CONTINUED, Node, RING_NODES, TRACED_NODES, meta, node_site},
    kind::FpKind,
    numbers::{Operand, SIGNED},
    ops::Op,
};

use super::{
    super::trace::ThreadTrace,
    errors,
    events::{self, as_double},
    intervening,
};
use crate::{
    arithmetic,
    evaluate::evaluate,
    number::{self, Shadow, Short, Slot},
    operate::{self, Shadowed},
    own_error::OwnError,
    propagation, thresholds,
    value::Value,
};

/// Where an operation is executed, and the slot for its result.
pub struct Context<'a> {
    pub slot: &'a mut Slot,
    pub site: u32,
    pub trace: ThreadTrace,
}

impl Context<'_> {
    /// A copy for a callee. Contexts are passed by value: the address of one would force it into memory on the fast path.
    #[inline(always)]
    fn reborrow(&mut self) -> Context<'_> {
        Context {
            slot: self.slot,
            site: self.site,
            trace: self.trace,
        }
    }
}

/// The operands whose influences the result inherits, the first `reported` of which an event reports.
///
/// Functions that are inlined get it by value, so that the compiler knows its parts; others get a copy.
#[derive(Clone, Copy)]
pub struct Inputs<'a, const ROOM: usize> {
    operands: [Shadowed<'a>; ROOM],
    count: usize,
    reported: usize,
}

impl<'a, const ROOM: usize> Inputs<'a, ROOM> {
    #[inline(always)]
    pub fn all(operands: [Shadowed<'a>; ROOM]) -> Inputs<'a, ROOM> {
        Inputs {
            operands,
            count: ROOM,
            reported: ROOM,
        }
    }

    #[inline(always)]
    pub fn operands(&self) -> &[Shadowed<'a>] {
        &self.operands[..self.count]
    }

    #[inline(always)]
    pub fn reported(&self) -> &[Shadowed<'a>] {
        &self.operands[..self.reported]
    }
}

/// A product and a sum. The product is rounded too, exactly as a separate product would be.
#[inline(always)]
pub fn multiply_add<const KIND: u8>(
    context: Context,
    op: Op,
    operands: [Shadowed; 3],
    result: Value,
) -> u64 {
    let mut shorts = [Short::new(), Short::new(), Short::new()];
    let [short_a, short_b, short_c] = &mut shorts;
    let [a, b, c] = operands;
    let x = a.0.number(a.1, short_a);
    let y = b.0.number(b.1, short_b);
    let z = c.0.number(c.1, short_c);
    let mut memory = MaybeUninit::<Slot>::uninit();
    let product = Slot::uninit(&mut memory);
    let inexact = arithmetic::mul(product, x, y);
    let product = &product.number;
    let product_error = errors::product(x, a.0.own_error(), y, b.0.own_error())
        .plus(errors::rounding(product, inexact, errors::salt(x, y)));
    let inexact = arithmetic::add(context.slot, product, z);
    let salt = errors::salt(product, z);
    let error = product_error.plus(c.0.own_error()).plus(errors::rounding(
        &context.slot.number,
        inexact,
        salt,
    ));
    intervening::apply(context.slot, context.site, op, &operands, result);
    conclude::<KIND, _>(context, op, Inputs::all(operands), result, error)
}

#[inline(always)]
pub fn root<const KIND: u8>(context: Context, operand: Shadowed, result: Value) -> u64 {
    let mut short = Short::new();
    let x = operand.0.number(operand.1, &mut short);
    let inexact = arithmetic::sqrt(context.slot, x);
    let number = &context.slot.number;
    let propagated = errors::root((x, operand.0.own_error()), number);
    let error = propagated.plus(errors::rounding(number, inexact, x.salt()));
    intervening::apply(context.slot, context.site, Op::Sqrt, &[operand], result);
    conclude::<KIND, _>(context, Op::Sqrt, Inputs::all([operand]), result, error)
}

/// In place of a format that is not known at compile time.
pub const ANY_KIND: u8 = 0;

/// A value of the format KIND: the compiler forgets the format where memory may have changed.
#[inline(always)]
fn of_kind<const KIND: u8>(value: Value) -> Value {
    match FpKind::from_u8(KIND) {
        Some(kind) => Value { kind, ..value },
        None => value,
    }
}

/// Writes the node of a result whose number the slot holds, and checks the result; returns its shadow.
#[inline(always)]
fn conclude<const KIND: u8, const ROOM: usize>(
    mut context: Context,
    op: Op,
    inputs: Inputs<ROOM>,
    result: Value,
    error: OwnError,
) -> u64 {
    let result = of_kind::<KIND>(result);
    let sampled = record::<KIND, ROOM>(context.reborrow(), op, inputs, error);
    if sampled || !events::needs_no_event_inline(context.reborrow(), op, inputs, result) {
        check_result(context.reborrow(), op, inputs, result, sampled);
    }
    Shadow::of(context.slot).word()
}

/// Writes the node and the number's error; returns whether the operation is sampled.
#[inline(always)]
pub fn record<const KIND: u8, const ROOM: usize>(
    context: Context,
    op: Op,
    inputs: Inputs<ROOM>,
    error: OwnError,
) -> bool {
    let Context { slot, site, trace } = context;
    slot.own_error = error;
    let node = write_node::<KIND>(trace, site, op, inputs.reported());
    slot.meta = meta::new(node, 0);
    trace.is_sampled()
}

/// A value at most this many ulps from its exact value is accurate without further checks.
const ACCURATE_ULPS: u64 = 4;

/// Reports the operation if mode `explain` would.
#[inline(always)]
pub fn check_result<const ROOM: usize>(
    mut context: Context,
    op: Op,
    inputs: Inputs<ROOM>,
    result: Value,
    sampled: bool,
) {
    let needs_no_event = !sampled
        && (result.is_surely_within(&context.slot.number, ACCURATE_ULPS + 1)
            || events::needs_no_event(context.reborrow(), op, inputs, result));
    if !needs_no_event {
        let copy = inputs;
        let operands = [copy.operands(), copy.reported()];
        events::check_and_report(context, op, operands, result, sampled);
    }
}

/// Writes an operation's node, and returns its number. As in mode `explain`, long runs write nodes only in windows.
#[inline(always)]
pub fn write_node<const KIND: u8>(
    trace: ThreadTrace,
    site: u32,
    op: Op,
    operands: &[Shadowed],
) -> u32 {
    // SAFETY: `ThreadTrace`'s invariant. The ring has room for two more nodes after RING_NODES.
    unsafe {
        let thread = &mut *trace.as_ptr();
        let (number, at) = (thread.counter as u32, thread.counter as usize % RING_NODES);
        let is_traced = thread.counter & thread.trace_mask < TRACED_NODES;
        let (first, rest) = operands.split_at(operands.len().min(2));
        thread.counter += 1 + u64::from(!rest.is_empty());
        if is_traced {
            let node = thread.ring.add(at);
            node.write(node_of::<KIND>(
                node_site::join(site, op as u16),
                number,
                first,
            ));
            if !rest.is_empty() {
                let more = node_of::<KIND>(CONTINUED, number.wrapping_add(1), rest);
                node.add(1).write(more);
            }
        }
        number
    }
}

#[inline(always)]
fn node_of<const KIND: u8>(site: u32, number: u32, operands: &[Shadowed]) -> Node {
    let mut node = Node {
        operands: [0.0; 2],
        site,
        number,
        from: [0; 2],
    };
    for (index, (shadow, value)) in operands.iter().take(2).enumerate() {
        node.operands[index] = as_double(of_kind::<KIND>(*value));
        node.from[index] = meta::node(shadow.meta());
    }
    node
}

// ---- operations of any kind ----

/// The operands that an event has room for.
const MOST_OPERANDS: usize = 3;

/// Any operation with a floating-point result.
pub fn operate(context: Context, op: u32, operands: &[Operand], result: &Operand) -> u64 {
    let (Some(op), Some(program)) = (Op::from_u16(op as u16), Value::of_operand(result)) else {
        return 0;
    };
    if let (Op::Neg, [operand], FpKind::Double) = (op, operands, program.kind) {
        return negate(context, operand, program);
    }
    let error = match is_undefined(op, operands) {
        true => {
            context.slot.set_special(number::NAN, 1);
            OwnError::EXACT
        }
        false => computed(op, context.slot, operands, program),
    };
    intervening::apply_to_any(context.slot, context.site, op, operands, program);
    if is_conversion(op) {
        return convert(context, &operands[0], program, error);
    }
    if op.info().folds.is_some() {
        let inputs = Inputs {
            operands: [influential(operands, program)],
            count: 1,
            reported: 0,
        };
        return conclude::<ANY_KIND, _>(context, op, inputs, program, error);
    }
    let (operands, count) = reported_operands(operands, program);
    let inputs = Inputs {
        operands,
        count,
        reported: count,
    };
    conclude::<ANY_KIND, _>(context, op, inputs, program, error)
}

/// Computes a result, and gives its error.
fn computed(op: Op, slot: &mut Slot, operands: &[Operand], program: Value) -> OwnError {
    let error = |operand: &Operand| Shadow::of_operand(operand).own_error();
    let may_be_at_a_threshold = (thresholds::jumps(op) || op.is_remainder())
        && operands.iter().map(error).all(errors::is_confirmed);
    if may_be_at_a_threshold && thresholds::evaluate(op, slot, operands) {
        return slot.own_error;
    }
    if !evaluate(op, slot, operands) {
        // Exact arithmetic gives this operation no meaning: take the program's result.
        slot.set_value(program);
    }
    propagation::of_any(op, operands, &slot.number)
}

/// Whether it divides by a number that is zero in exact arithmetic alone. Its event is not rare: other formats report what is
/// inaccurate.
fn is_undefined(op: Op, operands: &[Operand]) -> bool {
    let (Op::Div, [_, divisor]) = (op, operands) else {
        return false;
    };
    let (shadow, mut short) = (Shadow::of_operand(divisor), Short::new());
    let program = value_of(divisor);
    let number = shadow.number(program, &mut short);
    errors::divides_by_noise((number, shadow.own_error()), program)
}

/// Frequent, because a subtracted product is fused with its sum.
fn negate(context: Context, operand: &Operand, program: Value) -> u64 {
    const DOUBLE: u8 = FpKind::Double as u8;
    let value = Value::of_double(f64::from_bits(operand.bits));
    let shadow = Shadow::of_operand(operand);
    let mut short = Short::new();
    let x = shadow.number(value, &mut short);
    arithmetic::copy_signed(context.slot, x, -x.sign);
    let inputs = Inputs::all([(shadow, value)]);
    conclude::<DOUBLE, _>(context, Op::Neg, inputs, program, -shadow.own_error())
}

/// The operands that an event has room for, and their number; `filling` fills the rest.
pub fn reported_operands(
    operands: &[Operand],
    filling: Value,
) -> ([Shadowed<'_>; MOST_OPERANDS], usize) {
    let mut reported = [(Shadow::NONE, filling); MOST_OPERANDS];
    for (reported, operand) in reported.iter_mut().zip(operands) {
        *reported = (Shadow::of_operand(operand), value_of(operand));
    }
    (reported, operands.len().min(MOST_OPERANDS))
}

/// Integers become doubles.
fn value_of(operand: &Operand) -> Value {
    let integer = || match operand.kind {
        SIGNED => operand.bits as i64 as f64,
        _ => operand.bits as f64,
    };
    Value::of_operand(operand).unwrap_or_else(|| Value::of_double(integer()))
}

/// Conversions do nothing in exact arithmetic: the result has the node and influences of the operand.
fn is_conversion(op: Op) -> bool {
    use Op::*;
    matches!(
        op,
        Extend | Truncate | Canonicalize | ComplexPart | FromSigned | FromUnsigned
    )
}

fn convert(context: Context, operand: &Operand, program: Value, error: OwnError) -> u64 {
    let slot = context.slot;
    slot.own_error = error;
    slot.meta = Shadow::of_operand(operand).meta();
    match slot.meta == 0 && operate::is_exactly(&slot.number, program) {
        true => 0,
        false => Shadow::of(slot).word(),
    }
}

/// A reduction inherits the influences of one of its terms; those of others are united where the result is used.
fn influential(operands: &[Operand], program: Value) -> Shadowed<'_> {
    let has_influences = |shadow: &Shadow| meta::influences(shadow.meta()) != 0;
    let shadow = operands
        .iter()
        .map(Shadow::of_operand)
        .find(has_influences)
        .unwrap_or(Shadow::NONE);
    (shadow, program)
}
