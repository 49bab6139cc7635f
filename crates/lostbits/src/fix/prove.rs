//! A bound on the error of a repair, by interval branch and bound over the numbers of the format.
//!
//! What is proved of one box is in [`super::error_model`].
//!
//! Boxes are divided in the order of the format's numbers, thresholds of the repair first, until the budget is spent
//! ([`super::agenda`] says which is next). What remains is only sampled. Unlike FPTaylor and Daisy this bounds ulps, not absolute errors.
//! It can miss that errors cancel: compensated forms are only sampled.

use egg::Language;
use lostbits_abi::ops::Op;

use super::{
    agenda::{Agenda, Cell, Size},
    error::from_ordinal,
    error_model::ulps,
    exact,
    interval::{self, Interval},
    machine::Width,
    math::{Math, Term},
    plan::Plan,
    proof::Proof,
    subject::Subject,
};
use crate::fpcore::ast::operator;

pub use super::error_model::{libm_ulps, relative_error};

/// Boxes that are examined.
const BUDGET: usize = 3000;
/// Larger bounds are not worth telling.
const WANTED: u32 = 16;

/// The bound that can be proved for a plan, and where. `remainder` is the relative distance of a leaf from the
/// original in exact arithmetic: 0 but for series.
pub fn prove(
    subject: &Subject,
    plan: &Plan,
    remainder: &dyn Fn(&Term) -> f64,
    max_ulps: Option<u32>,
) -> Proof {
    let wanted = max_ulps.unwrap_or(WANTED);
    let width = subject.width;
    let mut agenda = Agenda::new(subject);
    let mut proved: Vec<(Cell, f64)> = Vec::new();
    let mut worst = 0.0f64;
    let [mut done, mut missing, mut kept] = [Size::default(); 3];
    let keeps_some = plan.leaves().len() > 1;
    for _ in 0..BUDGET {
        let Some((cell, measure)) = agenda.pop() else {
            break;
        };
        let size = agenda.size(&cell);
        if super::clock::is_interrupted() {
            missing += size;
            break;
        }
        if is_undefined(&subject.original, &cell.intervals(width)) {
            continue;
        }
        let ulps = match cell.point(width) {
            Some(input) => match ulps_at(subject, plan, &input) {
                Some(ulps) => Some(ulps),
                // The original has no value there.
                None => continue,
            },
            None => bound(plan, &cell, remainder, width),
        };
        if let Some(ulps) = ulps
            && ulps <= f64::from(wanted)
        {
            worst = worst.max(ulps);
            done += size;
            proved.push((cell, size.numbers));
            continue;
        }
        if keeps_some && only_leaf(plan, &cell.intervals(width)) == Some(&subject.original) {
            kept += size;
            continue;
        }
        let parts = agenda.divided(&cell, plan, measure);
        if parts.is_empty() {
            missing += size;
        }
        for cell in parts {
            agenda.push(cell);
        }
    }
    for cell in agenda.rest() {
        missing += agenda.size(cell);
    }
    let boxes = merged(proved, width);
    let mut functions: Vec<Op> = plan
        .leaves()
        .iter()
        .flat_map(|leaf| leaf.iter().filter_map(Math::op))
        .filter(|op| libm_ulps(*op).is_some())
        .collect();
    functions.sort_by_key(|op| operator(*op));
    functions.dedup();
    let libm = functions.iter().filter_map(|op| libm_ulps(*op)).max();
    Proof {
        ulps: worst.ceil().max(1.0) as u32,
        libm_ulps: libm.unwrap_or(0),
        boxes,
        share: if missing.numbers + kept.numbers == 0.0 {
            1.0
        } else {
            (done.numbers / (done.numbers + missing.numbers + kept.numbers)).min(0.999_999)
        },
        kept: kept.numbers / (done.numbers + missing.numbers + kept.numbers).max(1.0),
        everyday_open: match done.everyday + missing.everyday + kept.everyday {
            0.0 => 0.0,
            all => missing.everyday / all,
        },
        functions: functions
            .iter()
            .map(|op| operator(*op).to_owned())
            .collect(),
    }
}

/// The ranges of proved cells, neighbours of one variable joined.
fn merged(mut proved: Vec<(Cell, f64)>, width: Width) -> Vec<Vec<(f64, f64)>> {
    let is_line = proved
        .first()
        .is_some_and(|(cell, _)| cell.sides.len() == 1);
    let mut cells: Vec<Cell> = Vec::new();
    if is_line {
        proved.sort_by_key(|(cell, _)| cell.sides[0].0);
        for (cell, _) in proved {
            match cells.last_mut() {
                Some(last) if last.sides[0].1 + 1 == cell.sides[0].0 => {
                    last.sides[0].1 = cell.sides[0].1;
                }
                _ => cells.push(cell),
            }
        }
        cells.sort_by(|a, b| b.volume().total_cmp(&a.volume()));
    } else {
        proved.sort_by(|a, b| b.1.total_cmp(&a.1));
        cells = proved.into_iter().map(|(cell, _)| cell).collect();
    }
    let ends = |cell: &Cell| {
        let sides = cell.sides.iter();
        sides
            .map(|(low, high)| (from_ordinal(*low, width), from_ordinal(*high, width)))
            .collect()
    };
    cells.iter().map(ends).collect()
}

/// The error at one input, computed; none where the original has no finite value.
fn ulps_at(subject: &Subject, plan: &Plan, input: &[f64]) -> Option<f64> {
    let exact = exact::value(&subject.original, input, subject.width)?;
    if !exact.is_finite() {
        return None;
    }
    let computed = plan.evaluate(input, subject.width);
    Some(super::error::ulps(computed, exact, subject.width).unwrap_or(f64::INFINITY))
}

/// Whether the term has no value anywhere in a box.
fn is_undefined(term: &Term, ranges: &[Interval]) -> bool {
    let mut all: Vec<Interval> = Vec::new();
    for node in term.iter() {
        let operands: Vec<Interval> = node
            .children()
            .iter()
            .map(|id| all[usize::from(*id)])
            .collect();
        let values = match node {
            Math::Number(value) => Interval::point(value.to_f64()),
            Math::Constant(_) => Interval::ALL,
            Math::Variable(index) => ranges[*index as usize],
            _ => node
                .op()
                .map_or(Interval::ALL, |op| interval::operation(op, &operands)),
        };
        let is_outside = match node.op() {
            Some(Op::Sqrt) => operands[0].high < 0.0,
            Some(Op::Log | Op::Log2 | Op::Log10) => operands[0].high < 0.0,
            Some(Op::Log1p) => operands[0].high < -1.0,
            Some(Op::Asin | Op::Acos | Op::Atanh) => {
                operands[0].low > 1.0 || operands[0].high < -1.0
            }
            Some(Op::Acosh) => operands[0].high < 1.0,
            _ => false,
        };
        if is_outside {
            return true;
        }
        all.push(values);
    }
    false
}

/// The error in ulps over a cell; none where the model does not hold or several leaves are concerned.
fn bound(plan: &Plan, cell: &Cell, remainder: &dyn Fn(&Term) -> f64, width: Width) -> Option<f64> {
    let ranges = cell.intervals(width);
    let leaf = only_leaf(plan, &ranges)?;
    let computed = ulps(leaf, &ranges, width)?;
    Some(computed + 1.1 * remainder(leaf) * 2f64.powi(width.bits() as i32))
}

/// The leaf that all inputs of a box lead to.
fn only_leaf<'a>(plan: &'a Plan, ranges: &[Interval]) -> Option<&'a Term> {
    match plan {
        Plan::Term(term) => Some(term),
        Plan::Branch {
            test,
            below,
            otherwise,
        } => {
            let range = ranges[test.variable as usize];
            let ends = match test.of_magnitude {
                false => [range.low, range.high],
                true if range.low < 0.0 && range.high > 0.0 => [0.0, range.high.max(-range.low)],
                true => [range.low.abs(), range.high.abs()],
            };
            let is_below = |key: f64| key < test.limit || (test.inclusive && key == test.limit);
            match ends.map(is_below) {
                [true, true] => only_leaf(below, ranges),
                [false, false] => only_leaf(otherwise, ranges),
                _ => None,
            }
        }
    }
}
