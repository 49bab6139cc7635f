//! Goals for runs, and whether they were reached.
//!
//! Three kinds of goals: an outcome of one check; a decision that is reversed after the same ones; and
//! an outcome of a check after exactly the same outcomes before (the paths of the paper's forks), for
//! the first few checks of a run.

use std::{collections::BTreeMap, rc::Rc};

use lostbits_abi::symbolic::Entry;

use super::{
    checks::{Sample, Thresholds, Verdict},
    graph::{Graph, Spot},
};

/// Events whose outcomes are combined.
const PATTERN_EVENTS: usize = 6;
/// Decisions of a run that are turned.
const TURNED: usize = 64;
/// Goals that are remembered, not counting outcomes of single checks.
const MOST_GOALS: usize = 1 << 16;
/// Attempts after which a goal is given up.
const MOST_TRIES: u32 = 4;

/// An event of a run that could have had another outcome.
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

/// Events and their outcomes.
pub type Pattern = Vec<((Kind, Spot), u8)>;

#[derive(Clone, PartialEq, Eq, Debug, PartialOrd, Ord)]
pub enum Goal {
    Verdict(Spot, Verdict),
    /// The decisions of a run up to one that is turned, as a number.
    Turn(u64),
    Pattern(Pattern),
}

impl Goal {
    fn kind(&self) -> usize {
        match self {
            Goal::Verdict(..) => 0,
            Goal::Turn(_) => 1,
            Goal::Pattern(_) => 2,
        }
    }
}

/// Puts goals (with their tries and something else) in an order in which the kinds take turns and what was
/// tried least comes first: there may be many more of one kind than of another.
pub fn in_turns<T>(goals: Vec<(Goal, u32, T)>) -> Vec<(Goal, T)> {
    let mut kinds: [Vec<(Goal, u32, T)>; 3] = Default::default();
    for entry in goals {
        kinds[entry.0.kind()].push(entry);
    }
    let mut ranked: Vec<(u32, usize, usize, Goal, T)> = Vec::new();
    for (kind, mut entries) in kinds.into_iter().enumerate() {
        entries.sort_by_key(|(_, tries, _)| *tries);
        let entries = entries.into_iter().enumerate();
        ranked.extend(entries.map(|(at, (goal, tries, with))| (tries, at, kind, goal, with)));
    }
    ranked.sort_by_key(|(tries, at, kind, ..)| (*tries, *at, *kind));
    let pair = |(_, _, _, goal, with)| (goal, with);
    ranked.into_iter().map(pair).collect()
}

/// What is known of a goal.
#[derive(Clone, Debug)]
pub struct Standing {
    pub state: State,
    /// The latest input whose run could have reached it.
    pub base: Option<Rc<[f64]>>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum State {
    /// After how many attempts.
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

/// All goals and what is known of each.
#[derive(Default)]
pub struct Goals {
    pub standings: BTreeMap<Goal, Standing>,
    /// Executions of sites that feed results, at most in one run.
    pub feeding: BTreeMap<u32, u32>,
    pub pins: u64,
    pub dropped: u64,
    pub strays: u64,
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
        self.strays = self.strays.max(graph.strays);
    }

    /// Notes what a run did; how many goals it was the first to reach.
    pub fn note(&mut self, input: &Rc<[f64]>, events: &[Event]) -> u64 {
        let mut reached = 0;
        let mut meet = |goal, is_reached| reached += u64::from(self.meet(goal, is_reached, input));
        for event in events.iter().filter(|event| event.id.0 == Kind::Check) {
            for verdict in Verdict::ALL {
                let is_reached = event.outcome == verdict as u8;
                meet(Goal::Verdict(event.id.1, verdict), is_reached);
            }
        }
        let mut path = NO_PATH;
        for event in decisions(events).take(TURNED) {
            meet(Goal::Turn(longer(path, event, 1 - event.outcome)), false);
            path = longer(path, event, event.outcome);
            meet(Goal::Turn(path), true);
        }
        for (at, event) in events.iter().take(PATTERN_EVENTS).enumerate() {
            if event.id.0 == Kind::Check {
                for outcome in 0..3 {
                    let pattern = turned(&events[..=at], outcome);
                    meet(Goal::Pattern(pattern), outcome == event.outcome);
                }
            }
        }
        reached
    }

    /// Marks a goal as reached; whether it was reached for the first time.
    fn meet(&mut self, goal: Goal, is_reached: bool, input: &Rc<[f64]>) -> bool {
        let is_full = self.standings.len() >= MOST_GOALS && !matches!(goal, Goal::Verdict(..));
        if is_full && !self.standings.contains_key(&goal) {
            return false;
        }
        let standing = self.standings.entry(goal).or_insert(Standing {
            state: State::Open(0),
            base: None,
        });
        let is_news = is_reached && standing.state != State::Covered;
        if is_news {
            standing.state = State::Covered;
        }
        let is_open = matches!(standing.state, State::Open(_));
        standing.base = is_open.then(|| input.clone());
        is_news
    }

    pub fn state(&self, goal: &Goal) -> State {
        let known = self.standings.get(goal);
        known.map_or(State::Open(0), |standing| standing.state)
    }

    /// Notes a failed attempt.
    pub fn tried(&mut self, goal: &Goal) {
        if let Some(standing) = self.standings.get_mut(goal)
            && let State::Open(tries) = &mut standing.state
        {
            *tries += 1;
        }
    }

    pub fn prove_impossible(&mut self, goal: &Goal) {
        if let Some(standing) = self.standings.get_mut(goal) {
            standing.state = State::Impossible;
        }
    }

    /// The open goals that a run could have reached, each with the event whose outcome must change.
    pub fn open(&self, events: &[Event], with_checks: bool) -> Vec<(Goal, u32, usize)> {
        let mut all = Vec::new();
        let mut add = |goal: Goal, at: usize| {
            if let State::Open(tries) = self.state(&goal)
                && self.state(&goal).is_open()
            {
                all.push((goal, tries, at));
            }
        };
        let mut path = NO_PATH;
        let mut turns = 0;
        for (at, event) in events.iter().enumerate() {
            match event.id.0 {
                Kind::Decision => {
                    if turns < TURNED {
                        add(Goal::Turn(longer(path, event, 1 - event.outcome)), at);
                    }
                    turns += 1;
                    path = longer(path, event, event.outcome);
                }
                Kind::Check if with_checks => {
                    for verdict in Verdict::ALL {
                        add(Goal::Verdict(event.id.1, verdict), at);
                        if at < PATTERN_EVENTS {
                            add(Goal::Pattern(turned(&events[..=at], verdict as u8)), at);
                        }
                    }
                }
                Kind::Check => {}
            }
        }
        all
    }
}

/// The events of a run: decisions, and the checks of the checked sites.
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

fn decisions(events: &[Event]) -> impl Iterator<Item = &Event> {
    events.iter().filter(|event| event.id.0 == Kind::Decision)
}

/// The path before the first decision, and a path continued by one.
const NO_PATH: u64 = 0xcbf2_9ce4_8422_2325;

fn longer(path: u64, event: &Event, outcome: u8) -> u64 {
    let Spot { site, execution } = event.id.1;
    let mix = |hash: u64, word: u64| (hash ^ word).wrapping_mul(0x0100_0000_01b3).rotate_left(23);
    let words = [u64::from(site), u64::from(execution), u64::from(outcome)];
    words.into_iter().fold(path, mix)
}

/// The outcomes of events, the last one changed.
fn turned(events: &[Event], outcome: u8) -> Pattern {
    let mut pattern: Pattern = events
        .iter()
        .map(|event| (event.id, event.outcome))
        .collect();
    if let Some(last) = pattern.last_mut() {
        last.1 = outcome;
    }
    pattern
}
