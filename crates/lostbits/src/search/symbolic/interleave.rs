//! Interleaves the pool and the explorer: the explorer starts from the pool's inputs, and the pool judges and
//! keeps what the explorer finds. Both get the same time. The pool begins: its first rounds are
//! cheap and give better bases than chance does, and a solver's first question may take a whole short budget.

use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

use super::{Coverage, Diagnosis, Explorer};
use crate::numeric::Random;
use crate::{failure::Failure, search::guided::GuidedSearch};

/// Base inputs of a turn: the worst of the pool.
const BASES: u64 = 8;
/// Goals that are tried in a turn.
const GOALS: usize = 8;

/// The report of the symbolic part.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct SymbolicReport {
    pub coverage: Coverage,
    /// Losses and cancellations of the worst input.
    pub diagnosis: Vec<Diagnosis>,
}

/// Searches until the budget is used up, or there is nothing left to explore and no pool.
pub fn search(
    guided: &mut GuidedSearch,
    explorer: &mut Explorer,
    with_pool: bool,
    rng: &mut Random,
) -> Result<(), Failure> {
    if with_pool {
        first_rounds(guided, rng)?;
    }
    while !guided.is_over() {
        let began = Instant::now();
        let until = guided.end_of_turn();
        if !explorer.is_done() {
            let base = base(guided, rng);
            let before = explorer.runs();
            let mut found = explorer.advance(&base, GOALS, until)?;
            found.extend(explorer.pursue(GOALS, until)?);
            let inputs: Vec<Vec<f64>> = found.into_iter().map(|found| found.input).collect();
            guided.count(explorer.runs() - before);
            guided.offer(&inputs)?;
        }
        let turn = began.elapsed();
        match with_pool {
            true => pool_turn(guided, turn, rng)?,
            false if explorer.is_done() => break,
            false => {}
        }
    }
    Ok(())
}

/// At most a quarter of the runs, so that the explorer gets a turn.
fn first_rounds(guided: &mut GuidedSearch, rng: &mut Random) -> Result<(), Failure> {
    const ROUNDS: usize = 24;
    for _ in 0..ROUNDS {
        if !guided.is_over() && guided.runs < guided.most_runs() / 4 {
            guided.round(rng)?;
        }
    }
    Ok(())
}

/// At least one round; under a budget of time, as long as the explorer took.
fn pool_turn(guided: &mut GuidedSearch, turn: Duration, rng: &mut Random) -> Result<(), Failure> {
    let began = Instant::now();
    loop {
        guided.round(rng)?;
        let is_enough = guided.until().is_none() || began.elapsed() >= turn;
        if is_enough || guided.is_over() {
            return Ok(());
        }
    }
}

/// One of the worst inputs; at times, and at first, a fresh one.
fn base(guided: &GuidedSearch, rng: &mut Random) -> Vec<f64> {
    let best = guided.best_inputs(BASES as usize);
    let count = best.len() as u64;
    match count == 0 || rng.chance(0.2) {
        true => guided.drawn(rng),
        false => best[rng.below(count) as usize].clone(),
    }
}
