//! Inputs of many numbers, drawn: evenly, or with what makes sums inaccurate (very different sizes, copies,
//! opposites, zeros).

use lostbits_abi::kind::FpKind;

use super::{
    super::space::{Axis, Space},
    structure::structured,
};
use crate::numeric::Random;

/// Evenly over the real numbers of each range (not over its floating-point numbers).
pub fn even(space: &Space, rng: &mut Random) -> Vec<f64> {
    let number = |axis: &Axis| even_number(axis, rng);
    space.axes.iter().map(number).collect()
}

pub fn even_number(axis: &Axis, rng: &mut Random) -> f64 {
    let (low, high) = axis.ends();
    // By halves, for ranges that are longer than the largest number.
    let value = 2.0 * (low / 2.0 + (high / 2.0 - low / 2.0) * rng.unit());
    axis.fitted(value).unwrap_or(low)
}

/// Of any size: evenly over the exponents.
pub fn sized_number(axis: &Axis, rng: &mut Random) -> f64 {
    let (low, high) = axis.ends();
    let top = low.abs().max(high.abs()).log2();
    let least = match axis.kind {
        FpKind::Half => -24.0,
        FpKind::BFloat | FpKind::Float => -149.0,
        FpKind::Double | FpKind::X87 => -1074.0,
    };
    let size = (least + (top - least) * rng.unit()).exp2();
    let signed = if rng.chance(0.5) { -size } else { size };
    let fitted = axis.fitted(signed).or_else(|| axis.fitted(-signed));
    fitted.unwrap_or_else(|| even_number(axis, rng))
}

/// How many of the drawn inputs have structure.
const STRUCTURED: f64 = 0.2;

/// An input with a pattern in it.
pub fn patterned(space: &Space, rng: &mut Random) -> Vec<f64> {
    if rng.chance(STRUCTURED) {
        return structured(space, rng);
    }
    let mut input = match rng.below(4) {
        0 => even(space, rng),
        1 => scaled(space, rng),
        2 => space
            .axes
            .iter()
            .map(|axis| sized_number(axis, rng))
            .collect(),
        _ => even(space, rng),
    };
    let width = input.len() as u64;
    for _ in 0..rng.below(width + 1) {
        let (from, to) = (rng.below(width) as usize, rng.below(width) as usize);
        let value = match rng.below(8) {
            0 => 0.0,
            1 | 2 => input[from],
            3..=5 => -input[from],
            _ => input[to] * power(rng, 60),
        };
        input[to] = space.axes[to].fitted(value).unwrap_or(input[to]);
    }
    input
}

/// Two or three sizes, far from each other.
fn scaled(space: &Space, rng: &mut Random) -> Vec<f64> {
    let scales = [1.0, power(rng, 70), power(rng, 110)];
    let number = |axis: &Axis| {
        let value = even_number(axis, rng);
        let scale = scales[rng.below(scales.len() as u64) as usize];
        axis.fitted(value * scale).unwrap_or(value)
    };
    space.axes.iter().map(number).collect()
}

/// 2 to a power between -`most` and 0.
fn power(rng: &mut Random, most: u64) -> f64 {
    (-(rng.below(most + 1) as f64)).exp2()
}
