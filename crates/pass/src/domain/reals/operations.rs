//! What operations do to numbers: calls of the runtime, lane by lane.

use lostbits_abi::{
    kind::FpKind,
    mode::Mode,
    numbers::{Operand, SIGNED, UNSIGNED},
    ops::{Op, Operand as OperandKind},
    symbols,
};

use super::{
    super::{LeafShadow, Operation, Shadow, same::bits},
    Reals, each_lane, lane_of, references, store_one,
};
use crate::{
    builder::{self, Builder},
    carry::Weaver,
    ir::{self, Type, TypeKind, Value},
    shape::{self, Leaf},
};

/// The shadow of each leaf of an operation's result.
pub fn results(weaver: &mut Weaver, operation: &Operation) -> Shadow {
    let leaves = weaver.leaves_of(operation.instruction);
    (0..)
        .zip(&leaves)
        .map(|(index, leaf)| match op_of_result(operation.op, index) {
            Some(op) => result(weaver, operation, op, leaf),
            None => Reals.fresh_of(weaver, leaf.ty),
        })
        .collect()
}

impl Reals {
    fn fresh_of(&self, weaver: &Weaver, leaf: Type) -> LeafShadow {
        vec![builder::null(references(weaver.builder, leaf))]
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

fn result(weaver: &mut Weaver, operation: &Operation, op: Op, leaf: &Leaf) -> LeafShadow {
    let instruction = operation.instruction;
    if is_always_exact(op, instruction, leaf) {
        return Reals.fresh_of(weaver, leaf.ty);
    }
    let value = weaver.builder.member(instruction, &leaf.path);
    let demanded = match ir::type_kind(ir::type_of(instruction)) {
        TypeKind::LLVMVectorTypeKind => shape::demanded_lanes(instruction),
        _ => vec![true; shape::lanes(leaf.ty) as usize],
    };
    each_lane(weaver, leaf.ty, |weaver, lane| {
        if !demanded[lane as usize] {
            return builder::null(weaver.builder.types.i64);
        }
        let value = lane_of(weaver.builder, value, lane);
        frequent(weaver, operation, op, value, lane)
            .or_else(|| general(weaver, operation, op, value, lane))
            .unwrap_or_else(|| builder::null(weaver.builder.types.i64))
    })
}

/// What a library function leaves behind pointers: `modf`, `sincos`.
pub fn stored_results(weaver: &mut Weaver, operation: &Operation) {
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
        let value = weaver.builder.load(ty, pointer, 1);
        if let Some(shadow) = general(weaver, operation, *op, value, 0) {
            store_one(weaver, pointer, value, shadow);
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
    weaver: &mut Weaver,
    operation: &Operation,
    op: Op,
    result: Value,
    lane: u32,
) -> Option<Value> {
    let ty = ir::type_of(result);
    let is_double = match ir::type_kind(ty) {
        TypeKind::LLVMDoubleTypeKind => true,
        TypeKind::LLVMFloatTypeKind => false,
        _ => return None,
    };
    let pair = match op {
        Op::Add => [symbols::REALS_ADD, symbols::REALS_ADD_FLOAT],
        Op::Sub => [symbols::REALS_SUB, symbols::REALS_SUB_FLOAT],
        Op::Mul => [symbols::REALS_MUL, symbols::REALS_MUL_FLOAT],
        Op::Div => [symbols::REALS_DIV, symbols::REALS_DIV_FLOAT],
        Op::Fma => [symbols::REALS_FMA, symbols::REALS_FMA_FLOAT],
        Op::MulAdd => [symbols::REALS_MULADD, symbols::REALS_MULADD_FLOAT],
        Op::Sqrt => [symbols::REALS_SQRT, symbols::REALS_SQRT_FLOAT],
        _ => return None,
    };
    let name = function_name(weaver, pair[usize::from(!is_double)]);
    let (mut arguments, mut parameters) = about(weaver, operation.site);
    let builder = weaver.builder;
    let types = builder.types;
    for (_, _, shadow) in &operation.operands {
        arguments.push(lane_of(builder, shadow[0], lane));
        parameters.push(types.i64);
    }
    let values = operation
        .operands
        .iter()
        .map(|(_, value, _)| lane_of(builder, *value, lane));
    for value in values.chain([result]) {
        arguments.push(value);
        parameters.push(ty);
    }
    let function = builder.declare(&name, types.i64, &parameters);
    Some(builder.call(function, &arguments))
}

/// What every operation tells the runtime first: the slot for its result, and where it stands in the program.
fn about(weaver: &mut Weaver, site: u32) -> (Vec<Value>, Vec<Type>) {
    let slot = weaver.slot();
    let types = weaver.builder.types;
    match weaver.mode() {
        Mode::ExplainReals => {
            let (site, thread) = weaver.global_site(site);
            let parameters = vec![types.i64, types.i64, types.pointer];
            (vec![slot, site, thread], parameters)
        }
        _ => {
            let totals = weaver.totals_of(site);
            (vec![slot, totals], vec![types.i64, types.pointer])
        }
    }
}

/// The mode's own function for what mode `reals` calls so.
fn function_name(weaver: &Weaver, name: &str) -> String {
    match weaver.mode() {
        Mode::ExplainReals => name.replace("__lostbits_reals_", "__lostbits_explain_reals_"),
        _ => name.to_owned(),
    }
}

/// Everything else, by the operation's number; none where an operand is nothing the table knows.
fn general(
    weaver: &mut Weaver,
    operation: &Operation,
    op: Op,
    result: Value,
    lane: u32,
) -> Option<Value> {
    let operands = operands_of(weaver, operation, lane)?;
    let area = weaver.operand_area(operands.len() as u64 + 1);
    for (index, (value, shadow)) in (0..).zip(&operands) {
        put(weaver, area, index, *value, *shadow, op != Op::FromUnsigned);
    }
    let count = operands.len() as u64;
    let null = builder::null(weaver.builder.types.i64);
    put_operand(weaver, area, count, result, null);
    let (mut arguments, mut parameters) = about(weaver, operation.site);
    let name = function_name(weaver, symbols::REALS_OPERATE);
    let builder = weaver.builder;
    let types = builder.types;
    parameters.extend([types.i32, types.i32, types.pointer]);
    let function = builder.declare(&name, types.i64, &parameters);
    let number = builder::integer(types.i32, op as u64);
    let count = builder::integer(types.i32, count);
    arguments.extend([number, count, area]);
    Some(builder.call(function, &arguments))
}

/// Values with their shadows, in the table's order; a reduction's lanes one after another.
fn operands_of(
    weaver: &mut Weaver,
    operation: &Operation,
    lane: u32,
) -> Option<Vec<(Value, Value)>> {
    let builder = weaver.builder;
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
pub fn put_operand(weaver: &Weaver, area: Value, index: u64, value: Value, shadow: Value) {
    put(weaver, area, index, value, shadow, true);
}

fn put(weaver: &Weaver, area: Value, index: u64, value: Value, shadow: Value, is_signed: bool) {
    let builder = weaver.builder;
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
