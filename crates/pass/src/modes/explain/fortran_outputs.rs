//! Fortran's output statements: flang begins one, puts out each item by a call with the statement's cookie, and ends it.
//! The runtime counts the items of statements with a format, to know the edit descriptor of each.
//!
//! # What it can miss
//!
//! Formats that are given as arrays of characters; after an item of a derived type, all items of the statement.

use lostbits_abi::{conversion::Conversion, functions};

use super::{conversions::Printed, trace::Tracing};
use crate::{
    builder,
    carry::FunctionInstrumenter,
    ir::{self, Value},
};

const BEGIN: &str = "_FortranAioBegin";
const OUTPUT: &str = "_FortranAioOutput";

/// The function that began the statement of this cookie.
fn beginning(cookie: Value) -> Option<String> {
    let call = Some(cookie).filter(|cookie| ir::is_instruction(*cookie) && ir::is_call(*cookie))?;
    let name = ir::name(ir::as_function(ir::callee(call))?);
    Some(name.strip_prefix(BEGIN)?.to_owned())
}

/// The index of the format among the arguments; its length comes after it.
fn format_of(beginning: &str) -> Option<usize> {
    Some(match beginning {
        "ExternalFormattedOutput" => 0,
        "InternalArrayFormattedOutput" => 1,
        "InternalFormattedOutput" => 2,
        _ => return None,
    })
}

/// How an item is printed.
pub fn printed(call: Value) -> Printed {
    let arguments = ir::arguments(call);
    let Some(cookie) = arguments.first().copied() else {
        return Printed::UNKNOWN;
    };
    let name = ir::as_function(ir::callee(call)).map(ir::name);
    match (beginning(cookie), name.as_deref()) {
        (_, Some("_FortranAioOutputNamelist")) => Printed::As(Conversion::SHORTEST),
        (Some(beginning), name) if format_of(&beginning).is_some() => {
            match (name, arguments.get(1).copied()) {
                (Some("_FortranAioOutputDescriptor"), Some(array)) => {
                    Printed::Items { cookie, array }
                }
                _ => Printed::Item { cookie },
            }
        }
        (Some(beginning), _) if beginning.ends_with("ListOutput") => {
            Printed::As(Conversion::SHORTEST)
        }
        _ => Printed::UNKNOWN,
    }
}

/// Reports formats to the runtime, and the items that are no outputs of numbers.
pub fn observe_call(cx: &mut FunctionInstrumenter, call: Value, name: &str) {
    if let Some(format) = name.strip_prefix(BEGIN).and_then(format_of) {
        let arguments = ir::arguments(call);
        let thread = cx.tracer().thread;
        cx.builder.after(call);
        let arguments = [call, arguments[format], arguments[format + 1], thread];
        cx.builder
            .call_runtime(functions::FORTRAN_FORMAT, &arguments);
        return;
    }
    const COUNTED: [&str; 4] = ["Integer", "Logical", "Ascii", "Character"];
    let item = name.strip_prefix(OUTPUT);
    let is_counted = item.is_some_and(|item| COUNTED.iter().any(|kind| item.starts_with(kind)));
    if let (true, printed @ Printed::Item { .. }) = (is_counted, printed(call)) {
        cx.tracer();
        cx.builder.before(call);
        printed.write(cx);
    } else if name == "_FortranAioOutputDerivedType" {
        lose_count(cx, call);
    }
}

/// How many items a derived type has is not known here: the runtime forgets the statement's format.
fn lose_count(cx: &mut FunctionInstrumenter, call: Value) {
    let pointer = ir::type_of(ir::operand(call, 0));
    let thread = cx.tracer().thread;
    cx.builder.before(call);
    let b = cx.builder;
    let arguments = [
        ir::operand(call, 0),
        builder::null(pointer),
        builder::null(b.types.i64),
        thread,
    ];
    b.call_runtime(functions::FORTRAN_FORMAT, &arguments);
}
