//! Error-guided search for functions of many numbers (arrays, matrices).
//!
//! Every call is judged in high precision ([`judge`]); a pool of the worst inputs is changed again and again
//! ([`pool`], [`mutate`]). Where the right result moves with one element, the element at which it is zero is
//! computed: near it, relative errors are largest ([`zeros`]). FPGen (ICSE 2020) has symbolic execution only;
//! its candidates are seeds here ([`GuidedSearch::offer`]), and it starts from the pool's best
//! ([`GuidedSearch::best_inputs`]). [`baselines`] holds what FPGen was compared with.
//!
//! What it can miss: errors that no small change of a bad input leads to; that is what symbolic execution
//! is for.

pub mod baselines;
pub mod campaign;
mod draw;
pub mod judge;
#[cfg(test)]
mod mock;
mod mutate;
mod pool;
mod structure;
mod zeros;

use std::{
    collections::BTreeMap,
    time::{Duration, Instant},
};

use self::{
    judge::{Judge, Judged},
    pool::{Member, Pool},
    zeros::Probe,
};
use super::{
    session::{Budget, INTERRUPTED},
    space::Space,
};
use crate::numeric::Random;
use crate::{failure::Failure, target::Ending};

/// Inputs that are judged at once.
const PORTION: usize = 128;
/// Of these, drawn anew; and steps towards zeros.
const FRESH: f64 = 0.06;
const PROBES: f64 = 0.15;

/// One search of one function: counts calls, keeps the worst inputs, and stops when the budget is used up.
pub struct GuidedSearch<'a> {
    judge: &'a mut dyn Judge,
    pub space: Space,
    budget: Budget,
    pub runs: u64,
    pub endings: BTreeMap<Ending, u64>,
    pub outside: u64,
    pool: Pool,
    families: u64,
}

impl<'a> GuidedSearch<'a> {
    pub fn new(judge: &'a mut dyn Judge, space: Space, budget: Budget) -> GuidedSearch<'a> {
        GuidedSearch {
            judge,
            space,
            budget,
            runs: 0,
            endings: BTreeMap::new(),
            outside: 0,
            pool: Pool::default(),
            families: 0,
        }
    }

    pub fn is_over(&self) -> bool {
        let late = self
            .budget
            .until
            .is_some_and(|until| Instant::now() >= until);
        late || self.runs >= self.budget.runs
            || INTERRUPTED.load(std::sync::atomic::Ordering::Relaxed)
    }

    /// Calls that the budget still has.
    fn left(&self) -> usize {
        let left = self.budget.runs.saturating_sub(self.runs);
        usize::try_from(left).unwrap_or(usize::MAX)
    }

    /// Judges inputs of a family each, and takes the worst into the pool.
    fn run(&mut self, inputs: Vec<(Vec<f64>, u64)>) -> Result<Vec<Judged>, Failure> {
        let flat: Vec<f64> = inputs
            .iter()
            .flat_map(|(input, _)| input.iter().copied())
            .collect();
        let mut judged = self.judge.judge(&flat)?;
        self.runs += judged.len() as u64;
        for judged in &judged {
            *self.endings.entry(judged.ending).or_default() += 1;
            self.outside += u64::from(!judged.is_inside());
        }
        self.measure_promising(&inputs, &mut judged)?;
        for ((input, family), judged) in inputs.into_iter().zip(&judged) {
            self.pool.offer(Member {
                input,
                judged: judged.clone(),
                family,
            });
        }
        Ok(judged)
    }

    /// What may come into the pool is measured against a run with its own decisions.
    fn measure_promising(
        &mut self,
        inputs: &[(Vec<f64>, u64)],
        judged: &mut [Judged],
    ) -> Result<(), Failure> {
        let least = self.pool.least_wanted();
        let promising: Vec<usize> = (0..judged.len())
            .filter(|at| judged[*at].is_inside() && judged[*at].score() > least)
            .collect();
        if promising.is_empty() {
            return Ok(());
        }
        let flat = promising
            .iter()
            .flat_map(|at| inputs[*at].0.iter().copied());
        let flat: Vec<f64> = flat.collect();
        let before: Vec<&Judged> = promising.iter().map(|at| &judged[*at]).collect();
        let measured = self.judge.against(&flat, &before)?;
        for (at, measured) in promising.into_iter().zip(measured) {
            judged[at] = measured;
        }
        Ok(())
    }

    /// Takes inputs from outside, each as a family of its own.
    pub fn offer(&mut self, inputs: &[Vec<f64>]) -> Result<Vec<Judged>, Failure> {
        let seeds = inputs.iter().map(|input| {
            self.families += 1;
            (input.clone(), self.families)
        });
        let seeds = seeds.collect();
        self.run(seeds)
    }

    /// When another strategy's turn ends, if time is limited: after an eighth of what is left, but
    /// not before a solver can have answered a question.
    pub fn end_of_turn(&self) -> Option<Instant> {
        const LEAST: Duration = Duration::from_millis(1500);
        self.budget.until.map(|until| {
            let now = Instant::now();
            let left = until.saturating_duration_since(now);
            until.min(now + (left / 8).max(LEAST))
        })
    }

    /// When the budget ends, if time is limited.
    pub fn until(&self) -> Option<Instant> {
        self.budget.until
    }

    /// Counts calls that another strategy made.
    pub fn count(&mut self, runs: u64) {
        self.runs += runs;
    }

    /// How many runs the budget has in all.
    pub fn most_runs(&self) -> u64 {
        self.budget.runs
    }

    /// A new input.
    pub fn drawn(&self, rng: &mut Random) -> Vec<f64> {
        draw::patterned(&self.space, rng)
    }

    /// The worst inputs so far, for another strategy to start from.
    pub fn best_inputs(&self, most: usize) -> Vec<Vec<f64>> {
        let members = self.pool.members().iter().take(most);
        members.map(|member| member.input.clone()).collect()
    }

    /// One round of the pool: drawn inputs, changed ones, and steps towards zeros.
    pub fn round(&mut self, rng: &mut Random) -> Result<(), Failure> {
        let mut portion: Vec<(Vec<f64>, u64)> = Vec::with_capacity(PORTION);
        let mut probes: Vec<Probe> = Vec::new();
        let most = self.left().min(PORTION);
        while portion.len() < most {
            let Some(parent) = self.pool.pick(rng).filter(|_| !rng.chance(FRESH)) else {
                self.families += 1;
                portion.push((draw::patterned(&self.space, rng), self.families));
                continue;
            };
            if rng.chance(PROBES) {
                if let Some(probe) = zeros::probe(&self.space, parent, portion.len(), rng) {
                    portion.push((probe.input.clone(), parent.family));
                    probes.push(probe);
                }
                continue;
            }
            let other = self.pool.pick(rng).unwrap_or(parent);
            let child = mutate::child(&self.space, &parent.input, &other.input, rng);
            portion.push((child, parent.family));
        }
        let judged = self.run(portion)?;
        let steps: Vec<(Vec<f64>, u64)> = probes
            .iter()
            .flat_map(|probe| probe.steps(&self.space, &judged[probe.at]))
            .collect();
        let most = self.left();
        if !steps.is_empty() && !self.is_over() {
            self.run(steps.into_iter().take(most).collect())?;
        }
        Ok(())
    }

    /// What was found, measured a second time; the worst first.
    pub fn confirmed(&mut self, most: usize) -> Result<Vec<Confirmed>, Failure> {
        let mut confirmed = Vec::new();
        for member in self.pool.members().to_vec() {
            if confirmed.len() == most || member.judged.score() == 0.0 {
                break;
            }
            let again = self.judge.again(&member.input, &member.judged)?;
            if again.is_inside() && again.errors.agrees_with(member.judged.errors) {
                confirmed.push(Confirmed {
                    input: member.input,
                    judged: again,
                });
            }
        }
        Ok(confirmed)
    }
}

/// An input whose error was measured at two precisions that agree.
#[derive(Clone, PartialEq, Debug)]
pub struct Confirmed {
    pub input: Vec<f64>,
    pub judged: Judged,
}

/// The pool alone, until the budget is used up.
pub fn search(guided: &mut GuidedSearch, rng: &mut Random) -> Result<(), Failure> {
    while !guided.is_over() {
        guided.round(rng)?;
    }
    Ok(())
}
