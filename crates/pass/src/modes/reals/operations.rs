//! What operations do to numbers: calls of the runtime, lane by lane.

use lostbits_abi::{
    functions::{self, FormatFunctions, RuntimeFunction},
    kind::FpKind,
    numbers::{Operand, SIGNED, UNSIGNED},
    ops::{Op, Operand as OperandKind},
};

use super::super::lanes::lane_of;
use super::frame::Frames;
use super::{super::lanes::bits, Reals, each_lane, references, store_one};
use crate::{
    builder::{self, Builder},
    carry::{FunctionInstrumenter, LeafShadow, Operation, Shadow},
    ir::{self, Type, TypeKind, Value},
    shape::{self, Leaf},
};

/// The shadow of each leaf of an operation's result.
pub fn results(
    cx: &mut FunctionInstrumenter,
    calls: &dyn NumberCalls,
    operation: &Operation,
) -> Shadow {
    let leaves = cx.leaves_of(operation.instruction);
    (0..)
        .zip(&leaves)
        .map(|(index, leaf)| match op_of_result(operation.op, index) {
            Some(op) => result(cx, calls, operation, op, leaf),
            None => Reals.fresh_of(cx, leaf.ty),
        })
        .collect()
}

/// How a mode calls the runtime's operations on high-precision numbers.
pub trait NumberCalls {
    /// The arguments that identify an operation to the runtime.
    fn identify(&self, cx: &mut FunctionInstrumenter, site: u32) -> Vec<Value>;

    /// The functions of a frequent operation.
    fn function(&self, op: Op) -> Option<FormatFunctions>;

    /// The function for every other operation.
    fn general_function(&self) -> RuntimeFunction;
}

impl NumberCalls for Reals {
    fn identify(&self, cx: &mut FunctionInstrumenter, site: u32) -> Vec<Value> {
        vec![cx.totals_of(site)]
    }

    fn function(&self, op: Op) -> Option<FormatFunctions> {
        Some(match op {
            Op::Add => functions::REALS_ADD,
            Op::Sub => functions::REALS_SUB,
            Op::Mul => functions::REALS_MUL,
            Op::Div => functions::REALS_DIV,
            Op::Fma => functions::REALS_FMA,
            Op::MulAdd => functions::REALS_MULADD,
            Op::Sqrt => functions::REALS_SQRT,
            _ => return None,
        })
    }

    fn general_function(&self) -> RuntimeFunction {
        functions::REALS_OPERATE
    }
}

/// The first arguments of every operation: the slot of its result, and which operation it is.
fn identification(cx: &mut FunctionInstrumenter, calls: &dyn NumberCalls, site: u32) -> Vec<Value> {
    let slot = cx.slot();
    let mut arguments = calls.identify(cx, site);
    arguments.insert(0, slot);
    arguments
}

impl Reals {
    fn fresh_of(&self, cx: &FunctionInstrumenter, leaf: Type) -> LeafShadow {
        vec![builder::null(references(cx.builder, leaf))]
    }
}

/// Where there are two results, another operation gives the second.
fn op_of_result(op: Op, index: usize) -> Option<Op> {
    match index {
        0 => Some(op),
        1 => op.info().second,
        _ => None,
    }
}

fn result(
    cx: &mut FunctionInstrumenter,
    calls: &dyn NumberCalls,
    operation: &Operation,
    op: Op,
    leaf: &Leaf,
) -> LeafShadow {
    let instruction = operation.instruction;
    if is_always_exact(op, instruction, leaf) {
        return Reals.fresh_of(cx, leaf.ty);
    }
    let value = cx.builder.member(instruction, &leaf.path);
    let demanded = match ir::type_kind(ir::type_of(instruction)) {
        TypeKind::LLVMVectorTypeKind => shape::demanded_lanes(instruction),
        _ => vec![true; shape::lanes(leaf.ty) as usize],
    };
    each_lane(cx, leaf.ty, |cx, lane| {
        if !demanded[lane as usize] {
            return builder::null(cx.builder.types.i64);
        }
        let value = lane_of(cx.builder, value, lane);
        frequent(cx, calls, operation, op, value, lane)
            .or_else(|| general(cx, calls, operation, op, value, lane))
            .unwrap_or_else(|| builder::null(cx.builder.types.i64))
    })
}

/// What a library function leaves behind pointers: `modf`, `sincos`.
pub fn stored_results(
    cx: &mut FunctionInstrumenter,
    calls: &dyn NumberCalls,
    operation: &Operation,
) {
    let places: &[(usize, Op)] = match operation.op {
        Op::Modf => &[(1, Op::Trunc)],
        Op::Sincos => &[(1, Op::Sin), (2, Op::Cos)],
        Op::SincosPi => &[(1, Op::SinPi), (2, Op::CosPi)],
        _ => return,
    };
    let (true, [(0, operand, _), ..]) = (operation.is_library_call, &operation.operands[..]) else {
        return;
    };
    let (arguments, ty) = (ir::arguments(operation.instruction), ir::type_of(*operand));
    for (index, op) in places {
        let Some(pointer) = arguments.get(*index).copied() else {
            continue;
        };
        if ir::type_kind(ir::type_of(pointer)) != TypeKind::LLVMPointerTypeKind {
            continue;
        }
        let value = cx.builder.load(ty, pointer, 1);
        if let Some(shadow) = general(cx, calls, operation, *op, value, 0) {
            store_one(cx, pointer, value, shadow);
        }
    }
}

/// Integers that fit into the significand.
fn is_always_exact(op: Op, instruction: Value, leaf: &Leaf) -> bool {
    if !matches!(op, Op::FromSigned | Op::FromUnsigned) {
        return false;
    }
    let source = shape::scalar(ir::type_of(ir::operand(instruction, 0)));
    ir::type_kind(source) == TypeKind::LLVMIntegerTypeKind
        && ir::int_width(source) <= leaf.kind.precision()
}

/// Operations that have a function of their own in the runtime.
fn frequent(
    cx: &mut FunctionInstrumenter,
    calls: &dyn NumberCalls,
    operation: &Operation,
    op: Op,
    result: Value,
    lane: u32,
) -> Option<Value> {
    let kind = shape::fp_kind(ir::type_of(result))?;
    let function = calls.function(op)?.of(kind)?;
    let mut arguments = identification(cx, calls, operation.site);
    let builder = cx.builder;
    let lanes = |value: Value| lane_of(builder, value, lane);
    let shadows = operation
        .operands
        .iter()
        .map(|(_, _, shadow)| lanes(shadow[0]));
    arguments.extend(shadows);
    let values = operation.operands.iter().map(|(_, value, _)| lanes(*value));
    arguments.extend(values.chain([result]));
    Some(builder.call_runtime(function, &arguments))
}

/// Everything else, by the operation's number; none where an operand is nothing the table knows.
fn general(
    cx: &mut FunctionInstrumenter,
    calls: &dyn NumberCalls,
    operation: &Operation,
    op: Op,
    result: Value,
    lane: u32,
) -> Option<Value> {
    let operands = operands_of(cx, operation, lane)?;
    let area = cx.operand_area(operands.len() as u64 + 1);
    for (index, (value, shadow)) in (0..).zip(&operands) {
        put(cx, area, index, *value, *shadow, op != Op::FromUnsigned);
    }
    let count = operands.len() as u64;
    let null = builder::null(cx.builder.types.i64);
    put_operand(cx, area, count, result, null);
    let mut arguments = identification(cx, calls, operation.site);
    let builder = cx.builder;
    let types = builder.types;
    let number = builder::integer(types.i32, op as u64);
    let count = builder::integer(types.i32, count);
    arguments.extend([number, count, area]);
    Some(builder.call_runtime(calls.general_function(), &arguments))
}

/// Values with their shadows, in the table's order; a reduction's lanes one after another.
fn operands_of(
    cx: &mut FunctionInstrumenter,
    operation: &Operation,
    lane: u32,
) -> Option<Vec<(Value, Value)>> {
    let builder = cx.builder;
    let info = operation.op.info();
    if info.folds.is_some() {
        let mut all = Vec::new();
        for (_, value, shadow) in &operation.operands {
            for lane in 0..shape::lanes(ir::type_of(*value)) {
                all.push((
                    lane_of(builder, *value, lane),
                    lane_of(builder, shadow[0], lane),
                ));
            }
        }
        return Some(all);
    }
    let one = |(index, kind): (u32, &OperandKind)| match kind {
        OperandKind::Real => {
            let (_, value, shadow) = operation
                .operands
                .iter()
                .find(|(position, _, _)| *position == index)?;
            Some((
                lane_of(builder, *value, lane),
                lane_of(builder, shadow[0], lane),
            ))
        }
        OperandKind::Integer => {
            let value = ir::operand(operation.instruction, index);
            let is_integer =
                ir::type_kind(shape::scalar(ir::type_of(value))) == TypeKind::LLVMIntegerTypeKind;
            let is_small = is_integer && ir::int_width(shape::scalar(ir::type_of(value))) <= 64;
            is_small.then(|| {
                (
                    lane_of(builder, value, lane),
                    builder::null(builder.types.i64),
                )
            })
        }
    };
    (0..).zip(info.operands).map(one).collect()
}

/// Writes an [`Operand`] into the area for them.
pub fn put_operand(
    cx: &FunctionInstrumenter,
    area: Value,
    index: u64,
    value: Value,
    shadow: Value,
) {
    put(cx, area, index, value, shadow, true);
}

fn put(
    cx: &FunctionInstrumenter,
    area: Value,
    index: u64,
    value: Value,
    shadow: Value,
    is_signed: bool,
) {
    let builder = cx.builder;
    let types = builder.types;
    let place = |field: usize| {
        let offset = index * size_of::<Operand>() as u64 + field as u64;
        builder.offset(area, offset)
    };
    let kind = shape::fp_kind(ir::type_of(value));
    let (word, high) = words_of(builder, value, is_signed);
    builder.store(shadow, place(std::mem::offset_of!(Operand, slot)), 8);
    builder.store(word, place(std::mem::offset_of!(Operand, bits)), 8);
    builder.store(high, place(std::mem::offset_of!(Operand, high)), 4);
    let kind = match (kind, is_signed) {
        (Some(kind), _) => kind as u32,
        (None, true) => SIGNED,
        (None, false) => UNSIGNED,
    };
    let kind = builder::integer(types.i32, u64::from(kind));
    builder.store(kind, place(std::mem::offset_of!(Operand, kind)), 4);
}

/// The bits of a scalar in 64 and, of an x87 number, 16 more.
fn words_of(builder: &Builder, value: Value, is_signed: bool) -> (Value, Value) {
    let types = builder.types;
    let none = builder::null(types.i32);
    match shape::fp_kind(ir::type_of(value)) {
        Some(FpKind::X87) => {
            let all = builder.bitcast(value, types.int(80));
            let high = builder.shift_right(all, 64);
            (
                builder.resize_unsigned(all, types.i64),
                builder.resize_unsigned(high, types.i32),
            )
        }
        Some(_) => (
            builder.resize_unsigned(bits(builder, value), types.i64),
            none,
        ),
        None if is_signed => (builder.resize_mask(value, types.i64), none),
        None => (builder.resize_unsigned(value, types.i64), none),
    }
}
