//! What an event says of its result and operands.

use lostbits_abi::{
    explain::{Event, Exact, Lanes, meta},
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
        0.0 if !is_no_real(event, index) => Exact::of(real(event, index).high),
        _ => event.exact[index],
    }
}

/// Whether there is no number in the reals, either, as only numbers of many bits know.
pub(super) fn is_no_real(event: &Event, index: usize) -> bool {
    let exact = &event.exact[index];
    exact.fraction == 0.0 && !exact.nearest.is_finite()
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

/// Tells of one lane as if it were all.
pub(super) fn take_lane(event: &mut Event, lanes: &Lanes, lane: usize) {
    event.site = lanes.site;
    event.op = lanes.op;
    event.kind = lanes.kind;
    event.operands = lanes.operands;
    event.node = meta::node(lanes.metas[0][lane]);
    for index in 0..=usize::from(lanes.operands).min(3) {
        event.values[index] = lanes.values[index][lane];
        event.residues[index] = lanes.residues[index][lane];
        event.bounds[index] = lanes.bounds[index][lane];
        event.metas[index] = lanes.metas[index][lane];
    }
}

/// Gives a lane what became of its result's shadow.
pub(super) fn give_lane(event: &Event, lanes: &mut Lanes, lane: usize) {
    lanes.residues[0][lane] = event.residues[0];
    lanes.bounds[0][lane] = event.bounds[0];
    lanes.metas[0][lane] = event.metas[0];
}
