//! The search for a repair: candidates from the e-graph, judged by measured errors, joined by branches.
//!
//! 1. Points are drawn from both populations, with exact results.
//! 2. The original is saturated under its ranges; the most accurate terms are taken out, saturated again, and so on.
//! 3. Where errors remain, the same is done with the sign of each variable known, which makes further rules sound.
//! 4. Branches choose among all candidates; fresh points and points around the thresholds must agree that nothing is
//!    worse than the original, or the choice is made again with them.

use super::{
    candidate::{Candidate, Transformation},
    clock::Clock,
    extract::extract,
    interval::Interval,
    math::{self, Term},
    plan::Plan,
    points::{Points, Population, errors_of},
    saturate::{Limits, saturate},
    series,
    settle::settle,
    subject::Subject,
    wishes::{Purpose, Wishes},
};

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
pub const LIMITS: Limits = Limits {
    nodes: 2500,
    rounds: 7,
};
/// Where the usual limits lead to no accurate form.
pub const FURTHER: Limits = Limits {
    nodes: 6000,
    rounds: 7,
};
/// The mean error in bits of such a form.
const INACCURATE: f64 = 1.0;
/// Longer expressions fill any e-graph.
const SHORT: usize = 14;
const ROUNDS: usize = 2;
/// Errors below this are none.
pub const GOOD: f64 = 0.8;
/// Candidates among which branches choose.
const CANDIDATES: usize = 24;

pub fn search(subject: &Subject, effort: Effort, wishes: &Wishes) -> Found {
    let clock = Clock::new(effort.seconds);
    let points = drawn(subject, MANY, effort.seed);
    let mut candidates = vec![Candidate::original(subject)];
    let is_wanted =
        wishes.purpose == Purpose::Speed || !is_good(&subject.original, &points, subject);
    if is_wanted && !points.is_empty() {
        let few = drawn(subject, FEW, effort.seed ^ 0xfe);
        let grower = Grower {
            subject,
            wishes,
            clock: &clock,
        };
        let whole = subject.intervals();
        grower.grow(&whole, LIMITS, &few, &mut candidates);
        let means = candidates
            .iter()
            .map(|candidate| mean(&candidate.term, &points, subject));
        let is_short = math::operations(&subject.original) <= SHORT;
        if is_short && means.fold(f64::INFINITY, f64::min) > INACCURATE {
            grower.grow(&whole, FURTHER, &few, &mut candidates);
        }
        if effort.with_branches {
            series::add(subject, &mut candidates);
            if remaining(&candidates, &points, subject) > GOOD {
                for domain in signed_domains(subject) {
                    let inside = few.chosen(|input| is_inside(input, &domain));
                    if inside.len() > 8 {
                        grower.grow(&domain, LIMITS, &inside, &mut candidates);
                    }
                }
            }
        }
        shorten(&mut candidates, &points, subject);
        add_second_words(&mut candidates, &points, subject);
    }
    let (plan, points) = settle(subject, &candidates, points, effort, wishes);
    Found {
        plan,
        candidates,
        points,
        out_of_time: clock.is_over(),
    }
}

/// Points at which no candidate is better than this need more precision.
const BAD: f64 = 4.0;

/// Where no form is accurate, the best ones with their rounding errors added back.
fn add_second_words(candidates: &mut Vec<Candidate>, points: &Points, subject: &Subject) {
    let best = best_errors(candidates, points, subject);
    if best.iter().all(|error| *error < BAD) {
        return;
    }
    let mut order: Vec<usize> = (0..candidates.len())
        .filter(|index| candidates[*index].made_from.is_none())
        .filter(|index| candidates[*index].remainder.is_none())
        .collect();
    let means: Vec<f64> = candidates
        .iter()
        .map(|candidate| mean(&candidate.term, points, subject))
        .collect();
    order.sort_by(|a, b| means[*a].total_cmp(&means[*b]).then(a.cmp(b)));
    order.truncate(3);
    if !order.contains(&0) {
        order.push(0);
    }
    for index in order {
        let second = candidates[index].transformed(Transformation::SecondWord, subject.width);
        candidates.extend(second);
    }
}

fn drawn(subject: &Subject, count: usize, seed: u64) -> Points {
    let mut points = Points::default();
    points.draw(subject, Population::Wide, count, seed);
    points.draw(subject, Population::Everyday, count, seed);
    points.draw(subject, Population::Critical, count / 2, seed);
    points
}

fn is_good(term: &Term, points: &Points, subject: &Subject) -> bool {
    errors_of(term, points, subject.width)
        .iter()
        .all(|e| *e < 2.0)
}

/// The error of the best candidate at each point.
fn best_errors(candidates: &[Candidate], points: &Points, subject: &Subject) -> Vec<f64> {
    let mut best = vec![f64::INFINITY; points.len()];
    for candidate in candidates {
        let errors = errors_of(&candidate.term, points, subject.width);
        for (index, error) in errors.into_iter().enumerate() {
            if candidate.is_valid_at(&points.inputs[index]) {
                best[index] = best[index].min(error);
            }
        }
    }
    best
}

/// The mean error if the best candidate could be chosen at each point.
fn remaining(candidates: &[Candidate], points: &Points, subject: &Subject) -> f64 {
    let best = best_errors(candidates, points, subject);
    best.iter().zip(points.weights()).map(|(e, w)| e * w).sum()
}

struct Grower<'a> {
    subject: &'a Subject,
    wishes: &'a Wishes,
    clock: &'a Clock,
}

impl Grower<'_> {
    /// Adds what the rules make of the original in a domain.
    fn grow(
        &self,
        domain: &[Interval],
        limits: Limits,
        points: &Points,
        candidates: &mut Vec<Candidate>,
    ) {
        let subject = self.subject;
        let mut seeds: Vec<Term> = Vec::new();
        for _ in 0..ROUNDS {
            if self.clock.is_over() {
                return;
            }
            let mut terms = vec![&subject.original];
            terms.extend(&seeds);
            let saturated = saturate(&terms, domain, limits);
            let found = extract(&saturated, points, subject.width, self.wishes);
            let is_done = found
                .first()
                .is_some_and(|best| mean(best, points, subject) < GOOD / 2.0);
            for term in &found {
                let candidate = Candidate {
                    term: term.clone(),
                    domain: domain.to_vec(),
                    by_way_of: seeds.clone(),
                    remainder: None,
                    made_from: None,
                };
                let by = [Transformation::Products, Transformation::Arguments];
                let compensated: Vec<Candidate> = by
                    .into_iter()
                    .filter_map(|by| candidate.transformed(by, subject.width))
                    .collect();
                for candidate in std::iter::once(candidate).chain(compensated) {
                    if candidates.iter().all(|known| known.term != candidate.term) {
                        candidates.push(candidate);
                    }
                }
            }
            let fresh: Vec<Term> = found.into_iter().take(3).collect();
            if is_done || fresh == seeds {
                return;
            }
            seeds = fresh;
        }
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
