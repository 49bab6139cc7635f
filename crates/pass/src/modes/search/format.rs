//! Marks runs whose meaning depends on the format of numbers.
//!
//! A trace replayed in exact arithmetic is the program's own function only if every value is what the traced
//! operations make of the inputs. Code that inspects or builds numbers as bits, steps to the neighbouring number or takes numbers apart
//! is written for its precision: exact arithmetic gives it another meaning. Such code sets a word of the trace when
//! it runs, so that `lostbits search` knows which runs the replay can judge alone.
//!
//! What it can miss: numbers that are read as integers through pointers other than the variable's own, and
//! results of functions that were not compiled by lostbits.

use std::collections::HashSet;

use lostbits_abi::{
    ops::{Op, Outcome},
    trace::Trace,
    variables,
};

use crate::{
    builder,
    carry::FunctionInstrumenter,
    ir::{self, Opcode, TypeKind, Value},
    shape,
};

/// Whether a traced operation leaves values that the trace does not explain.
pub fn is_untraceable(op: Op) -> bool {
    use Op::*;
    let info = op.info();
    let takes_apart = matches!(op, Frexp | Logb | Ilogb | Nextafter | Nextup | Nextdown);
    let is_number = info.outcome == Outcome::Real;
    takes_apart || is_number && (info.second.is_some() || info.folds.is_some())
}

/// Marks the instructions of a function that are no operations.
pub fn mark_instructions(cx: &FunctionInstrumenter, instructions: &[Value]) {
    let reread = Reread::of(instructions);
    for instruction in instructions {
        if reinterprets(*instruction) || is_foreign(*instruction) || reread.reads(*instruction) {
            cx.builder.before(*instruction);
            mark(cx);
        }
    }
}

/// Sets the word, where the builder is.
pub fn mark(cx: &FunctionInstrumenter) {
    let builder = cx.builder;
    let trace = builder.runtime_variable(variables::SEARCH_TRACE);
    let offset = std::mem::offset_of!(Trace, depends_on_format);
    let word = builder.offset(trace, offset as u64);
    builder.store(builder::integer(builder.types.i64, 1), word, 8);
}

/// Numbers as integers, or integers as numbers.
fn reinterprets(instruction: Value) -> bool {
    if ir::opcode(instruction) != Opcode::LLVMBitCast {
        return false;
    }
    let source = ir::operand(instruction, 0);
    let is_number = |value| shape::is_floating(ir::type_of(value));
    is_number(source) != is_number(instruction)
        && !ir::is_constant(source)
        && !ir::uses(instruction).is_empty()
}

/// Formats without a trace, the processor's own instructions, and assembly.
fn is_foreign(instruction: Value) -> bool {
    let ty = ir::type_of(instruction);
    // What a phi chooses from is marked where it is computed; and nothing may come before a phi.
    if !shape::is_floating(ty) || ir::opcode(instruction) == Opcode::LLVMPHI {
        return false;
    }
    if shape::fp_kind(ty).is_none() {
        return true;
    }
    let called = ir::is_call(instruction).then(|| ir::callee(instruction));
    called.is_some_and(|callee| {
        let name = ir::as_function(callee).and_then(ir::intrinsic_name);
        ir::is_inline_assembly(callee) || name.is_some_and(|name| name.starts_with("llvm.x86."))
    })
}

/// Local variables that hold a number and are read as an integer, or the reverse: unions and copied bytes, in code
/// that was not optimised.
#[derive(Default)]
struct Reread {
    numbers: HashSet<Value>,
    integers: HashSet<Value>,
}

impl Reread {
    fn of(instructions: &[Value]) -> Reread {
        let mut reread = Reread::default();
        for instruction in instructions {
            if let Some((variable, ty)) = access(*instruction) {
                if shape::is_floating(ty) {
                    reread.numbers.insert(variable);
                } else if is_wide_integer(ty) {
                    reread.integers.insert(variable);
                }
            }
        }
        reread
    }

    fn reads(&self, instruction: Value) -> bool {
        let is_mixed =
            |variable: &Value| self.numbers.contains(variable) && self.integers.contains(variable);
        if let Some((variable, ty)) = access(instruction) {
            return is_wide_integer(ty) && is_mixed(&variable);
        }
        copied(instruction).is_some_and(|[to, from]| {
            let crosses =
                |a: &Value, b: &Value| self.numbers.contains(a) && self.integers.contains(b);
            crosses(&to, &from) || crosses(&from, &to)
        })
    }
}

/// The variable that a load or store accesses at its start, and the type it is accessed as.
fn access(instruction: Value) -> Option<(Value, ir::Type)> {
    let (variable, value) = match ir::opcode(instruction) {
        Opcode::LLVMLoad => (ir::operand(instruction, 0), instruction),
        Opcode::LLVMStore => (ir::operand(instruction, 1), ir::operand(instruction, 0)),
        _ => return None,
    };
    ir::is_alloca(variable).then(|| (variable, ir::type_of(value)))
}

/// The variables between which memory is copied.
fn copied(instruction: Value) -> Option<[Value; 2]> {
    let function = ir::is_call(instruction).then(|| ir::as_function(ir::callee(instruction)))??;
    let name = ir::intrinsic_name(function)?;
    let is_copy = name.starts_with("llvm.memcpy") || name.starts_with("llvm.memmove");
    let arguments = ir::arguments(instruction);
    is_copy.then(|| [arguments[0], arguments[1]])
}

fn is_wide_integer(ty: ir::Type) -> bool {
    let element = shape::scalar(ty);
    ir::type_kind(element) == TypeKind::LLVMIntegerTypeKind && ir::int_width(element) >= 32
}
