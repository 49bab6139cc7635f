//! The search for a repair: candidates from the e-graph, judged by measured errors, joined by branches.
//!
//! 1. Points are drawn from both populations, with exact results.
//! 2. The original is saturated under its ranges; the most accurate terms are taken out, saturated again, and so on.
//! 3. Where errors remain, the same is done with the sign of each variable known, which makes further rules sound.
//! 4. Branches choose among all candidates; fresh points and points around the thresholds must agree that nothing is
//!    worse than the original, or the choice is made again with them.

use std::time::{Duration, Instant};

use super::{
    branches::{Chooser, WORSE},
    candidate::Candidate,
    compensate,
    extract::extract,
    interval::Interval,
    math::{self, Term},
    plan::{Plan, Threshold},
    points::{Points, Population, errors_of},
    saturate::{Limits, saturate},
    series,
    subject::Subject,
};
use crate::numeric::Random;

/// What a search may cost, and what it may use.
#[derive(Clone, Copy, Debug)]
pub struct Effort {
    pub seed: u64,
    pub with_branches: bool,
    /// The search ends soon after; then the same seed may find something else.
    pub seconds: Option<f64>,
}

/// What was found.
#[derive(Clone, Debug)]
pub struct Found {
    pub plan: Plan,
    pub candidates: Vec<Candidate>,
    pub points: Points,
    /// Whether the search ended early.
    pub out_of_time: bool,
}

/// Points for extraction, and for the choice among candidates.
const FEW: usize = 64;
const MANY: usize = 256;
/// Points on which a choice is checked.
const CHECKED: usize = 400;
const CHECKS: u64 = 4;
const LIMITS: Limits = Limits {
    nodes: 2500,
    rounds: 7,
};
const ROUNDS: usize = 2;
/// Errors below this are none.
pub const GOOD: f64 = 0.8;
/// Candidates among which branches choose.
const CANDIDATES: usize = 24;

pub fn search(subject: &Subject, effort: Effort) -> Found {
    let clock = Clock::new(effort.seconds);
    let points = drawn(subject, MANY, effort.seed);
    let whole = Candidate {
        term: subject.original.clone(),
        domain: subject.intervals(),
        by_way_of: Vec::new(),
        remainder: None,
    };
    let mut candidates = vec![whole];
    if !is_good(&subject.original, &points, subject) {
        let few = drawn(subject, FEW, effort.seed ^ 0xfe);
        grow(subject, &subject.intervals(), &few, &mut candidates, &clock);
        if effort.with_branches {
            series::add(subject, &mut candidates);
            if remaining(&candidates, &points, subject) > GOOD {
                for domain in signed_domains(subject) {
                    let inside = few.chosen(|input| is_inside(input, &domain));
                    if inside.len() > 8 {
                        grow(subject, &domain, &inside, &mut candidates, &clock);
                    }
                }
            }
        }
        shorten(&mut candidates, &points, subject);
    }
    let (plan, points) = settle(subject, &candidates, points, effort);
    Found {
        plan,
        candidates,
        points,
        out_of_time: clock.is_over(),
    }
}

fn drawn(subject: &Subject, count: usize, seed: u64) -> Points {
    let mut points = Points::default();
    points.draw(subject, Population::Wide, count, seed);
    points.draw(subject, Population::Everyday, count, seed);
    points.draw(subject, Population::Critical, count / 2, seed);
    points
}

struct Clock {
    start: Instant,
    limit: Option<Duration>,
}

impl Clock {
    fn new(seconds: Option<f64>) -> Clock {
        Clock {
            start: Instant::now(),
            limit: seconds.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok()),
        }
    }

    fn is_over(&self) -> bool {
        self.limit.is_some_and(|limit| self.start.elapsed() > limit)
    }
}

fn is_good(term: &Term, points: &Points, subject: &Subject) -> bool {
    errors_of(term, points, subject.width)
        .iter()
        .all(|e| *e < 2.0)
}

/// The mean error if the best candidate could be chosen at each point.
fn remaining(candidates: &[Candidate], points: &Points, subject: &Subject) -> f64 {
    let errors: Vec<Vec<f64>> = candidates
        .iter()
        .map(|candidate| errors_of(&candidate.term, points, subject.width))
        .collect();
    let best = |point: usize| {
        errors
            .iter()
            .map(|e| e[point])
            .fold(f64::INFINITY, f64::min)
    };
    let weights = points.weights();
    (0..points.len())
        .map(|point| best(point) * weights[point])
        .sum()
}

/// Adds what the rules make of the original in a domain.
fn grow(
    subject: &Subject,
    domain: &[Interval],
    points: &Points,
    candidates: &mut Vec<Candidate>,
    clock: &Clock,
) {
    let mut seeds: Vec<Term> = Vec::new();
    for _ in 0..ROUNDS {
        if clock.is_over() {
            return;
        }
        let mut terms = vec![&subject.original];
        terms.extend(&seeds);
        let saturated = saturate(&terms, domain, LIMITS);
        let found = extract(&saturated.graph, saturated.root, points, subject.width);
        let mut all = found.clone();
        all.extend(found.iter().filter_map(compensate::products));
        let is_done = found
            .first()
            .is_some_and(|best| mean(best, points, subject) < GOOD / 2.0);
        for term in all {
            let candidate = Candidate {
                term,
                domain: domain.to_vec(),
                by_way_of: seeds.clone(),
                remainder: None,
            };
            if candidates.iter().all(|known| known.term != candidate.term) {
                candidates.push(candidate);
            }
        }
        let fresh: Vec<Term> = found.into_iter().take(3).collect();
        if is_done || fresh == seeds {
            return;
        }
        seeds = fresh;
    }
}

fn mean(term: &Term, points: &Points, subject: &Subject) -> f64 {
    let errors = errors_of(term, points, subject.width);
    errors
        .iter()
        .zip(points.weights())
        .map(|(e, w)| e * w)
        .sum()
}

/// The ranges with the sign of one variable known.
fn signed_domains(subject: &Subject) -> Vec<Vec<Interval>> {
    let whole = subject.intervals();
    let mut domains = Vec::new();
    for variable in math::variables(&subject.original).into_iter().take(3) {
        let index = variable as usize;
        let range = whole[index];
        let sides = [
            (range.low, range.high.min(0.0)),
            (range.low.max(0.0), range.high),
        ];
        for (low, high) in sides.into_iter().filter(|(low, high)| low < high) {
            let mut domain = whole.clone();
            domain[index] = Interval {
                low,
                high,
                nonzero: true,
            };
            domains.push(domain);
        }
    }
    domains
}

fn is_inside(input: &[f64], domain: &[Interval]) -> bool {
    let inside = |(x, values): (&f64, &Interval)| {
        values.low <= *x && *x <= values.high && !(values.nonzero && *x == 0.0)
    };
    input.iter().zip(domain).all(inside)
}

/// Keeps the original and those that are best somewhere.
fn shorten(candidates: &mut Vec<Candidate>, points: &Points, subject: &Subject) {
    let errors: Vec<Vec<f64>> = candidates
        .iter()
        .map(|candidate| {
            let errors = errors_of(&candidate.term, points, subject.width);
            let valid = points
                .inputs
                .iter()
                .map(|input| candidate.is_valid_at(input));
            errors
                .iter()
                .zip(valid)
                .map(|(e, valid)| if valid { *e } else { 64.0 })
                .collect()
        })
        .collect();
    let weights = points.weights();
    let mut kept = vec![0usize];
    let mut best = errors[0].clone();
    while kept.len() < CANDIDATES {
        let gain = |index: usize| -> f64 {
            let gains = errors[index].iter().zip(&best).zip(&weights);
            let gain: f64 = gains.map(|((e, b), w)| (b - e).max(0.0) * w).sum();
            gain - 0.001 * math::operations(&candidates[index].term) as f64
        };
        let next = (0..candidates.len())
            .filter(|index| !kept.contains(index))
            .map(|index| (gain(index), index))
            .max_by(|a, b| a.0.total_cmp(&b.0).then(b.1.cmp(&a.1)));
        match next {
            Some((gain, index)) if gain > 0.002 => {
                for (best, error) in best.iter_mut().zip(&errors[index]) {
                    *best = best.min(*error);
                }
                kept.push(index);
            }
            _ => break,
        }
    }
    // Those that are good everywhere save branches, even if others are better at each point.
    let mut by_mean: Vec<(f64, usize)> = (0..candidates.len())
        .map(|index| {
            let mean: f64 = errors[index].iter().zip(&weights).map(|(e, w)| e * w).sum();
            (
                mean + 0.01 * math::operations(&candidates[index].term) as f64,
                index,
            )
        })
        .collect();
    by_mean.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
    for (_, index) in by_mean.into_iter().take(6) {
        if !kept.contains(&index) {
            kept.push(index);
        }
    }
    *candidates = kept
        .iter()
        .map(|index| candidates[*index].clone())
        .collect();
}

/// Chooses, checks the choice on fresh points and around its thresholds, and chooses again with those that disagree.
fn settle(
    subject: &Subject,
    candidates: &[Candidate],
    mut points: Points,
    effort: Effort,
) -> (Plan, Points) {
    let original = Plan::Term(subject.original.clone());
    if candidates.len() == 1 || points.is_empty() {
        return (original, points);
    }
    let mut plan = original.clone();
    for turn in 0..CHECKS {
        let chooser = Chooser::new(candidates, &points, subject.width, effort.with_branches);
        plan = chooser.choose();
        let seed = effort.seed.wrapping_add(1000 + turn);
        let fresh = fresh_points(subject, &plan, seed);
        let worse = worse_points(subject, &plan, &fresh);
        let near = around(subject, &plan, &points, seed);
        let before = points.len();
        for input in worse.into_iter().take(40) {
            points.add(subject, input, Population::Boundary);
        }
        points.append(&near);
        if points.len() == before {
            return (plan, points);
        }
    }
    (plan, points)
}

fn fresh_points(subject: &Subject, plan: &Plan, seed: u64) -> Points {
    let mut fresh = Points::default();
    if *plan != Plan::Term(subject.original.clone()) {
        fresh.draw(subject, Population::Wide, CHECKED, seed);
        fresh.draw(subject, Population::Everyday, CHECKED, seed);
        fresh.draw(subject, Population::Critical, CHECKED / 2, seed);
    }
    fresh
}

/// Inputs at which the plan is worse than the original.
pub fn worse_points(subject: &Subject, plan: &Plan, points: &Points) -> Vec<Vec<f64>> {
    let mut worse = Vec::new();
    for (input, exact) in points.inputs.iter().zip(&points.exact) {
        let bits = |value: f64| super::error::bits(value, *exact, subject.width);
        let ours = bits(plan.evaluate(input, subject.width));
        if ours <= WORSE {
            continue;
        }
        let theirs = bits(super::machine::evaluate(
            &subject.original,
            input,
            subject.width,
        ));
        if ours > theirs + WORSE {
            worse.push(input.clone());
        }
    }
    worse
}

/// Points on both sides of each threshold, near and not so near.
fn around(subject: &Subject, plan: &Plan, points: &Points, seed: u64) -> Points {
    let mut near = Points::default();
    let mut random = Random::new(seed ^ 0x7e57);
    for threshold in plan.thresholds() {
        for turn in 0..24 {
            if points.is_empty() {
                break;
            }
            let mut input = points.inputs[random.below(points.len() as u64) as usize].clone();
            input[threshold.variable as usize] = beside(&threshold, turn, &mut random);
            near.add(subject, input, Population::Boundary);
        }
    }
    near
}

fn beside(threshold: &Threshold, turn: u32, random: &mut Random) -> f64 {
    let limit = threshold.limit;
    let sign = if threshold.of_magnitude && random.below(2) == 0 {
        -1.0
    } else {
        1.0
    };
    let x = match turn {
        0 => limit,
        1 => limit.next_down(),
        2 => limit.next_up(),
        _ if limit == 0.0 => {
            let size = 10f64.powf(-20.0 * random.unit());
            if turn.is_multiple_of(2) { size } else { -size }
        }
        3..12 => limit * (1.0 + 0.5 * (random.unit() - 0.5)),
        _ => limit * 10f64.powf(4.0 * (random.unit() - 0.5)),
    };
    sign * x
}
