//! Functions of the program's own that are one operation: the pass finds their real results by references, in doubles.

use lostbits_abi::{explain::meta, numbers::Operand, ops::Op};

use super::{
    errors,
    operations::{ANY_KIND, Place, numbers_of, write_node},
    telling,
};
use crate::{
    arithmetic,
    number::{Short, Slot},
    value::Value,
};

/// What a value is off.
pub unsafe fn residue(slot: u64, value: f64) -> f64 {
    match slot {
        0 => 0.0,
        slot => unsafe { telling::residue_of(&*(slot as *const Slot), Value::of_double(value)) },
    }
}

/// What a reference says of a result.
pub struct Found {
    pub residue: f64,
    pub bound: f64,
    /// What the function itself is off, its arguments taken for exact.
    pub own: f64,
}

/// Such a function has returned.
pub unsafe fn called(
    place: Place,
    op: Op,
    operands: &[Operand],
    result: &Operand,
    found: &Found,
) -> u64 {
    let Some(program) = Value::of_operand(result) else {
        return 0;
    };
    let (mut value, mut residue) = (Short::new(), Short::new());
    let (seen, count) = numbers_of(operands, program);
    unsafe {
        let slot = &mut *place.slot;
        arithmetic::add(
            slot,
            value.set(program),
            residue.set(Value::of_double(found.residue)),
        );
        slot.order = errors::of_bound(found.bound);
        slot.meta = meta::new(write_node::<ANY_KIND>(place, op, &seen[..count]), 0);
        telling::tell_call(place, op, &seen[..count], program, found.own);
    }
    place.slot as u64
}
