//! Mode `search`: no shadows, only a trace of operations with their operands and results.
//!
//! Atomu (POPL 2020) calls a handler for each operation. Here an event of four words is written in line
//! into a ring ([`lostbits_abi::trace`]); condition numbers are taken from it after the run, where they are
//! wanted. Fused operations are two events, a product and a sum. Vectors are traced lane by lane.
//!
//! Code that is written for the format of its numbers sets a word of the trace ([`format`]).
//!
//! What it can miss: operations with several results (`sincos`, `frexp`), reductions of vectors, and what
//! an x87 value has beyond a double. Signs, absolute values, minima and choices are not traced: their
//! result is an operand.

mod format;

use lostbits_abi::{
    mode::Mode,
    ops::{Op, Outcome},
    site::row_offset,
    trace::{EVENTS, Event, Trace, X_IS_CONSTANT, Y_IS_CONSTANT},
    variables,
};

use super::observer::OperationObserver;
use crate::{
    builder::{self, Builder},
    carry::{FunctionInstrumenter, Operation},
    ir::{self, Opcode, TypeKind, Value},
    shape,
};

pub struct Search;

impl OperationObserver for Search {
    fn mode(&self) -> Mode {
        Mode::Search
    }

    fn observe(&self, cx: &mut FunctionInstrumenter, operation: &Operation) {
        if format::is_untraceable(operation.op) {
            format::mark(cx);
        }
        if is_traced(operation) {
            trace(cx, operation);
        }
    }

    fn enter_function(&self, cx: &mut FunctionInstrumenter, instructions: &[Value]) {
        format::mark_instructions(cx, instructions);
    }
}

fn is_traced(operation: &Operation) -> bool {
    use Op::*;
    let info = operation.op.info();
    let only_moves = matches!(
        operation.op,
        Neg | Abs
            | CopySign
            | Canonicalize
            | Extend
            | FromSigned
            | FromUnsigned
            | Fmin
            | Fmax
            | Minimum
            | Maximum
            | MinimumNum
            | MaximumNum
            | Nextafter
            | Nextup
            | Nextdown
            | IsClass
    );
    let is_simple = info.second.is_none()
        && info.folds.is_none()
        && (info.outcome != Outcome::Truth || operation.op == Compare);
    is_simple && !only_moves && !operation.operands.is_empty()
}

fn trace(cx: &mut FunctionInstrumenter, operation: &Operation) {
    let values: Vec<Value> = operation.operands.iter().map(|at| at.1).collect();
    let result = operation.instruction;
    // Before there are users of ours.
    let lanes = shape::demanded_lanes(result);
    match values[..] {
        [x, y, z] => {
            let product = cx.builder.binary(Opcode::LLVMFMul, x, y);
            let site = cx.site_beside(operation, Op::Mul);
            append(cx, site, &lanes, [x, y], product);
            append(cx, operation.site, &lanes, [product, z], result);
        }
        [x, y] => append(cx, operation.site, &lanes, [x, y], result),
        [x] => {
            let whole = integer_operand(cx.builder, operation);
            append(cx, operation.site, &lanes, [x, whole.unwrap_or(x)], result);
        }
        _ => {}
    }
}

/// The integer beside a floating-point operand, as a number (`ldexp`, `powi`).
fn integer_operand(builder: &Builder, operation: &Operation) -> Option<Value> {
    if operation.op.info().arity() < 2 {
        return None;
    }
    let whole = ir::operands(operation.instruction)
        .into_iter()
        .find(|value| ir::type_kind(ir::type_of(*value)) == TypeKind::LLVMIntegerTypeKind)?;
    Some(builder.cast(Opcode::LLVMSIToFP, whole, builder.types.double))
}

/// One event for each lane that the program uses.
fn append(
    cx: &mut FunctionInstrumenter,
    site: u32,
    demanded: &[bool],
    operands: [Value; 2],
    result: Value,
) {
    let rows = cx.rows();
    let builder = cx.builder;
    let flag = |value, flag| if is_exact(value) { flag } else { 0 };
    let flags = flag(operands[0], X_IS_CONSTANT) | flag(operands[1], Y_IS_CONSTANT);
    let row = builder.offset(rows, row_offset(site) as u64 + flags);
    let lanes = 0..shape::lanes(ir::type_of(operands[0]));
    let demanded = lanes.filter(|lane| demanded.get(*lane as usize).copied().unwrap_or(true));
    for lane in demanded {
        let words = [operands[0], operands[1], result].map(|value| number(builder, value, lane));
        append_lane(builder, row, words);
    }
}

/// Numbers that no operation rounded, whatever results have the same bits: constants, entries of constant tables, whole numbers.
fn is_exact(value: Value) -> bool {
    use Opcode::*;
    if !ir::is_instruction(value) {
        return ir::is_constant(value);
    }
    match ir::opcode(value) {
        LLVMSIToFP | LLVMUIToFP => true,
        LLVMFPExt => is_exact(ir::operand(value, 0)),
        LLVMLoad => ir::points_to_constant(ir::operand(value, 0)),
        _ => false,
    }
}

/// A lane as a double; what is no number (a comparison's result) as zero.
fn number(builder: &Builder, value: Value, lane: u32) -> Value {
    if shape::fp_kind(ir::type_of(value)).is_none() {
        return builder::null(builder.types.double);
    }
    let scalar = match ir::type_kind(ir::type_of(value)) {
        TypeKind::LLVMVectorTypeKind => builder.extract_lane(value, lane),
        _ => value,
    };
    builder.as_double(scalar)
}

fn append_lane(builder: &Builder, row: Value, words: [Value; 3]) {
    let i64 = builder.types.i64;
    let number = |value| builder::integer(i64, value);
    let trace = builder.runtime_variable(variables::SEARCH_TRACE);
    let length = builder.load(i64, trace, 8);
    let next = builder.binary(Opcode::LLVMAdd, length, number(1));
    builder.store(next, trace, 8);
    let index = builder.and(length, number(EVENTS as u64 - 1));
    let bytes = builder.shift_left(index, size_of::<Event>().trailing_zeros().into());
    let first = builder.offset(trace, std::mem::offset_of!(Trace, events) as u64);
    let event = builder.index_bytes(first, bytes);
    builder.store(row, event, 8);
    for (offset, word) in [8, 16, 24].into_iter().zip(words) {
        builder.store(word, builder.offset(event, offset), 8);
    }
}
