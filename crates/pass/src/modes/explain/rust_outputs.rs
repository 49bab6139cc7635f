//! Rust's formatting macros: `println!("{x}")` makes a `core::fmt::rt::Argument` of a pointer to the value and a
//! function that formats it. The function for floating-point numbers reports what the pointer points to. It is also called
//! as it is (`x.to_string()`, `Debug` of a `Vec`), and found in a table (`Debug` of a structure's members).
//!
//! # What it can miss
//!
//! Numbers that code of the standard library formats which was compiled with that.

use lostbits_abi::conversion::Notation;

use super::{
    constants,
    conversions::Printed,
    outputs::{OutputEvents, report_memory_output},
    rust_templates::Place,
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

/// What a function of the standard library formats.
#[derive(Clone, Copy)]
struct Formatted {
    bytes: u64,
    /// With a precision.
    notation: Notation,
}

/// What a function formats, if that is a floating-point number: `<f64 as core::fmt::Display>::fmt` and the like, mangled.
fn formats(function: Function) -> Option<Formatted> {
    let name = ir::name(function);
    let rest = name.strip_prefix("_R")?;
    let (_, behind) = rest.split_once("4core3fmt5float")?;
    let ends = [
        ("7Display3fmt", Notation::Fixed),
        ("5Debug3fmt", Notation::Fixed),
        ("8LowerExp3fmt", Notation::Scientific),
        ("8UpperExp3fmt", Notation::Scientific),
    ];
    let (_, notation) = ends.into_iter().find(|(end, _)| behind.ends_with(end))?;
    let bytes = match behind.chars().next()? {
        'd' => 8,
        'f' => 4,
        _ => return None,
    };
    Some(Formatted { bytes, notation })
}

/// `Argument::new_display` and the like, which are inlined only by the optimiser.
fn makes_argument(function: Function) -> bool {
    let name = ir::name(function);
    name.contains("3fmt2rt") && name.contains("8Argument") && name.contains("new_")
}

fn stored_formatter(instruction: Value) -> Option<Formatted> {
    let is_store = ir::opcode(instruction) == Opcode::LLVMStore;
    let function = ir::as_function(ir::operand(instruction, 0)).filter(|_| is_store)?;
    formats(function)
}

/// The function is stored: the pointer is stored beside it.
fn stored(cx: &mut FunctionInstrumenter, events: &dyn OutputEvents, store: Value) {
    let Some(formatted) = stored_formatter(store) else {
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
    let place = Place::of_formatter(ir::operand(store, 1));
    let (printed, call) = printed(place, formatted.notation);
    // The call that formats, if only there all is known; it may be in another block.
    let call = call.filter(|call| at(*call) > at(last));
    let printed = match (printed, call) {
        (Printed::WithDigits { .. }, None) => Printed::UNKNOWN,
        (printed, _) => printed,
    };
    let before = call.unwrap_or(last);
    report(
        cx,
        events,
        before,
        ir::operand(*pointer, 0),
        (formatted.bytes, printed),
    );
}

fn printed(place: Option<Place>, notation: Notation) -> (Printed, Option<Value>) {
    place.map_or((Printed::UNKNOWN, None), |place| place.printed(notation))
}

/// A call of the function that makes the argument.
fn called(cx: &mut FunctionInstrumenter, events: &dyn OutputEvents, call: Value) {
    report_tables(cx, events, call);
    let Some(function) = ir::as_function(ir::callee(call)) else {
        return;
    };
    let arguments = ir::arguments(call);
    if let (Some(formatted), Some(pointer)) = (formats(function), arguments.first()) {
        let printed = of_formatter(arguments.get(1), formatted.notation);
        return report(cx, events, call, *pointer, (formatted.bytes, printed));
    }
    if !makes_argument(function) {
        return;
    }
    let body = ir::all_instructions(function);
    let formatted = body
        .into_iter()
        .filter(|one| ir::opcode(*one) == Opcode::LLVMStore)
        .find_map(stored_formatter);
    if let (Some(formatted), Some(pointer)) = (formatted, arguments.last()) {
        let place = arguments
            .first()
            .and_then(|returned| Place::of_copy(*returned));
        let printed = match printed(place, formatted.notation) {
            (printed, None) => printed,
            (_, Some(_)) => Printed::UNKNOWN,
        };
        report(cx, events, call, *pointer, (formatted.bytes, printed));
    }
}

fn of_formatter(formatter: Option<&Value>, notation: Notation) -> Printed {
    formatter.map_or(Printed::UNKNOWN, |formatter| Printed::Formatter {
        formatter: *formatter,
        notation,
    })
}

/// Arguments that are a pointer and a table of functions: `&dyn Debug`.
fn report_tables(cx: &mut FunctionInstrumenter, events: &dyn OutputEvents, call: Value) {
    let arguments = ir::arguments(call);
    // `Formatter::debug_struct_field1_finish` and the like have the formatter as their first argument.
    let callee = ir::as_function(ir::callee(call)).map(ir::name);
    let has_formatter = callee.is_some_and(|name| name.contains("4core3fmtNtB5_9Formatter"));
    let formatter = arguments.first().filter(|_| has_formatter);
    for pair in arguments.windows(2) {
        let functions = ir::members_of_constant(pair[1]).into_iter();
        if let Some(formatted) = functions.filter_map(ir::as_function).find_map(formats) {
            let printed = of_formatter(formatter, formatted.notation);
            report(cx, events, call, pair[0], (formatted.bytes, printed));
        }
    }
}

fn report(
    cx: &mut FunctionInstrumenter,
    events: &dyn OutputEvents,
    before: Value,
    pointer: Value,
    (bytes, printed): (u64, Printed),
) {
    let bytes = builder::integer(cx.builder.types.i64, bytes);
    let what = constants::output_of_number(pointer, before);
    let output = (what, "core::fmt");
    report_memory_output(cx, events, before, output, (pointer, bytes), printed);
}
