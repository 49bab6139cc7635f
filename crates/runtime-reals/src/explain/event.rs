//! What an event says of its result and operands.

use lostbits_abi::{
    explain::{Event, Exact},
    kind::FpKind,
};

use super::{measure::Value, real::Real};

/// The format of an event's result or operands.
pub(super) fn kind_of(event: &Event) -> FpKind {
    FpKind::from_u8(event.kind).unwrap_or(FpKind::Double)
}

pub(super) fn tail(event: &Event, index: usize) -> f64 {
    match kind_of(event) {
        FpKind::X87 => event.tails[index],
        _ => 0.0,
    }
}

/// The real value of a result or operand.
pub(super) fn real(event: &Event, index: usize) -> Real {
    Real::sum(event.values[index], tail(event, index)).plus(event.residues[index])
}

/// The same to be shown: also where it is no double.
pub(super) fn exact(event: &Event, index: usize) -> Exact {
    match event.exact[index].fraction {
        0.0 => Exact::of(real(event, index).high),
        _ => event.exact[index],
    }
}

/// A result or operand with its format.
pub(super) fn value(event: &Event, index: usize) -> Value {
    Value {
        kind: kind_of(event),
        value: event.values[index],
        residue: event.residues[index],
        bound: event.bounds[index],
    }
}
