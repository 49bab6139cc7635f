//! What FPGen was compared with: inputs drawn evenly, and S3FP (PPoPP 2014).
//!
//! S3FP's binary guided random testing: each variable's range is halved, a random choice of halves and its
//! complement are two configurations, each is sampled, and the search continues in the better one; when the
//! ranges are narrow, it starts again. FPGen ran it with its defaults, one partition a step (N_part = 1) and
//! one input a configuration (k = 1); so do we. S3FP judges one output; here all are judged, as in
//! our own search.

use super::{
    super::space::{Axis, Space},
    GuidedSearch, draw,
};
use crate::failure::Failure;
use crate::numeric::Random;

const PORTION: usize = 128;

pub fn random(guided: &mut GuidedSearch, rng: &mut Random) -> Result<(), Failure> {
    while !guided.is_over() {
        let inputs: Vec<Vec<f64>> = (0..PORTION)
            .map(|_| draw::even(&guided.space, rng))
            .collect();
        guided.offer(&inputs)?;
    }
    Ok(())
}

/// Searches that run side by side, so that calls can be made in batches.
const SEARCHES: usize = 64;

pub fn halving(guided: &mut GuidedSearch, rng: &mut Random) -> Result<(), Failure> {
    let whole = guided.space.clone();
    let mut searches = vec![whole.clone(); SEARCHES];
    while !guided.is_over() {
        let pairs: Vec<[Space; 2]> = searches.iter().map(|space| halves(space, rng)).collect();
        let inputs: Vec<Vec<f64>> = pairs
            .iter()
            .flatten()
            .map(|space| draw::even(space, rng))
            .collect();
        let judged = guided.offer(&inputs)?;
        for ((search, pair), judged) in searches.iter_mut().zip(pairs).zip(judged.chunks(2)) {
            let [first, second] = pair;
            *search = match judged[0].score() >= judged[1].score() {
                true => first,
                false => second,
            };
            if search.axes.iter().any(is_narrow) {
                *search = whole.clone();
            }
        }
    }
    Ok(())
}

/// A random choice of halves, and what is left.
fn halves(space: &Space, rng: &mut Random) -> [Space; 2] {
    let mut pair = [space.clone(), space.clone()];
    for (at, axis) in space.axes.iter().enumerate() {
        let (low, high) = axis.ends();
        let middle = axis.ordinal(low / 2.0 + high / 2.0);
        let which = rng.below(2) as usize;
        pair[which].axes[at].high = middle;
        pair[1 - which].axes[at].low = middle;
    }
    pair
}

/// Nothing is left to halve.
fn is_narrow(axis: &Axis) -> bool {
    axis.count() < 3
}
