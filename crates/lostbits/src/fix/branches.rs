//! Which candidate where: one for all inputs if possible, else branches on one variable at a time.
//!
//! For each variable (and its magnitude) the best division of the points into at most four stretches is found by
//! dynamic programming, as in Herbie's regimes; a stretch may be divided again by another variable. A branch must
//! pay for itself. A point at which a candidate is worse than the original by more than [`WORSE`] bits costs more than any
//! branch, so that the original is kept there.

use super::{
    candidate::Candidate,
    error::{from_ordinal, ordinal},
    interval::Interval,
    machine::Width,
    plan::{Plan, Threshold},
    points::{Points, errors_of},
    wishes::Wishes,
};

/// Bits by which a repair may be worse than the original at a point. Below the promised 4, for points not drawn.
pub const WORSE: f64 = 2.5;
/// Nor may it ever be worse by more than this.
const HARMFUL: f64 = 3.8;
/// Bits of mean error that a branch must save.
const BRANCH: f64 = 0.3;
/// What a point costs that is worse than the original.
const PENALTY: f64 = 0.35;
/// And one at which it is much worse.
const HARM: f64 = 3.0;
/// What a point costs where the candidate is not known to be equal to the original.
const FORBIDDEN: f64 = 1e6;
const STRETCHES: usize = 4;
const DEPTH: usize = 2;
/// The weight of points around thresholds.
const SLIGHT: f64 = 1e-4;

pub struct Chooser<'a> {
    candidates: &'a [Candidate],
    points: &'a Points,
    width: Width,
    /// Cost of each candidate at each point.
    costs: Vec<Vec<f64>>,
    with_branches: bool,
    spans_zero: Vec<bool>,
    /// What each candidate's operations cost.
    prices: Vec<f64>,
}

impl<'a> Chooser<'a> {
    /// The first candidate is the original.
    pub fn new(
        candidates: &'a [Candidate],
        points: &'a Points,
        width: Width,
        with_branches: bool,
        wishes: &Wishes,
    ) -> Chooser<'a> {
        let weights: Vec<f64> = points.weights().iter().map(|w| w.max(SLIGHT)).collect();
        let errors: Vec<Vec<f64>> = candidates
            .iter()
            .map(|candidate| errors_of(&candidate.term, points, width))
            .collect();
        let cost = |index: usize| -> Vec<f64> {
            let candidate = &candidates[index];
            let at = |point: usize| {
                let error = errors[index][point];
                let excess = error - errors[0][point];
                let is_worse = excess > WORSE;
                let is_harmful = excess > HARMFUL;
                let forbidden = !candidate.is_valid_at(&points.inputs[point]);
                (error - wishes.ignored()).max(0.0) * weights[point]
                    + if is_worse { PENALTY } else { 0.0 }
                    + if is_harmful { HARM } else { 0.0 }
                    + if forbidden { FORBIDDEN } else { 0.0 }
            };
            (0..points.len()).map(at).collect()
        };
        let costs = (0..candidates.len()).map(cost).collect();
        let variables = candidates[0].domain.len();
        let spans_zero = (0..variables)
            .map(|index| {
                let domain = candidates[0].domain[index];
                domain.low < 0.0 && domain.high > 0.0
            })
            .collect();
        Chooser {
            candidates,
            points,
            width,
            costs,
            with_branches,
            spans_zero,
            prices: candidates
                .iter()
                .map(|candidate| wishes.price(&candidate.term))
                .collect(),
        }
    }

    pub fn choose(&self) -> Plan {
        let all: Vec<usize> = (0..self.points.len()).collect();
        self.divide(&all, DEPTH, None).1
    }

    fn price(&self, candidate: usize) -> f64 {
        self.prices[candidate]
    }

    fn leaf(&self, points: &[usize]) -> (f64, usize) {
        (0..self.candidates.len())
            .map(|candidate| {
                let costs = points.iter().map(|point| self.costs[candidate][*point]);
                (costs.sum::<f64>() + self.price(candidate), candidate)
            })
            .min_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)))
            .expect("the original is a candidate")
    }

    fn divide(&self, points: &[usize], depth: usize, divided: Option<u32>) -> (f64, Plan) {
        let (cost, candidate) = self.leaf(points);
        let plan = Plan::Term(self.candidates[candidate].term.clone());
        let mut best = (cost, plan);
        if !self.with_branches || depth == 0 || points.len() < 4 {
            return best;
        }
        for variable in 0..self.spans_zero.len() {
            for of_magnitude in [false, true] {
                let again = divided == Some(variable as u32);
                if again || (of_magnitude && !self.spans_zero[variable]) {
                    continue;
                }
                if let Some(divided) = self.along(points, variable as u32, of_magnitude, depth)
                    && divided.0 < best.0
                {
                    best = divided;
                }
            }
        }
        best
    }

    /// The best division along one variable.
    fn along(
        &self,
        points: &[usize],
        variable: u32,
        of_magnitude: bool,
        depth: usize,
    ) -> Option<(f64, Plan)> {
        let key = |point: &usize| {
            let x = self.points.inputs[*point][variable as usize];
            if of_magnitude { x.abs() } else { x }
        };
        let mut sorted = points.to_vec();
        sorted.sort_by(|a, b| key(a).total_cmp(&key(b)).then(a.cmp(b)));
        let cuts = self.cuts(&sorted, &key)?;
        let mut ends = vec![0];
        ends.extend(&cuts);
        ends.push(sorted.len());
        let mut total = BRANCH * cuts.len() as f64;
        let mut parts = Vec::new();
        for pair in ends.windows(2) {
            let (cost, plan) = self.divide(&sorted[pair[0]..pair[1]], depth - 1, Some(variable));
            total += cost;
            parts.push(plan);
        }
        let mut plan = parts.pop()?;
        // The part above the cut.
        let mut next = plan.clone();
        for (cut, part) in cuts.iter().zip(parts).rev() {
            let (below, above) = (key(&sorted[cut - 1]), key(&sorted[*cut]));
            let below_takes_zero = self.takes_zero(&part, variable);
            let (from, to) = match (self.is_original(&part), self.is_original(&next)) {
                (true, false) => (self.leaning(below, above), above),
                (false, true) => (below, self.leaning(above, below)),
                _ => (below, above),
            };
            let (limit, inclusive) = simplest(from, to, below_takes_zero);
            let limit = match (self.is_original(&part), self.is_original(&next)) {
                (true, false) => outward(limit, true),
                (false, true) => outward(limit, false),
                _ => limit,
            };
            // Not beyond where the candidates are valid.
            let highest = self.end(&part, variable, of_magnitude);
            let (limit, inclusive) = match limit > highest {
                true => (highest, inclusive || highest <= below),
                false => (limit, inclusive),
            };
            let lowest = match of_magnitude {
                true => f64::NEG_INFINITY,
                false => self.start(&next, variable),
            };
            let limit = if lowest <= above {
                limit.max(lowest)
            } else {
                limit
            };
            next = part.clone();
            let test = Threshold {
                variable,
                of_magnitude,
                limit,
                inclusive,
            };
            plan = Plan::Branch {
                test,
                below: Box::new(part),
                otherwise: Box::new(plan),
            };
        }
        Some((total, plan))
    }

    fn is_original(&self, plan: &Plan) -> bool {
        matches!(plan, Plan::Term(term) if *term == self.candidates[0].term)
    }

    /// Three quarters of the way to another number of the same sign: between the last input at which the original is better and
    /// the first at which it is not, the original is kept for most.
    fn leaning(&self, from: f64, to: f64) -> f64 {
        if from == 0.0 || to == 0.0 || (from < 0.0) != (to < 0.0) {
            return from;
        }
        let (start, end) = (ordinal(from, self.width), ordinal(to, self.width));
        // From halfway to halfway.
        from_ordinal(start.midpoint(end).midpoint(end), self.width)
    }

    /// Up to where all terms of a plan are valid.
    fn end(&self, plan: &Plan, variable: u32, of_magnitude: bool) -> f64 {
        self.domains(plan, variable)
            .map(|domain| match of_magnitude {
                true => domain.high.min(-domain.low),
                false => domain.high,
            })
            .fold(f64::INFINITY, f64::min)
    }

    /// From where on all terms of a plan are valid.
    fn start(&self, plan: &Plan, variable: u32) -> f64 {
        let starts = self.domains(plan, variable).map(|domain| domain.low);
        starts.fold(f64::NEG_INFINITY, f64::max)
    }

    fn domains(&self, plan: &Plan, variable: u32) -> impl Iterator<Item = Interval> {
        let leaves: Vec<Interval> = plan
            .leaves()
            .iter()
            .filter_map(|leaf| self.candidates.iter().find(|c| c.term == **leaf))
            .map(|candidate| candidate.domain[variable as usize])
            .collect();
        leaves.into_iter()
    }

    /// Whether all of a plan's terms are valid where the variable is 0.
    fn takes_zero(&self, plan: &Plan, variable: u32) -> bool {
        plan.leaves().iter().all(|leaf| {
            let of = |candidate: &&Candidate| candidate.term == **leaf;
            let candidate = self.candidates.iter().find(of);
            candidate.is_some_and(|candidate| {
                let domain = candidate.domain[variable as usize];
                !domain.nonzero && domain.low <= 0.0 && domain.high >= 0.0
            })
        })
    }

    /// Where the points, which are in order, are best divided; none where they are not.
    fn cuts(&self, sorted: &[usize], key: &impl Fn(&usize) -> f64) -> Option<Vec<usize>> {
        let (count, candidates) = (sorted.len(), self.candidates.len());
        // best[k][i]: the first i points in k + 1 stretches.
        let mut best = vec![vec![f64::INFINITY; count + 1]; STRETCHES];
        let mut from = vec![vec![0usize; count + 1]; STRETCHES];
        for stretches in 0..STRETCHES {
            for candidate in 0..candidates {
                let price = self.price(candidate);
                let mut sum = 0.0;
                // The least of what came before minus the sum so far, and where.
                let mut start = match stretches {
                    0 => (price, 0),
                    _ => (f64::INFINITY, 0),
                };
                for end in 1..=count {
                    let begin = end - 1;
                    let may_cut =
                        begin > 0 && stretches > 0 && key(&sorted[begin - 1]) < key(&sorted[begin]);
                    if may_cut {
                        let before = best[stretches - 1][begin] + BRANCH + price - sum;
                        if before < start.0 {
                            start = (before, begin);
                        }
                    }
                    sum += self.costs[candidate][sorted[begin]];
                    let cost = start.0 + sum;
                    if cost < best[stretches][end] {
                        best[stretches][end] = cost;
                        from[stretches][end] = start.1;
                    }
                }
            }
        }
        let stretches = (0..STRETCHES)
            .min_by(|a, b| best[*a][count].total_cmp(&best[*b][count]).then(a.cmp(b)))?;
        let mut cuts = Vec::new();
        let mut end = count;
        for level in (1..=stretches).rev() {
            end = from[level][end];
            cuts.push(end);
        }
        cuts.reverse();
        // Division by another variable may pay where this one alone does not, but only at its own price.
        (!cuts.is_empty()).then_some(cuts)
    }
}

/// The simplest number from above the first to the second, and whether it counts as below.
pub fn simplest(below: f64, above: f64, below_takes_zero: bool) -> (f64, bool) {
    if below < 0.0 && above > 0.0 {
        return (0.0, below_takes_zero);
    }
    if above == 0.0 {
        return (0.0, false);
    }
    if below == 0.0 {
        return match above > 1e-300 && below_takes_zero {
            true => (round_between(above / 10.0, above).unwrap_or(above), false),
            false => (0.0, true),
        };
    }
    if above < 0.0 {
        let limit = round_between(-above, -below).map(|x| -x);
        // −x is at least −above, so it may be the upper end, which is not below.
        return match limit {
            Some(limit) if limit > below && limit <= above => (limit, false),
            _ => (above, false),
        };
    }
    (round_between(below, above).unwrap_or(above), false)
}

/// A limit of many digits, rounded up or down to two of them, which leaves more to the original.
fn outward(limit: f64, up: bool) -> f64 {
    if limit == 0.0 || format!("{:e}", limit.abs()).len() <= "1.23e-100".len() {
        return limit;
    }
    let unit = limit.abs().log10().floor() as i32 - 1;
    let scaled = limit.abs() / 10f64.powi(unit);
    let digits = match up == (limit > 0.0) {
        true => scaled.ceil(),
        false => scaled.floor(),
    };
    let rounded: Option<f64> = format!("{digits}e{unit}").parse().ok();
    // Powers of ten among the subnormals are inexact.
    let is_farther = |x: &f64| match up {
        true => x.copysign(limit) >= limit,
        false => x.copysign(limit) <= limit,
    };
    rounded
        .filter(is_farther)
        .map_or(limit, |x| x.copysign(limit))
}

/// The number with the fewest digits that is greater than the first and at most the second; both are positive.
fn round_between(low: f64, high: f64) -> Option<f64> {
    let middle = (low.log10() + high.log10()) / 2.0;
    let read = |text: String| text.parse::<f64>().ok();
    let fits = |x: &f64| *x > low && *x <= high;
    for exponent in [middle.round(), middle.floor(), middle.ceil()] {
        let power = read(format!("1e{exponent}")).filter(fits);
        if power.is_some() {
            return power;
        }
    }
    let exponent = low.log10().floor() as i32;
    for digits in 1..17i32 {
        let step = exponent - digits + 1;
        let scaled = low / 10f64.powi(step);
        for multiple in [scaled.floor() + 1.0, scaled.floor() + 2.0] {
            let number = read(format!("{multiple}e{step}")).filter(fits);
            if number.is_some() {
                return number;
            }
        }
    }
    None
}
