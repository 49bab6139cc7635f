//! Small changes to inputs of many numbers: exponents and signs, copies and opposites between elements,
//! single steps, zeros, and parts of other inputs.

use super::{super::space::Space, draw, structure};
use crate::numeric::Random;

/// A child of `parent`, which may have parts of `other`.
pub fn child(space: &Space, parent: &[f64], other: &[f64], rng: &mut Random) -> Vec<f64> {
    let mut input = parent.to_vec();
    if rng.chance(0.1) {
        cross(&mut input, other, rng);
    }
    if rng.chance(0.1) {
        structure::moved(space, &mut input, rng);
        return input;
    }
    let changes = 1 + upto(2, rng);
    for _ in 0..changes {
        change(space, &mut input, rng);
    }
    input
}

/// A stretch, or elements here and there, of another input.
fn cross(input: &mut [f64], other: &[f64], rng: &mut Random) {
    let width = input.len() as u64;
    if rng.chance(0.5) {
        let (a, b) = (rng.below(width + 1) as usize, rng.below(width + 1) as usize);
        input[a.min(b)..a.max(b)].copy_from_slice(&other[a.min(b)..a.max(b)]);
        return;
    }
    for (to, from) in input.iter_mut().zip(other) {
        if rng.chance(0.5) {
            *to = *from;
        }
    }
}

fn change(space: &Space, input: &mut [f64], rng: &mut Random) {
    let width = input.len() as u64;
    let at = rng.below(width) as usize;
    let from = rng.below(width) as usize;
    let axis = &space.axes[at];
    let value = input[at];
    let changed = match rng.below(16) {
        0 | 1 => value * exponent(rng),
        2 => -value,
        3 => input[from],
        4 | 5 => -input[from],
        6 => input[from] * exponent(rng),
        7..=10 => axis.value(axis.ordinal(value).saturating_add(step(rng))),
        11 => rounded(value, rng),
        12 => 0.0,
        13 => draw::even_number(axis, rng),
        14 => draw::sized_number(axis, rng),
        _ => {
            input.swap(at, from);
            return;
        }
    };
    // Only what is in both ranges may be exchanged or taken.
    if let Some(fitted) = axis.fitted(changed) {
        input[at] = fitted;
    }
}

/// Below 2 to the power `most`; small numbers more often.
fn upto(most: u64, rng: &mut Random) -> u64 {
    let bits = rng.below(most + 1);
    rng.below(1 << bits)
}

/// A power of two, small ones more often.
fn exponent(rng: &mut Random) -> f64 {
    let size = 1 + upto(6, rng) as i32;
    let size = if rng.chance(0.5) { size } else { -size };
    f64::from(size).exp2()
}

/// Neighbours more often than numbers far away.
fn step(rng: &mut Random) -> i64 {
    let size = 1 + upto(23, rng) as i64;
    if rng.chance(0.5) { size } else { -size }
}

/// Fewer bits: what is added to it is then more often exact.
fn rounded(value: f64, rng: &mut Random) -> f64 {
    let cut = 29 + rng.below(24);
    f64::from_bits(value.to_bits() & !((1u64 << cut) - 1))
}
