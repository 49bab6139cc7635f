//! The choice among candidates, checked on fresh points: nothing may be worse than the original.

use super::{
    branches::{Chooser, WORSE},
    candidate::Candidate,
    establish::leaf_by_leaf,
    harm::{HARM, around, extents, harmed, is_systematic, sought, worse_points},
    math::Term,
    plan::Plan,
    points::{Points, Population},
    search::Effort,
    subject::Subject,
    wishes::{Purpose, Wishes},
};
use crate::numeric::Random;

/// Points on which a choice is checked.
const CHECKED: usize = 400;
const CHECKS: u64 = 6;
/// How often it may fail before the candidate most to blame is left out, and altogether.
const CONFIRMATIONS: usize = 4;
const ATTEMPTS: usize = 8;
/// Points that are learned from a failure: each of them outweighs any branch.
const LEARNED: usize = 12;
/// Of those, how far the harm extends is learned, too.
const EXTENDED: usize = 4;

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
        for input in harmed.iter().take(EXTENDED) {
            for far in extents(subject, &plan, input) {
                points.add(subject, far, Population::Boundary);
            }
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

fn fresh_points(subject: &Subject, plan: &Plan, seed: u64) -> Points {
    let mut fresh = Points::default();
    if *plan != Plan::Term(subject.original.clone()) {
        fresh.draw(subject, Population::Wide, CHECKED, seed);
        fresh.draw(subject, Population::Everyday, CHECKED, seed);
        fresh.draw(subject, Population::Critical, CHECKED / 2, seed);
    }
    fresh
}
