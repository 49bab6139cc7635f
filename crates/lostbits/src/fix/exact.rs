//! Exact values: terms in the interval evaluator, at precisions that rise until the value is decided.
//!
//! The arithmetic is [`crate::fpcore::evaluate::enclosure`]; this module only walks terms, because the search needs the
//! values of all subexpressions and of classes of the e-graph.

use egg::Language;
use lostbits_abi::ops::Op;
use rug::{Float, Rational};

use super::{
    machine::Width,
    math::{CONSTANTS, Math, Term},
};
use crate::fpcore::evaluate::{
    enclosure::{self, Enclosure},
    reals::constant_value,
};

const PRECISIONS: [u32; 5] = [128, 256, 512, 1280, 4096];
/// Enclosures that agree to this many bits count as one value.
const DECIDED: u32 = 70;

/// A leaf at a precision.
pub fn leaf(node: &Math, inputs: &[f64], precision: u32, width: Width) -> Enclosure {
    match node {
        Math::Number(value) => rational(value, precision),
        Math::Constant(index) => {
            Enclosure::exact(constant_value(CONSTANTS[usize::from(*index)], width.bits()))
        }
        Math::Variable(index) => Enclosure::exact(Float::with_val(53, inputs[*index as usize])),
        _ => Enclosure::Unknown,
    }
}

fn rational(value: &Rational, precision: u32) -> Enclosure {
    let rounded = Float::with_val(precision, value);
    let inexact = rounded.to_rational().is_none_or(|exact| exact != *value);
    Enclosure::rounded(rounded, inexact)
}

/// The enclosures of all nodes.
pub fn enclosures(term: &Term, inputs: &[f64], precision: u32, width: Width) -> Vec<Enclosure> {
    let mut all: Vec<Enclosure> = Vec::with_capacity(term.len());
    for node in term.iter() {
        let value = match node.op() {
            None => leaf(node, inputs, precision, width),
            Some(op) => {
                let operands: Vec<Enclosure> = node
                    .children()
                    .iter()
                    .map(|id| all[usize::from(*id)].clone())
                    .collect();
                enclosure::operation(op, &operands, precision)
            }
        };
        all.push(value);
    }
    all
}

/// The correctly rounded value of an enclosure that is narrow enough; NaN for what is certainly no number.
pub fn rounded(value: &Enclosure, width: Width) -> Option<f64> {
    match value {
        Enclosure::Nan => Some(f64::NAN),
        Enclosure::Between(low, high) => {
            let ends = match width {
                Width::Double => [low.to_f64(), high.to_f64()],
                Width::Single => [f64::from(low.to_f32()), f64::from(high.to_f32())],
            };
            let is_one = ends[0] == ends[1] || enclosure::is_tight(low, high, DECIDED);
            is_one.then_some(ends[0])
        }
        Enclosure::Unknown => None,
    }
}

/// The precisions that are worth their time: MPFR's powers with thousands of bits take milliseconds.
fn precisions(term: &Term) -> &'static [u32] {
    let powers = term.iter().filter(|node| node.op() == Some(Op::Pow));
    match powers.count() {
        0 | 1 => &PRECISIONS,
        _ => &PRECISIONS[..4],
    }
}

/// The value of a term, correctly rounded to the format; none where 4096 bits (1280 with several powers) do not decide it.
pub fn value(term: &Term, inputs: &[f64], width: Width) -> Option<f64> {
    precisions(term).iter().find_map(|precision| {
        let all = enclosures(term, inputs, *precision, width);
        all.last().and_then(|value| rounded(value, width))
    })
}

/// The value of a term with at least 90 bits; none where it is not decided, or no number.
pub fn precise(term: &Term, inputs: &[f64], width: Width) -> Option<Float> {
    PRECISIONS.iter().find_map(|precision| {
        let all = enclosures(term, inputs, *precision, width);
        match all.last() {
            Some(Enclosure::Between(low, high)) if enclosure::is_tight(low, high, 90) => {
                Some(low.clone())
            }
            _ => None,
        }
    })
}
