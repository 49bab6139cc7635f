//! Interventions: a run can leave out an operation's own rounding error, or what it inherits from its operands. The
//! error budget and the proofs of `lostbits explain` are made of such runs.
//!
//! Built with [`INTERVENTIONS_ENV`] set, an operation reads the byte of its site: see [`intervention`].

use std::mem::offset_of;

use lostbits_abi::explain::{INTERVENTIONS_ENV, Thread, intervention};

use super::{Operation, arithmetic::Intervention, trace::Tracing};
use crate::{
    builder,
    carry::FunctionInstrumenter,
    ir::{IntPredicate, Value},
};

/// What a run leaves out of an operation's residue; none where runs cannot choose. The builder is after the instruction
/// then.
pub fn on(cx: &mut FunctionInstrumenter, operation: &Operation) -> Option<Intervention> {
    std::env::var_os(INTERVENTIONS_ENV)?;
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
    Some(Intervention {
        own: has(intervention::WITHOUT_OWN_ERROR),
        inherited: has(intervention::WITHOUT_INHERITED_ERROR),
    })
}
