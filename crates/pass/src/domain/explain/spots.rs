//! Decisions in mode `explain`: comparisons and conversions to integers, told to the runtime where the reals
//! may decide otherwise.

use lostbits_abi::{kind::FpKind, symbols};

use super::{
    Operation, Shadow, arithmetic, known,
    tale::{Seen, Tale, tell_lane},
    telling::{self, begin},
};
use crate::{
    builder::{self},
    carry::Weaver,
    ir::{self, RealPredicate, Value},
    shape,
};

pub fn comparison(weaver: &mut Weaver, operation: &Operation) -> Shadow {
    let comparison = operation.instruction;
    if ir::opcode(comparison) != ir::Opcode::LLVMFCmp || !ir::orders_numbers(comparison) {
        return Vec::new();
    }
    begin(weaver, operation);
    let (_, x, x_shadow) = &operation.operands[0];
    let (_, y, y_shadow) = &operation.operands[1];
    let arithmetic = arithmetic(weaver, ir::type_of(*x));
    let (difference, doubt) = arithmetic.difference(
        &known(&arithmetic, *x, x_shadow),
        &known(&arithmetic, *y, y_shadow),
    );
    let b = weaver.builder;
    let zero = builder::null(ir::type_of(difference));
    let predicate = ir::predicate(comparison);
    let in_reals = b.compare_reals(predicate, difference, zero);
    let differs = b.xor(in_reals, comparison);
    let size = b.magnitude(difference);
    // Not a number: what overflowed may be one in the reals.
    let near = b.compare_reals(RealPredicate::LLVMRealULE, size, doubt);
    let in_doubt = b.compare_reals(RealPredicate::LLVMRealUNE, doubt, zero);
    let flags = b.or(differs, b.and(near, in_doubt));
    let outcome = b.cast(ir::Opcode::LLVMUIToFP, comparison, ir::type_of(difference));
    let operands = [(x, x_shadow), (y, y_shadow)];
    let seen = operands.map(|(value, shadow)| Seen {
        value: *value,
        shadow: shadow.clone(),
    });
    tell_where(weaver, operation, predicate as u16, outcome, &seen, flags);
    Vec::new()
}

pub fn conversion(weaver: &mut Weaver, operation: &Operation) -> Shadow {
    begin(weaver, operation);
    let (_, x, shadow) = &operation.operands[0];
    let b = weaver.builder;
    let ty = ir::type_of(*x);
    let double = b.types.shaped(b.types.double, ty);
    let signed = operation.op == lostbits_abi::ops::Op::ToSigned;
    let opcode = if signed {
        ir::Opcode::LLVMSIToFP
    } else {
        ir::Opcode::LLVMUIToFP
    };
    let whole = b.cast(opcode, operation.instruction, double);
    let part = b.magnitude(b.binary(ir::Opcode::LLVMFSub, b.convert(*x, double), whole));
    let reach = b.binary(ir::Opcode::LLVMFAdd, b.magnitude(shadow[0]), shadow[1]);
    let zero = builder::null(double);
    let below = b.compare_reals(RealPredicate::LLVMRealOLE, part, reach);
    let above = b.binary(ir::Opcode::LLVMFAdd, part, reach);
    let above = b.compare_reals(
        RealPredicate::LLVMRealUGE,
        above,
        builder::real(double, 1.0),
    );
    let some = b.compare_reals(RealPredicate::LLVMRealUNE, reach, zero);
    let flags = b.and(b.or(below, above), some);
    let seen = [Seen {
        value: *x,
        shadow: shadow.clone(),
    }];
    tell_where(weaver, operation, operation.op as u16, whole, &seen, flags);
    Vec::new()
}

/// `lround` and its like: always told.
pub fn rounded_to_integer(weaver: &mut Weaver, operation: &Operation) {
    let ty = ir::type_of(operation.instruction);
    let is_integer = ir::type_kind(shape::scalar(ty)) == ir::TypeKind::LLVMIntegerTypeKind;
    if !is_integer || ir::int_width(shape::scalar(ty)) < 16 || operation.operands.is_empty() {
        return;
    }
    begin(weaver, operation);
    let b = weaver.builder;
    let double = b.types.shaped(b.types.double, ty);
    let whole = b.cast(ir::Opcode::LLVMSIToFP, operation.instruction, double);
    let seen = telling::all_operands(weaver, operation);
    let flags = builder::all_ones(b.types.shaped(b.types.int(1), ty));
    tell_where(weaver, operation, operation.op as u16, whole, &seen, flags);
}

/// Tells of a decision in the lanes where `flags` are set.
fn tell_where(
    weaver: &mut Weaver,
    operation: &Operation,
    number: u16,
    outcome: Value,
    operands: &[Seen],
    flags: Value,
) {
    let b = weaver.builder;
    let first = operands[0].value;
    let tracer = weaver.tracer_known();
    let mut seen = vec![Seen {
        value: outcome,
        shadow: super::cells::fresh(b, ir::type_of(outcome)),
    }];
    seen.extend(operands.iter().cloned());
    let tale = Tale {
        site: operation.site,
        number,
        kind: shape::fp_kind(ir::type_of(first)).unwrap_or(FpKind::Double),
        nodes: builder::null(b.types.i32),
        seen,
        thread: tracer.thread,
        first_site: tracer.first_site,
    };
    let lanes = shape::lanes(ir::type_of(flags));
    let any = b.any_lane(flags);
    weaver.detour(any, Vec::new(), move |weaver| {
        let b = weaver.builder;
        for lane in 0..lanes {
            let flag = match ir::type_kind(ir::type_of(flags)) {
                ir::TypeKind::LLVMVectorTypeKind => b.extract_lane(flags, lane),
                _ => flags,
            };
            let flag = b.freeze(flag);
            tell_lane(b, symbols::EXPLAIN_DECIDED, &tale, lane, flag, Vec::new());
        }
        Vec::new()
    });
}
