//! The exploration: the ladder tries, one after another, the goals that a base input's run could have reached.

use std::{collections::HashSet, rc::Rc, sync::atomic::Ordering::Relaxed, time::Instant};

use lostbits_abi::site::{Site, What};
use serde::{Deserialize, Serialize};

use super::{
    checks::{Verdict, exponent, terms},
    coverage::{Coverage, Diagnosis},
    goals::{Event, Goal, Goals, Kind, Standing, State, events, in_turns},
    graph::Graph,
    invert::shuffle,
    settings::{Settings, Sites},
};
use crate::numeric::Random;
use crate::{
    failure::Failure,
    search::{session::INTERRUPTED, space::Space},
    target::{Ending, Guarded, Target},
};

/// Which part of the ladder got there.
#[derive(Clone, Copy, PartialEq, Eq, Debug, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Rung {
    /// An input that was offered from outside.
    Given,
    Mutation,
    Inversion,
    Smt,
}

/// An input that did something no other did before.
#[derive(Clone, PartialEq, Debug)]
pub struct Candidate {
    pub input: Vec<f64>,
    pub rung: Rung,
}

/// How often each part of the ladder succeeded.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Tallies {
    pub runs: u64,
    pub goals_by_mutation: u64,
    pub goals_by_inversion: u64,
    pub goals_by_smt: u64,
    pub questions: u64,
    pub sat: u64,
    pub unsat: u64,
    pub unknown: u64,
    /// Models that a real run did not confirm.
    pub refuted: u64,
}

pub struct Explorer {
    worker: Guarded,
    sites: Vec<Site>,
    pub(super) space: Space,
    pub(super) settings: Settings,
    pub(super) goals: Goals,
    pub(super) rng: Random,
    pub(super) tallies: Tallies,
    pub(super) trouble: Option<String>,
    /// Inputs that were run, as numbers.
    seen: HashSet<u64>,
}

impl Explorer {
    /// `worker` calls a library that was built for mode `symbolic`.
    pub fn new(worker: Guarded, space: Space, settings: Settings) -> Result<Explorer, Failure> {
        if let Sites::Lines(lines) = &settings.sites {
            find_additions(lines, worker.sites())?;
        }
        Ok(Explorer {
            sites: worker.sites().to_vec(),
            rng: Random::named(settings.seed, "symbolic"),
            worker,
            space,
            settings,
            goals: Goals::default(),
            tallies: Tallies::default(),
            trouble: None,
            seen: HashSet::new(),
        })
    }

    /// Runs inputs that are offered from outside and counts the goals that they reach.
    pub fn see(&mut self, inputs: &[Vec<f64>]) -> Result<Vec<Candidate>, Failure> {
        Ok(self.run(inputs, Rung::Given)?.0)
    }

    /// Tries some of the open goals that the run of `base` could have reached, until time is over; the inputs that
    /// reached any.
    pub fn advance(
        &mut self,
        base: &[f64],
        goals: usize,
        until: Option<Instant>,
    ) -> Result<Vec<Candidate>, Failure> {
        let (mut found, graphs) = self.run(&[base.to_vec()], Rung::Given)?;
        let Some(graph) = graphs.into_iter().next() else {
            return Ok(found);
        };
        let events = self.events(&graph);
        let mut open = self.goals.open(&events, self.settings.rungs.checks);
        shuffle(&mut open, &mut self.rng);
        let mut tried = 0;
        for (goal, at) in in_turns(open) {
            if tried == goals || is_over(until) {
                break;
            }
            // An attempt at another goal may have reached this one.
            if self.goals.state(&goal).is_open() {
                tried += 1;
                found.extend(self.climb(&graph, &events, at, &goal, until)?);
            }
        }
        Ok(found)
    }

    /// The same for the goals that were tried least, from whichever inputs could reach them.
    pub fn pursue(
        &mut self,
        goals: usize,
        until: Option<Instant>,
    ) -> Result<Vec<Candidate>, Failure> {
        let mut found = Vec::new();
        for (goal, base) in self.queue(goals) {
            if is_over(until) {
                break;
            }
            let (news, graphs) = self.run(&[base.to_vec()], Rung::Given)?;
            found.extend(news);
            let Some(graph) = graphs.into_iter().next() else {
                self.goals.tried(&goal);
                continue;
            };
            let events = self.events(&graph);
            let open = self.goals.open(&events, self.settings.rungs.checks);
            match open.iter().find(|(known, ..)| *known == goal) {
                Some((_, _, at)) => found.extend(self.climb(&graph, &events, *at, &goal, until)?),
                None => self.goals.tried(&goal),
            }
        }
        Ok(found)
    }

    /// The open goals that were tried least, in an order of chance.
    fn queue(&mut self, most: usize) -> Vec<(Goal, Rc<[f64]>)> {
        let mut open: Vec<(Goal, u32, Rc<[f64]>)> = Vec::new();
        for (goal, standing) in &self.goals.standings {
            if let (State::Open(tries), Some(base)) = (standing.state, &standing.base)
                && standing.state.is_open()
                && self.is_wanted(goal)
            {
                open.push((goal.clone(), tries, base.clone()));
            }
        }
        shuffle(&mut open, &mut self.rng);
        let mut queue = in_turns(open);
        queue.truncate(most);
        queue
    }

    /// Whether no goal is left that could be tried.
    pub fn is_done(&self) -> bool {
        let standings = &self.goals.standings;
        let is_left =
            |(goal, standing): (&Goal, &Standing)| self.is_wanted(goal) && standing.state.is_open();
        !standings.is_empty() && !standings.iter().any(is_left)
    }

    /// Calls so far.
    pub fn runs(&self) -> u64 {
        self.tallies.runs
    }

    pub fn coverage(&self) -> Coverage {
        let mut coverage = Coverage::of(&self.goals, &self.sites, |site| self.is_chosen(site));
        coverage.tallies = self.tallies;
        coverage.trouble = self.trouble.clone();
        coverage
    }

    /// Losses and cancellations of one input's run, in the order in which they happened.
    pub fn diagnose(&mut self, input: &[f64]) -> Result<Vec<Diagnosis>, Failure> {
        let (_, graphs) = self.run(&[input.to_vec()], Rung::Given)?;
        let Some(graph) = graphs.into_iter().next() else {
            return Ok(Vec::new());
        };
        let events = self.events(&graph);
        let is_news = |event: &&Event| event.id.0 == Kind::Check && event.outcome != 0;
        Ok(events
            .iter()
            .filter(is_news)
            .map(|event| self.diagnosis(&graph, event))
            .collect())
    }

    fn diagnosis(&self, graph: &Graph, event: &Event) -> Diagnosis {
        let node = graph.node(event.number);
        let site = &self.sites[node.site as usize];
        let verdict = Verdict::ALL[event.outcome as usize];
        let [x, y] = terms(node);
        let [a, b, r] = [x, y, node.result].map(exponent);
        Diagnosis {
            file: site.file.clone(),
            line: site.line,
            execution: event.id.1.execution + 1,
            verdict: verdict.name().to_owned(),
            operation: match site.what {
                What::Operation(op) => op.name().to_owned(),
                _ => node.op.name().to_owned(),
            },
            x,
            y,
            result: node.result,
            bits: match verdict {
                Verdict::Cancel => a.max(b) - r,
                _ => (a - b).abs(),
            },
        }
    }

    // ---- which sites ----

    fn is_chosen(&self, site: u32) -> bool {
        match &self.settings.sites {
            Sites::Auto => {
                let repeats = self.goals.feeding.values().any(|count| *count > 1);
                let least = if repeats { 2 } else { 1 };
                self.goals
                    .feeding
                    .get(&site)
                    .is_some_and(|count| *count >= least)
            }
            Sites::Lines(lines) => {
                let is_at = |site: &Site| lines.iter().any(|line| is_on_line(site, line));
                self.sites.get(site as usize).is_some_and(is_at)
            }
        }
    }

    fn is_wanted(&self, goal: &Goal) -> bool {
        match goal {
            Goal::Turn(_) => true,
            _ if !self.settings.rungs.checks => false,
            Goal::Verdict(spot, _) => self.is_chosen(spot.site),
            Goal::Pattern(pattern) => pattern
                .iter()
                .all(|((kind, spot), _)| *kind == Kind::Decision || self.is_chosen(spot.site)),
        }
    }

    fn events(&self, graph: &Graph) -> Vec<Event> {
        let (sample, thresholds) = (self.settings.sample, self.settings.thresholds);
        events(graph, sample, thresholds, |site| self.is_chosen(site))
    }

    // ---- running ----

    /// Runs what was not run before; what reached anything new, and all graphs.
    pub(super) fn run(
        &mut self,
        inputs: &[Vec<f64>],
        rung: Rung,
    ) -> Result<(Vec<Candidate>, Vec<Graph>), Failure> {
        let is_given = rung == Rung::Given;
        let mut fresh: Vec<Vec<f64>> = Vec::new();
        for input in inputs {
            if self.seen.insert(number(input)) || is_given {
                fresh.push(input.clone());
            }
        }
        let recorded = self.worker.record(&fresh.concat())?;
        self.tallies.runs += recorded.len() as u64;
        let mut found = Vec::new();
        let mut graphs = Vec::new();
        for (input, recorded) in fresh.into_iter().zip(recorded) {
            if recorded.outcome.ending != Ending::Returned {
                continue;
            }
            let graph = Graph::new(input, recorded);
            self.goals.note_sites(&graph);
            graphs.push(graph);
        }
        for graph in &graphs {
            let events = self.events(graph);
            let reached = self.goals.note(&graph.input, &events);
            if reached > 0 {
                self.tally(rung, reached);
                found.push(Candidate {
                    input: graph.input.to_vec(),
                    rung,
                });
            }
        }
        Ok((found, graphs))
    }

    fn tally(&mut self, rung: Rung, goals: u64) {
        match rung {
            Rung::Given => {}
            Rung::Mutation => self.tallies.goals_by_mutation += goals,
            Rung::Inversion => self.tallies.goals_by_inversion += goals,
            Rung::Smt => self.tallies.goals_by_smt += goals,
        }
    }
}

fn is_on_line(site: &Site, (file, line): &(String, u32)) -> bool {
    site.line == *line && site.file.ends_with(file)
}

/// Every line that is named has an addition.
fn find_additions(lines: &[(String, u32)], sites: &[Site]) -> Result<(), Failure> {
    let is_addition = |site: &&Site| {
        use lostbits_abi::ops::Op::*;
        matches!(site.what, What::Operation(Add | Sub | Fma | MulAdd))
    };
    for line in lines {
        let mut additions = sites.iter().filter(is_addition);
        if !additions.any(|site| is_on_line(site, line)) {
            return Err(Failure::NoAdditionThere {
                place: format!("{}:{}", line.0, line.1),
            });
        }
    }
    Ok(())
}

fn is_over(until: Option<Instant>) -> bool {
    seconds_left(until) == 0 || INTERRUPTED.load(Relaxed)
}

/// A hash of an input, to recognise it.
fn number(input: &[f64]) -> u64 {
    let mix = |hash: u64, value: &f64| {
        (hash ^ value.to_bits())
            .wrapping_mul(0x9e37_79b9_7f4a_7c15)
            .rotate_left(29)
    };
    input.iter().fold(1, mix)
}

/// Seconds, rounded up; without a limit, many.
pub fn seconds_left(until: Option<Instant>) -> u32 {
    let left = |until: Instant| until.saturating_duration_since(Instant::now());
    until.map_or(u32::MAX, |until| left(until).as_secs_f64().ceil() as u32)
}
