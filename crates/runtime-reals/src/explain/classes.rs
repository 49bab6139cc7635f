//! Which parts of an expression have always had equal values: variables of one class are one variable.

use lostbits_abi::explain::{MOST_POSITIONS, Position, Stands};

/// The class of a position that harmless executions did not have: of whichever it is equal to.
pub const ANY_CLASS: u8 = u8::MAX;

/// Parts classes whose positions no longer have equal values. A class is named by its first position.
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
            positions[*other].stands != Stands::Nothing as u8
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
            // Those without a value this time tell nothing.
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
