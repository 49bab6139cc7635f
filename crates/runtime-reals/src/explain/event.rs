//! Accessors for the parts of an event.

use lostbits_abi::{
    explain::{Event, Exact, Lanes, meta},
    kind::FpKind,
};

use super::{
    double_double::DoubleDouble,
    measure::{ALLOWANCE, Measured},
};

/// An event without operands.
pub(super) const EMPTY: Event = Event {
    site: 0,
    op: 0,
    kind: 0,
    operands: 0,
    node: 0,
    reported: 1,
    values: [0.0; 4],
    tails: [0.0; 4],
    residues: [0.0; 4],
    bounds: [0.0; 4],
    metas: [0; 4],
    exact: [Exact::NONE; 4],
};

/// The format of an event's result or operands.
pub(super) fn kind_of(event: &Event) -> FpKind {
    FpKind::from_u8(event.kind).unwrap_or(FpKind::Double)
}

/// The part of a wider value that its double lacks.
pub(super) fn tail(event: &Event, index: usize) -> f64 {
    match kind_of(event) {
        FpKind::X87 => event.tails[index],
        _ => 0.0,
    }
}

/// The exact value of a result or operand.
pub(super) fn real(event: &Event, index: usize) -> DoubleDouble {
    DoubleDouble::sum(event.values[index], tail(event, index)).plus(event.residues[index])
}

/// The exact value for a report, also where it is not a double.
pub(super) fn exact(event: &Event, index: usize) -> Exact {
    if event.exact[index] != Exact::NONE {
        return event.exact[index];
    }
    let (value, real) = (event.values[index], real(event, index).high);
    let doubt = ALLOWANCE * event.bounds[index];
    // What the residue may lack is not printed as an exact value; nor is zero where the exact value may be the program's.
    match real.abs() <= doubt && event.bounds[index] <= f64::MAX {
        true if value != 0.0 && doubt >= value.abs() => Exact::of(f64::NAN),
        true => Exact::of(0.0),
        false => Exact::of(real),
    }
}

/// Whether the exact value is infinite or NaN, too; only high-precision numbers know.
pub(super) fn is_exactly_nonfinite(event: &Event, index: usize) -> bool {
    let exact = &event.exact[index];
    exact.fraction == 0.0 && !exact.nearest.is_finite()
}

/// A result or operand with its error.
pub(super) fn value(event: &Event, index: usize) -> Measured {
    Measured {
        kind: kind_of(event),
        value: event.values[index],
        residue: event.residues[index],
        bound: event.bounds[index],
    }
}

/// Copies one lane into an event.
pub(super) fn load_lane(event: &mut Event, lanes: &Lanes, lane: usize) {
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

/// Copies the shadow of an event's result back to its lane.
pub(super) fn store_lane(event: &Event, lanes: &mut Lanes, lane: usize) {
    lanes.residues[0][lane] = event.residues[0];
    lanes.bounds[0][lane] = event.bounds[0];
    lanes.metas[0][lane] = event.metas[0];
}
