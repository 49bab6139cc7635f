//! Values that leave the program: which functions put them out, and in which arguments.
//!
//! # What it can miss
//!
//! Output functions that are not known here, and values formatted by a library of the program's own that is
//! not instrumented.

use std::mem::offset_of;

use lostbits_abi::{
    explain::{Call, MOST_ARGUMENTS, Thread},
    functions::{self, RuntimeFunction},
    judge,
    kind::FpKind,
    site::What,
};

use super::trace::Tracing;
use super::{
    Explain, constants,
    conversions::{self, Printed},
    cpp_outputs::{self, TO_STRING},
    events::{EventFields, ReportedValue, write_event},
    fortran_outputs,
};
use crate::{
    builder::{self},
    carry::{FunctionInstrumenter, LeafShadow},
    ir::{self, Value},
    shape,
};

/// How a mode reports outputs to the runtime.
pub trait OutputEvents {
    /// A value leaves the program at the builder's position.
    fn report_value(
        &self,
        cx: &mut FunctionInstrumenter,
        site: u32,
        value: Value,
        shadow: &[Value],
    );

    /// A function that was called with these numbers returns a value at the builder's position; `has_others` if it can see
    /// more than them.
    fn report_result(
        &self,
        cx: &mut FunctionInstrumenter,
        site: u32,
        (value, shadow): (Value, &[Value]),
        _arguments: &[(Value, LeafShadow)],
        _has_others: bool,
    ) {
        self.report_value(cx, site, value, shadow);
    }

    /// The runtime's function for memory that leaves the program.
    fn memory_function(&self) -> RuntimeFunction;

    /// The runtime's function for a format with its list of arguments.
    fn formatted_function(&self) -> RuntimeFunction;
}

impl OutputEvents for Explain {
    fn report_value(
        &self,
        cx: &mut FunctionInstrumenter,
        site: u32,
        value: Value,
        shadow: &[Value],
    ) {
        report_lanes_by(cx, functions::EXPLAIN_OUTPUT, site, value, shadow);
    }

    fn report_result(
        &self,
        cx: &mut FunctionInstrumenter,
        site: u32,
        (value, shadow): (Value, &[Value]),
        arguments: &[(Value, LeafShadow)],
        has_others: bool,
    ) {
        let b = cx.builder;
        let thread = cx.known_tracer().thread;
        let call = b.offset(thread, offset_of!(Thread, call) as u64);
        let put = |value: Value, offset: usize, alignment: u32| {
            b.store(value, b.offset(call, offset as u64), alignment);
        };
        let none = builder::real(b.types.double, 0.0);
        for index in 0..MOST_ARGUMENTS {
            let errors = [offset_of!(Call, residues), offset_of!(Call, bounds)];
            let argument = arguments.get(index);
            if let Some((value, _)) = argument {
                put(*value, offset_of!(Call, values) + index * 8, 8);
            }
            for (at, offset) in errors.into_iter().enumerate() {
                let known = argument.and_then(|(_, shadow)| shadow.get(at).copied());
                put(known.unwrap_or(none), offset + index * 8, 8);
            }
        }
        let i32 = b.types.i32;
        let count = builder::integer(i32, arguments.len() as u64);
        put(count, offset_of!(Call, count), 4);
        let others = builder::integer(i32, has_others.into());
        put(others, offset_of!(Call, has_others), 4);
        report_lanes_by(cx, functions::EXPLAIN_RESULT, site, value, shadow);
    }

    fn memory_function(&self) -> RuntimeFunction {
        functions::EXPLAIN_OUTPUT_MEMORY
    }

    fn formatted_function(&self) -> RuntimeFunction {
        functions::EXPLAIN_OUTPUT_FORMATTED
    }
}

fn report_lanes_by(
    cx: &mut FunctionInstrumenter,
    function: RuntimeFunction,
    site: u32,
    value: Value,
    shadow: &[Value],
) {
    let b = cx.builder;
    let shadow = shadow.to_vec();
    let seen = ReportedValue { value, shadow };
    let ty = ir::type_of(value);
    let tracer = cx.known_tracer();
    let fields = EventFields {
        site,
        number: 0,
        kind: shape::fp_kind(ty).unwrap_or(FpKind::Double),
        nodes: builder::null(b.types.i32),
        seen: vec![seen.clone(), seen],
        thread: tracer.thread,
        first_site: tracer.first_site,
    };
    for lane in 0..shape::lanes(ty) {
        let event = write_event(b, &fields, lane, builder::integer(b.types.int(1), 1));
        b.call_runtime(function, &[event]);
    }
}

/// How a function takes what it outputs.
enum Output {
    /// Every floating-point argument.
    Arguments,
    /// Memory: the indices of the pointer and of the sizes, to be multiplied.
    Memory { pointer: u32, sizes: &'static [u32] },
    /// This number of bytes at a pointer.
    Bytes { pointer: u32, bytes: u64 },
    /// What a structure of Fortran's, behind the cookie, refers to; the runtime's function that reads it.
    Fortran(RuntimeFunction),
    /// What a format, at this index, says of the list of arguments behind it.
    Formatted { format: u32 },
}

/// What programs call through `include/lostbits.h`.
const OUTPUT_MARKER: &str = functions::OUTPUT.symbol;

const COMPLEX_OUT: &str = "_ZStlsI";

fn output(name: &str) -> Option<Output> {
    if let Some(format) = format_of_list(name) {
        return Some(Output::Formatted { format });
    }
    if cpp_outputs::makes_text(name) {
        return Some(Output::Arguments);
    }
    let name = name
        .strip_suffix("_chk")
        .map_or(name, |name| name.trim_start_matches('_'));
    let memory = |pointer, sizes| Some(Output::Memory { pointer, sizes });
    match name {
        "printf" | "fprintf" | "sprintf" | "snprintf" | "asprintf" | "dprintf" | "syslog"
        | "error" | "warn" | "warnx" | "err" | "errx" | "wprintf" | "fwprintf" | "swprintf"
        | OUTPUT_MARKER | "gcvt" | "ecvt" | "fcvt" | "ecvt_r" | "fcvt_r" | "strfromd"
        | "strfromf" | "strfroml" => Some(Output::Arguments),
        // A number becomes Python's, which computes with it untracked.
        "PyFloat_FromDouble"
        | "PyComplex_FromDoubles"
        | "PyComplex_FromCComplex"
        | "Py_BuildValue" => Some(Output::Arguments),
        _ if cpp_outputs::writes_memory(name) => memory(1, &[2]),
        "fwrite" | "fwrite_unlocked" => memory(0, &[1, 2]),
        "write" | "pwrite" | "pwrite64" | "send" | "sendto" => memory(1, &[2]),
        // Fortran's: arrays, and lists of variables.
        "_FortranAioOutputDescriptor" => Some(Output::Fortran(functions::FORTRAN_OUTPUT)),
        "_FortranAioOutputNamelist" => Some(Output::Fortran(functions::FORTRAN_OUTPUT_NAMELIST)),
        // `ostream << complex`.
        _ if name.starts_with(COMPLEX_OUT) => {
            let bytes = match name[COMPLEX_OUT.len()..].chars().next()? {
                'd' => 16,
                'f' => 8,
                'e' => 32,
                _ => return None,
            };
            let is_complex = name.contains("RKSt7complex");
            is_complex.then_some(Output::Bytes { pointer: 1, bytes })
        }
        // Fortran's, one value a call.
        _ if name.starts_with("_FortranAioOutputReal")
            || name.starts_with("_FortranAioOutputComplex") =>
        {
            Some(Output::Arguments)
        }
        _ => None,
    }
}

/// Where functions take a format and a `va_list`: the former's index.
fn format_of_list(name: &str) -> Option<u32> {
    Some(match name {
        "vprintf" | "vwarn" | "vwarnx" => 0,
        "vfprintf" | "vsprintf" | "vasprintf" | "vdprintf" | "vsyslog" | "verr" | "verrx"
        | "__vprintf_chk" => 1,
        "vsnprintf" | "__vfprintf_chk" | "__vasprintf_chk" | "__vdprintf_chk" => 2,
        "__vsprintf_chk" => 3,
        "__vsnprintf_chk" => 4,
        _ => return None,
    })
}

/// A function of a C++ library's header, compiled with the program, that makes text of its arguments: `std::to_string`.
pub fn observe_header_call(cx: &mut FunctionInstrumenter, events: &dyn OutputEvents, call: Value) {
    let is_call = ir::is_call(call) && !ir::is_must_tail(call);
    let Some(function) = is_call.then(|| ir::callee(call)).and_then(ir::as_function) else {
        return;
    };
    const MADE_WITH: &str = "_ZN9__gnu_cxx12__to_xstring";
    let (name, caller) = (ir::name(function), ir::name(cx.function));
    let is_defined = !ir::is_declaration(function);
    if (is_defined && name.starts_with(TO_STRING))
        || (name.starts_with(MADE_WITH) && !caller.starts_with(TO_STRING))
    {
        report_arguments(cx, events, call, "std::to_string");
    }
}

fn report_arguments(
    cx: &mut FunctionInstrumenter,
    events: &dyn OutputEvents,
    call: Value,
    name: &str,
) {
    for (index, argument) in (0u32..).zip(ir::arguments(call)) {
        if shape::fp_kind(ir::type_of(argument)).is_some() {
            report_output(cx, events, call, name, index, argument);
        }
    }
}

pub fn observe_call(
    cx: &mut FunctionInstrumenter,
    events: &dyn OutputEvents,
    call: Value,
    name: &str,
) {
    fortran_outputs::observe_call(cx, call, name);
    match output(name) {
        Some(Output::Arguments) => report_arguments(cx, events, call, name),
        Some(Output::Memory { pointer, sizes }) => {
            report_memory(cx, events, call, name, pointer, sizes)
        }
        Some(Output::Bytes { pointer, bytes }) => {
            let bytes = builder::integer(cx.builder.types.i64, bytes);
            let pointer = ir::operand(call, pointer);
            let what = constants::output_of_number(pointer, call);
            let stream = ir::operand(call, 0);
            let layout = cpp_outputs::LIBSTDCXX;
            let printed = Printed::Stream { stream, layout };
            report_memory_output(cx, events, call, (what, name), (pointer, bytes), printed);
        }
        Some(Output::Fortran(reader)) => report_fortran_object(cx, events, call, name, reader),
        Some(Output::Formatted { format }) => report_format_list(cx, events, call, name, format),
        None => {}
    }
}

/// A `float` is passed to `printf` as a double; it has the bits of a float.
fn before_extension(value: Value) -> Value {
    match ir::is_instruction(value) && ir::opcode(value) == ir::Opcode::LLVMFPExt {
        true => ir::operand(value, 0),
        false => value,
    }
}

/// Whether a double is a `float` made wider, on whichever way it came.
fn is_widened(value: Value, depth: u32) -> bool {
    const DEEPEST: u32 = 4;
    if !ir::is_instruction(value) || depth > DEEPEST {
        return false;
    }
    match ir::opcode(value) {
        ir::Opcode::LLVMFPExt => {
            shape::fp_kind(ir::type_of(ir::operand(value, 0))) == Some(FpKind::Float)
        }
        // Constants have no error, in whichever format.
        ir::Opcode::LLVMPHI => {
            let (fixed, error_paths): (Vec<Value>, Vec<Value>) = ir::operands(value)
                .into_iter()
                .partition(|from| ir::is_constant(*from));
            fixed.len() < ir::operands(value).len()
                && error_paths
                    .into_iter()
                    .all(|from| is_widened(from, depth + 1))
        }
        _ => false,
    }
}

fn report_output(
    cx: &mut FunctionInstrumenter,
    events: &dyn OutputEvents,
    call: Value,
    name: &str,
    index: u32,
    value: Value,
) {
    let note = format!("{name}#{index}");
    let printed = conversions::of_call(call, name, index);
    report_judged(cx, events, call, &note, value, printed);
}

/// Reports, before an instruction, that a value is an output, printed in this way.
pub fn report_judged(
    cx: &mut FunctionInstrumenter,
    events: &dyn OutputEvents,
    call: Value,
    note: &str,
    value: Value,
    printed: Printed,
) {
    let (site, value, shadow) = judged_site(cx, call, note, value);
    cx.tracer();
    cx.builder.before(call);
    printed.write(cx);
    events.report_value(cx, site, value, &shadow);
}

/// What the function returns at `instruction` is judged, with what it was called with.
pub fn report_result(
    cx: &mut FunctionInstrumenter,
    events: &dyn OutputEvents,
    instruction: Value,
    value: Value,
) {
    let (site, value, shadow) = judged_site(cx, instruction, judge::RESULT, value);
    let used = |parameter: &Value| !ir::uses(*parameter).is_empty();
    let parameters: Vec<Value> = ir::parameters(cx.function)
        .into_iter()
        .filter(used)
        .collect();
    let (numbers, others): (Vec<Value>, Vec<Value>) =
        parameters.into_iter().partition(|one| is_argument(*one));
    let has_others = !others.is_empty() || numbers.len() > MOST_ARGUMENTS;
    let numbers = &numbers[..numbers.len().min(MOST_ARGUMENTS)];
    cx.name_arguments(instruction, site, numbers);
    let shadows: Vec<LeafShadow> = numbers
        .iter()
        .map(|one| match shape::fp_kind(ir::type_of(*one)) {
            Some(_) => cx.shadow(*one).remove(0),
            None => Vec::new(),
        })
        .collect();
    cx.tracer();
    cx.builder.before(instruction);
    Printed::UNKNOWN.write(cx);
    let b = cx.builder;
    let as_double = |one: Value| match shape::fp_kind(ir::type_of(one)) {
        Some(_) => b.as_double(one),
        None => b.cast(ir::Opcode::LLVMSIToFP, one, b.types.double),
    };
    let arguments: Vec<(Value, LeafShadow)> = numbers
        .iter()
        .map(|one| as_double(*one))
        .zip(shadows)
        .collect();
    events.report_result(cx, site, (value, &shadow), &arguments, has_others);
}

/// Whether a parameter is one number: floating-point, or an integer.
fn is_argument(parameter: Value) -> bool {
    let ty = ir::type_of(parameter);
    let is_integer = ir::type_kind(ty) == ir::TypeKind::LLVMIntegerTypeKind;
    let is_one = shape::fp_kind(ty).is_some() && shape::lanes(ty) == 1;
    is_one || (is_integer && (2..=64).contains(&ir::int_width(ty)))
}

/// The site of a judged value, the value in its own format, and its shadow.
fn judged_site(
    cx: &mut FunctionInstrumenter,
    call: Value,
    note: &str,
    value: Value,
) -> (u32, Value, LeafShadow) {
    let given = value;
    let mut value = before_extension(value);
    if value == given && is_widened(value, 0) {
        cx.builder.before(call);
        value = cx.builder.convert(value, cx.builder.types.float);
    }
    let ty = ir::type_of(value);
    let leaf = cx.leaves_of(value).remove(0);
    let site = cx.site(call, constants::output(given), &leaf, note);
    cx.count_here(call, site, shape::lanes(ty));
    let seen = if value == before_extension(given) {
        value
    } else {
        given
    };
    (site, value, cx.shadow(seen).remove(0))
}

fn report_memory(
    cx: &mut FunctionInstrumenter,
    events: &dyn OutputEvents,
    call: Value,
    name: &str,
    pointer: u32,
    sizes: &[u32],
) {
    let arguments = ir::arguments(call);
    cx.builder.before(call);
    let b = cx.builder;
    let bytes = sizes
        .iter()
        .map(|index| b.resize_unsigned(arguments[*index as usize], b.types.i64))
        .reduce(|x, y| b.binary(ir::Opcode::LLVMMul, x, y))
        .expect("there is a size");
    let pointer = arguments[pointer as usize];
    let what = constants::output_of_bytes(pointer, call);
    let memory = (pointer, bytes);
    report_memory_output(cx, events, call, (what, name), memory, Printed::UNKNOWN);
}

fn report_format_list(
    cx: &mut FunctionInstrumenter,
    events: &dyn OutputEvents,
    call: Value,
    name: &str,
    format: u32,
) {
    let arguments = ir::arguments(call);
    let [Some(format), Some(list)] = [format, format + 1].map(|at| arguments.get(at as usize))
    else {
        return;
    };
    let (site, thread) = global_site(cx, call, (What::Output, name));
    let b = cx.builder;
    b.call_runtime(events.formatted_function(), &[*format, *list, site, thread]);
}

fn report_fortran_object(
    cx: &mut FunctionInstrumenter,
    events: &dyn OutputEvents,
    call: Value,
    name: &str,
    reader: RuntimeFunction,
) {
    let (site, thread) = global_site(cx, call, (What::Output, name));
    fortran_outputs::printed(call).write(cx);
    let b = cx.builder;
    let report = b.declare_runtime(events.memory_function());
    b.call_runtime(reader, &[ir::operand(call, 1), report.into(), site, thread]);
}

/// Reports, before an instruction, that memory leaves the program.
pub fn report_memory_output(
    cx: &mut FunctionInstrumenter,
    events: &dyn OutputEvents,
    before: Value,
    output: (What, &str),
    (pointer, bytes): (Value, Value),
    printed: Printed,
) {
    let (site, thread) = global_site(cx, before, output);
    printed.write(cx);
    let arguments = [pointer, bytes, site, thread];
    cx.builder
        .call_runtime(events.memory_function(), &arguments);
}

/// The global site of an output or a call, and the thread's part of the trace; leaves the builder before the instruction.
pub fn global_site(
    cx: &mut FunctionInstrumenter,
    before: Value,
    (what, name): (What, &str),
) -> (Value, Value) {
    let site = cx.site_of_double(before, what, name);
    cx.count_here(before, site, 1);
    let tracer = cx.tracer();
    cx.builder.before(before);
    let b = cx.builder;
    let own = builder::integer(b.types.i64, site.into());
    let site = b.binary(ir::Opcode::LLVMAdd, tracer.first_site, own);
    (site, tracer.thread)
}
