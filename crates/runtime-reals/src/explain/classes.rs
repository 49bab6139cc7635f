//! Equality classes: parts of an expression that have always had equal values. Variables of one class are one variable.

use lostbits_abi::explain::{MOST_POSITIONS, Position, PositionKind};

/// The class of a position that earlier executions did not have: it joins whichever class it equals.
pub const ANY_CLASS: u8 = u8::MAX;

/// Splits classes whose positions no longer have equal values. A class is named by its first position.
pub fn refine(
    positions: &mut [Position; MOST_POSITIONS],
    values: &[Option<f64>; MOST_POSITIONS],
    equality_depth: u32,
) {
    let before: [u8; MOST_POSITIONS] = core::array::from_fn(|at| positions[at].class);
    for at in 0..MOST_POSITIONS {
        let Some(value) = values[at] else { continue };
        let deep = u32::from(positions[at].depth) > equality_depth;
        let alike = |other: &usize| {
            positions[*other].kind != PositionKind::Nothing as u8
                && (before[*other] == before[at]
                    || before[*other] == ANY_CLASS
                    || before[at] == ANY_CLASS)
        };
        let equal = |other: &usize| {
            let same = |other: f64| other.to_bits() == value.to_bits();
            !deep && alike(other) && values[*other].is_some_and(same)
        };
        let class = match (0..at).find(equal) {
            Some(first) => positions[first].class,
            // Positions without a value in this execution say nothing.
            None if !deep && (0..at).any(|other| alike(&other) && values[other].is_none()) => {
                match (0..at).any(|other| alike(&other) && values[other].is_some()) {
                    true => at as u8,
                    false => before[at],
                }
            }
            None => at as u8,
        };
        positions[at].class = class;
    }
}
