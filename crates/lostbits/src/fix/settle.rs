//! The choice among candidates, checked on fresh points: nothing may be worse than the original.

use super::{
    adversary::near_zeros,
    branches::{Chooser, WORSE},
    candidate::Candidate,
    error::{from_ordinal, ordinal, ulps},
    establish::leaf_by_leaf,
    exact, machine,
    math::Term,
    plan::{Plan, Threshold},
    points::{Points, Population, everyday, wide},
    search::Effort,
    subject::Subject,
    wishes::{Purpose, Wishes},
};
use crate::numeric::Random;
use lostbits_abi::ops::Op;

/// Points on which a choice is checked.
const CHECKED: usize = 400;
const CHECKS: u64 = 6;
/// Points on which the last choice is confirmed.
const CONFIRMED: usize = 1200;
/// How often it may fail before the candidate most to blame is left out, and altogether.
const CONFIRMATIONS: usize = 3;
const ATTEMPTS: usize = 8;
/// Points that are learned from a failure: each of them outweighs any branch.
const LEARNED: usize = 12;
/// No point may be worse by this many bits: a little below the promised 4.
const HARM: f64 = 3.5;

/// Chooses, checks the choice on fresh points and around its thresholds, and chooses again with those that disagree.
/// A candidate that still is much worse than the original somewhere is left out in the end.
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
    let mut candidates = candidates.to_vec();
    let mut best: Option<(usize, Plan)> = None;
    for attempt in 0..ATTEMPTS {
        let seed = effort.seed.wrapping_add(100 * attempt as u64);
        let checks = if attempt == 0 { CHECKS } else { 2 };
        let plan = chosen(
            subject,
            &candidates,
            &mut points,
            effort,
            wishes,
            seed,
            checks,
        );
        if plan == original {
            break;
        }
        let harmed = harmed(subject, &plan, seed);
        if best.as_ref().is_none_or(|(least, _)| harmed.len() < *least) {
            best = Some((harmed.len(), plan.clone()));
        }
        if harmed.is_empty() {
            break;
        }
        if attempt >= CONFIRMATIONS {
            let at = |term: &Term| {
                harmed
                    .iter()
                    .filter(|input| plan.leaf(input) == term)
                    .count()
            };
            let leaves = plan.leaves().into_iter();
            let most = leaves.max_by_key(|leaf| at(leaf)).cloned();
            candidates
                .retain(|one| one.term == subject.original || Some(&one.term) != most.as_ref());
        }
        for input in harmed.into_iter().take(LEARNED) {
            points.add(subject, input, Population::Boundary);
        }
    }
    let plan = match best {
        None => original,
        Some((0, plan)) => plan,
        // What is known to be worse somewhere is never proposed.
        Some((_, plan)) => without_harm(subject, plan, effort.seed),
    };
    match wishes.purpose == Purpose::Speed || pays(subject, &plan, &points) {
        true => (plan, points),
        false => (Plan::Term(subject.original.clone()), points),
    }
}

/// The plan with the original instead of every term that is much worse somewhere.
fn without_harm(subject: &Subject, mut plan: Plan, seed: u64) -> Plan {
    // Each turn removes at least one term.
    for turn in 0..=plan.leaves().len() as u64 {
        let harmed = harmed(subject, &plan, seed.wrapping_add(7000 + turn));
        let blamed: Vec<Term> = harmed
            .iter()
            .map(|input| plan.leaf(input).clone())
            .filter(|term| *term != subject.original)
            .collect();
        if blamed.is_empty() {
            return plan;
        }
        plan = leaf_by_leaf(
            &plan,
            subject.intervals(),
            &mut |leaf, _| match blamed.contains(leaf) {
                true => subject.original.clone(),
                false => leaf.clone(),
            },
        );
    }
    Plan::Term(subject.original.clone())
}

/// Whether a plan is enough of an improvement to change what somebody wrote.
fn pays(subject: &Subject, plan: &Plan, points: &Points) -> bool {
    const MEAN: f64 = 0.05;
    const WORST: f64 = 3.0;
    let (mut gained, mut before, mut after) = (0.0, 0.0f64, 0.0f64);
    for ((input, exact), weight) in points
        .inputs
        .iter()
        .zip(&points.exact)
        .zip(points.weights())
    {
        let bits = |value: f64| super::error::bits(value, *exact, subject.width);
        let ours = bits(plan.evaluate(input, subject.width));
        let original = bits(super::machine::evaluate(
            &subject.original,
            input,
            subject.width,
        ));
        gained += weight * (original - ours);
        if weight > 0.0 {
            (before, after) = (before.max(original), after.max(ours));
        }
    }
    gained >= MEAN || before - after >= WORST
}

/// Inputs at which a plan is much worse than the original: random ones and those around its thresholds, and where its sums
/// cancel or climbing leads, those at which not chance alone makes the original better.
fn harmed(subject: &Subject, plan: &Plan, seed: u64) -> Vec<Vec<f64>> {
    let seed = seed ^ 0x4a53_0000;
    let mut fresh = Points::default();
    fresh.draw(subject, Population::Wide, CONFIRMED, seed);
    fresh.draw(subject, Population::Everyday, CONFIRMED, seed);
    fresh.draw(subject, Population::Critical, CONFIRMED / 4, seed);
    for turn in 0..4 {
        let near = around(subject, plan, &fresh, seed + turn);
        fresh.append(&near);
    }
    for population in [Population::Everyday, Population::Wide] {
        suspects(subject, plan, population, seed, &mut fresh);
    }
    let mut harmed = worse_points(subject, plan, &fresh, HARM);
    let mut random = Random::new(seed);
    let sought = sought(subject, plan, &mut fresh, seed, HARM);
    harmed.extend(
        sought
            .into_iter()
            .filter(|input| is_systematic(subject, plan, input, &mut random)),
    );
    harmed
}

/// Adds inputs at which the plan and the original differ by more than a few bits: only there can the plan be much worse. To
/// find them takes no exact values, so that many more inputs can be tried than computed exactly.
fn suspects(subject: &Subject, plan: &Plan, population: Population, seed: u64, fresh: &mut Points) {
    const TRIED: usize = 6000;
    const COMPUTED: usize = 700;
    // 2^3.5 - 1, below which no repair is worse by 3.5 bits.
    const ALIKE: f64 = 10.0;
    let width = subject.width;
    let thresholds = plan.thresholds();
    // MPFR's powers take a hundred times as long as its sums.
    let powers = subject
        .original
        .iter()
        .filter(|node| node.op() == Some(Op::Pow));
    let affordable = COMPUTED / (1 + 8 * powers.count());
    let mut random = Random::new(seed ^ 0x5053 ^ ((population as u64) << 40));
    let mut computed = 0;
    for turn in 0..TRIED {
        let mut input = match population {
            Population::Everyday => everyday(subject, &mut random),
            _ => wide(subject, &mut random),
        };
        if turn % 4 == 0 && !thresholds.is_empty() {
            let test = &thresholds[random.below(thresholds.len() as u64) as usize];
            input[test.variable as usize] = beside(test, random.below(24) as u32, &mut random);
        }
        let term = plan.leaf(&input);
        if *term == subject.original {
            continue;
        }
        let ours = machine::evaluate(term, &input, width);
        let original = machine::evaluate(&subject.original, &input, width);
        let is_alike = original.is_nan()
            || ulps(ours, original, width).is_some_and(|distance| distance <= ALIKE);
        if is_alike {
            continue;
        }
        fresh.add(subject, input, Population::Boundary);
        computed += 1;
        if computed == affordable {
            break;
        }
    }
}

/// Inputs at which a plan is worse than the original, near zeros of its operations and by climbing.
fn sought(
    subject: &Subject,
    plan: &Plan,
    fresh: &mut Points,
    seed: u64,
    limit: f64,
) -> Vec<Vec<f64>> {
    let mut near = Points::default();
    for input in near_zeros(subject, plan, fresh, seed) {
        near.add(subject, input, Population::Boundary);
    }
    fresh.append(&near);
    let mut found = worse_points(subject, plan, &near, limit);
    found.extend(probe(subject, plan, fresh, seed, limit));
    found
}

/// Whether a plan is worse than the original at most of an input's neighbours, too. Where both are inaccurate, each is better
/// than the other at some inputs by chance.
fn is_systematic(subject: &Subject, plan: &Plan, input: &[f64], random: &mut Random) -> bool {
    const NEIGHBOURS: usize = 6;
    let mut worse = 0;
    for _ in 0..NEIGHBOURS {
        let neighbour: Vec<f64> = input
            .iter()
            .zip(&subject.ranges)
            .map(|(x, range)| {
                let place = ordinal(*x, subject.width) + random.below(33) as i64 - 16;
                from_ordinal(place, subject.width).clamp(range.low, range.high)
            })
            .collect();
        let exact = exact::value(&subject.original, &neighbour, subject.width);
        if let Some(exact) = exact.filter(|exact| exact.is_finite()) {
            worse += usize::from(excess(subject, plan, &neighbour, exact) > HARM - 1.0);
        }
    }
    2 * worse > NEIGHBOURS
}

/// The best plan of some turns, each with the points at which the one before was worse than the original.
fn chosen(
    subject: &Subject,
    candidates: &[Candidate],
    points: &mut Points,
    effort: Effort,
    wishes: &Wishes,
    seed: u64,
    checks: u64,
) -> Plan {
    let mut best: Option<(usize, Plan)> = None;
    for turn in 0..checks {
        let chooser = Chooser::new(
            candidates,
            points,
            subject.width,
            effort.with_branches,
            wishes,
        );
        let plan = chooser.choose();
        let seed = seed.wrapping_add(1000 + turn);
        let mut fresh = fresh_points(subject, &plan, seed);
        let mut worse = worse_points(subject, &plan, &fresh, WORSE);
        let mut random = Random::new(seed);
        let sought = sought(subject, &plan, &mut fresh, seed, HARM);
        worse.extend(
            sought
                .into_iter()
                .filter(|input| is_systematic(subject, &plan, input, &mut random))
                .take(LEARNED),
        );
        let near = around(subject, &plan, points, seed);
        let before = points.len();
        let count = worse.len() + worse_points(subject, &plan, &near, WORSE).len();
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
    best.map_or_else(|| Plan::Term(subject.original.clone()), |(_, plan)| plan)
}

/// Starting points of a probe, and steps from each.
const STARTS: usize = 12;
const STEPS: usize = 14;

/// Inputs at which the plan is worse than the original, found by climbing from where it comes closest to that.
fn probe(subject: &Subject, plan: &Plan, fresh: &Points, seed: u64, limit: f64) -> Vec<Vec<f64>> {
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
            if excess > limit {
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

/// Inputs at which the plan is worse than the original by more than some bits.
pub fn worse_points(subject: &Subject, plan: &Plan, points: &Points, limit: f64) -> Vec<Vec<f64>> {
    let pairs = points.inputs.iter().zip(&points.exact);
    pairs
        .filter(|(input, exact)| excess(subject, plan, input, **exact) > limit)
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
