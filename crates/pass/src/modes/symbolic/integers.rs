//! Integers made from values: where they are only compared with constants or made floating-point again, they
//! are the value without its fraction, and followed as that. All other integers are pinned.
//!
//! What it can miss: a value that no integer holds (undefined in C) is taken for its whole part all the same.

use std::{cell::RefCell, collections::HashMap};

use lostbits_abi::{functions, ops::Op, site::What, symbolic::comparison_detail};

use super::{node, numbers, record_one, row};
use crate::{
    builder,
    carry::{FunctionInstrumenter, Operation},
    ir::{self, Opcode, TypeKind, Value},
};

/// Conversions that are followed, with the numbers of their nodes.
#[derive(Default)]
pub struct FollowedIntegers(RefCell<HashMap<Value, Value>>);

impl FollowedIntegers {
    /// Follows a conversion to an integer, if all its users can be.
    pub fn follow(&self, cx: &mut FunctionInstrumenter, operation: &Operation) -> bool {
        let conversion = operation.instruction;
        let [(_, value, shadow)] = &operation.operands[..] else {
            return false;
        };
        let is_cast = matches!(
            ir::opcode(conversion),
            Opcode::LLVMFPToSI | Opcode::LLVMFPToUI
        );
        let is_scalar = ir::type_kind(ir::type_of(conversion)) == TypeKind::LLVMIntegerTypeKind;
        if !is_cast || !is_scalar || ir::is_null(shadow[0]) {
            return false;
        }
        if !ir::uses(conversion)
            .into_iter()
            .all(|user| is_simple(conversion, user))
        {
            return false;
        }
        let site = cx.site_beside(operation, Op::Trunc);
        let row = row(cx, site);
        let builder = cx.builder;
        let number = node(builder, *value, shadow[0], 0);
        let given = builder.as_double(*value);
        let whole = builder.cast(back(conversion), conversion, builder.types.double);
        let number = record_one(builder, row, number, given, whole);
        self.0.borrow_mut().insert(conversion, number);
        true
    }

    /// The number of the node of an integer that is made floating-point again.
    pub fn converted_back(&self, cx: &FunctionInstrumenter, conversion: Value) -> Option<Value> {
        let number = *self.0.borrow().get(&ir::operand(conversion, 0))?;
        let ty = numbers(cx.builder, ir::type_of(conversion));
        Some(cx.builder.resize_unsigned(number, ty))
    }

    /// Records a comparison of a followed integer with a constant.
    pub fn observe(&self, cx: &mut FunctionInstrumenter, comparison: Value) {
        if ir::opcode(comparison) != Opcode::LLVMICmp {
            return;
        }
        let sides = [0, 1].map(|at| ir::operand(comparison, at));
        let known = sides.map(|side| self.0.borrow().get(&side).copied());
        let Some(conversion) = (0..2).find(|at| known[*at].is_some()) else {
            return;
        };
        let what = What::Operation(Op::Compare);
        let site = cx.site_of_double(comparison, what, "");
        cx.after(comparison);
        let row = row(cx, site);
        let builder = cx.builder;
        let types = builder.types;
        let (i32, double) = (types.i32, types.double);
        let cast = back(sides[conversion]);
        let [u, v] = sides.map(|side| builder.cast(cast, side, double));
        let [x, y] = known.map(|number| number.unwrap_or(builder::null(i32)));
        let outcome = builder.resize_unsigned(comparison, i32);
        let outcome = builder.shift_left(outcome, comparison_detail(0, true).ilog2().into());
        let predicate = predicate(comparison);
        let detail = builder.or(outcome, builder::integer(i32, predicate.into()));
        builder.call_runtime(functions::SYMBOLIC_COMPARE, &[row, detail, x, y, u, v]);
    }
}

/// The cast that makes a conversion's integer floating-point again.
fn back(conversion: Value) -> Opcode {
    match ir::opcode(conversion) {
        Opcode::LLVMFPToUI => Opcode::LLVMUIToFP,
        _ => Opcode::LLVMSIToFP,
    }
}

fn is_simple(conversion: Value, user: Value) -> bool {
    if !ir::is_instruction(user) {
        return false;
    }
    let is_double = || ir::type_kind(ir::type_of(user)) == TypeKind::LLVMDoubleTypeKind;
    match ir::opcode(user) {
        Opcode::LLVMICmp => (0..2).any(|at| ir::constant_integer(ir::operand(user, at)).is_some()),
        opcode => opcode == back(conversion) && is_double(),
    }
}

/// An integer predicate as the set of what may hold: equal, greater, less (LLVM's ordered predicates).
fn predicate(comparison: Value) -> u32 {
    use ir::IntPredicate::*;
    match ir::integer_predicate(comparison) {
        LLVMIntEQ => 1,
        LLVMIntNE => 6,
        LLVMIntUGT | LLVMIntSGT => 2,
        LLVMIntUGE | LLVMIntSGE => 3,
        LLVMIntULT | LLVMIntSLT => 4,
        LLVMIntULE | LLVMIntSLE => 5,
    }
}
