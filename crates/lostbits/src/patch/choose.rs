//! Which part of a formula is repaired, over which ranges, and by what.
//!
//! A repair is wanted that is right for the run's own inputs, and nowhere worse than the original. All numbers are tried
//! first; where that leads to branches, or to nothing, the signs that the run showed with moderate magnitudes, and at last
//! the run's ranges widened by a factor of a thousand. A repair for such ranges is checked against the original on all
//! numbers, and refused if it harms everyday ones.

use std::ops::Range as Interval;

use super::{formula::Problem, tree::Tree};
use crate::{
    fix::{
        error::bits,
        exact, machine,
        plan::{Plan, Threshold},
        points::{Points, Population},
        repair::{Repair, Verdict, repair},
        search::Effort,
        subject::Subject,
    },
    inputs::NamedRange,
    numeric::Range,
};

/// What the leaves were in a run.
#[derive(Clone, Default, Debug)]
pub struct Observed {
    pub leaves: Vec<String>,
    pub rows: Vec<Vec<f64>>,
    /// What the user says of them, where there is no run.
    pub given: Vec<NamedRange>,
}

impl Observed {
    /// The inputs of a problem.
    pub fn rows_of(&self, problem: &Problem) -> Vec<Vec<f64>> {
        let places: Option<Vec<usize>> = problem
            .leaves
            .iter()
            .map(|leaf| self.leaves.iter().position(|known| *known == leaf.text))
            .collect();
        let Some(places) = places else {
            return Vec::new();
        };
        let row = |row: &Vec<f64>| places.iter().map(|place| row[*place]).collect();
        self.rows.iter().map(row).collect()
    }
}

/// A repair that was chosen.
#[derive(Clone, Debug)]
pub struct Choice {
    pub problem: Problem,
    pub repair: Repair,
    /// What is replaced.
    pub span: Interval<usize>,
    pub ranges: Ranges,
    /// The worst errors in bits on the run's own inputs.
    pub before: f64,
    pub after: f64,
    pub inputs: usize,
    /// Of all numbers, the share of samples on which it is worse than the original by more than 4 bits.
    pub worse: f64,
    /// The original is kept for all but small values of a variable.
    pub is_narrow: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Ranges {
    All,
    Moderate,
    Observed,
}

/// Errors of fewer bits do not count.
const GOOD: f64 = 3.0;
/// Less than this is no reason for a repair.
const BAD: f64 = 5.0;
/// Without a run, the bits of mean error that a repair must save on everyday inputs.
const ON_AVERAGE: f64 = 0.3;
const LARGEST: usize = 40;
/// Inputs of the run on which repairs are judged.
const JUDGED: usize = 100;

/// The best repair among some parts of a formula, or why there is none.
pub fn choose(
    problems: Vec<(Problem, Interval<usize>)>,
    observed: &Observed,
    effort: Effort,
) -> Result<Choice, String> {
    let mut best: Option<Choice> = None;
    let mut reasons: Vec<String> = Vec::new();
    for (problem, span) in problems {
        if problem.tree.size() > LARGEST || problem.leaves.is_empty() {
            continue;
        }
        let mut rows = observed.rows_of(&problem);
        rows.truncate(JUDGED);
        for ranges in [Ranges::All, Ranges::Moderate, Ranges::Observed] {
            if ranges != Ranges::All && rows.is_empty() {
                continue;
            }
            match attempt(
                &problem,
                span.clone(),
                &rows,
                &observed.given,
                ranges,
                effort,
            ) {
                Ok(choice) => {
                    let is_best =
                        choice.after <= GOOD && choice.repair.plan.thresholds().is_empty();
                    if best.as_ref().is_none_or(|best| rank(&choice) < rank(best)) {
                        best = Some(choice);
                    }
                    if is_best {
                        return best.ok_or_else(String::new);
                    }
                }
                Err(reason) => {
                    if !reasons.contains(&reason) {
                        reasons.push(reason);
                    }
                }
            }
        }
    }
    best.ok_or_else(|| match reasons.into_iter().next() {
        Some(reason) => reason,
        None => "no formula of a size that fix can search is at this place".to_owned(),
    })
}

/// Accurate repairs first, then those with few branches and operations. A repair for small values only is worth a branch less.
fn rank(choice: &Choice) -> (bool, usize, usize) {
    let plan = &choice.repair.plan;
    (
        choice.after > GOOD,
        plan.thresholds().len() + usize::from(choice.is_narrow),
        plan.operations(),
    )
}

fn attempt(
    problem: &Problem,
    span: Interval<usize>,
    rows: &[Vec<f64>],
    promised: &[NamedRange],
    ranges: Ranges,
    effort: Effort,
) -> Result<Choice, String> {
    let is_leaf = |one: &&NamedRange| problem.leaves.iter().any(|leaf| leaf.text == one.name);
    let promised: Vec<NamedRange> = promised.iter().filter(is_leaf).cloned().collect();
    let everywhere = Subject::new(&problem.core, &promised).map_err(|why| why.to_string())?;
    let given = match ranges {
        Ranges::All => promised,
        _ => limits(problem, rows, ranges),
    };
    let subject = Subject::new(&problem.core, &given).map_err(|why| why.to_string())?;
    let original = Plan::Term(everywhere.original.clone());
    let before = worst(&everywhere, &original, rows);
    if !rows.is_empty() && before < BAD {
        return Err(
            "the formula is accurate for the values of its operands: the error enters before it"
                .to_owned(),
        );
    }
    let mut repair = repair(subject, effort, None);
    if repair.verdict != Verdict::Repaired {
        return Err(match repair.verdict {
            Verdict::IllConditioned => {
                "ill-conditioned: no formula in this precision can be accurate here".to_owned()
            }
            _ => "no better formula was found".to_owned(),
        });
    }
    let after = match rows.is_empty() {
        true => repair.after.everyday.worst,
        false => worst(&everywhere, &repair.plan, rows),
    };
    // Without a run no single input decides: 1 - exp(-x) has errors of its own where exp(-x) is huge.
    let gained = repair.before.everyday.mean - repair.after.everyday.mean;
    let is_better_on_average = rows.is_empty() && gained > ON_AVERAGE;
    if after > (before - BAD).max(GOOD) && !is_better_on_average {
        return Err("no formula was found that is accurate for the inputs of this run".to_owned());
    }
    let (mut everyday, mut wide) = worse(&everywhere, &repair.plan, effort.seed);
    if everyday > 0.0 && ranges != Ranges::All {
        for plan in guarded(&everywhere, &repair.plan, &given) {
            let shares = worse(&everywhere, &plan, effort.seed);
            if shares.0 == 0.0 && worst(&everywhere, &plan, rows) <= after {
                (everyday, wide) = shares;
                repair.plan = plan;
                repair.sentence += " (the original is kept for the other sign)";
                // What is proved holds for the ranges, all of which are on one side of the guard.
                break;
            }
        }
    }
    let mut is_narrow = false;
    if everyday > 0.0 && ranges == Ranges::Observed {
        for (name, plan) in bounded(problem, &everywhere, &repair.plan, &given) {
            let shares = worse(&everywhere, &plan, effort.seed);
            // For other signs and magnitudes only samples tell whether the formula is equal, so none may be worse.
            if shares == (0.0, 0.0) && worst(&everywhere, &plan, rows) <= after {
                (everyday, wide) = shares;
                repair.plan = plan;
                repair.sentence += &format!(" (the original is kept for larger {name})");
                is_narrow = true;
                break;
            }
        }
    }
    if everyday > 0.0 {
        return Err(
            "the better formulas that were found are worse than the original for other everyday inputs".to_owned(),
        );
    }
    Ok(Choice {
        problem: problem.clone(),
        span,
        ranges,
        before: match rows.is_empty() {
            true => repair.before.everyday.worst,
            false => before,
        },
        after,
        inputs: rows.len(),
        worse: wide,
        is_narrow,
        repair,
    })
}

/// The plan for numbers of the signs that the ranges have, and the original for the others: a plan for each variable of one
/// sign.
fn guarded(subject: &Subject, plan: &Plan, given: &[NamedRange]) -> Vec<Plan> {
    let mut plans = Vec::new();
    for (index, one) in given.iter().enumerate() {
        let is_positive = one.range.low > 0.0;
        if !is_positive && one.range.high >= 0.0 {
            continue;
        }
        let original = Box::new(Plan::Term(subject.original.clone()));
        let plan = Box::new(plan.clone());
        let (below, otherwise) = match is_positive {
            true => (original, plan),
            false => (plan, original),
        };
        plans.push(Plan::Branch {
            test: Threshold {
                variable: index as u32,
                of_magnitude: false,
                limit: 0.0,
                inclusive: is_positive,
            },
            below,
            otherwise,
        });
    }
    plans
}

/// The plan for small values of one variable, and the original for larger ones: round limits above the ranges, so that what is
/// proved for the ranges still holds, the largest first.
fn bounded(
    problem: &Problem,
    subject: &Subject,
    plan: &Plan,
    given: &[NamedRange],
) -> Vec<(String, Plan)> {
    const DECADES: i32 = 20;
    let mut plans = Vec::new();
    for (index, leaf) in problem.leaves.iter().enumerate() {
        let range = &given[index].range;
        let largest = range.low.abs().max(range.high.abs());
        let limits = (0..DECADES).map(|decade| 1.0 / 10f64.powi(decade));
        // A whole number is no small value.
        for limit in limits.filter(|limit| largest < *limit && !leaf.is_integer) {
            let test = Threshold {
                variable: index as u32,
                of_magnitude: true,
                limit,
                inclusive: false,
            };
            let plan = Plan::Branch {
                test,
                below: Box::new(plan.clone()),
                otherwise: Box::new(Plan::Term(subject.original.clone())),
            };
            plans.push((leaf.text.clone(), plan));
        }
    }
    plans
}

/// The worst error of a plan on the run's inputs.
fn worst(subject: &Subject, plan: &Plan, rows: &[Vec<f64>]) -> f64 {
    let error = |row: &Vec<f64>| {
        let exact = exact::value(&subject.original, row, subject.width)?;
        let computed = machine::evaluate(plan.leaf(row), row, subject.width);
        Some(bits(computed, exact, subject.width))
    };
    rows.iter().filter_map(error).fold(0.0, f64::max)
}

/// The shares of everyday and of all numbers on which a plan is worse than the original by more than 4 bits.
fn worse(subject: &Subject, plan: &Plan, seed: u64) -> (f64, f64) {
    const SAMPLES: usize = 400;
    const MUCH: f64 = 4.0;
    let share = |population| {
        let mut points = Points::default();
        points.draw(subject, population, SAMPLES, seed ^ 0x7061_7463);
        let is_worse = |(row, exact): &(&Vec<f64>, &f64)| {
            let error = |term| {
                bits(
                    machine::evaluate(term, row, subject.width),
                    **exact,
                    subject.width,
                )
            };
            error(plan.leaf(row)) > error(&subject.original) + MUCH
        };
        let count = points
            .inputs
            .iter()
            .zip(&points.exact)
            .filter(is_worse)
            .count();
        count as f64 / points.len().max(1) as f64
    };
    (share(Population::Everyday), share(Population::Wide))
}

/// The ranges of a problem's variables.
fn limits(problem: &Problem, rows: &[Vec<f64>], ranges: Ranges) -> Vec<NamedRange> {
    const WIDER: f64 = 1e3;
    let (least, most): (f64, f64) = match problem.width {
        machine::Width::Double => (1e-60, 1e60),
        machine::Width::Single => (1e-10, 1e10),
    };
    let one = |(index, leaf): (usize, &super::tree::Leaf)| {
        let values = || rows.iter().map(|row| row[index]);
        let low = values().fold(f64::INFINITY, f64::min);
        let high = values().fold(f64::NEG_INFINITY, f64::max);
        let largest = low.abs().max(high.abs());
        let range = match ranges {
            Ranges::Observed if low > 0.0 => Range {
                low: low / WIDER,
                high: high * WIDER,
            },
            Ranges::Observed if high < 0.0 => Range {
                low: low * WIDER,
                high: high / WIDER,
            },
            Ranges::Observed => Range {
                low: -largest * WIDER,
                high: largest * WIDER,
            },
            _ if low > 0.0 => Range {
                low: least.min(low),
                high: most.max(high),
            },
            _ if high < 0.0 => Range {
                low: (-most).min(low),
                high: (-least).max(high),
            },
            _ => Range {
                low: (-most).min(low),
                high: most.max(high),
            },
        };
        NamedRange {
            name: leaf.text.clone(),
            range,
        }
    };
    problem.leaves.iter().enumerate().map(one).collect()
}

/// The parts of a formula that contain an operation, in the order in which they are tried: all of it if it is small, and
/// otherwise from the operation outwards.
pub fn parts<'a>(root: &'a Tree, node: &Tree) -> Vec<&'a Tree> {
    const SMALL: usize = 15;
    let mut chain = root.chain_to(&node.span, node.at);
    chain.reverse();
    if root.size() <= SMALL
        && let Some(last) = chain.pop()
    {
        chain.insert(0, last);
    }
    chain
}
