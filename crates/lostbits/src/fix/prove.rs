//! A bound on the error of a repair, by interval branch and bound over the numbers of the format.
//!
//! What is proved of one box is in [`super::error_model`].
//!
//! Boxes are divided in the order of the format's numbers, thresholds of the repair first, the largest first, until the
//! budget is spent. What remains is only sampled. Unlike FPTaylor and Daisy this bounds ulps, not absolute errors.
//! It can miss that errors cancel: compensated forms are only sampled.

use std::{cmp::Ordering, collections::BinaryHeap};

use egg::Language;
use lostbits_abi::ops::Op;

use super::{
    error::{from_ordinal, ordinal},
    error_model::ulps,
    exact,
    interval::{self, Interval},
    machine::Width,
    math::{Math, Term},
    plan::{Plan, Threshold},
    proof::Proof,
    subject::Subject,
};
use crate::fpcore::ast::operator;

pub use super::error_model::{libm_ulps, relative_error};

/// Boxes that are examined.
const BUDGET: usize = 1500;
/// Larger bounds are not worth telling.
const WANTED: u32 = 16;

/// A side of each variable, as places in the order of numbers.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Cell {
    sides: Vec<(i64, i64)>,
}

struct Open {
    cell: Cell,
    volume: f64,
    age: usize,
}

impl PartialEq for Open {
    fn eq(&self, other: &Open) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Open {}

impl PartialOrd for Open {
    fn partial_cmp(&self, other: &Open) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// The largest first, then the oldest.
impl Ord for Open {
    fn cmp(&self, other: &Open) -> Ordering {
        self.volume
            .total_cmp(&other.volume)
            .then(other.age.cmp(&self.age))
    }
}

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
    let whole = Cell {
        sides: subject
            .ranges
            .iter()
            .map(|range| (ordinal(range.low, width), ordinal(range.high, width)))
            .collect(),
    };
    let mut heap = BinaryHeap::from([Open {
        volume: whole.volume(),
        age: 0,
        cell: whole,
    }]);
    let mut proved: Vec<(Cell, f64)> = Vec::new();
    let (mut worst, mut missing, mut kept, mut age) = (0.0f64, 0.0f64, 0.0f64, 0);
    let relevant = super::math::variables(&subject.original);
    while let Some(open) = heap.pop() {
        age += 1;
        if age > BUDGET || super::clock::is_interrupted() {
            missing += open.volume;
            break;
        }
        if is_undefined(&subject.original, &open.cell.intervals(width)) {
            continue;
        }
        let ulps = match open.cell.point(width) {
            Some(input) => match ulps_at(subject, plan, &input) {
                Some(ulps) => Some(ulps),
                // The original has no value there.
                None => continue,
            },
            None => bound(plan, &open.cell, remainder, width),
        };
        if let Some(ulps) = ulps
            && ulps <= f64::from(wanted)
        {
            worst = worst.max(ulps);
            proved.push((open.cell, open.volume));
            continue;
        }
        if only_leaf(plan, &open.cell.intervals(width)) == Some(&subject.original)
            && plan.leaves().len() > 1
        {
            kept += open.volume;
            continue;
        }
        let parts = open.cell.divided(plan, width, &relevant);
        if parts.is_empty() {
            missing += open.volume;
        }
        for cell in parts {
            heap.push(Open {
                volume: cell.volume(),
                age,
                cell,
            });
            age += 1;
        }
    }
    missing += heap.iter().map(|open| open.volume).sum::<f64>();
    let done = proved.iter().map(|(_, volume)| volume).sum::<f64>();
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
        share: if missing + kept == 0.0 {
            1.0
        } else {
            (done / (done + missing + kept)).min(0.999_999)
        },
        kept: kept / (done + missing + kept).max(1.0),
        functions: functions
            .iter()
            .map(|op| operator(*op).to_owned())
            .collect(),
    }
}

impl Cell {
    fn volume(&self) -> f64 {
        let sides = self.sides.iter();
        sides
            .map(|(low, high)| high.abs_diff(*low) as f64 + 1.0)
            .product()
    }

    /// The input, if it is only one.
    fn point(&self, width: Width) -> Option<Vec<f64>> {
        let side = |(low, high): &(i64, i64)| (low == high).then(|| from_ordinal(*low, width));
        self.sides.iter().map(side).collect()
    }

    fn intervals(&self, width: Width) -> Vec<Interval> {
        let of = |(low, high): &(i64, i64)| {
            Interval::new(from_ordinal(*low, width), from_ordinal(*high, width))
        };
        self.sides.iter().map(of).collect()
    }

    /// At a threshold inside, at 0, or in the middle of the longest side; none for a single point.
    fn divided(&self, plan: &Plan, width: Width, relevant: &[u32]) -> Vec<Cell> {
        for test in plan.thresholds() {
            let index = test.variable as usize;
            for place in places(&test, width) {
                if self.sides[index].0 < place && place <= self.sides[index].1 {
                    return self.cut(index, place);
                }
            }
        }
        for (index, (low, high)) in self.sides.iter().enumerate() {
            // 0 alone, and what is on either side of it.
            if *low < 0 && *high >= 0 {
                return self.cut(index, 0);
            }
            if *low == 0 && *high > 0 {
                return self.cut(index, 1);
            }
        }
        let length = |index: &usize| {
            let (low, high) = self.sides[*index];
            high.abs_diff(low)
        };
        let longest = relevant.iter().map(|v| *v as usize).max_by_key(length);
        match longest {
            Some(index) if length(&index) > 0 => {
                let (low, high) = self.sides[index];
                let middle = low + (high.abs_diff(low) / 2) as i64 + 1;
                self.cut(index, middle)
            }
            _ => Vec::new(),
        }
    }

    /// What is below a place, and the rest.
    fn cut(&self, index: usize, place: i64) -> Vec<Cell> {
        let (mut below, mut above) = (self.clone(), self.clone());
        below.sides[index].1 = place - 1;
        above.sides[index].0 = place;
        vec![below, above]
    }
}

/// The first places on the upper side of a threshold.
fn places(test: &Threshold, width: Width) -> Vec<i64> {
    let at = ordinal(test.limit, width);
    let upper = at + i64::from(test.inclusive);
    match test.of_magnitude {
        false => vec![upper],
        true => vec![upper, -upper + 1],
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
