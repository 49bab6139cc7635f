//! What is wanted of runs, and what became of it.
//!
//! Three kinds of goals: an outcome of one check; a decision that goes the other way after the same ones; and
//! an outcome of a check after exactly the same outcomes before (the paths of the paper's forks), for
//! the first few checks of a run.

use std::collections::BTreeMap;

use lostbits_abi::symbolic::Entry;

use super::{
    checks::{Sample, Thresholds, Verdict},
    graph::{Graph, Spot},
};

/// Events whose outcomes are combined.
const PATTERN_EVENTS: usize = 6;
/// Decisions of a run that are turned.
const TURNED: usize = 64;
/// Goals of each kind that are remembered.
const MOST_GOALS: usize = 1 << 16;
/// Tries after which a goal is given up.
const MOST_TRIES: u32 = 4;

/// Something in a run that could have come out otherwise.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Event {
    /// Its node.
    pub number: u32,
    pub id: (Kind, Spot),
    /// A verdict, or whether a comparison holds.
    pub outcome: u8,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, PartialOrd, Ord)]
pub enum Kind {
    Decision,
    Check,
}

/// Events and how they came out.
pub type Pattern = Vec<((Kind, Spot), u8)>;

#[derive(Clone, PartialEq, Eq, Debug, PartialOrd, Ord)]
pub enum Goal {
    Verdict(Spot, Verdict),
    /// The decisions of a run up to one that is turned.
    Turn(Pattern),
    Pattern(Pattern),
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum State {
    /// With how many tries.
    Open(u32),
    Covered,
    /// Proved.
    Impossible,
}

impl State {
    pub fn is_given_up(self) -> bool {
        matches!(self, State::Open(tries) if tries >= MOST_TRIES)
    }

    pub fn is_open(self) -> bool {
        matches!(self, State::Open(tries) if tries < MOST_TRIES)
    }
}

/// The book of all goals.
#[derive(Default)]
pub struct Goals {
    pub states: BTreeMap<Goal, State>,
    /// Executions of sites that feed results, at most in one run.
    pub feeding: BTreeMap<u32, u32>,
    pub pins: u64,
    pub dropped: u64,
}

impl Goals {
    /// Notes which sites feed results.
    pub fn note_sites(&mut self, graph: &Graph) {
        let results = graph.results();
        let leads = graph.sources(results.iter().map(|(_, number)| *number));
        let mut counts: BTreeMap<u32, u32> = BTreeMap::new();
        for (spot, number) in graph.spots(Sample::default()) {
            if results.is_empty() || leads[number as usize] {
                *counts.entry(spot.site).or_default() += 1;
            }
        }
        for (site, count) in counts {
            let known = self.feeding.entry(site).or_default();
            *known = count.max(*known);
        }
        let pins = graph.nodes().filter(|(_, node)| node.entry == Entry::Pin);
        self.pins = self.pins.max(pins.count() as u64);
        self.dropped = self.dropped.max(graph.dropped);
    }

    /// Notes what a run did; the goals that it was the first to reach.
    pub fn note(&mut self, events: &[Event]) -> Vec<Goal> {
        let mut reached = Vec::new();
        for event in events.iter().filter(|event| event.id.0 == Kind::Check) {
            for verdict in Verdict::ALL {
                let goal = Goal::Verdict(event.id.1, verdict);
                self.meet(goal, event.outcome == verdict as u8, &mut reached);
            }
        }
        let decisions: Pattern = pattern(events.iter().filter(|at| at.id.0 == Kind::Decision));
        for length in 1..=decisions.len().min(TURNED) {
            let prefix = &decisions[..length];
            self.meet(Goal::Turn(prefix.to_vec()), true, &mut reached);
            self.meet(
                Goal::Turn(turned(prefix, 1 - prefix[length - 1].1)),
                false,
                &mut reached,
            );
        }
        let first: Vec<Event> = events.iter().take(PATTERN_EVENTS).copied().collect();
        for length in 1..=first.len() {
            let (id, outcome) = (first[length - 1].id, first[length - 1].outcome);
            if id.0 == Kind::Decision {
                continue;
            }
            let prefix = pattern(&first[..length]);
            for other in (0..3).filter(|other| *other != outcome) {
                self.meet(Goal::Pattern(turned(&prefix, other)), false, &mut reached);
            }
            self.meet(Goal::Pattern(prefix), true, &mut reached);
        }
        reached
    }

    fn meet(&mut self, goal: Goal, is_reached: bool, reached: &mut Vec<Goal>) {
        if self.states.len() >= MOST_GOALS && !self.states.contains_key(&goal) {
            return;
        }
        let state = self.states.entry(goal.clone()).or_insert(State::Open(0));
        if is_reached && *state != State::Covered {
            *state = State::Covered;
            reached.push(goal);
        }
    }

    pub fn state(&self, goal: &Goal) -> State {
        self.states.get(goal).copied().unwrap_or(State::Open(0))
    }

    /// A try was in vain.
    pub fn tried(&mut self, goal: &Goal) {
        if let Some(State::Open(tries)) = self.states.get_mut(goal) {
            *tries += 1;
        }
    }

    pub fn prove_impossible(&mut self, goal: &Goal) {
        self.states.insert(goal.clone(), State::Impossible);
    }

    /// The open goals that a run stands before, each with the event that is to come out otherwise.
    pub fn open(&self, events: &[Event], with_checks: bool) -> Vec<(Goal, usize, u32)> {
        let mut all = Vec::new();
        let mut add = |goal: Goal, at: usize| {
            if let State::Open(tries) = self.state(&goal)
                && self.state(&goal).is_open()
            {
                all.push((goal, at, tries));
            }
        };
        let mut decisions = Pattern::new();
        for (at, event) in events.iter().enumerate() {
            match event.id.0 {
                Kind::Decision => {
                    decisions.push((event.id, event.outcome));
                    if decisions.len() <= TURNED {
                        add(Goal::Turn(turned(&decisions, 1 - event.outcome)), at);
                    }
                }
                Kind::Check if with_checks => {
                    let others = || {
                        Verdict::ALL
                            .into_iter()
                            .filter(|v| *v as u8 != event.outcome)
                    };
                    for verdict in others() {
                        add(Goal::Verdict(event.id.1, verdict), at);
                    }
                    if at < PATTERN_EVENTS {
                        let prefix = pattern(&events[..=at]);
                        for verdict in others() {
                            add(Goal::Pattern(turned(&prefix, verdict as u8)), at);
                        }
                    }
                }
                Kind::Check => {}
            }
        }
        all
    }
}

/// The events of a run: decisions, and the checks of the sites that are looked at.
pub fn events(
    graph: &Graph,
    sample: Sample,
    thresholds: Thresholds,
    is_chosen: impl Fn(u32) -> bool,
) -> Vec<Event> {
    let mut events: Vec<Event> = graph
        .spots(sample)
        .into_iter()
        .filter(|(spot, _)| is_chosen(spot.site))
        .map(|(spot, number)| Event {
            number,
            id: (Kind::Check, spot),
            outcome: thresholds.of(graph.node(number)) as u8,
        })
        .collect();
    let mut counts: BTreeMap<u32, u32> = BTreeMap::new();
    for (number, node) in graph.nodes() {
        if node.entry != Entry::Comparison {
            continue;
        }
        let count = counts.entry(node.site).or_default();
        let spot = Spot {
            site: node.site,
            execution: *count,
        };
        *count += 1;
        events.push(Event {
            number,
            id: (Kind::Decision, spot),
            outcome: (node.detail >> 8) as u8 & 1,
        });
    }
    events.sort_by_key(|event| event.number);
    events
}

fn pattern<'a>(events: impl IntoIterator<Item = &'a Event>) -> Pattern {
    let pair = |event: &Event| (event.id, event.outcome);
    events.into_iter().map(pair).collect()
}

/// The same with another last outcome.
fn turned(pattern: &[((Kind, Spot), u8)], outcome: u8) -> Pattern {
    let mut turned = pattern.to_vec();
    if let Some(last) = turned.last_mut() {
        last.1 = outcome;
    }
    turned
}
