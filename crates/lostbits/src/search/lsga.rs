//! `lsga`: the locality-sensitive genetic algorithm (ICSE 2015): exponents are evolved, significands are
//! drawn anew each time.
//!
//! The fitness is the relative error to first order, from the run's own trace (the paper asked FpDebug, a
//! shadow of higher precision; what is reported is confirmed by such a one here, too). The
//! available text lacks some numbers; these were chosen here: half of the runs are the initial
//! population; exponents within 2^⌈k/2⌉ of the median (k = 11 exponent bits: 64) are five times as likely;
//! a group of errors within two orders of magnitude is selected with p = 0.5; signs flip with q = 0.1; the
//! exponent moves by N(0, σ²), σ² being the length of its interval in the initial population.

use super::{session::Session, space::Axis};
use crate::failure::Failure;
use crate::numeric::Random;

/// Runs if the user sets no limit; also of `genetic` and `random`.
pub const RUNS: u64 = 10_000;
const MEDIAN: i64 = 1023;
const FAVOURED: i64 = 64;
const FAVOUR: f64 = 5.0;
const LAST: i64 = 2046;
const GROUP: f64 = 0.5;
const FLIP: f64 = 0.1;

/// A tested input.
struct Individual {
    input: Vec<f64>,
    fitness: f64,
}

pub fn search(session: &mut Session, rng: &mut Random, runs: u64) -> Result<(), Failure> {
    let runs = session.left().min(runs);
    let initial = (runs / 2).max(1);
    let width = session.space.width();
    let mut inputs = Vec::new();
    for index in 0..initial {
        for axis in 0..width {
            // One parameter goes through the intervals in order, several are drawn from them.
            let interval = if width == 1 {
                index
            } else {
                rng.below(initial)
            };
            let exponent = initial_exponent((interval as f64 + rng.unit()) / initial as f64);
            inputs.push(composed(
                &session.space.axes[axis],
                exponent,
                rng.chance(0.5),
                rng,
            ));
        }
    }
    let mut population = Vec::new();
    test(session, &inputs, &mut population)?;
    for _ in initial..runs {
        if session.is_over() || population.is_empty() {
            break;
        }
        let parent = select(&population, rng);
        let child: Vec<f64> = (0..width)
            .map(|axis| mutated(&session.space.axes[axis], parent.input[axis], initial, rng))
            .collect();
        test(session, &child, &mut population)?;
    }
    Ok(())
}

/// Runs inputs and puts those inside the domain into the population, which is kept in order.
fn test(
    session: &mut Session,
    inputs: &[f64],
    population: &mut Vec<Individual>,
) -> Result<(), Failure> {
    let batch = session.run(inputs)?;
    let width = session.space.width();
    for (input, outcome) in inputs.chunks(width).zip(&batch.outcomes) {
        if outcome.is_inside() {
            let fitness = outcome.estimate.get();
            let rank = population.partition_point(|known: &Individual| known.fitness >= fitness);
            let input = input.to_vec();
            population.insert(rank, Individual { input, fitness });
        }
    }
    Ok(())
}

/// An exponent at a share of the whole, those near the median being denser.
fn initial_exponent(share: f64) -> i64 {
    let (left, middle) = ((MEDIAN - FAVOURED) as f64, (2 * FAVOURED) as f64);
    let right = LAST as f64 - left - middle;
    let weight = left + FAVOUR * middle + right;
    let at = share * weight;
    let exponent = if at < left {
        at
    } else if at < left + FAVOUR * middle {
        left + (at - left) / FAVOUR
    } else {
        left + middle + (at - left - FAVOUR * middle)
    };
    (exponent as i64).clamp(0, LAST)
}

/// A coordinate as the initial population has it.
pub fn drawn(axis: &Axis, rng: &mut Random) -> f64 {
    let exponent = initial_exponent(rng.unit());
    let negative = rng.chance(0.5);
    composed(axis, exponent, negative, rng)
}

fn composed(axis: &Axis, exponent: i64, negative: bool, rng: &mut Random) -> f64 {
    let bits = ((exponent as u64) << 52) | (rng.bits() >> 12) | (u64::from(negative) << 63);
    let value = f64::from_bits(bits);
    axis.fitted(value)
        .unwrap_or_else(|| axis.value(axis.draw(rng)))
}

/// The first group with probability p, else the second, and so on; within it, any.
fn select<'p>(population: &'p [Individual], rng: &mut Random) -> &'p Individual {
    let mut from = 0;
    loop {
        let lowest = population[from].fitness / 100.0;
        let to = population
            .partition_point(|known| known.fitness >= lowest)
            .max(from + 1);
        if rng.chance(GROUP) || to >= population.len() || population[from].fitness == 0.0 {
            return &population[from + rng.below((to - from) as u64) as usize];
        }
        from = to;
    }
}

fn mutated(axis: &Axis, value: f64, initial: u64, rng: &mut Random) -> f64 {
    let exponent = (value.to_bits() >> 52 & 0x7ff) as i64;
    let weight = LAST as f64 + (FAVOUR - 1.0) * (2 * FAVOURED) as f64;
    let near = (exponent - MEDIAN).abs() <= FAVOURED;
    let interval = weight / initial as f64 / if near { FAVOUR } else { 1.0 };
    let moved = exponent + (rng.normal() * interval.sqrt()).round() as i64;
    let negative = value.is_sign_negative() != rng.chance(FLIP);
    composed(axis, moved.clamp(0, LAST), negative, rng)
}
