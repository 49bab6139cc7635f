//! Interventions: a run can leave out an operation's own rounding error, or what it inherits from its operands. The
//! error budget and the proofs of `lostbits explain` are made of such runs.
//!
//! Every operation reads the byte of its site: see [`intervention`]. That costs 2 to 11 % of a run; in return, programs and
//! libraries that were built before are proved like sources, and sources are not compiled again for it.

use std::mem::offset_of;

use lostbits_abi::{
    explain::{ROUND_TO_FLOAT_ENV, Thread, intervention},
    kind::FpKind,
};

use super::{
    Operation,
    arithmetic::{Intervention, Known},
    detection,
    trace::Tracing,
};
use crate::{
    builder::{self, Builder},
    carry::FunctionInstrumenter,
    ir::{self, IntPredicate, Opcode, Value},
    shape,
};

/// A result as it would be in `float`, where a run asks for that. Such a run leaves out all rounding errors, so that residues
/// are the differences between a program in `float` and this one. Only programs that are compiled for it pay for the question.
pub fn rounded(cx: &mut FunctionInstrumenter, operation: &Operation, known: Known) -> Known {
    let ty = ir::type_of(operation.instruction);
    if !rounds_to_float() || shape::fp_kind(ty) != Some(FpKind::Double) {
        return known;
    }
    let byte = byte(cx, operation);
    let b = cx.builder;
    let value = b.binary(Opcode::LLVMFAdd, operation.instruction, known.residue);
    let float = b.convert(value, b.types.shaped(b.types.float, ty));
    let off = b.binary(
        Opcode::LLVMFSub,
        b.convert(float, ty),
        operation.instruction,
    );
    let is_asked = has(b, byte, intervention::ROUNDED_TO_FLOAT);
    Known {
        residue: b.select(is_asked, off, known.residue),
        ..known
    }
}

/// Whether the program is compiled for runs that ask for that.
pub fn rounds_to_float() -> bool {
    std::env::var_os(ROUND_TO_FLOAT_ENV).is_some()
}

/// What a run leaves out of an operation's residue; none in a program that only detects. Leaves the builder after the instruction.
pub fn on(cx: &mut FunctionInstrumenter, operation: &Operation) -> Option<Intervention> {
    if detection::is_active() && !detection::allows_interventions() {
        return None;
    }
    cx.tracer();
    cx.after(operation.instruction);
    let byte = byte(cx, operation);
    Some(Intervention::of(cx.builder, byte))
}

/// Whether a run records an execution of a decision, so that all have to be reported: an `i1`. None in a program that only detects.
pub fn records(cx: &mut FunctionInstrumenter, operation: &Operation) -> Option<Value> {
    if detection::is_active() && !detection::allows_interventions() {
        return None;
    }
    let byte = byte(cx, operation);
    Some(has(cx.builder, byte, intervention::RECORDED))
}

/// The same at a global site, which is an `i64`.
pub fn at(b: &Builder, thread: Value, site: Value) -> Intervention {
    Intervention::of(b, byte_at(b, thread, site))
}

impl Intervention {
    fn of(b: &Builder, byte: Value) -> Intervention {
        Intervention {
            own: has(b, byte, intervention::WITHOUT_OWN_ERROR),
            inherited: has(b, byte, intervention::WITHOUT_INHERITED_ERROR),
        }
    }
}

/// How the run intervenes at an operation.
fn byte(cx: &mut FunctionInstrumenter, operation: &Operation) -> Value {
    let (site, thread) = cx.global_site(operation.site);
    byte_at(cx.builder, thread, site)
}

fn byte_at(b: &Builder, thread: Value, site: Value) -> Value {
    let bytes = b.offset(thread, offset_of!(Thread, interventions) as u64);
    let bytes = b.load(b.types.pointer, bytes, 8);
    b.load(b.types.i8, b.index_bytes(bytes, site), 1)
}

fn has(b: &Builder, byte: Value, bit: u8) -> Value {
    let i8 = b.types.i8;
    let bit = b.and(byte, builder::integer(i8, bit.into()));
    b.compare(IntPredicate::LLVMIntNE, bit, builder::null(i8))
}
