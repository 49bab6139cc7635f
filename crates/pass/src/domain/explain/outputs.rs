//! Values that leave the program: which functions put them out, and in which arguments.
//!
//! # What it can miss
//!
//! Output functions that are not known here, and values formatted by a library of the program's own that is
//! not instrumented.

use lostbits_abi::{kind::FpKind, mode::Mode, site::What, symbols};

use super::{
    super::explain_reals,
    constants,
    cpp_outputs::{self, TO_STRING},
    tale::{Seen, Tale, write_event},
};
use crate::{
    builder::{self},
    carry::Weaver,
    ir::{self, Value},
    shape,
};

/// How a function takes what it puts out.
enum Output {
    /// Every floating-point argument.
    Arguments,
    /// Memory: the indices of the pointer and of the sizes, to be multiplied.
    Memory { pointer: u32, sizes: &'static [u32] },
    /// So many bytes at a pointer.
    Bytes { pointer: u32, bytes: u64 },
    /// What a structure of Fortran's, behind the cookie, refers to; the runtime's function that reads it.
    Fortran(&'static str),
    /// What a format, at this index, says of the list of arguments behind it.
    Formatted { format: u32 },
}

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
        "printf"
        | "fprintf"
        | "sprintf"
        | "snprintf"
        | "asprintf"
        | "dprintf"
        | "syslog"
        | "error"
        | "warn"
        | "warnx"
        | "err"
        | "errx"
        | "wprintf"
        | "fwprintf"
        | "swprintf"
        | symbols::OUTPUT
        | "gcvt"
        | "ecvt"
        | "fcvt"
        | "ecvt_r"
        | "fcvt_r"
        | "strfromd"
        | "strfromf"
        | "strfroml" => Some(Output::Arguments),
        _ if cpp_outputs::writes_memory(name) => memory(1, &[2]),
        "fwrite" | "fwrite_unlocked" => memory(0, &[1, 2]),
        "write" | "pwrite" | "pwrite64" | "send" | "sendto" => memory(1, &[2]),
        // Fortran's: arrays, and lists of variables.
        "_FortranAioOutputDescriptor" => Some(Output::Fortran(symbols::FORTRAN_PUT_OUT)),
        "_FortranAioOutputNamelist" => Some(Output::Fortran(symbols::FORTRAN_PUT_OUT_NAMELIST)),
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

pub fn is_output(name: &str) -> bool {
    output(name).is_some()
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
pub fn look_at_header_call(weaver: &mut Weaver, call: Value) {
    let is_call = ir::is_call(call) && !ir::is_must_tail(call);
    let Some(function) = is_call.then(|| ir::callee(call)).and_then(ir::as_function) else {
        return;
    };
    const MADE_WITH: &str = "_ZN9__gnu_cxx12__to_xstring";
    let (name, caller) = (ir::name(function), ir::name(weaver.function));
    let is_defined = !ir::is_declaration(function);
    if (is_defined && name.starts_with(TO_STRING))
        || (name.starts_with(MADE_WITH) && !caller.starts_with(TO_STRING))
    {
        put_out_arguments(weaver, call, "std::to_string");
    }
}

fn put_out_arguments(weaver: &mut Weaver, call: Value, name: &str) {
    for (index, argument) in (0u32..).zip(ir::arguments(call)) {
        if shape::fp_kind(ir::type_of(argument)).is_some() {
            put_out(weaver, call, name, index, argument);
        }
    }
}

pub fn look_at_call(weaver: &mut Weaver, call: Value, name: &str) {
    match output(name) {
        Some(Output::Arguments) => put_out_arguments(weaver, call, name),
        Some(Output::Memory { pointer, sizes }) => {
            put_out_memory(weaver, call, name, pointer, sizes)
        }
        Some(Output::Bytes { pointer, bytes }) => {
            let bytes = builder::integer(weaver.builder.types.i64, bytes);
            let pointer = ir::operand(call, pointer);
            let what = constants::output_of_number(pointer, call);
            tell_memory(weaver, call, (what, name), pointer, bytes);
        }
        Some(Output::Fortran(reader)) => put_out_structure(weaver, call, name, reader),
        Some(Output::Formatted { format }) => put_out_list(weaver, call, name, format),
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
        // Constants have no error, in whichever format they are looked at.
        ir::Opcode::LLVMPHI => {
            let (fixed, ways): (Vec<Value>, Vec<Value>) = ir::operands(value)
                .into_iter()
                .partition(|from| ir::is_constant(*from));
            fixed.len() < ir::operands(value).len()
                && ways.into_iter().all(|from| is_widened(from, depth + 1))
        }
        _ => false,
    }
}

fn put_out(weaver: &mut Weaver, call: Value, name: &str, index: u32, value: Value) {
    let given = value;
    let mut value = before_extension(value);
    if value == given && is_widened(value, 0) {
        weaver.builder.before(call);
        value = weaver.builder.convert(value, weaver.builder.types.float);
    }
    let ty = ir::type_of(value);
    let leaf = weaver.leaves_of(value).remove(0);
    let note = format!("{name}#{index}");
    let site = weaver.site(call, constants::output(given), &leaf, &note);
    weaver.count_here(call, site, shape::lanes(ty));
    let seen = if value == before_extension(given) {
        value
    } else {
        given
    };
    let shadow = weaver.shadow(seen).remove(0);
    let tracer = weaver.tracer();
    weaver.builder.before(call);
    if weaver.mode() == Mode::ExplainReals {
        return explain_reals::put_out(weaver, site, value, &shadow);
    }
    let b = weaver.builder;
    let seen = Seen { value, shadow };
    let tale = Tale {
        site,
        number: 0,
        kind: shape::fp_kind(ty).unwrap_or(FpKind::Double),
        nodes: builder::null(b.types.i32),
        seen: vec![seen.clone(), seen],
        thread: tracer.thread,
        first_site: tracer.first_site,
    };
    let told = b.declare(symbols::EXPLAIN_OUTPUT, b.types.void, &[b.types.pointer]);
    for lane in 0..shape::lanes(ty) {
        let event = write_event(b, &tale, lane, builder::integer(b.types.int(1), 1));
        b.call(told, &[event]);
    }
}

fn put_out_memory(weaver: &mut Weaver, call: Value, name: &str, pointer: u32, sizes: &[u32]) {
    let arguments = ir::arguments(call);
    weaver.builder.before(call);
    let b = weaver.builder;
    let bytes = sizes
        .iter()
        .map(|index| b.resize_unsigned(arguments[*index as usize], b.types.i64))
        .reduce(|x, y| b.binary(ir::Opcode::LLVMMul, x, y))
        .expect("there is a size");
    let pointer = arguments[pointer as usize];
    let what = constants::output_of_bytes(pointer, call);
    tell_memory(weaver, call, (what, name), pointer, bytes);
}

fn put_out_list(weaver: &mut Weaver, call: Value, name: &str, format: u32) {
    let arguments = ir::arguments(call);
    let [Some(format), Some(list)] = [format, format + 1].map(|at| arguments.get(at as usize))
    else {
        return;
    };
    let (site, thread) = output_site(weaver, call, (What::Output, name));
    let b = weaver.builder;
    let parameters = [
        b.types.pointer,
        b.types.pointer,
        b.types.i64,
        b.types.pointer,
    ];
    let name = match weaver.mode() {
        Mode::ExplainReals => symbols::EXPLAIN_REALS_OUTPUT_FORMATTED,
        _ => symbols::EXPLAIN_OUTPUT_FORMATTED,
    };
    let told = b.declare(name, b.types.void, &parameters);
    b.call(told, &[*format, *list, site, thread]);
}

fn put_out_structure(weaver: &mut Weaver, call: Value, name: &str, reader: &str) {
    let (site, thread) = output_site(weaver, call, (What::Output, name));
    let b = weaver.builder;
    let tell = output_of_memory(weaver);
    let parameters = [
        b.types.pointer,
        b.types.pointer,
        b.types.i64,
        b.types.pointer,
    ];
    let read = b.declare(reader, b.types.void, &parameters);
    b.call(read, &[ir::operand(call, 1), tell, site, thread]);
}

/// Tells, before an instruction, of so many bytes that leave the program.
pub fn tell_memory(
    weaver: &mut Weaver,
    before: Value,
    output: (What, &str),
    pointer: Value,
    bytes: Value,
) {
    let (site, thread) = output_site(weaver, before, output);
    let told = output_of_memory(weaver);
    weaver.builder.call(told, &[pointer, bytes, site, thread]);
}

/// The runtime's function that is told of memory.
fn output_of_memory(weaver: &Weaver) -> Value {
    let b = weaver.builder;
    let i64 = b.types.i64;
    let parameters = [b.types.pointer, i64, i64, b.types.pointer];
    let name = match weaver.mode() {
        Mode::ExplainReals => symbols::EXPLAIN_REALS_OUTPUT_MEMORY,
        _ => symbols::EXPLAIN_OUTPUT_MEMORY,
    };
    b.declare(name, b.types.void, &parameters)
}

/// The global site of an output and the thread's part of the trace; the builder stands before the instruction then.
fn output_site(weaver: &mut Weaver, before: Value, (what, name): (What, &str)) -> (Value, Value) {
    let site = weaver.site_of_double(before, what, name);
    weaver.count_here(before, site, 1);
    let tracer = weaver.tracer();
    weaver.builder.before(before);
    let b = weaver.builder;
    let own = builder::integer(b.types.i64, site.into());
    let site = b.binary(ir::Opcode::LLVMAdd, tracer.first_site, own);
    (site, tracer.thread)
}
