//! `genetic` and `random`: what LSGA was compared with (ICSE 2015).
//!
//! The standard genetic algorithm treats inputs as bits: selection by roulette wheel on the logarithm of
//! the error, crossover of the leading bits, mutation of each bit. The available text lacks the paper's
//! numbers; 100 individuals, crossover with 0.6 and mutation with 1/64 (a bit a number) were chosen. Random
//! search draws every bit. Fitness and runs are those of [`super::lsga`].

use super::{session::Session, space::Axis};
use crate::failure::Failure;
use crate::numeric::Random;

const INDIVIDUALS: usize = 100;
const CROSSOVER: f64 = 0.6;
const MUTATION: f64 = 1.0 / 64.0;

/// Errors below this are as good as none.
const SMALLEST: f64 = 1e-18;

pub fn search(session: &mut Session, rng: &mut Random, runs: u64) -> Result<(), Failure> {
    let runs = session.left().min(runs);
    let width = session.space.width();
    let mut generation: Vec<f64> = (0..INDIVIDUALS).flat_map(|_| drawn(session, rng)).collect();
    let mut done = 0;
    while done < runs && !session.is_over() {
        generation.truncate((runs - done) as usize * width);
        let batch = session.run(&generation)?;
        done += batch.outcomes.len() as u64;
        let weights: Vec<f64> = batch
            .outcomes
            .iter()
            .map(|outcome| match outcome.is_inside() {
                true => (outcome.estimate.get().clamp(SMALLEST, 1e18) / SMALLEST).ln() + 1e-3,
                false => 1e-3,
            })
            .collect();
        let mut next = Vec::with_capacity(generation.len());
        while next.len() < INDIVIDUALS * width {
            let parents = [(); 2].map(|()| spun(&weights, rng) * width);
            next.extend(children(session, &generation, parents, rng));
        }
        generation = next;
    }
    Ok(())
}

pub fn random(session: &mut Session, rng: &mut Random, runs: u64) -> Result<(), Failure> {
    let mut left = session.left().min(runs);
    while left > 0 && !session.is_over() {
        let count = left.min(1000);
        let inputs: Vec<f64> = (0..count).flat_map(|_| drawn(session, rng)).collect();
        session.run(&inputs)?;
        left -= count;
    }
    Ok(())
}

/// Every bit at random, within the ranges.
fn drawn(session: &Session, rng: &mut Random) -> Vec<f64> {
    let axes = session.space.axes.iter();
    axes.map(|axis| axis.value(axis.draw(rng))).collect()
}

/// The roulette wheel.
fn spun(weights: &[f64], rng: &mut Random) -> usize {
    let mut at = rng.unit() * weights.iter().sum::<f64>();
    for (index, weight) in weights.iter().enumerate() {
        at -= weight;
        if at < 0.0 {
            return index;
        }
    }
    weights.len() - 1
}

fn children(
    session: &Session,
    generation: &[f64],
    parents: [usize; 2],
    rng: &mut Random,
) -> Vec<f64> {
    let width = session.space.width();
    let mut pair = parents.map(|first| generation[first..first + width].to_vec());
    for at in 0..width {
        let mut bits = [pair[0][at].to_bits(), pair[1][at].to_bits()];
        if rng.chance(CROSSOVER) {
            let kept = rng.below(64);
            let leading = !(u64::MAX >> kept);
            let exchanged = (bits[0] ^ bits[1]) & leading;
            bits = bits.map(|bits| bits ^ exchanged);
        }
        for (child, bits) in pair.iter_mut().zip(bits) {
            let flips = (0..64).filter(|_| rng.chance(MUTATION));
            let bits = flips.fold(bits, |bits, flip| bits ^ (1 << flip));
            child[at] = fitted(&session.space.axes[at], f64::from_bits(bits), rng);
        }
    }
    pair.concat()
}

fn fitted(axis: &Axis, value: f64, rng: &mut Random) -> f64 {
    axis.fitted(value)
        .unwrap_or_else(|| axis.value(axis.draw(rng)))
}
