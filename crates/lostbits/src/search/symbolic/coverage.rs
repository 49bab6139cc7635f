//! What was reached and what was not, for each site: error alone does not show that the symbolic part works.

use std::collections::BTreeMap;

use lostbits_abi::site::Site;
use serde::{Deserialize, Serialize};

use super::{
    checks::Verdict,
    explorer::Tallies,
    goals::{Goal, Goals, Kind, State},
};
use crate::search::exact;

/// The whole report.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct Coverage {
    pub sites: Vec<SiteCoverage>,
    /// Paths through the program's own decisions that runs took, and turns that were proved impossible or
    /// given up.
    pub turns: Counts,
    pub patterns: Patterns,
    /// How often a value became untracked in a run, at most.
    pub concretised: u64,
    /// Operations of a run that found no room, at most.
    pub dropped: u64,
    /// Operands of a run whose source did not fit, at most; they counted as constants.
    pub strays: u64,
    pub tallies: Tallies,
    /// Why the solver cannot be used.
    pub trouble: Option<String>,
}

/// Checks at one site.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct SiteCoverage {
    pub file: String,
    pub line: u32,
    pub column: u32,
    pub function: String,
    pub operation: String,
    /// Checked executions that runs came to.
    pub reached: u64,
    pub accurate: Counts,
    pub lost: Counts,
    pub cancelled: Counts,
}

/// Of goals of one kind.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Counts {
    pub covered: u64,
    pub impossible: u64,
    pub given_up: u64,
    /// Not decided in time.
    pub open: u64,
}

impl Counts {
    pub fn add(&mut self, state: State) {
        match state {
            State::Covered => self.covered += 1,
            State::Impossible => self.impossible += 1,
            state if state.is_given_up() => self.given_up += 1,
            State::Open(_) => self.open += 1,
        }
    }

    pub fn plus(self, other: Counts) -> Counts {
        Counts {
            covered: self.covered + other.covered,
            impossible: self.impossible + other.impossible,
            given_up: self.given_up + other.given_up,
            open: self.open + other.open,
        }
    }

    pub fn all(self) -> u64 {
        self.covered + self.impossible + self.given_up + self.open
    }
}

/// Outcomes of a run's first checks, taken together.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Patterns {
    /// How many checks are taken together, and how many patterns that makes.
    pub checks: u32,
    pub all: u64,
    pub produced: u64,
    /// With all that begin like them.
    pub impossible: u64,
}

/// A loss or a cancellation of one run.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Diagnosis {
    pub file: String,
    pub line: u32,
    /// Which execution of the site it was, from 1.
    pub execution: u32,
    pub verdict: String,
    pub operation: String,
    #[serde(with = "exact")]
    pub x: f64,
    #[serde(with = "exact")]
    pub y: f64,
    #[serde(with = "exact")]
    pub result: f64,
    /// Bits by which the exponents differ, or that cancelled.
    pub bits: i32,
}

impl Coverage {
    pub fn of(goals: &Goals, sites: &[Site], is_chosen: impl Fn(u32) -> bool) -> Coverage {
        let mut rows: BTreeMap<u32, SiteCoverage> = BTreeMap::new();
        let mut turns = Counts::default();
        for (goal, standing) in &goals.standings {
            let state = &standing.state;
            match goal {
                Goal::Verdict(spot, verdict) if is_chosen(spot.site) => {
                    let Some(site) = sites.get(spot.site as usize) else {
                        continue;
                    };
                    let row = rows.entry(spot.site).or_insert_with(|| row(site));
                    match verdict {
                        Verdict::Accurate => {
                            row.reached += 1;
                            row.accurate.add(*state);
                        }
                        Verdict::Loss => row.lost.add(*state),
                        Verdict::Cancel => row.cancelled.add(*state),
                    }
                }
                Goal::Turn(_) => turns.add(*state),
                _ => {}
            }
        }
        Coverage {
            sites: rows.into_values().collect(),
            turns,
            patterns: patterns(goals),
            concretised: goals.pins,
            dropped: goals.dropped,
            strays: goals.strays,
            tallies: Tallies::default(),
            trouble: None,
        }
    }

    /// The checks of all sites together.
    pub fn total(&self) -> [Counts; 3] {
        let sum = |of: fn(&SiteCoverage) -> Counts| {
            self.sites
                .iter()
                .map(of)
                .fold(Counts::default(), Counts::plus)
        };
        [
            sum(|row| row.accurate),
            sum(|row| row.lost),
            sum(|row| row.cancelled),
        ]
    }
}

fn row(site: &Site) -> SiteCoverage {
    SiteCoverage {
        file: site.file.clone(),
        line: site.line,
        column: site.column,
        function: site.function.clone(),
        operation: match site.what {
            lostbits_abi::site::What::Operation(op) => op.name().to_owned(),
            _ => String::new(),
        },
        reached: 0,
        accurate: Counts::default(),
        lost: Counts::default(),
        cancelled: Counts::default(),
    }
}

/// Where the program decides nothing itself, patterns of a length can be counted.
fn patterns(goals: &Goals) -> Patterns {
    let all = || {
        goals
            .standings
            .iter()
            .filter_map(|(goal, standing)| match goal {
                Goal::Pattern(pattern) => Some((pattern, standing.state)),
                _ => None,
            })
    };
    let has_decisions = all().any(|(pattern, _)| pattern.iter().any(|at| at.0.0 == Kind::Decision));
    let checks = all().map(|(pattern, _)| pattern.len()).max().unwrap_or(0) as u32;
    if has_decisions || checks == 0 {
        return Patterns::default();
    }
    let of_length = |length: usize| 3u64.pow(checks - length as u32);
    let produced = all()
        .filter(|(pattern, state)| pattern.len() == checks as usize && *state == State::Covered);
    let impossible = all().filter(|(_, state)| *state == State::Impossible);
    Patterns {
        checks,
        all: 3u64.pow(checks),
        produced: produced.count() as u64,
        impossible: impossible
            .map(|(pattern, _)| of_length(pattern.len()))
            .sum(),
    }
}
