//! Functions of the program that count as one operation (`[[wrap]]`). The pass finds their exact results by a reference, in
//! doubles.

use lostbits_abi::{explain::meta, numbers::Operand, ops::Op};

use super::{
    errors, events,
    operations::{ANY_KIND, Context, reported_operands, write_node},
};
use crate::{
    arithmetic,
    number::{Shadow, Short},
    value::Value,
};

/// The exact value minus `value`.
pub fn residue(shadow: Shadow, value: f64) -> f64 {
    match shadow.slot() {
        None => 0.0,
        Some(slot) => events::residue_of(slot, Value::of_double(value)),
    }
}

/// What the reference says about a result.
pub struct ReferenceResult {
    pub residue: f64,
    pub bound: f64,
    /// The error of the function itself, with its arguments taken as exact.
    pub own_error: f64,
}

/// Such a function has returned.
pub fn called(
    context: Context,
    op: Op,
    operands: &[Operand],
    result: &Operand,
    reference: &ReferenceResult,
) -> u64 {
    let Some(program) = Value::of_operand(result) else {
        return 0;
    };
    let (mut value, mut residue) = (Short::new(), Short::new());
    let (inputs, count) = reported_operands(operands, program);
    let Context { slot, site, trace } = context;
    arithmetic::add(
        slot,
        value.set(program),
        residue.set(Value::of_double(reference.residue)),
    );
    slot.own_error = errors::from_bound(reference.bound);
    slot.meta = meta::new(write_node::<ANY_KIND>(trace, site, op, &inputs[..count]), 0);
    let context = Context {
        slot: &mut *slot,
        site,
        trace,
    };
    events::report_call(context, op, &inputs[..count], program, reference.own_error);
    Shadow::of(slot).word()
}
