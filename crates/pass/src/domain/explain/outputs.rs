//! Values that leave the program: which functions put them out, and in which arguments.
//!
//! # What it can miss
//!
//! Output functions that are not known here, and values formatted by a library of the program's own that is
//! not instrumented.

use lostbits_abi::{kind::FpKind, mode::Mode, site::What, symbols};

use super::{
    super::explain_reals,
    telling::{Seen, Tale, write_event},
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
}

fn output(name: &str) -> Option<Output> {
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
        | "fcvt" => Some(Output::Arguments),
        "fwrite" | "fwrite_unlocked" => memory(0, &[1, 2]),
        "write" | "pwrite" | "send" => memory(1, &[2]),
        // Fortran's, one value a call.
        _ if name.starts_with("_FortranAioOutputReal")
            || name.starts_with("_FortranAioOutputComplex") =>
        {
            Some(Output::Arguments)
        }
        // C++: `ostream << x`, `to_chars`, `to_string`.
        _ if name.starts_with("_ZNSolsE")
            || name.starts_with("_ZNSo9_M_insertI")
            || name.starts_with("_ZSt8to_chars")
            || name.starts_with("_ZNSt7__cxx119to_stringE") =>
        {
            Some(Output::Arguments)
        }
        _ => None,
    }
}

pub fn look_at_call(weaver: &mut Weaver, call: Value, name: &str) {
    match output(name) {
        Some(Output::Arguments) => {
            for (index, argument) in (0u32..).zip(ir::arguments(call)) {
                if shape::fp_kind(ir::type_of(argument)).is_some() {
                    put_out(weaver, call, name, index, argument);
                }
            }
        }
        Some(Output::Memory { pointer, sizes }) => {
            put_out_memory(weaver, call, name, pointer, sizes)
        }
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

fn put_out(weaver: &mut Weaver, call: Value, name: &str, index: u32, value: Value) {
    let value = before_extension(value);
    let ty = ir::type_of(value);
    let leaf = weaver.leaves_of(value).remove(0);
    let note = format!("{name}#{index}");
    let site = weaver.site(call, What::Output, &leaf, &note);
    weaver.count_here(call, site, shape::lanes(ty));
    let shadow = weaver.shadow(value).remove(0);
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
    tell_memory(weaver, call, name, arguments[pointer as usize], bytes);
}

/// Tells, before an instruction, of so many bytes that leave the program.
pub fn tell_memory(weaver: &mut Weaver, before: Value, name: &str, pointer: Value, bytes: Value) {
    let site = weaver.site_of_double(before, What::Output, name);
    weaver.count_here(before, site, 1);
    let tracer = weaver.tracer();
    weaver.builder.before(before);
    let b = weaver.builder;
    let i64 = b.types.i64;
    let site = b.binary(
        ir::Opcode::LLVMAdd,
        tracer.first_site,
        builder::integer(i64, site.into()),
    );
    let parameters = [b.types.pointer, i64, i64, b.types.pointer];
    let name = match weaver.mode() {
        Mode::ExplainReals => symbols::EXPLAIN_REALS_OUTPUT_MEMORY,
        _ => symbols::EXPLAIN_OUTPUT_MEMORY,
    };
    let told = b.declare(name, b.types.void, &parameters);
    b.call(told, &[pointer, bytes, site, tracer.thread]);
}
