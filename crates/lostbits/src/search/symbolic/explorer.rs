//! The exploration: goals that a base input stands before are tried one after another, by the ladder.

use std::{collections::HashSet, rc::Rc, sync::atomic::Ordering::Relaxed, time::Instant};

use lostbits_abi::{
    site::{Site, What},
    symbolic::Entry,
};
use serde::{Deserialize, Serialize};

use super::{
    checks::{Verdict, exponent, terms},
    coverage::{Coverage, Diagnosis},
    goals::{Event, Goal, Goals, Kind, Standing, State, events, in_turns},
    graph::Graph,
    invert::{Inversion, shuffle},
    mutate::mutants,
    settings::{Settings, Sites},
    smt::{Asker, Demand, input_name},
    solver::{Answer, ask},
};
use crate::{
    failure::Failure,
    search::{rng::Rng, session::INTERRUPTED, space::Space},
    target::{Ending, Guarded, Target},
};

/// Mutants that are tried for a goal, and solutions of equations.
const MUTANTS: usize = 24;
const SOLUTIONS: usize = 48;
/// Inputs that are symbolic at first; and questions for one goal (each with half as many).
const SYMBOLIC: usize = 8;
const QUESTIONS: usize = 3;

/// Which part of the ladder got there.
#[derive(Clone, Copy, PartialEq, Eq, Debug, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Rung {
    /// Somebody else's input.
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

/// How often what helped.
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
    space: Space,
    settings: Settings,
    goals: Goals,
    rng: Rng,
    tallies: Tallies,
    trouble: Option<String>,
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
            rng: Rng::new(settings.seed, "symbolic"),
            worker,
            space,
            settings,
            goals: Goals::default(),
            tallies: Tallies::default(),
            trouble: None,
            seen: HashSet::new(),
        })
    }

    /// Runs inputs of somebody else's and counts what they reach.
    pub fn see(&mut self, inputs: &[Vec<f64>]) -> Result<Vec<Candidate>, Failure> {
        Ok(self.run(inputs, Rung::Given)?.0)
    }

    /// Tries so many of the open goals that `base` stands before, until time is over; the inputs that
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
            // A goal may have been reached on the way to another.
            if self.goals.state(&goal).is_open() {
                tried += 1;
                found.extend(self.climb(&graph, &events, at, &goal, until)?);
            }
        }
        Ok(found)
    }

    /// The same for the goals that were tried least, whichever inputs stand before them.
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
                let is_at = |site: &Site| lines.iter().any(|line| stands_at(site, line));
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
    fn run(
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

    // ---- the ladder ----

    fn climb(
        &mut self,
        graph: &Graph,
        events: &[Event],
        at: usize,
        goal: &Goal,
        until: Option<Instant>,
    ) -> Result<Vec<Candidate>, Failure> {
        let rungs = self.settings.rungs;
        let leads = graph.sources([events[at].number]);
        let free = self.free(&graph.inputs(&leads));
        let mut found = Vec::new();
        if rungs.mutation {
            let inputs = mutants(&self.space, &graph.input, &free, MUTANTS, &mut self.rng);
            found.extend(self.run(&inputs, Rung::Mutation)?.0);
        }
        if rungs.inversion && self.goals.state(goal).is_open() {
            let inputs = self.inverted(graph, &events[at], goal, &free);
            found.extend(self.run(&inputs, Rung::Inversion)?.0);
        }
        // The solver is for what did not give way at the first try.
        let is_hard = matches!(self.goals.state(goal), State::Open(tries) if tries > 0);
        if rungs.smt && is_hard && self.trouble.is_none() {
            found.extend(self.solve(graph, events, at, goal, &free, until)?);
        }
        self.goals.tried(goal);
        Ok(found)
    }

    /// The inputs among `cone` that solvers may choose. Of several groups of operands, one at a time.
    fn free(&mut self, cone: &[usize]) -> Vec<usize> {
        let may =
            |at: &usize| self.settings.symbolic.is_empty() || self.settings.symbolic.contains(at);
        cone.iter().copied().filter(may).collect()
    }

    fn inverted(
        &mut self,
        graph: &Graph,
        event: &Event,
        goal: &Goal,
        free: &[usize],
    ) -> Vec<Vec<f64>> {
        let inversion = Inversion {
            graph,
            space: &self.space,
            free,
            thresholds: self.settings.thresholds,
        };
        let mut inputs = match wanted(goal) {
            Wanted::Verdict(verdict) => inversion.for_verdict(event.number, verdict, &mut self.rng),
            Wanted::Turn => inversion.for_decision(event.number, &mut self.rng),
        };
        inputs.truncate(SOLUTIONS);
        inputs
    }

    /// Asks the solver, with fewer symbolic inputs each time that it does not answer (FPGen's Algorithm 1).
    fn solve(
        &mut self,
        graph: &Graph,
        events: &[Event],
        at: usize,
        goal: &Goal,
        free: &[usize],
        until: Option<Instant>,
    ) -> Result<Vec<Candidate>, Failure> {
        let demands = demands(graph, events, at, goal);
        // What must stay may depend on inputs that the goal does not.
        let leads = graph.sources(demands.iter().map(|demand| node_of(*demand)));
        let whole = self.free(&graph.inputs(&leads));
        let mut symbolic = self.first_choice(&whole, free);
        let mut found = Vec::new();
        for _ in 0..QUESTIONS {
            let left = seconds_left(until);
            if left == 0 || symbolic.is_empty() || self.tallies.questions >= self.settings.questions
            {
                break;
            }
            let asker = Asker {
                graph,
                space: &self.space,
                thresholds: self.settings.thresholds,
            };
            let Some(question) = asker.question(&demands, &symbolic) else {
                break;
            };
            self.tallies.questions += 1;
            let seconds = self.settings.solver_seconds.min(left);
            match ask(&self.settings.solver, &question.text, seconds) {
                Answer::Sat(values) => {
                    self.tallies.sat += 1;
                    let mut input = graph.input.to_vec();
                    for at in &question.inputs {
                        let name = input_name(*at);
                        if let Some((_, bits)) = values.iter().find(|(known, _)| *known == name) {
                            input[*at] = asker.value(*at, *bits);
                        }
                    }
                    found.extend(self.run(&[input], Rung::Smt)?.0);
                    if self.goals.state(goal).is_open() {
                        self.tallies.refuted += 1;
                    }
                    break;
                }
                Answer::Unsat => {
                    self.tallies.unsat += 1;
                    let has_path = demands
                        .iter()
                        .any(|demand| !matches!(demand, Demand::Verdict(..)));
                    if question.is_whole && !has_path {
                        self.goals.prove_impossible(goal);
                        break;
                    }
                    if question.is_whole {
                        break;
                    }
                    // Other values of the others may do.
                    symbolic = self.some_of(&whole, symbolic.len());
                }
                Answer::Unknown => {
                    self.tallies.unknown += 1;
                    symbolic = self.some_of(&symbolic, symbolic.len() / 2);
                }
                Answer::Trouble(what) => {
                    self.trouble = Some(what);
                    break;
                }
            }
        }
        Ok(found)
    }

    /// Of operand groups, one; of many inputs, some.
    fn first_choice(&mut self, whole: &[usize], free: &[usize]) -> Vec<usize> {
        let mut groups: Vec<usize> = whole
            .iter()
            .filter_map(|at| self.settings.groups.get(*at).copied())
            .collect();
        groups.sort_unstable();
        groups.dedup();
        let one = match groups.len() {
            0 | 1 if whole.len() <= SYMBOLIC => return whole.to_vec(),
            0 | 1 => free.to_vec(),
            count => {
                let group = groups[self.rng.below(count as u64) as usize];
                let is_in = |at: &&usize| self.settings.groups.get(**at) == Some(&group);
                whole.iter().filter(is_in).copied().collect()
            }
        };
        self.some_of(&one, SYMBOLIC)
    }

    fn some_of(&mut self, all: &[usize], count: usize) -> Vec<usize> {
        let mut some = all.to_vec();
        shuffle(&mut some, &mut self.rng);
        some.truncate(count);
        some
    }
}

fn stands_at(site: &Site, (file, line): &(String, u32)) -> bool {
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
        if !additions.any(|site| stands_at(site, line)) {
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

/// An input as a number, to know it again.
fn number(input: &[f64]) -> u64 {
    let mix = |hash: u64, value: &f64| {
        (hash ^ value.to_bits())
            .wrapping_mul(0x9e37_79b9_7f4a_7c15)
            .rotate_left(29)
    };
    input.iter().fold(1, mix)
}

/// Begun seconds; without a limit, many.
fn seconds_left(until: Option<Instant>) -> u32 {
    let left = |until: Instant| until.saturating_duration_since(Instant::now());
    until.map_or(u32::MAX, |until| left(until).as_secs_f64().ceil() as u32)
}

enum Wanted {
    Verdict(Verdict),
    Turn,
}

fn wanted(goal: &Goal) -> Wanted {
    match goal {
        Goal::Verdict(_, verdict) => Wanted::Verdict(*verdict),
        Goal::Turn(_) => Wanted::Turn,
        Goal::Pattern(pattern) => match pattern.last() {
            Some((_, outcome)) => Wanted::Verdict(Verdict::ALL[*outcome as usize]),
            None => Wanted::Turn,
        },
    }
}

fn node_of(demand: Demand) -> u32 {
    match demand {
        Demand::Verdict(node, _) | Demand::Decision(node, _) | Demand::Pin(node) => node,
    }
}

/// What a solution has to fulfil: the path so far (and for patterns the checks so far), and the goal.
fn demands(graph: &Graph, events: &[Event], at: usize, goal: &Goal) -> Vec<Demand> {
    let event = &events[at];
    let mut demands = Vec::new();
    for before in &events[..at] {
        match before.id.0 {
            Kind::Decision => demands.push(Demand::Decision(before.number, before.outcome == 1)),
            Kind::Check if matches!(goal, Goal::Pattern(_)) => {
                let verdict = Verdict::ALL[before.outcome as usize];
                demands.push(Demand::Verdict(before.number, verdict));
            }
            Kind::Check => {}
        }
    }
    for (number, node) in graph.nodes().take(event.number as usize) {
        if node.entry == Entry::Pin {
            demands.push(Demand::Pin(number));
        }
    }
    demands.push(match wanted(goal) {
        Wanted::Verdict(verdict) => Demand::Verdict(event.number, verdict),
        Wanted::Turn => Demand::Decision(event.number, event.outcome == 0),
    });
    demands
}
