//! A bound on the error of a repair, by interval branch and bound over the numbers of the format.
//!
//! The model is the standard one: each computed value is the exact one times 1 + δ, and |δ| grows by the operand's δ times
//! the condition number (bounded over the box), plus the operation's own rounding. Differences of exact numbers are
//! rounded once, differences of numbers within a factor of two not at all (Sterbenz), products by powers of two
//! never. Library functions are taken to be as accurate as glibc's manual says ([`libm_ulps`]). Where a value may
//! overflow or become subnormal the model does not hold, and nothing is claimed.
//!
//! Boxes are divided in the order of the format's numbers, thresholds of the repair first, the largest first, until the
//! budget is spent. What remains is only sampled. Unlike FPTaylor and Daisy this bounds ulps, not absolute errors.
//! It can miss that errors cancel: compensated forms are only sampled.

use std::{cmp::Ordering, collections::BinaryHeap};

use egg::Language;
use lostbits_abi::ops::Op;
use rug::Rational;

use super::{
    error::{from_ordinal, ordinal},
    exact,
    interval::{self, Interval},
    machine::{self, Width},
    math::{CONSTANTS, Math, Term},
    plan::{Plan, Threshold},
    proof::Proof,
    subject::Subject,
};
use crate::fpcore::evaluate::reals::constant_value;

/// Boxes that are examined.
const BUDGET: usize = 1500;
/// Larger bounds are not worth telling.
const WANTED: u32 = 16;

/// What the GNU C Library's manual documents for x86-64, in ulps, rounded up.
pub fn libm_ulps(op: Op) -> Option<u32> {
    use Op::*;
    Some(match op {
        Sin | Cos | Tan | Exp | Exp2 | Expm1 | Log | Log2 | Log1p | Pow | Hypot | Asin | Acos
        | Atan | Atan2 | Erf => 1,
        Log10 | Sinh | Cosh | Tanh | Asinh | Acosh | Atanh => 2,
        Cbrt => 4,
        Erfc => 5,
        _ => return None,
    })
}

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
    let (mut worst, mut missing, mut age) = (0.0f64, 0.0f64, 0);
    let relevant = super::math::variables(&subject.original);
    while let Some(open) = heap.pop() {
        age += 1;
        if age > BUDGET {
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
    let libm = plan
        .leaves()
        .iter()
        .flat_map(|leaf| leaf.iter().filter_map(Math::op))
        .filter_map(libm_ulps)
        .max();
    Proof {
        ulps: worst.ceil().max(1.0) as u32,
        libm_ulps: libm.unwrap_or(0),
        boxes,
        share: if missing == 0.0 {
            1.0
        } else {
            (done / (done + missing)).min(0.999_999)
        },
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
    let relative = relative_error(leaf, &ranges, width)?;
    let all = (relative + 1.1 * remainder(leaf)) * 2f64.powi(width.bits() as i32);
    Some(all)
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

/// A node's exact values, and the relative error of what is computed.
#[derive(Clone, Copy, Debug)]
struct Bound {
    values: Interval,
    error: f64,
}

impl Bound {
    fn smallest(self) -> f64 {
        match self.values {
            Interval { low, .. } if low > 0.0 => low,
            Interval { high, .. } if high < 0.0 => -high,
            _ => 0.0,
        }
    }

    fn largest(self) -> f64 {
        self.values.high.abs().max(self.values.low.abs())
    }
}

/// For second-order terms and the rounding of the bounds themselves.
const SLACK: f64 = 1.0 + 1e-9;

/// A bound on the relative error of a term over a box, as long as nothing overflows or underflows there.
pub fn relative_error(term: &Term, ranges: &[Interval], width: Width) -> Option<f64> {
    let mut bounds: Vec<Bound> = Vec::with_capacity(term.len());
    for node in term.iter() {
        let bound = match node {
            Math::Number(value) => number(value, width),
            Math::Constant(index) => Bound {
                values: Interval::point(
                    constant_value(CONSTANTS[usize::from(*index)], width.bits()).to_f64(),
                ),
                error: 0.0,
            },
            Math::Variable(index) => Bound {
                values: ranges[*index as usize],
                error: 0.0,
            },
            _ => {
                let operands: Vec<Bound> = node
                    .children()
                    .iter()
                    .map(|id| bounds[usize::from(*id)])
                    .collect();
                operation(node, &operands, term, width)?
            }
        };
        bounds.push(bound);
    }
    bounds
        .last()
        .map(|bound| bound.error)
        .filter(|error| *error < 0.1)
}

fn number(value: &Rational, width: Width) -> Bound {
    let nearest = machine::number(value, width);
    let is_exact = Rational::from_f64(nearest).is_some_and(|exact| exact == *value);
    Bound {
        values: match is_exact {
            true => Interval::point(nearest),
            false => Interval::new(nearest.next_down(), nearest.next_up()),
        },
        error: if is_exact { 0.0 } else { unit(width) },
    }
}

/// Half an ulp of 1.
fn unit(width: Width) -> f64 {
    0.5f64.powi(width.bits() as i32)
}

fn least_normal(width: Width) -> f64 {
    match width {
        Width::Double => f64::MIN_POSITIVE,
        Width::Single => f64::from(f32::MIN_POSITIVE),
    }
}

fn largest(width: Width) -> f64 {
    match width {
        Width::Double => f64::MAX / 2.0,
        Width::Single => f64::from(f32::MAX) / 2.0,
    }
}

fn operation(node: &Math, x: &[Bound], term: &Term, width: Width) -> Option<Bound> {
    use Op::*;
    let op = node.op()?;
    let unit = unit(width);
    let values: Vec<Interval> = x.iter().map(|bound| bound.values).collect();
    let mut range = interval::operation(op, &values);
    if let Math::Binary(Mul, [a, b]) = node
        && a == b
    {
        let size = interval::operation(Abs, &values[..1]);
        range = interval::operation(Mul, &[size, size]);
    }
    let is_power_of_two = |index: usize| {
        let id = node.children()[index];
        matches!(&term[id], Math::Number(value) if power_of_two(value))
    };
    let (inherited, own) = match op {
        Neg | Abs => (x[0].error, 0.0),
        Mul => {
            let is_exact = is_power_of_two(0) || is_power_of_two(1);
            (
                product(x[0].error, x[1].error),
                if is_exact { 0.0 } else { unit },
            )
        }
        Div => {
            let is_exact = is_power_of_two(1);
            let inherited = (x[0].error + x[1].error) / (1.0 - x[1].error);
            (inherited, if is_exact { 0.0 } else { unit })
        }
        Sqrt => (0.5 * x[0].error * (1.0 + x[0].error), unit),
        Add | Sub => sum(op, x[0], x[1], range, unit)?,
        Fma => {
            let product = Bound {
                values: interval::operation(Mul, &values[..2]),
                error: product(x[0].error, x[1].error),
            };
            let (inherited, _) = sum(Add, product, x[2], range, unit)?;
            (inherited, unit)
        }
        Fmin | Fmax => (x[0].error.max(x[1].error), 0.0),
        _ => {
            let own = 2.0 * unit * f64::from(libm_ulps(op)?);
            (function(op, x)?, own)
        }
    };
    // Not (1 + inherited)(1 + own) − 1, which would round to nothing.
    let error = product(inherited, own) * SLACK;
    let result = Bound {
        values: range,
        error,
    };
    if error.is_nan() || error > 0.1 || result.largest() > largest(width) {
        return None;
    }
    // Sums of numbers are exact where they are subnormal; so are signs.
    let may_be_subnormal = matches!(op, Add | Sub | Neg | Abs | Fmin | Fmax)
        && x.iter().all(|operand| operand.error == 0.0);
    let is_normal = result.smallest() >= 2.0 * least_normal(width);
    (is_normal || may_be_subnormal).then_some(result)
}

fn power_of_two(value: &Rational) -> bool {
    let one = |x: &rug::Integer| x.clone().abs().is_power_of_two();
    *value != 0 && one(value.numer()) && one(value.denom())
}

fn product(a: f64, b: f64) -> f64 {
    a + b + a * b
}

/// What a sum inherits, and its own rounding.
fn sum(op: Op, a: Bound, b: Bound, range: Interval, unit: f64) -> Option<(f64, f64)> {
    if a.error == 0.0 && b.error == 0.0 {
        return Some((0.0, unit));
    }
    let b_values = match op {
        Op::Sub => interval::operation(Op::Neg, &[b.values]),
        _ => b.values,
    };
    let alike = (a.values.low >= 0.0 && b_values.low >= 0.0)
        || (a.values.high <= 0.0 && b_values.high <= 0.0);
    if alike {
        return Some((a.error.max(b.error), unit));
    }
    let b = Bound {
        values: b_values,
        ..b
    };
    let whole = Bound {
        values: range,
        error: 0.0,
    };
    let direct = (a.error * a.largest() + b.error * b.largest()) / whole.smallest();
    // |a| / |a + b| = 1 / |1 + b/a|, which depends less on the size of the box.
    let share = |one: Bound, other: Bound| -> f64 {
        if one.error == 0.0 {
            return 0.0;
        }
        let ratio = interval::operation(Op::Div, &[other.values, one.values]);
        let around = interval::operation(Op::Add, &[Interval::point(1.0), ratio]);
        let around = Bound {
            values: around,
            error: 0.0,
        };
        match one.values.nonzero {
            true => one.error / around.smallest(),
            false => f64::INFINITY,
        }
    };
    let by_ratio = share(a, b) + share(b, a);
    let inherited = direct.min(by_ratio);
    if !inherited.is_finite() {
        return None;
    }
    let ratio = interval::operation(
        Op::Div,
        &[interval::operation(Op::Neg, &[b.values]), a.values],
    );
    let is_exact = ratio.low > 0.501 && ratio.high < 1.99;
    Some((inherited, if is_exact { 0.0 } else { unit }))
}

/// What a library function inherits: the operand's error times the largest condition number.
fn function(op: Op, x: &[Bound]) -> Option<f64> {
    use Op::*;
    let error = x[0].error;
    let both = error + x.get(1).map_or(0.0, |y| y.error);
    if both == 0.0 {
        return Some(0.0);
    }
    // The condition number must hold for the perturbed operand, too.
    let low = x[0].values.low;
    let size = x[0].largest() * (1.0 + error);
    let least = x[0].smallest() * (1.0 - error);
    let condition = match op {
        Exp => return Some((size * error).exp_m1()),
        Exp2 => return Some((size * error).exp_m1()),
        Expm1 | Sinh => 1.0 + size,
        Cosh => size,
        Log | Log2 | Log10 => {
            let (low, high) = (low * (1.0 - error), x[0].values.high * (1.0 + error));
            let nearest = if low > 1.0 {
                low
            } else if high < 1.0 {
                high
            } else {
                return None;
            };
            1.0 / nearest.ln().abs()
        }
        Log1p => {
            let low = low - low.abs() * error;
            match low >= 0.0 {
                true => 1.0,
                false if low > -0.999 => low / ((1.0 + low) * low.ln_1p()),
                false => return None,
            }
        }
        Sin if size <= 1.57 => 1.0,
        Sin | Cos | Tan if size <= 1.5 => match op {
            Cos => size * size.tan(),
            _ => 2.0 * size / (2.0 * size).sin(),
        },
        Sin | Cos if size <= 3.1 => {
            let wave = Bound {
                values: interval::operation(op, &[Interval::new(low - size * error, size)]),
                error: 0.0,
            };
            size / wave.smallest()
        }
        Asin if size < 0.99 => size / ((1.0 - size * size).sqrt() * size.asin()),
        Acos if size < 0.99 => {
            let high = x[0].values.high + size * error;
            size / ((1.0 - size * size).sqrt() * high.acos())
        }
        Atanh if size < 0.99 => size / ((1.0 - size * size) * size.atanh()),
        Acosh if least > 1.001 => least / ((least * least - 1.0).sqrt() * least.acosh()),
        Atan | Tanh | Asinh | Erf => 1.0,
        Cbrt => 0.34,
        Hypot => return Some(error.max(x[1].error)),
        Atan2 => return Some(both * 1.001),
        Pow if x[0].smallest() > 0.0 && low > 0.0 => {
            let exponent = x[1].largest();
            let logarithm = low.ln().abs().max(x[0].values.high.ln().abs());
            let change = exponent * error * 1.001 + exponent * logarithm * x[1].error;
            return Some(change.exp_m1());
        }
        _ => return None,
    };
    Some(condition * error * (1.0 + 1e-6))
}
