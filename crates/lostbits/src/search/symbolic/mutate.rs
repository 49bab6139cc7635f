//! The first rung: inputs like one that was seen. Elements that lead to a goal are copied, negated, scaled by
//! powers of two, moved by single steps or set to zero.

use super::invert::fit;
use crate::numeric::Random;
use crate::search::space::Space;

/// Copies of `base` with changes among the inputs `free`.
pub fn mutants(
    space: &Space,
    base: &[f64],
    free: &[usize],
    count: usize,
    rng: &mut Random,
) -> Vec<Vec<f64>> {
    if free.is_empty() {
        return Vec::new();
    }
    let mut one = || {
        let mut input = base.to_vec();
        for _ in 0..1 + rng.below(2) {
            change(space, &mut input, free, rng);
        }
        input
    };
    (0..count).map(|_| one()).collect()
}

fn change(space: &Space, input: &mut [f64], free: &[usize], rng: &mut Random) {
    let mut pick = |items: &[usize]| items[rng.below(items.len() as u64) as usize];
    let (at, from) = (pick(free), pick(free));
    let axis = &space.axes[at];
    let value = match rng.below(7) {
        0 => -input[at],
        1 => input[from],
        2 => -input[from],
        3 => input[at] * (rng.below(120) as f64 - 60.0).exp2(),
        4 => input[from] * (rng.below(80) as f64 - 60.0).exp2(),
        5 => axis.value(
            axis.ordinal(input[at])
                .saturating_add(rng.below(9) as i64 - 4),
        ),
        _ => 0.0,
    };
    if let Some(fitted) = fit(axis, value) {
        input[at] = fitted;
    }
}
