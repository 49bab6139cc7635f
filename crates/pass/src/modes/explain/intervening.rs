//! Interventions: a run can leave out an operation's own rounding error, or what it inherits from its operands. The
//! error budget and the proofs of `lostbits explain` are made of such runs.
//!
//! Every operation reads the byte of its site: see [`intervention`]. That costs 2 to 11 % of a run; in return, programs and
//! libraries that were built before are proved like sources, and sources are not compiled again for it.

use std::mem::offset_of;

use lostbits_abi::explain::{Thread, intervention};

use super::{Operation, arithmetic::Intervention, trace::Tracing};
use crate::{
    builder,
    carry::FunctionInstrumenter,
    ir::{IntPredicate, Value},
};

/// What a run leaves out of an operation's residue. Leaves the builder after the instruction.
pub fn on(cx: &mut FunctionInstrumenter, operation: &Operation) -> Intervention {
    cx.tracer();
    cx.after(operation.instruction);
    let (site, thread) = cx.global_site(operation.site);
    let b = cx.builder;
    let i8 = b.types.i8;
    let bytes = b.offset(thread, offset_of!(Thread, interventions) as u64);
    let bytes = b.load(b.types.pointer, bytes, 8);
    let byte = b.load(i8, b.index_bytes(bytes, site), 1);
    let has = |bit: u8| -> Value {
        let bit = b.and(byte, builder::integer(i8, bit.into()));
        b.compare(IntPredicate::LLVMIntNE, bit, builder::null(i8))
    };
    Intervention {
        own: has(intervention::WITHOUT_OWN_ERROR),
        inherited: has(intervention::WITHOUT_INHERITED_ERROR),
    }
}
