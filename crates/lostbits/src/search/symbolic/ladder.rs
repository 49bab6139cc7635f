//! The ladder for one goal: mutation of the base input, inversion, then questions to a solver.

use std::time::Instant;

use lostbits_abi::symbolic::Entry;

use super::{
    checks::Verdict,
    explorer::{Candidate, Explorer, Rung, seconds_left},
    goals::{Event, Goal, Kind, State},
    graph::Graph,
    invert::{Inversion, shuffle},
    mutate::mutants,
    smt::{Asker, Demand, input_name},
    solver::{Answer, ask},
};
use crate::failure::Failure;

/// Mutants that are tried for a goal, and solutions of equations.
const MUTANTS: usize = 24;
const SOLUTIONS: usize = 48;
/// Inputs that are symbolic at first; and questions for one goal (each with half of the symbolic inputs of the one before).
const SYMBOLIC: usize = 8;
const QUESTIONS: usize = 3;

impl Explorer {
    /// Tries a goal: the outcome of event `at` of a run must change.
    pub(super) fn climb(
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
        // The solver is asked only about goals that cheaper attempts did not reach.
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
                    // Other values of the concrete inputs may succeed.
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

/// What a solution must satisfy: the path so far (and for patterns the checks so far), and the goal.
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
