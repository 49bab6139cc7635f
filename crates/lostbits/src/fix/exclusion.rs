//! Why no input could be drawn: which part of `:pre` excludes how many, and what the others end in.

use super::{
    points::{Addition, Points, Population, everyday, wide},
    subject::Subject,
};
use crate::{
    fpcore::evaluate::{Budget, Value, reals::holds_really},
    inputs::bounds::{conjuncts, in_pre},
    numeric::Random,
};

const TRIED: usize = 2000;
const BUDGET: Budget = Budget(10_000);

/// One sentence.
pub fn explain(subject: &Subject, seed: u64) -> String {
    let mut random = Random::new(seed ^ 0xe8c1);
    let inputs: Vec<Vec<f64>> = (0..TRIED)
        .map(|turn| match turn % 2 {
            0 => wide(subject, &mut random),
            _ => everyday(subject, &mut random),
        })
        .collect();
    let admitted: Vec<&Vec<f64>> = inputs
        .iter()
        .filter(|input| subject.admits(input))
        .collect();
    if admitted.is_empty() {
        let (part, share) = strictest(subject, &inputs);
        return format!(
            "no input was found that satisfies :pre: {part} excludes {share} of {TRIED} inputs drawn within the ranges; \
             narrow the variables with --range"
        );
    }
    let mut points = Points::default();
    let undecided = admitted.iter().take(200).filter(|input| {
        points.add(subject, (**input).clone(), Population::Wide) == Addition::Undecided
    });
    match undecided.count() {
        0 => "the exact result is infinite or undefined at every input drawn: give other ranges with --range".to_owned(),
        n => format!(
            "the exact result is infinite, undefined or not decided ({n} of {}) at every input drawn: give other ranges with --range",
            admitted.len().min(200)
        ),
    }
}

/// The part of `:pre` that excludes most inputs, and how many.
fn strictest(subject: &Subject, inputs: &[Vec<f64>]) -> (String, usize) {
    let parts = subject.core.pre.iter().flat_map(conjuncts);
    let excluded = parts.map(|part| {
        let mut core = subject.core.clone();
        core.pre = Some(part.clone());
        let fails = |input: &&Vec<f64>| {
            let values: Vec<Value<f64>> = input.iter().map(|x| Value::Number(*x)).collect();
            holds_really(&core, &values, BUDGET) != Ok(true)
        };
        (in_pre(part), inputs.iter().filter(fails).count())
    });
    excluded
        .max_by_key(|(_, count)| *count)
        .unwrap_or_else(|| ("the range".to_owned(), inputs.len()))
}
