//! Decisions in mode `explain`: comparisons and conversions to integers, reported to the runtime where exact arithmetic
//! may take another branch.

use lostbits_abi::{functions, kind::FpKind};

use super::trace::Tracing;
use super::{
    arithmetic, detection,
    events::{EventFields, ReportedValue, report_lane},
    intervening, known,
    reporting::{self, begin},
};
use crate::{
    builder::{self, Builder},
    carry::{FunctionInstrumenter, Operation, Shadow},
    ir::{self, RealPredicate, Value},
    mutants::{self, Mutant},
    shape,
};

pub fn comparison(cx: &mut FunctionInstrumenter, operation: &Operation) -> Shadow {
    let comparison = operation.instruction;
    if ir::opcode(comparison) != ir::Opcode::LLVMFCmp || !ir::orders_numbers(comparison) {
        return Vec::new();
    }
    begin(cx, operation);
    let (_, x, x_shadow) = &operation.operands[0];
    let (_, y, y_shadow) = &operation.operands[1];
    let arithmetic = arithmetic(cx, ir::type_of(*x));
    let (difference, doubt) = arithmetic.difference(
        &known(&arithmetic, *x, x_shadow),
        &known(&arithmetic, *y, y_shadow),
    );
    let b = cx.builder;
    let zero = builder::null(ir::type_of(difference));
    let predicate = ir::predicate(comparison);
    let in_reals = b.compare_reals(predicate, difference, zero);
    let differs = b.xor(in_reals, comparison);
    let size = b.magnitude(difference);
    // NaN: what overflowed may be a number in exact arithmetic.
    let near = b.compare_reals(RealPredicate::LLVMRealULE, size, doubt);
    let in_doubt = b.compare_reals(RealPredicate::LLVMRealUNE, doubt, zero);
    let mut flags = b.or(differs, b.and(near, in_doubt));
    if detection::is_active() {
        flags = b.or(flags, is_unknown(b, x_shadow[0], y_shadow[0]));
    }
    let outcome = b.cast(ir::Opcode::LLVMUIToFP, comparison, ir::type_of(difference));
    let operands = [(x, x_shadow), (y, y_shadow)];
    let seen = operands.map(|(value, shadow)| ReportedValue {
        value: *value,
        shadow: shadow.clone(),
    });
    report_decision(cx, operation, predicate as u16, outcome, &seen, flags);
    Vec::new()
}

/// Whether a residue is infinite or NaN: in mode `explain`, events would have replaced it.
fn is_unknown(b: &Builder, x: Value, y: Value) -> Value {
    let size = b.magnitude(b.binary(ir::Opcode::LLVMFSub, x, y));
    let infinite = builder::real(ir::type_of(size), f64::INFINITY);
    b.compare_reals(RealPredicate::LLVMRealUGE, size, infinite)
}

pub fn conversion(cx: &mut FunctionInstrumenter, operation: &Operation) -> Shadow {
    begin(cx, operation);
    let (_, x, shadow) = &operation.operands[0];
    let b = cx.builder;
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
    let near = match mutants::is_active(Mutant::ConversionIgnoresAbove) {
        true => below,
        false => b.or(below, above),
    };
    let flags = b.and(near, some);
    let seen = [ReportedValue {
        value: *x,
        shadow: shadow.clone(),
    }];
    report_decision(cx, operation, operation.op as u16, whole, &seen, flags);
    Vec::new()
}

/// `lround` and the like: always reported.
pub fn rounded_to_integer(cx: &mut FunctionInstrumenter, operation: &Operation) {
    let ty = ir::type_of(operation.instruction);
    let is_integer = ir::type_kind(shape::scalar(ty)) == ir::TypeKind::LLVMIntegerTypeKind;
    if !is_integer || ir::int_width(shape::scalar(ty)) < 16 || operation.operands.is_empty() {
        return;
    }
    begin(cx, operation);
    let b = cx.builder;
    let double = b.types.shaped(b.types.double, ty);
    let whole = b.cast(ir::Opcode::LLVMSIToFP, operation.instruction, double);
    let seen = reporting::all_operands(cx, operation);
    let flags = builder::all_ones(b.types.shaped(b.types.int(1), ty));
    report_decision(cx, operation, operation.op as u16, whole, &seen, flags);
}

/// Reports a decision in the lanes where `flags` are set, and all of one that a run records.
fn report_decision(
    cx: &mut FunctionInstrumenter,
    operation: &Operation,
    number: u16,
    outcome: Value,
    operands: &[ReportedValue],
    flags: Value,
) {
    let records = intervening::records(cx, operation);
    let b = cx.builder;
    let flags = records.map_or(flags, |records| {
        b.or(flags, b.broadcast(records, ir::type_of(flags)))
    });
    let first = operands[0].value;
    let tracer = cx.known_tracer();
    let mut seen = vec![ReportedValue {
        value: outcome,
        shadow: super::cells::fresh(b, ir::type_of(outcome)),
    }];
    seen.extend(operands.iter().cloned());
    let fields = EventFields {
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
    cx.detour(any, Vec::new(), move |cx| {
        let b = cx.builder;
        for lane in 0..lanes {
            let flag = match ir::type_kind(ir::type_of(flags)) {
                ir::TypeKind::LLVMVectorTypeKind => b.extract_lane(flags, lane),
                _ => flags,
            };
            let flag = b.freeze(flag);
            report_lane(
                b,
                functions::EXPLAIN_DECISION,
                &fields,
                lane,
                flag,
                Vec::new(),
            );
        }
        Vec::new()
    });
}
