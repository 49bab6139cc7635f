//! Decisions that errors could change.

use lostbits_abi::ops::Op;

use super::{Errors, cells, no_origin};
use crate::{
    builder,
    carry::{FunctionInstrumenter, Operation, Shadow},
    ir::{self, Opcode, RealPredicate, Value},
    modes::{
        tags::{bits, tag_check},
        watch,
    },
    shape,
};

/// Unstable if the operands are no further apart than their errors reach.
pub fn compare(cx: &mut FunctionInstrumenter, operation: &Operation) -> Shadow {
    let comparison = operation.instruction;
    let [(_, x, x_error), (_, y, y_error)] = &operation.operands[..] else {
        unreachable!("a comparison has two operands")
    };
    if !ir::orders_numbers(comparison) || x == y {
        return Vec::new();
    }
    let site = match watch::picks_compared_value(comparison, *x, *y) {
        true => cx.note_site(operation, watch::PICKS),
        false => operation.site,
    };
    let place = cx.judged_after(comparison);
    let builder = cx.builder;
    let errors = Errors::of(builder, ir::type_of(*x));
    let [x_known, y_known] = [(x, x_error), (y, y_error)].map(|(v, e)| errors.known(*v, e[0]));
    let apart = builder.binary(Opcode::LLVMFSub, x_known.value, y_known.value);
    let reach = errors.sum(x_known.error, y_known.error);
    let mut unstable = is_within(cx, builder.magnitude(apart), reach);
    if place != comparison {
        let last = ir::arguments(place)[0];
        let counts = builder.differ(last, builder::null(ir::type_of(last)));
        unstable = builder.and(unstable, counts);
    }
    let unstable = where_used(cx, operation, unstable);
    let values = [*x, *y].map(|value| bits(builder, value));
    let origin = no_origin(builder, *x);
    cx.check(tag_check(site, unstable, values, origin));
    Vec::new()
}

/// Conversions to integers and roundings to integral values: unstable if an error reaches the next jump. The result is
/// taken for exact.
pub fn convert(cx: &mut FunctionInstrumenter, operation: &Operation) -> Shadow {
    let (_, x, error) = &operation.operands[0];
    let builder = cx.builder;
    let errors = Errors::of(builder, ir::type_of(*x));
    let known = errors.known(*x, error[0]);
    let to_jump = distance_to_jump(&errors, cx, known.value, operation.op);
    let unstable = is_within(cx, to_jump, known.error);
    let unstable = where_used(cx, operation, unstable);
    let x_bits = bits(builder, *x);
    let nothing = builder::null(ir::type_of(x_bits));
    let origin = no_origin(builder, *x);
    cx.check(tag_check(
        operation.site,
        unstable,
        [x_bits, nothing],
        origin,
    ));
    let leaves = cx.leaves_of(operation.instruction);
    let exact = |leaf: &shape::Leaf| cells::exact(cx.builder, leaf.ty);
    leaves.iter().map(exact).collect()
}

/// How far a value is from the nearest whole number, or from the nearest half of an odd one.
fn distance_to_jump(errors: &Errors, cx: &FunctionInstrumenter, value: Value, op: Op) -> Value {
    let builder = cx.builder;
    let is_double = shape::scalar(ir::type_of(value)) == builder.types.double;
    // Added, it leaves no room for what is behind the point.
    let large = errors.number(if is_double {
        2f64.powi(52)
    } else {
        2f64.powi(23)
    });
    let magnitude = builder.magnitude(value);
    let whole = errors.sum(magnitude, large);
    let whole = builder.binary(Opcode::LLVMFSub, whole, large);
    let apart = builder.magnitude(builder.binary(Opcode::LLVMFSub, magnitude, whole));
    match watch::rounds_to_nearest(op) {
        true => builder.binary(Opcode::LLVMFSub, errors.number(0.5), apart),
        false => apart,
    }
}

/// Whether an error reaches so far; what is exact reaches nowhere.
fn is_within(cx: &FunctionInstrumenter, distance: Value, reach: Value) -> Value {
    let builder = cx.builder;
    let nothing = builder::null(ir::type_of(reach));
    let is_near = builder.compare_reals(RealPredicate::LLVMRealOLE, distance, reach);
    let is_inexact = builder.compare_reals(RealPredicate::LLVMRealOGT, reach, nothing);
    builder.and(is_near, is_inexact)
}

fn where_used(cx: &FunctionInstrumenter, operation: &Operation, flags: Value) -> Value {
    let lanes = &operation.demanded;
    match shape::lanes(ir::type_of(flags)) as usize == lanes.len() && lanes.len() > 1 {
        true => {
            let used = builder::flags(cx.builder.types, lanes);
            cx.builder.and(flags, used)
        }
        false => flags,
    }
}
