//! Inputs with structure: arrays as they occur in practice, and on which sums of squares, means and differences of
//! large sums lose their digits.

use super::{super::space::Space, draw};
use crate::numeric::Random;

/// An array with one of several structures.
pub fn structured(space: &Space, rng: &mut Random) -> Vec<f64> {
    let Some(first) = space.axes.first() else {
        return Vec::new();
    };
    let width = space.axes.len();
    let base = match rng.chance(0.5) {
        true => draw::even_number(first, rng),
        false => draw::sized_number(first, rng),
    };
    // From the size of the numbers down to their last bits.
    let spread = base.abs() * (-50.0 * rng.unit()).exp2();
    let values: Vec<f64> = match rng.below(8) {
        0 => vec![base; width],
        1 | 2 => (0..width)
            .map(|_| base + spread * (2.0 * rng.unit() - 1.0))
            .collect(),
        3 => {
            let ratio = (8.0 * rng.unit() - 4.0).exp2();
            (0..width)
                .map(|index| base * ratio.powi(index as i32))
                .collect()
        }
        4 => (0..width)
            .map(|index| if index % 2 == 0 { base } else { -base + spread })
            .collect(),
        5 => {
            let mut sorted: Vec<f64> = (0..width).map(|_| base + spread * rng.unit()).collect();
            sorted.sort_by(f64::total_cmp);
            sorted
        }
        6 => {
            let mut flat = vec![spread; width];
            flat[rng.below(width as u64) as usize] = base;
            flat
        }
        _ => (0..width).map(|_| rng.below(17) as f64 - 8.0).collect(),
    };
    let fit = |(axis, value): (&super::super::space::Axis, &f64)| {
        axis.fitted(*value)
            .unwrap_or_else(|| draw::even_number(axis, rng))
    };
    space.axes.iter().zip(&values).map(fit).collect()
}

/// Changes all elements alike, so that their structure stays: moved, scaled, drawn together or apart.
pub fn moved(space: &Space, input: &mut [f64], rng: &mut Random) {
    let mean = input.iter().sum::<f64>() / input.len() as f64;
    let factor = (4.0 * rng.unit() - 2.0).exp2();
    let change: Box<dyn Fn(f64) -> f64> = match rng.below(3) {
        0 => {
            let by = mean * (2.0 * rng.unit() - 1.0);
            Box::new(move |value| value + by)
        }
        1 => Box::new(move |value| value * factor),
        _ => Box::new(move |value| mean + (value - mean) * factor),
    };
    for (axis, value) in space.axes.iter().zip(input) {
        *value = axis.fitted(change(*value)).unwrap_or(*value);
    }
}
