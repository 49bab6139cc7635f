//! Where the program leaves floating-point: comparisons and conversions to integers. The program goes on with
//! what the runtime answers.

use lostbits_abi::functions;

use super::super::lanes::lane_of;
use super::{frame::Frames, operations::put_operand};
use crate::{
    builder,
    carry::{FunctionInstrumenter, Operation},
    ir::{self, Opcode, TypeKind, Value},
    shape,
};

pub fn compare(cx: &mut FunctionInstrumenter, operation: &Operation) {
    let [(_, a, a_shadow), (_, b, b_shadow)] = &operation.operands[..] else {
        return;
    };
    let instruction = operation.instruction;
    if ir::opcode(instruction) != Opcode::LLVMFCmp {
        return;
    }
    let predicate = ir::comparison_predicate(instruction);
    let program_users = ir::uses(instruction);
    let decision = each_result(cx, instruction, |cx, decided, lane| {
        let builder = cx.builder;
        let types = builder.types;
        let [x, y] = [*a, *b].map(|value| lane_of(builder, value, lane));
        let [s, t] = [a_shadow, b_shadow].map(|shadow| lane_of(builder, shadow[0], lane));
        let totals = cx.totals_of(operation.site);
        let predicate = builder::integer(types.i32, u64::from(predicate));
        let decided = builder.resize_unsigned(decided, types.i32);
        let kind = shape::fp_kind(ir::type_of(x));
        if let Some(compare) = kind.and_then(|kind| functions::REALS_COMPARE.of(kind)) {
            let arguments = [totals, predicate, s, t, x, y, decided];
            return builder.call_runtime(compare, &arguments);
        }
        let area = cx.operand_area(2);
        put_operand(cx, area, 0, x, s);
        put_operand(cx, area, 1, y, t);
        let arguments = [totals, predicate, area, decided];
        builder.call_runtime(functions::REALS_COMPARE_ANY, &arguments)
    });
    replace_in(&program_users, instruction, decision);
}

/// A conversion to an integer.
pub fn convert(cx: &mut FunctionInstrumenter, operation: &Operation) {
    let instruction = operation.instruction;
    let [(_, operand, shadow)] = &operation.operands[..] else {
        return;
    };
    let result = shape::scalar(ir::type_of(instruction));
    let is_integer = ir::type_kind(result) == TypeKind::LLVMIntegerTypeKind;
    if !is_integer || ir::int_width(result) > 64 {
        return;
    }
    let width = u64::from(ir::int_width(result));
    let program_users = ir::uses(instruction);
    let (op, operand, shadow) = (operation.op, *operand, shadow[0]);
    let converted = each_result(cx, instruction, |cx, program, lane| {
        let area = cx.operand_area(1);
        let builder = cx.builder;
        let types = builder.types;
        let value = lane_of(builder, operand, lane);
        put_operand(cx, area, 0, value, lane_of(builder, shadow, lane));
        let totals = cx.totals_of(operation.site);
        let program = builder.resize_unsigned(program, types.i64);
        let [op, width] = [op as u64, width].map(|word| builder::integer(types.i32, word));
        builder.call_runtime(
            functions::REALS_INTEGER,
            &[totals, op, width, area, program],
        )
    });
    replace_in(&program_users, instruction, converted);
}

/// A result like the instruction's, made lane by lane from integers.
fn each_result(
    cx: &mut FunctionInstrumenter,
    instruction: Value,
    mut make: impl FnMut(&mut FunctionInstrumenter, Value, u32) -> Value,
) -> Value {
    let ty = ir::type_of(instruction);
    let scalar = shape::scalar(ty);
    let mut one = |cx: &mut FunctionInstrumenter, lane| {
        let program = lane_of(cx.builder, instruction, lane);
        let made = make(cx, program, lane);
        cx.builder.resize_unsigned(made, scalar)
    };
    if ir::type_kind(ty) != TypeKind::LLVMVectorTypeKind {
        return one(cx, 0);
    }
    let mut all = builder::null(ty);
    for lane in 0..shape::lanes(ty) {
        let made = one(cx, lane);
        let index = builder::integer(cx.builder.types.i32, u64::from(lane));
        all = cx.builder.insert_element(all, made, index);
    }
    all
}

fn replace_in(users: &[Value], old: Value, new: Value) {
    for user in users {
        for (index, operand) in (0..).zip(ir::operands(*user)) {
            if operand == old {
                ir::set_operand(*user, index, new);
            }
        }
    }
}
