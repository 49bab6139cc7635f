//! Rust's formatting macros: `println!("{x}")` makes a `core::fmt::rt::Argument` of a pointer to the value and a
//! function that formats it. The function for floating-point numbers reports what the pointer points to. It is also called
//! as it is (`x.to_string()`, `Debug` of a `Vec`), and found in a table (`Debug` of a structure's members).
//!
//! # What it can miss
//!
//! Numbers that code of the standard library formats which was compiled with that.

use super::{
    constants,
    outputs::{OutputEvents, report_memory_output},
};
use crate::{
    builder,
    carry::FunctionInstrumenter,
    ir::{self, Function, Opcode, Value},
};

/// Bytes from the pointer to the function in an `Argument`.
const DISTANCE: i64 = 8;

pub fn observe(cx: &mut FunctionInstrumenter, events: &dyn OutputEvents, instruction: Value) {
    match ir::opcode(instruction) {
        Opcode::LLVMStore => stored(cx, events, instruction),
        Opcode::LLVMCall | Opcode::LLVMInvoke => called(cx, events, instruction),
        _ => {}
    }
}

/// Bytes of what a function of the standard library formats, if that is a floating-point number:
/// `<f64 as core::fmt::Display>::fmt` and the like, mangled.
fn formats(function: Function) -> Option<u64> {
    let name = ir::name(function);
    let rest = name.strip_prefix("_R")?;
    let (_, behind) = rest.split_once("4core3fmt5float")?;
    let ends = [
        "7Display3fmt",
        "5Debug3fmt",
        "8LowerExp3fmt",
        "8UpperExp3fmt",
    ];
    match behind.chars().next()? {
        _ if !ends.iter().any(|end| behind.ends_with(end)) => None,
        'd' => Some(8),
        'f' => Some(4),
        _ => None,
    }
}

/// `Argument::new_display` and the like, which are inlined only by the optimiser.
fn makes_argument(function: Function) -> bool {
    let name = ir::name(function);
    name.contains("3fmt2rt") && name.contains("8Argument") && name.contains("new_")
}

fn stored_formatter(instruction: Value) -> Option<u64> {
    let is_store = ir::opcode(instruction) == Opcode::LLVMStore;
    let function = ir::as_function(ir::operand(instruction, 0)).filter(|_| is_store)?;
    formats(function)
}

/// The function is stored: the pointer is stored beside it.
fn stored(cx: &mut FunctionInstrumenter, events: &dyn OutputEvents, store: Value) {
    let Some(bytes) = stored_formatter(store) else {
        return;
    };
    if makes_argument(cx.function) {
        return;
    }
    let (base, offset) = ir::base_and_offset(ir::operand(store, 1));
    let block = ir::instructions(ir::parent_block(store));
    let beside = |other: &&Value| {
        ir::opcode(**other) == Opcode::LLVMStore
            && ir::base_and_offset(ir::operand(**other, 1)) == (base, offset - DISTANCE)
    };
    let Some(pointer) = block.iter().find(beside) else {
        return;
    };
    let at = |wanted: Value| block.iter().position(|one| *one == wanted);
    let last = if at(*pointer) > at(store) {
        *pointer
    } else {
        store
    };
    report(cx, events, last, ir::operand(*pointer, 0), bytes);
}

/// A call of the function that makes the argument.
fn called(cx: &mut FunctionInstrumenter, events: &dyn OutputEvents, call: Value) {
    report_tables(cx, events, call);
    let Some(function) = ir::as_function(ir::callee(call)) else {
        return;
    };
    if let (Some(bytes), Some(pointer)) = (formats(function), ir::arguments(call).first()) {
        return report(cx, events, call, *pointer, bytes);
    }
    if !makes_argument(function) {
        return;
    }
    let body = ir::all_instructions(function);
    let bytes = body
        .into_iter()
        .filter(|one| ir::opcode(*one) == Opcode::LLVMStore);
    if let (Some(bytes), Some(pointer)) = (
        bytes.filter_map(stored_formatter).next(),
        ir::arguments(call).last(),
    ) {
        report(cx, events, call, *pointer, bytes);
    }
}

/// Arguments that are a pointer and a table of functions: `&dyn Debug`.
fn report_tables(cx: &mut FunctionInstrumenter, events: &dyn OutputEvents, call: Value) {
    let arguments = ir::arguments(call);
    for pair in arguments.windows(2) {
        let functions = ir::members_of_constant(pair[1]).into_iter();
        if let Some(bytes) = functions.filter_map(ir::as_function).find_map(formats) {
            report(cx, events, call, pair[0], bytes);
        }
    }
}

fn report(
    cx: &mut FunctionInstrumenter,
    events: &dyn OutputEvents,
    before: Value,
    pointer: Value,
    bytes: u64,
) {
    let bytes = builder::integer(cx.builder.types.i64, bytes);
    let what = constants::output_of_number(pointer, before);
    report_memory_output(cx, events, before, (what, "core::fmt"), pointer, bytes);
}
