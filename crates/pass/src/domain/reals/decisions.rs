//! Where the program leaves floating-point: comparisons and conversions to integers. The program goes on with
//! what the runtime answers.

use lostbits_abi::symbols;

use super::{super::Operation, lane_of, operations::put_operand};
use crate::{
    builder,
    carry::Weaver,
    ir::{self, Opcode, TypeKind, Value},
    shape,
};

pub fn compare(weaver: &mut Weaver, operation: &Operation) {
    let [(_, a, a_shadow), (_, b, b_shadow)] = &operation.operands[..] else {
        return;
    };
    let instruction = operation.instruction;
    if ir::opcode(instruction) != Opcode::LLVMFCmp {
        return;
    }
    let predicate = ir::comparison_predicate(instruction);
    let program_users = ir::uses(instruction);
    let decision = each_result(weaver, instruction, |weaver, decided, lane| {
        let builder = weaver.builder;
        let types = builder.types;
        let [x, y] = [*a, *b].map(|value| lane_of(builder, value, lane));
        let [s, t] = [a_shadow, b_shadow].map(|shadow| lane_of(builder, shadow[0], lane));
        let totals = weaver.totals_of(operation.site);
        let predicate = builder::integer(types.i32, u64::from(predicate));
        let decided = builder.resize_unsigned(decided, types.i32);
        let ty = ir::type_of(x);
        let name = match ir::type_kind(ty) {
            TypeKind::LLVMDoubleTypeKind => symbols::REALS_COMPARE,
            TypeKind::LLVMFloatTypeKind => symbols::REALS_COMPARE_FLOAT,
            _ => {
                let area = weaver.operand_area(2);
                put_operand(weaver, area, 0, x, s);
                put_operand(weaver, area, 1, y, t);
                let parameters = [types.pointer, types.i32, types.pointer, types.i32];
                let function = builder.declare(symbols::REALS_COMPARE_ANY, types.i32, &parameters);
                return builder.call(function, &[totals, predicate, area, decided]);
            }
        };
        let parameters = [
            types.pointer,
            types.i32,
            types.i64,
            types.i64,
            ty,
            ty,
            types.i32,
        ];
        let function = builder.declare(name, types.i32, &parameters);
        builder.call(function, &[totals, predicate, s, t, x, y, decided])
    });
    replace_in(&program_users, instruction, decision);
}

/// A conversion to an integer.
pub fn convert(weaver: &mut Weaver, operation: &Operation) {
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
    let converted = each_result(weaver, instruction, |weaver, program, lane| {
        let area = weaver.operand_area(1);
        let builder = weaver.builder;
        let types = builder.types;
        let value = lane_of(builder, operand, lane);
        put_operand(weaver, area, 0, value, lane_of(builder, shadow, lane));
        let totals = weaver.totals_of(operation.site);
        let program = builder.resize_unsigned(program, types.i64);
        let parameters = [
            types.pointer,
            types.i32,
            types.i32,
            types.pointer,
            types.i64,
        ];
        let function = builder.declare(symbols::REALS_INTEGER, types.i64, &parameters);
        let [op, width] = [op as u64, width].map(|word| builder::integer(types.i32, word));
        builder.call(function, &[totals, op, width, area, program])
    });
    replace_in(&program_users, instruction, converted);
}

/// A result like the instruction's, made lane by lane from integers.
fn each_result(
    weaver: &mut Weaver,
    instruction: Value,
    mut make: impl FnMut(&mut Weaver, Value, u32) -> Value,
) -> Value {
    let ty = ir::type_of(instruction);
    let scalar = shape::scalar(ty);
    let mut one = |weaver: &mut Weaver, lane| {
        let program = lane_of(weaver.builder, instruction, lane);
        let made = make(weaver, program, lane);
        weaver.builder.resize_unsigned(made, scalar)
    };
    if ir::type_kind(ty) != TypeKind::LLVMVectorTypeKind {
        return one(weaver, 0);
    }
    let mut all = builder::null(ty);
    for lane in 0..shape::lanes(ty) {
        let made = one(weaver, lane);
        let index = builder::integer(weaver.builder.types.i32, u64::from(lane));
        all = weaver.builder.insert_element(all, made, index);
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
