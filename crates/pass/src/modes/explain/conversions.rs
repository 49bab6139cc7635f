//! How an output is printed. Instrumented code writes it to the thread before it reports the output, so that the runtime can
//! judge the digits that are printed.
//!
//! # What it can miss
//!
//! Formats of wide characters that are no constants, and formats that are no constants and take digits from an argument:
//! there the conversion is unknown, and lost bits decide.

use std::mem::offset_of;

use lostbits_abi::{
    conversion::{Conversion, Notation, of_argument},
    explain::Thread,
    functions,
};

use super::{
    cpp_outputs::{self, StreamLayout},
    fortran_outputs,
    trace::Tracing,
};
use crate::{
    builder::{self, Builder},
    carry::FunctionInstrumenter,
    ir::{self, Value},
};

/// Where the conversion of an output comes from.
#[derive(Clone, Copy)]
pub enum Printed {
    As(Conversion),
    /// Digits that the program computes, less this number; a negative number counts as none given.
    WithDigits {
        notation: Notation,
        digits: Value,
        less: u32,
    },
    /// C++'s `chars_format`, whose numbers are those of notations, and digits.
    CharsFormat {
        format: Value,
        digits: Value,
    },
    /// A format of C that is no constant, and the index of the variadic argument.
    Format {
        format: Value,
        index: u64,
    },
    Stream {
        stream: Value,
        layout: StreamLayout,
    },
    /// Rust's; the notation is that of numbers with a precision.
    Formatter {
        formatter: Value,
        notation: Notation,
    },
    /// The next item of a statement of Fortran, and the next array.
    Item {
        cookie: Value,
    },
    Items {
        cookie: Value,
        array: Value,
    },
}

impl Printed {
    pub const UNKNOWN: Printed = Printed::As(Conversion::UNKNOWN);

    /// Writes the conversion, at the builder's position, in a function that has a tracer.
    pub fn write(self, cx: &FunctionInstrumenter) {
        let thread = cx.known_tracer().thread;
        let b = cx.builder;
        let types = b.types;
        match self {
            Printed::As(conversion) => {
                store(b, thread, builder::integer(types.i32, conversion.0.into()));
            }
            Printed::WithDigits {
                notation,
                digits,
                less,
            } => {
                let notation = builder::integer(types.i32, notation as u64);
                store(b, thread, joined(b, notation, digits, less));
            }
            Printed::CharsFormat { format, digits } => {
                let notation = b.resize_unsigned(format, types.i32);
                store(b, thread, joined(b, notation, digits, 0));
            }
            Printed::Format { format, index } => {
                let index = builder::integer(types.i64, index);
                b.call_runtime(functions::CONVERSION_OF_FORMAT, &[format, index, thread]);
            }
            Printed::Stream { stream, layout } => {
                let at = |bytes| builder::integer(types.i64, bytes);
                let arguments = [stream, at(layout.precision), at(layout.flags), thread];
                b.call_runtime(functions::CONVERSION_OF_STREAM, &arguments);
            }
            Printed::Formatter {
                formatter,
                notation,
            } => {
                let notation = builder::integer(types.i32, notation as u64);
                let arguments = [formatter, notation, thread];
                b.call_runtime(functions::CONVERSION_OF_FORMATTER, &arguments);
            }
            Printed::Item { cookie } => {
                b.call_runtime(functions::FORTRAN_ITEM, &[cookie, thread]);
            }
            Printed::Items { cookie, array } => {
                b.call_runtime(functions::FORTRAN_ITEMS, &[cookie, array, thread]);
            }
        }
    }
}

fn store(b: &Builder, thread: Value, conversion: Value) {
    let at = b.offset(thread, offset_of!(Thread, conversion) as u64);
    b.store(conversion, at, 4);
}

/// A conversion of a notation and digits.
fn joined(b: &Builder, notation: Value, digits: Value, less: u32) -> Value {
    const DEFAULT: u64 = 6;
    let i32 = b.types.i32;
    let digits = b.resize_unsigned(digits, i32);
    let less = builder::integer(i32, less.into());
    let digits = b.binary(ir::Opcode::LLVMSub, digits, less);
    let is_negative = b.compare(
        ir::IntPredicate::LLVMIntSLT,
        digits,
        builder::integer(i32, 0),
    );
    let digits = b.select(is_negative, builder::integer(i32, DEFAULT), digits);
    b.or(
        notation,
        b.shift_left(digits, Conversion::DIGITS_SHIFT.into()),
    )
}

/// How a call prints its argument at an index.
pub fn of_call(call: Value, name: &str, index: u32) -> Printed {
    let arguments = ir::arguments(call);
    let given = |at: usize| arguments.get(at).copied();
    let with_digits = |notation, less| match given(1) {
        Some(digits) => Printed::WithDigits {
            notation,
            digits,
            less,
        },
        None => Printed::UNKNOWN,
    };
    if let Some(printed) = cpp_outputs::printed(name, &arguments) {
        return printed;
    }
    match name {
        "std::to_string" => Printed::As(Conversion::DEFAULT_FIXED),
        "gcvt" => with_digits(Notation::General, 0),
        "ecvt" | "ecvt_r" => with_digits(Notation::Scientific, 1),
        "fcvt" | "fcvt_r" => with_digits(Notation::Fixed, 0),
        "strfromd" | "strfromf" | "strfroml" => match given(2).map(|format| (format, text(format)))
        {
            Some((_, Some(text))) => known(&text, 0, &[]),
            Some((format, None)) => Printed::Format { format, index: 0 },
            None => Printed::UNKNOWN,
        },
        _ if name.starts_with("_FortranAio") => fortran_outputs::printed(call),
        _ => of_format(call, name, index),
    }
}

/// A function that takes a format as the last of its named parameters.
fn of_format(call: Value, name: &str, index: u32) -> Printed {
    let ty = ir::called_function_type(call);
    let named = ir::parameter_types(ty).len();
    let arguments = ir::arguments(call);
    let (true, true) = (ir::is_variadic(ty), (1..=index as usize).contains(&named)) else {
        return Printed::UNKNOWN;
    };
    let format = arguments[named - 1];
    let index = index as usize - named;
    match text(format) {
        Some(text) => known(&text, index, &arguments[named..]),
        None if name.contains("wprintf") => Printed::UNKNOWN,
        None => Printed::Format {
            format,
            index: index as u64,
        },
    }
}

fn known(format: &[u8], index: usize, variadic: &[Value]) -> Printed {
    match of_argument(format, index) {
        Some((conversion, None)) => Printed::As(conversion),
        Some((conversion, Some(digits))) => match variadic.get(digits) {
            Some(digits) => Printed::WithDigits {
                notation: conversion.notation(),
                digits: *digits,
                less: 0,
            },
            None => Printed::UNKNOWN,
        },
        None => Printed::UNKNOWN,
    }
}

/// A constant text, up to its end; characters beyond ASCII become question marks.
pub fn text(pointer: Value) -> Option<Vec<u8>> {
    let characters = ir::constant_integers(pointer)?.into_iter();
    let characters = characters.take_while(|character| *character != 0);
    let narrow = |character| u8::try_from(character).ok().filter(u8::is_ascii);
    Some(characters.map(|one| narrow(one).unwrap_or(b'?')).collect())
}
