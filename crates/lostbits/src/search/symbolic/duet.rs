//! The pool and the explorer take turns: what the pool holds is gone on from, what the explorer finds is
//! judged and taken into the pool. Each gets as much time as the other. The pool begins: its first rounds are
//! cheap and give better bases than chance does, and a solver's first question may take a whole short budget.

use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

use super::{Coverage, Diagnosis, Explorer};
use crate::{
    failure::Failure,
    search::{guided::Hunt, rng::Rng},
};

/// Bases that a turn goes on from: the worst of the pool.
const BASES: u64 = 8;
/// Goals that are tried in a turn.
const GOALS: usize = 8;

/// What the symbolic part says at the end.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct SymbolicReport {
    pub coverage: Coverage,
    /// Losses and cancellations of the worst input.
    pub diagnosis: Vec<Diagnosis>,
}

/// Searches until the budget is used up, or there is nothing left to explore and no pool.
pub fn search(
    hunt: &mut Hunt,
    explorer: &mut Explorer,
    with_pool: bool,
    rng: &mut Rng,
) -> Result<(), Failure> {
    if with_pool {
        first_rounds(hunt, rng)?;
    }
    while !hunt.is_over() {
        let began = Instant::now();
        let until = hunt.end_of_turn();
        if !explorer.is_done() {
            let base = base(hunt, rng);
            let before = explorer.runs();
            let mut found = explorer.advance(&base, GOALS, until)?;
            found.extend(explorer.pursue(GOALS, until)?);
            let inputs: Vec<Vec<f64>> = found.into_iter().map(|found| found.input).collect();
            hunt.count(explorer.runs() - before);
            hunt.offer(&inputs)?;
        }
        let turn = began.elapsed();
        match with_pool {
            true => pool_turn(hunt, turn, rng)?,
            false if explorer.is_done() => break,
            false => {}
        }
    }
    Ok(())
}

/// At most a quarter of the runs: the explorer is to have a turn, too.
fn first_rounds(hunt: &mut Hunt, rng: &mut Rng) -> Result<(), Failure> {
    const ROUNDS: usize = 24;
    for _ in 0..ROUNDS {
        if !hunt.is_over() && hunt.runs < hunt.most_runs() / 4 {
            hunt.round(rng)?;
        }
    }
    Ok(())
}

/// At least one round; under a budget of time, as long as the explorer took.
fn pool_turn(hunt: &mut Hunt, turn: Duration, rng: &mut Rng) -> Result<(), Failure> {
    let began = Instant::now();
    loop {
        hunt.round(rng)?;
        let is_enough = hunt.until().is_none() || began.elapsed() >= turn;
        if is_enough || hunt.is_over() {
            return Ok(());
        }
    }
}

/// One of the worst inputs; at times, and at first, a fresh one.
fn base(hunt: &Hunt, rng: &mut Rng) -> Vec<f64> {
    let best = hunt.best_inputs(BASES as usize);
    let count = best.len() as u64;
    match count == 0 || rng.chance(0.2) {
        true => hunt.drawn(rng),
        false => best[rng.below(count) as usize].clone(),
    }
}
