//! Inputs at which a part of a repair is nearly 0: there its rounding errors weigh most, and random inputs hardly ever
//! come near.
//!
//! They are found by bisection, over the numbers of the format, between two inputs at which an operation has results of
//! different signs. How far each bisection goes is drawn, too, so that the inputs come near in different degrees.
//! It can miss zeros without a change of sign, and those that need two variables to change at once.

use egg::Language;
use lostbits_abi::ops::Op;

use super::{
    error::{from_ordinal, ordinal},
    machine::{self, Width},
    math::{Math, Term},
    plan::Plan,
    points::Points,
    subject::Subject,
};
use crate::numeric::Random;

/// Pairs of inputs that are tried for each operation.
const PAIRS: usize = 24;
/// Inputs for each operation.
const WANTED: usize = 6;
const MOST: usize = 160;

/// Inputs near zeros of the operations of a plan's leaves.
pub fn near_zeros(subject: &Subject, plan: &Plan, points: &Points, seed: u64) -> Vec<Vec<f64>> {
    let mut random = Random::new(seed ^ 0xadf0);
    let mut found = Vec::new();
    let leaves = plan.leaves();
    let others = leaves.into_iter().filter(|leaf| **leaf != subject.original);
    for leaf in others {
        let inside: Vec<&Vec<f64>> = points
            .inputs
            .iter()
            .filter(|input| plan.leaf(input) == leaf)
            .collect();
        if inside.is_empty() {
            continue;
        }
        for index in (0..leaf.len()).filter(|index| may_cancel(leaf, *index)) {
            let wanted = found.len() + WANTED;
            for _ in 0..PAIRS {
                if found.len() == wanted || found.len() >= MOST {
                    break;
                }
                let input = near_zero(subject, leaf, index, &inside, &mut random);
                found.extend(
                    input.filter(|input| plan.leaf(input) == leaf && subject.admits(input)),
                );
            }
        }
    }
    found
}

/// Products and signs are 0 where their operands are.
fn may_cancel(term: &Term, index: usize) -> bool {
    let node = &term[egg::Id::from(index)];
    match node.op() {
        None | Some(Op::Mul | Op::Div | Op::Neg | Op::Abs | Op::Sqrt | Op::Hypot) => false,
        Some(_) => !node.children().is_empty() && !is_constant(term, node),
    }
}

fn is_constant(term: &Term, node: &Math) -> bool {
    let of = |id: &egg::Id| matches!(term[*id], Math::Number(_) | Math::Constant(_));
    node.children().iter().all(of)
}

fn near_zero(
    subject: &Subject,
    leaf: &Term,
    index: usize,
    inside: &[&Vec<f64>],
    random: &mut Random,
) -> Option<Vec<f64>> {
    let width = subject.width;
    let draw = |random: &mut Random| inside[random.below(inside.len() as u64) as usize];
    let (mut input, other) = (draw(random).clone(), draw(random));
    let variable = random.below(input.len() as u64) as usize;
    let value = |input: &[f64]| machine::trace(leaf, input, width)[index];
    let (mut low, mut high) = (
        ordinal(input[variable], width),
        ordinal(other[variable], width),
    );
    let sign = value(&input);
    input[variable] = other[variable];
    if sign.is_nan() || value(&input).is_nan() || (sign > 0.0) == (value(&input) > 0.0) {
        return None;
    }
    let steps = 4 + random.below(steps(width));
    for _ in 0..steps {
        if low.abs_diff(high) < 2 {
            break;
        }
        let middle = low.midpoint(high);
        input[variable] = from_ordinal(middle, width);
        let here = value(&input);
        match (here > 0.0) == (sign > 0.0) {
            true => low = middle,
            false => high = middle,
        }
    }
    let range = subject.ranges[variable];
    (range.low..=range.high)
        .contains(&input[variable])
        .then_some(input)
}

/// From one end of the format to the other, and no further than to neighbours.
fn steps(width: Width) -> u64 {
    match width {
        Width::Double => 60,
        Width::Single => 28,
    }
}
