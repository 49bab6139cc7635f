//! Functions of the program's own that are one operation: as in mode `explain`, with residues that the runtime finds.

use lostbits_abi::functions;

use super::super::{explain::trace::Tracing, reals::frame::Frames};
use super::{explain::wrapping, put_operand};
use crate::{
    builder,
    carry::{FunctionInstrumenter, Operation},
    ir::{self, TypeKind, Value},
    shape,
};

pub fn calls(cx: &mut FunctionInstrumenter, call: Value, name: &str) -> bool {
    let Some((wrap, _)) = wrapping::wrapped(call, name) else {
        return false;
    };
    let operation = wrapping::operation(cx, call, wrap);
    let thread = cx.tracer().thread;
    let before = wrapping::suppress_reports(cx.builder, call, thread);
    cx.after(call);
    let found = wrapping::found(cx, wrap, &in_doubles(cx, &operation));
    let b = cx.builder;
    b.store(before, wrapping::suppression_word(b, thread), 8);
    let slot = cx.slot();
    let area = put_operands(cx, &operation);
    let (site, thread) = cx.global_site(operation.site);
    let types = b.types;
    let op = builder::integer(types.i32, operation.op as u64);
    let arguments = [
        slot,
        site,
        thread,
        op,
        area,
        found.residue,
        found.bound,
        found.own,
    ];
    let shadow = b.call_runtime(functions::EXPLAIN_REALS_CALLED, &arguments);
    cx.set(call, vec![vec![shadow]]);
    true
}

/// With residues for numbers.
fn in_doubles(cx: &FunctionInstrumenter, operation: &Operation) -> Operation {
    let b = cx.builder;
    let residue = b.declare_runtime(functions::EXPLAIN_REALS_RESIDUE);
    let operands = operation.operands.iter().map(|(index, value, shadow)| {
        let residue = b.call(residue, &[shadow[0], b.as_double(*value)]);
        (*index, *value, vec![residue])
    });
    Operation {
        operands: operands.collect(),
        demanded: operation.demanded.clone(),
        ..*operation
    }
}

/// The arguments that are numbers of any kind, as many as the operation has, and the result behind them.
fn put_operands(cx: &mut FunctionInstrumenter, operation: &Operation) -> Value {
    let call = operation.instruction;
    let mut operands = Vec::new();
    for (index, value) in (0u32..).zip(ir::arguments(call)) {
        let mut known = operation.operands.iter().filter(|(at, _, _)| *at == index);
        let ty = ir::type_of(value);
        let is_integer = ir::type_kind(ty) == TypeKind::LLVMIntegerTypeKind;
        match known.next() {
            Some((_, value, shadow)) => operands.push((*value, shadow[0])),
            None if is_integer && (2..=64).contains(&ir::int_width(shape::scalar(ty))) => {
                operands.push((value, builder::null(cx.builder.types.i64)));
            }
            None => {}
        }
    }
    operands.truncate(operation.op.info().arity());
    let missing = operation.op.info().arity() - operands.len();
    let nothing = builder::null(cx.builder.types.i64);
    operands.extend(std::iter::repeat_n((nothing, nothing), missing));
    operands.push((call, nothing));
    let area = cx.operand_area(operands.len() as u64);
    for (index, (value, shadow)) in (0..).zip(operands) {
        put_operand(cx, area, index, value, shadow);
    }
    area
}
