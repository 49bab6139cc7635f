//! `atomic`: Atomu's evolutionary search (POPL 2020, Algorithm 1), with the paper's defaults.
//!
//! 100,000 inputs uniform in bit patterns; then for each potentially unstable operation 10,000 iterations
//! of selection by rank (geometric) and mutation t + t·N(0, σ), σ going from 1e-2 down to 1e-13. The input
//! with the largest condition number on the operation is reported if that exceeds 10; operations near the
//! return rank first.
//!
//! The paper leaves the parameter of the geometric distribution open; its example's 0.2 is taken. All
//! operations evolve side by side, each with a population of its own, so that their inputs can be run
//! together; ranks beyond the first 128 (chosen with a probability below 1e-12) are dropped.

use std::collections::BTreeMap;

use lostbits_abi::{
    ops::Op,
    site::{Site, What},
};

use super::session::{Session, Suspect, UNSTABLE};
use crate::numeric::{Random, Relative};
use crate::{
    failure::Failure,
    target::{Batch, Observation, Outcome},
};

const INITIAL: u64 = 100_000;
const ITERATIONS: u64 = 10_000;
const RANKS: usize = 128;
const GEOMETRIC: f64 = 0.2;
const FIRST_SIGMA: f64 = 1e-2;
const LAST_SIGMA: f64 = 1e-13;

/// An input with what it did to the operation.
struct Member {
    input: Vec<f64>,
    seen: Observation,
}

#[derive(Default)]
struct Population(Vec<Member>);

impl Population {
    /// Keeps the best, in order.
    fn add(&mut self, input: &[f64], seen: &Observation) {
        let better = |member: &Member| member.seen.log_condition >= seen.log_condition;
        let rank = self.0.partition_point(better);
        if rank < RANKS {
            self.0.truncate(RANKS - 1);
            self.0.insert(
                rank,
                Member {
                    input: input.to_vec(),
                    seen: *seen,
                },
            );
        }
    }

    fn select(&self, rng: &mut Random) -> &Member {
        let mut rank = 0;
        while !rng.chance(GEOMETRIC) {
            rank += 1;
        }
        &self.0[rank % self.0.len()]
    }
}

pub fn search(session: &mut Session, rng: &mut Random) -> Result<(), Failure> {
    session.accuses_only = true;
    let mut populations: BTreeMap<u32, Population> = BTreeMap::new();
    let mut left = INITIAL;
    while left > 0 && !session.is_over() {
        let count = left.min(4096);
        let mut inputs = Vec::new();
        for _ in 0..count {
            let axes = session.space.axes.iter();
            inputs.extend(axes.map(|axis| axis.value(axis.draw(rng))));
        }
        let batch = session.run(&inputs)?;
        for (input, outcome) in inputs.chunks(session.space.width()).zip(&batch.outcomes) {
            for seen in unstable(session, &batch, outcome) {
                populations.entry(seen.site).or_default().add(input, seen);
            }
        }
        left -= count;
    }
    for iteration in 0..ITERATIONS {
        if session.is_over() {
            break;
        }
        let done = iteration as f64 / ITERATIONS as f64;
        let sigma = FIRST_SIGMA.powf(1.0 - done) * LAST_SIGMA.powf(done);
        let mut inputs = Vec::new();
        for population in populations.values() {
            let parent = &population.select(rng).input;
            for (axis, value) in session.space.axes.iter().zip(parent) {
                let mutated = value + value * rng.normal() * sigma;
                inputs.push(axis.fitted(mutated).unwrap_or(*value));
            }
        }
        let batch = session.run(&inputs)?;
        let children = inputs.chunks(session.space.width()).zip(&batch.outcomes);
        for ((site, population), (input, outcome)) in populations.iter_mut().zip(children) {
            // Of a site's executions the largest condition number counts.
            let own = unstable(session, &batch, outcome).filter(|seen| seen.site == *site);
            let worst = own.max_by(|a, b| a.log_condition.total_cmp(&b.log_condition));
            if let Some(seen) = worst {
                population.add(input, seen);
            }
        }
    }
    for population in populations.values() {
        let best = &population.0[0];
        if f64::from(best.seen.log_condition) > UNSTABLE.log2() {
            let suspect = accused(session, best)?;
            session.accuse(suspect);
        }
    }
    Ok(())
}

/// What potentially unstable operations did in a run inside the domain.
fn unstable<'b>(
    session: &'b Session,
    batch: &'b Batch,
    outcome: &'b Outcome,
) -> impl Iterator<Item = &'b Observation> {
    let seen = match outcome.is_inside() {
        true => batch.observations(outcome),
        false => &[],
    };
    let sites = session.target.sites();
    seen.iter()
        .filter(|seen| is_potentially_unstable(&sites[seen.site as usize]))
}

fn is_potentially_unstable(site: &Site) -> bool {
    match site.what {
        What::Operation(Op::Compare) => false,
        What::Operation(op) => op.info().stability.can_be_unstable(),
        _ => false,
    }
}

fn accused(session: &mut Session, best: &Member) -> Result<Suspect, Failure> {
    let batch = session.target.run(&best.input)?;
    Ok(Suspect {
        input: best.input.clone(),
        estimate: batch
            .outcomes
            .first()
            .map_or(Relative::NONE, |outcome| outcome.estimate),
        guilty: Some(best.seen),
    })
}
