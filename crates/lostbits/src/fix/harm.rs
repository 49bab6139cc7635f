//! Inputs at which a plan is worse than the original: random ones, those around its thresholds, near zeros of its
//! operations, and by climbing; and how far the harm extends.

use lostbits_abi::ops::Op;

use super::{
    adversary::near_zeros,
    error::{self, from_ordinal, ordinal, ulps},
    exact, machine,
    plan::{Plan, Threshold},
    points::{Points, Population, everyday, extreme, wide},
    subject::Subject,
};
use crate::numeric::Random;

/// Points on which the last choice is confirmed.
const CONFIRMED: usize = 1200;
/// No point may be worse by this many bits: a little below the promised 4.
pub const HARM: f64 = 3.5;

/// Inputs at which a plan is much worse than the original: random ones and those around its thresholds, and where its sums
/// cancel or climbing leads, those at which not chance alone makes the original better.
pub fn harmed(subject: &Subject, plan: &Plan, seed: u64) -> Vec<Vec<f64>> {
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
    harmed.extend(unlucky(subject, plan, &fresh, seed));
    let mut random = Random::new(seed);
    let sought = sought(subject, plan, &mut fresh, seed, HARM);
    harmed.extend(
        sought
            .into_iter()
            .filter(|input| is_systematic(subject, plan, input, &mut random)),
    );
    harmed
}

/// Inputs at which the original is better by chance, where that is not negligible: near those at which the plan is inaccurate,
/// every input is another throw of the dice.
fn unlucky(subject: &Subject, plan: &Plan, fresh: &Points, seed: u64) -> Vec<Vec<f64>> {
    const NEIGHBOURS: usize = 8;
    /// Of all inputs that are drawn, at how few chance may favour the original.
    const NEGLIGIBLE: f64 = 1.0 / 3000.0;
    let mut random = Random::new(seed ^ 0x0bad);
    let is_drawn = |index: &usize| {
        matches!(
            fresh.populations[*index],
            Population::Wide | Population::Everyday
        )
    };
    let is_inaccurate = |index: &usize| {
        let (input, exact) = (&fresh.inputs[*index], fresh.exact[*index]);
        let term = plan.leaf(input);
        let value = machine::evaluate(term, input, subject.width);
        *term != subject.original && error::bits(value, exact, subject.width) > HARM
    };
    let drawn: Vec<usize> = (0..fresh.len()).filter(is_drawn).collect();
    let starts: Vec<usize> = drawn.iter().copied().filter(is_inaccurate).collect();
    let share = |part: usize, of: usize| part as f64 / of.max(1) as f64;
    let inaccurate = share(starts.len(), drawn.len());
    // As many throws as it takes to see what is not negligible.
    let throws = inaccurate / NEGLIGIBLE / NEIGHBOURS as f64;
    let step = starts
        .len()
        .div_ceil((throws as usize).clamp(40, 200))
        .max(1);
    let mut near = Points::default();
    for start in starts.iter().step_by(step) {
        let input = &fresh.inputs[*start];
        for _ in 0..NEIGHBOURS {
            let neighbour = moved(subject, input, &mut random);
            if plan.leaf(&neighbour) == plan.leaf(input) {
                near.add(subject, neighbour, Population::Boundary);
            }
        }
    }
    let worse = worse_points(subject, plan, &near, HARM);
    match inaccurate * share(worse.len(), near.len()) > NEGLIGIBLE {
        true => worse,
        false => Vec::new(),
    }
}

/// The farthest inputs in each direction of each variable at which a plan is still worse than the original: where harm ends is
/// where a threshold belongs.
pub fn extents(subject: &Subject, plan: &Plan, harmed: &[f64]) -> Vec<Vec<f64>> {
    let width = subject.width;
    // From 1/256 of an octave on.
    let first = width.bits() - 9;
    let mut found = Vec::new();
    for index in 0..harmed.len() {
        let range = subject.ranges[index];
        for sign in [-1, 1] {
            let mut farthest = None;
            for doubling in first..63 {
                let place = ordinal(harmed[index], width).checked_add(sign << doubling);
                let Some(place) = place else { break };
                let ends = [ordinal(range.low, width), ordinal(range.high, width)];
                if !(ends[0]..=ends[1]).contains(&place) {
                    break;
                }
                let mut input = harmed.to_vec();
                input[index] = from_ordinal(place, width);
                match is_worse(subject, plan, &input) {
                    true => farthest = Some(input),
                    false => break,
                }
            }
            found.extend(farthest);
        }
    }
    found
}

fn is_worse(subject: &Subject, plan: &Plan, input: &[f64]) -> bool {
    let exact = exact::value(&subject.original, input, subject.width);
    subject.admits(input)
        && exact
            .is_some_and(|exact| exact.is_finite() && excess(subject, plan, input, exact) > HARM)
}

/// Adds inputs at which the plan and the original differ by more than a few bits: only there can the plan be much worse. To
/// find them takes no exact values, so that many more inputs can be tried than computed exactly. Those at which the plan
/// overflows or underflows and the original does not come first.
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
    let (mut alarming, mut others) = (Vec::new(), Vec::new());
    for turn in 0..TRIED {
        let mut input = match population {
            Population::Everyday => everyday(subject, &mut random),
            _ if turn % 3 == 0 => extreme(subject, &mut random),
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
        let is_number = |x: f64| x.is_finite() && x != 0.0;
        match is_number(original) && !is_number(ours) {
            true if alarming.len() < affordable => alarming.push(input),
            false if others.len() < affordable => others.push(input),
            _ => {}
        }
    }
    for input in alarming.into_iter().chain(others).take(affordable) {
        fresh.add(subject, input, Population::Boundary);
    }
}

/// Inputs at which a plan is worse than the original, near zeros of its operations and by climbing.
pub fn sought(
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
pub fn is_systematic(subject: &Subject, plan: &Plan, input: &[f64], random: &mut Random) -> bool {
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
    let bits = |value: f64| error::bits(value, exact, subject.width);
    let ours = bits(plan.evaluate(input, subject.width));
    let original = machine::evaluate(&subject.original, input, subject.width);
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

/// Inputs at which the plan is worse than the original by more than some bits.
pub fn worse_points(subject: &Subject, plan: &Plan, points: &Points, limit: f64) -> Vec<Vec<f64>> {
    let pairs = points.inputs.iter().zip(&points.exact);
    pairs
        .filter(|(input, exact)| excess(subject, plan, input, **exact) > limit)
        .map(|(input, _)| input.clone())
        .collect()
}

/// Points on both sides of each threshold, near and not so near.
pub fn around(subject: &Subject, plan: &Plan, points: &Points, seed: u64) -> Points {
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
