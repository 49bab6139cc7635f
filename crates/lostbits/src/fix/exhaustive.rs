//! Every float: an expression of one variable in binary32 has at most 2^32 inputs, so all of them are checked.
//!
//! The exact value is the repair computed in binary64, where [`super::error_model`] proves that this is accurate to far less than
//! a float's ulp; where it does not, the interval evaluator decides, input by input, as long as there are not too many. Both
//! formulas run as they are compiled, with this machine's library functions.

use std::{
    sync::atomic::{AtomicU64, Ordering::Relaxed},
    thread,
};

use lostbits_abi::ops::Op;

use super::{
    agenda::places,
    clock::Clock,
    error::{from_ordinal, ordinal, ulps},
    error_model, exact,
    interval::Interval,
    machine::{self, Width},
    math::{self, Math, Term},
    plan::Plan,
    subject::Subject,
};

/// What checking every input showed.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Exhausted {
    /// Inputs whose exact result is a finite number.
    pub checked: u64,
    /// Inputs at which the exact result was not decided, or that were not reached in time.
    pub open: u64,
    pub worst_ulps: u64,
    pub worst_input: f64,
    pub original_ulps: u64,
    /// Inputs at which the repair is worse than the original by more than one bit, and by more than four.
    pub worse_by_one: u64,
    pub worse_by_four: u64,
    pub most_worse: Option<f64>,
}

/// Inputs that are evaluated together.
const BLOCK: i64 = 1 << 12;
/// Of a block, the relative error in binary64 that is accepted: an eighth of a thousandth of a float's ulp.
const ACCEPTED: f64 = 1.0 / (1u64 << 37) as f64;
/// Inputs that the interval evaluator decides, at most.
const MOST_INTERVALS: u64 = 1 << 18;

/// Checks all inputs of the subject's range; none where there are several variables, or it is not in binary32.
pub fn check(subject: &Subject, plan: &Plan, seconds: Option<f64>) -> Option<Exhausted> {
    let variables = math::variables(&subject.original);
    let (Width::Single, [variable], 1) = (subject.width, variables.as_slice(), subject.names.len())
    else {
        return None;
    };
    let index = *variable as usize;
    let range = subject.ranges[index];
    let blocks = blocks(
        plan,
        ordinal(range.low, Width::Single),
        ordinal(range.high, Width::Single),
    );
    let clock = Clock::new(seconds);
    let (next, intervals) = (AtomicU64::new(0), AtomicU64::new(0));
    let worker = || {
        let mut found = Exhausted::default();
        loop {
            let at = next.fetch_add(1, Relaxed) as usize;
            let Some((low, high)) = blocks.get(at) else {
                return found;
            };
            if clock.is_over() {
                found.open += high.abs_diff(*low) + 1;
                continue;
            }
            Checker {
                subject,
                plan,
                intervals: &intervals,
            }
            .block(*low, *high, &mut found);
        }
    };
    let workers = thread::available_parallelism().map_or(1, usize::from);
    let all = thread::scope(|scope| {
        let handles: Vec<_> = (0..workers).map(|_| scope.spawn(worker)).collect();
        let results = handles.into_iter().map(|handle| handle.join());
        results.collect::<Result<Vec<Exhausted>, _>>().ok()
    })?;
    all.into_iter().reduce(Exhausted::joined)
}

/// Stretches without thresholds inside, each on one side of 0 and within one power of two.
fn blocks(plan: &Plan, low: i64, high: i64) -> Vec<(i64, i64)> {
    let mut starts: Vec<i64> = plan
        .thresholds()
        .iter()
        .flat_map(|test| places(test, Width::Single))
        .chain([0, 1])
        .filter(|at| low < *at && *at <= high)
        .collect();
    // The numbers of a power of two are a multiple of the block.
    let mut at = low.div_euclid(BLOCK) * BLOCK + BLOCK;
    while at <= high {
        starts.push(at);
        at += BLOCK;
    }
    starts.push(low);
    starts.sort_unstable();
    starts.dedup();
    let ends = starts.iter().skip(1).map(|start| start - 1).chain([high]);
    starts.iter().copied().zip(ends).collect()
}

struct Checker<'a> {
    subject: &'a Subject,
    plan: &'a Plan,
    intervals: &'a AtomicU64,
}

impl Checker<'_> {
    fn block(&self, low: i64, high: i64, found: &mut Exhausted) {
        let ends = [low, high].map(|at| from_ordinal(at, Width::Single));
        let leaf = self.plan.leaf(&[ends[0]]);
        let box_ = [Interval::new(ends[0], ends[1])];
        let known = [leaf, &self.subject.original].into_iter().find(|term| {
            // A named constant is that of the format, which binary64 does not have.
            let has_constants = term.iter().any(|node| matches!(node, Math::Constant(_)));
            let error = error_model::relative_error(term, &box_, Width::Double);
            !has_constants && error.is_some_and(|error| error <= ACCEPTED)
        });
        let inputs: Vec<f64> = (low..=high)
            .map(|at| from_ordinal(at, Width::Single))
            .collect();
        let ours = batch(leaf, &inputs, Width::Single);
        let original = batch(&self.subject.original, &inputs, Width::Single);
        let exact: Vec<Option<[f64; 2]>> = match known {
            Some(term) => {
                let values = batch(term, &inputs, Width::Double).into_iter();
                values
                    .map(|value| {
                        Some([1.0 - ACCEPTED, 1.0 + ACCEPTED].map(|by| (value * by) as f32))
                    })
                    .map(|ends| ends.map(|ends| ends.map(f64::from)))
                    .collect()
            }
            None => inputs
                .iter()
                .map(|x| self.decided(*x).map(|exact| [exact; 2]))
                .collect(),
        };
        for index in 0..inputs.len() {
            match exact[index] {
                None => found.open += 1,
                Some(ends) if ends.iter().all(|end| end.is_finite()) => {
                    let errors = |value: f64| {
                        ends.map(|end| {
                            ulps(value, end, Width::Single).map_or(u64::MAX, |ulps| ulps as u64)
                        })
                    };
                    let (after, before) = (errors(ours[index]), errors(original[index]));
                    // Where the exact value is close to the middle of two floats, the larger error is the repair's.
                    let pair = (after[0].max(after[1]), before[0].min(before[1]));
                    self.count(inputs[index], pair, found);
                }
                // There is no finite result.
                Some(_) => {}
            }
        }
    }

    fn count(&self, input: f64, (after, before): (u64, u64), found: &mut Exhausted) {
        let bits = |ulps: u64| (ulps as f64 + 1.0).log2();
        let is_worse = after > before && bits(after) > bits(before) + 1.0;
        let is_new = is_worse || after > found.worst_ulps || before > found.original_ulps;
        // The precondition is dear, so it is asked only where it matters.
        if is_new && !self.subject.admits(&[input]) {
            return;
        }
        found.checked += 1;
        if after > found.worst_ulps {
            (found.worst_ulps, found.worst_input) = (after, input);
        }
        found.original_ulps = found.original_ulps.max(before);
        if is_worse {
            found.worse_by_one += 1;
            found.most_worse.get_or_insert(input);
            found.worse_by_four += u64::from(bits(after) > bits(before) + 4.0);
        }
    }

    fn decided(&self, input: f64) -> Option<f64> {
        match self.intervals.fetch_add(1, Relaxed) < MOST_INTERVALS {
            true => exact::value(&self.subject.original, &[input], Width::Single),
            false => None,
        }
    }
}

impl Exhausted {
    fn joined(self, other: Exhausted) -> Exhausted {
        let (worst, rest) = match self.worst_ulps >= other.worst_ulps {
            true => (self, other),
            false => (other, self),
        };
        Exhausted {
            checked: worst.checked + rest.checked,
            open: worst.open + rest.open,
            original_ulps: worst.original_ulps.max(rest.original_ulps),
            worse_by_one: worst.worse_by_one + rest.worse_by_one,
            worse_by_four: worst.worse_by_four + rest.worse_by_four,
            most_worse: worst.most_worse.or(rest.most_worse),
            ..worst
        }
    }
}

/// The values of a term of one variable at many inputs: operation by operation, which is several times as fast.
fn batch(term: &Term, inputs: &[f64], width: Width) -> Vec<f64> {
    let mut values: Vec<Vec<f64>> = Vec::with_capacity(term.len());
    for node in term.iter() {
        let of = |id: &egg::Id| &values[usize::from(*id)];
        let row = match node {
            Math::Variable(_) => inputs.to_vec(),
            Math::Unary(op, [x]) => one(*op, of(x), width),
            Math::Binary(op, [x, y]) => two(*op, of(x), of(y), width),
            Math::Ternary(op, [x, y, z]) => {
                let operands = of(x).iter().zip(of(y)).zip(of(z));
                let apply = |((x, y), z): ((&f64, &f64), &f64)| {
                    machine::apply(*op, &[*x, *y, *z], width).unwrap_or(f64::NAN)
                };
                operands.map(apply).collect()
            }
            leaf => vec![machine::leaf(leaf, &[], width); inputs.len()],
        };
        values.push(row);
    }
    values.pop().unwrap_or_default()
}

fn one(op: Op, x: &[f64], width: Width) -> Vec<f64> {
    let apply = |x: &f64| machine::apply(op, &[*x], width).unwrap_or(f64::NAN);
    x.iter().map(apply).collect()
}

fn two(op: Op, x: &[f64], y: &[f64], width: Width) -> Vec<f64> {
    let all = x.iter().zip(y);
    let rounded = |value: f64| width.round(value);
    match op {
        // The four operations of two floats round alike from binary64.
        Op::Add => all.map(|(x, y)| rounded(x + y)).collect(),
        Op::Sub => all.map(|(x, y)| rounded(x - y)).collect(),
        Op::Mul => all.map(|(x, y)| rounded(x * y)).collect(),
        Op::Div => all.map(|(x, y)| rounded(x / y)).collect(),
        _ => all
            .map(|(x, y)| machine::apply(op, &[*x, *y], width).unwrap_or(f64::NAN))
            .collect(),
    }
}
