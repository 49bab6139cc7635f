//! The choice among candidates, checked on fresh points: nothing may be worse than the original.

use super::{
    branches::{Chooser, WORSE},
    candidate::Candidate,
    exact,
    plan::{Plan, Threshold},
    points::{Points, Population},
    search::Effort,
    subject::Subject,
    wishes::Wishes,
};
use crate::numeric::Random;

/// Points on which a choice is checked.
const CHECKED: usize = 400;
const CHECKS: u64 = 6;

/// Chooses, checks the choice on fresh points and around its thresholds, and chooses again with those that disagree.
pub fn settle(
    subject: &Subject,
    candidates: &[Candidate],
    mut points: Points,
    effort: Effort,
    wishes: &Wishes,
) -> (Plan, Points) {
    let original = Plan::Term(subject.original.clone());
    if candidates.len() == 1 || points.is_empty() {
        return (original, points);
    }
    let mut best: Option<(usize, Plan)> = None;
    for turn in 0..CHECKS {
        let chooser = Chooser::new(
            candidates,
            &points,
            subject.width,
            effort.with_branches,
            wishes,
        );
        let plan = chooser.choose();
        let seed = effort.seed.wrapping_add(1000 + turn);
        let fresh = fresh_points(subject, &plan, seed);
        let mut worse = worse_points(subject, &plan, &fresh);
        worse.extend(probe(subject, &plan, &fresh, seed));
        let near = around(subject, &plan, &points, seed);
        let before = points.len();
        let count = worse.len() + worse_points(subject, &plan, &near).len();
        if best.as_ref().is_none_or(|(least, _)| count <= *least) {
            best = Some((count, plan));
        }
        for input in worse.into_iter().take(60) {
            points.add(subject, input, Population::Boundary);
        }
        points.append(&near);
        if points.len() == before {
            break;
        }
    }
    let plan = best.map_or(original, |(_, plan)| plan);
    (plan, points)
}

/// Starting points of a probe, and steps from each.
const STARTS: usize = 12;
const STEPS: usize = 14;

/// Inputs at which the plan is worse than the original, found by climbing from where it comes closest to that.
fn probe(subject: &Subject, plan: &Plan, fresh: &Points, seed: u64) -> Vec<Vec<f64>> {
    let mut random = Random::new(seed ^ 0x9e0b);
    let mut starts: Vec<(f64, &Vec<f64>)> = fresh
        .inputs
        .iter()
        .zip(&fresh.exact)
        .map(|(input, exact)| (excess(subject, plan, input, *exact), input))
        .filter(|(excess, _)| *excess > 0.5)
        .collect();
    starts.sort_by(|a, b| b.0.total_cmp(&a.0));
    let mut worse = Vec::new();
    for (start, input) in starts.into_iter().take(STARTS) {
        let (mut most, mut here) = (start, input.clone());
        for _ in 0..STEPS {
            let next = moved(subject, &here, &mut random);
            if !subject.admits(&next) {
                continue;
            }
            let exact = exact::value(&subject.original, &next, subject.width);
            let Some(exact) = exact.filter(|exact| exact.is_finite()) else {
                continue;
            };
            let excess = excess(subject, plan, &next, exact);
            if excess > WORSE {
                worse.push(next.clone());
            }
            if excess >= most {
                (most, here) = (excess, next);
            }
        }
    }
    worse
}

/// Bits by which the plan is worse than the original.
fn excess(subject: &Subject, plan: &Plan, input: &[f64], exact: f64) -> f64 {
    let bits = |value: f64| super::error::bits(value, exact, subject.width);
    let ours = bits(plan.evaluate(input, subject.width));
    let original = super::machine::evaluate(&subject.original, input, subject.width);
    ours - bits(original)
}

/// The input with one variable changed: a little, much, or to almost another variable's value.
fn moved(subject: &Subject, input: &[f64], random: &mut Random) -> Vec<f64> {
    let mut moved = input.to_vec();
    let count = input.len() as u64;
    let index = random.below(count) as usize;
    let apart = 2f64.powi(-(random.below(50) as i32)) * (random.unit() - 0.5);
    let from = match random.below(4) {
        0 => input[random.below(count) as usize],
        _ => input[index],
    };
    let range = subject.ranges[index];
    moved[index] = subject
        .width
        .round(from * (1.0 + apart))
        .clamp(range.low, range.high);
    moved
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
    let pairs = points.inputs.iter().zip(&points.exact);
    pairs
        .filter(|(input, exact)| excess(subject, plan, input, **exact) > WORSE)
        .map(|(input, _)| input.clone())
        .collect()
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
