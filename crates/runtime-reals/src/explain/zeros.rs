//! Outputs that are consistent with 0: residuals, self-checks, differences of equal results.
//!
//! Such an output is zero in exact arithmetic by design. Whatever the program computes instead has no correct bit, and
//! still nothing is wrong: it is the rounding noise of the operands that cancelled. So errors are judged by *scale*.
//!
//! The scale S of an output is the size of the largest term of the sum that produced it and that cancelled: by the trace,
//! through signs, copies, selections, factors, divisors and roots of sums of squares, with the derivative of each ([`scale`]).
//! Its noise N is one ulp of S. The output is consistent with 0 if
//!
//! 1. its error is at most [`most_noise`]·N: what a million roundings of that size come to as a random walk, in doubles; and
//! 2. its exact value is zero, as far as it is known (to N/16); or the output is not zero itself, and its exact value is below
//!    2⁻⁴⁰·N.
//!
//! The second rule separates noise from loss. `s2/n - (s/n)*(s/n)` that is -16 instead of 0.5 is noise of its operands (1e16),
//! too; but 0.5 is a result that another formula finds, and not far below N = 2. An output that is exactly 0 although its
//! exact value is not lost all of it: `exp(x) - 1` for a tiny x. Iterations that converge in exact arithmetic to 1e-30 where
//! the program's stall at 1e-17 are consistent with 0. So are they only if what cancelled is near ([`NEAR`]): exp(-25) by its series is
//! noise of terms of 1e10, and lost.
//!
//! An error larger than the first rule allows was amplified somewhere, so it is a finding: |x − 1| after solving an
//! ill-conditioned system. Decisions are not outputs: where noise decides, or is divided by, that is judged as ever.
//!
//! # What it can miss
//!
//! Where the trace has been overwritten, the largest operands of the sums that lost bits on the way to the output count as its
//! scale, if its exact value is zero.

use lostbits_abi::{
    explain::{CANCELLATION_FACTOR, Event, meta, set},
    kind::FpKind,
    ops::Op,
};

use super::{
    event::exact,
    measure::{ALLOWANCE, Measured, power_of_two},
    state::State,
    trace::{Executed, ThreadTrace},
};

/// The error that is still noise, in ulps of the scale.
fn most_noise(kind: FpKind) -> f64 {
    match kind {
        FpKind::Double | FpKind::X87 => 1024.0,
        FpKind::Float => 64.0,
        FpKind::Half | FpKind::BFloat => 4.0,
    }
}

/// An exact value below this part of the noise is as good as zero.
const NEGLIGIBLE: f64 = 1.0 / (1u64 << 40) as f64;
/// What may be zero, and is known to be below this part of the noise, counts as zero: operands that are rounded
/// correctly would not show more.
const DOUBTFUL: f64 = 1.0 / 16.0;

/// Whether an erroneous output is consistent with 0.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) enum Zero {
    Not,
    /// It may be: its exact value is not known well enough.
    Perhaps,
    /// The noise of operands of this size.
    NoiseOf(f64),
}

impl State {
    pub(super) fn zero(&mut self, event: &Event, index: usize, value: &Measured) -> Zero {
        if self.settings.zeros != 0 || !value.value.is_finite() || !value.residue.is_finite() {
            return Zero::Not;
        }
        let real = exact(event, index);
        let real = match real.fraction == 0.0 {
            true => real.nearest.abs(),
            // Too small for a double, so below any noise, but not 0.
            false if real.exponent < 0 => f64::MIN_POSITIVE,
            false => return Zero::Not,
        };
        let node = meta::node(event.metas[index]);
        let most_sums = match may_be_zero(value, real) {
            true => u32::MAX,
            false => NEAR,
        };
        let trace = ThreadTrace::of_event(event);
        let in_trace = scale(trace, node, value.value, most_sums);
        let by_trace = in_trace.size.map(|scale| judged(value, real, scale));
        if let Some(zero) = by_trace.filter(|zero| *zero != Zero::Not) {
            return zero;
        }
        // An error that was made before is none of this output's own: it counts only where the trace cannot say so.
        if !in_trace.is_incomplete || real != 0.0 {
            return Zero::Not;
        }
        let influences = meta::influences(event.metas[index]);
        match self.scale_of_candidates(influences) {
            Some(scale) => judged(value, real, scale),
            None => Zero::Not,
        }
    }

    /// The largest operand that the sums of a set had where they lost most bits.
    fn scale_of_candidates(&mut self, influences: u32) -> Option<f64> {
        let mut room = [0; set::BITS];
        let mut largest = None;
        // The set is copied: looking up entries needs all of the state.
        let members = self.sets.members(influences, &mut room);
        let mut sites = [0; super::influences::LARGEST];
        let count = members.len().min(sites.len());
        sites[..count].copy_from_slice(&members[..count]);
        for site in &sites[..count] {
            let Some(entry) = self.analysis.known_operation(*site) else {
                continue;
            };
            let [result, x, y, _] = entry.worst_values;
            let size = x.abs().max(y.abs());
            if size.is_finite() && size >= CANCELLATION_FACTOR * result.abs() {
                largest = Some(size.max(largest.unwrap_or(0.0)));
            }
        }
        largest
    }
}

/// Whether a value with its exact value is noise of operands of this size.
fn judged(value: &Measured, real: f64, scale: f64) -> Zero {
    let noise = scale * power_of_two(1 - value.kind.precision() as i32);
    let doubt = ALLOWANCE * value.bound;
    let is_small = value.residue.abs() + doubt <= most_noise(value.kind) * noise;
    let may_be_zero = may_be_zero(value, real);
    let is_zero = may_be_zero && doubt <= DOUBTFUL * noise;
    let is_negligible = value.value != 0.0 && real + doubt <= NEGLIGIBLE * noise;
    match is_small {
        true if is_zero || is_negligible => Zero::NoiseOf(scale),
        true if may_be_zero => Zero::Perhaps,
        _ => Zero::Not,
    }
}

/// Whether nothing is known of the exact value but that it is near zero.
fn may_be_zero(value: &Measured, real: f64) -> bool {
    real <= ALLOWANCE * value.bound
}

/// The size of the operands that cancelled in a value.
pub struct Scale {
    /// None if nothing cancelled.
    pub size: Option<f64>,
    /// Whether a part of the trace is gone, so that more may have cancelled.
    pub is_incomplete: bool,
}

pub fn scale(trace: ThreadTrace, node: u32, value: f64, most_sums: u32) -> Scale {
    let mut walk = Walk {
        trace,
        most_sums,
        nodes_left: MOST_NODES,
        scale: 0.0,
        is_incomplete: false,
    };
    walk.follow(node, value, 1.0, DEEPEST);
    Scale {
        size: (walk.scale > 0.0 && walk.scale.is_finite()).then_some(walk.scale),
        is_incomplete: walk.is_incomplete,
    }
}

/// Nodes that are visited for one output.
const MOST_NODES: u32 = 1 << 14;
const DEEPEST: u32 = 6;
/// Additions back from a number that is not zero in exact arithmetic: terms that cancelled long ago, in a series, are no operands of a
/// self-check.
pub const NEAR: u32 = 16;
/// A term this small beside the sum makes none of its error, where all of the sum is error.
const SMALL_TERM: f64 = 1.0 / 4096.0;
/// Sums in a sum that are remembered; those of a running sum need one.
const MOST_PENDING: usize = 16;

struct Walk {
    trace: ThreadTrace,
    /// Of a running sum, how many additions back.
    most_sums: u32,
    nodes_left: u32,
    scale: f64,
    is_incomplete: bool,
}

impl Walk {
    fn find(&mut self, node: u32) -> Option<Executed> {
        let found = match self.nodes_left.checked_sub(1) {
            Some(left) => {
                self.nodes_left = left;
                self.trace.find(node)
            }
            None => None,
        };
        // Inputs and constants have no node.
        self.is_incomplete |= found.is_none() && node != 0;
        found
    }

    /// Follows a value to the sums that made it; the output changes by `factor` where it changes by one.
    fn follow(&mut self, mut node: u32, mut value: f64, mut factor: f64, depth: u32) {
        use Op::*;
        while let Some(executed) = self.find(node) {
            let Some(op) = Op::from_u16(executed.op) else {
                return;
            };
            let [x, y, _] = executed.values;
            match op {
                Add | Sub | Fma | MulAdd => return self.sum(node, value, factor, depth),
                Neg | Abs | CopySign => value = x,
                Fmin | Fmax | Minimum | Maximum | MinimumNum | MaximumNum => {
                    let is_first = x == value || y != value;
                    (node, value) = match is_first {
                        true => (executed.from[0], x),
                        false => (executed.from[1], y),
                    };
                    continue;
                }
                Mul if depth > 0 => {
                    self.product(&executed, factor, depth);
                    return;
                }
                Div => (value, factor) = (x, factor / y.abs()),
                Sqrt => (value, factor) = (x, factor / value.abs()),
                Hypot if depth > 0 => {
                    for (from, part) in executed.from.into_iter().zip([x, y]) {
                        self.follow(from, part, factor * (part / value).abs(), depth - 1);
                    }
                    return;
                }
                Pow | Powi => (value, factor) = (x, factor * (y * value / x).abs()),
                _ => return,
            }
            if !factor.is_finite() {
                return;
            }
            node = executed.from[0];
        }
    }

    fn product(&mut self, executed: &Executed, factor: f64, depth: u32) {
        let [x, y, _] = executed.values;
        self.follow(executed.from[0], x, factor * y.abs(), depth - 1);
        // A square has one factor.
        if executed.from[0] != executed.from[1] {
            self.follow(executed.from[1], y, factor * x.abs(), depth - 1);
        }
    }

    /// A sum with all sums in it: it cancelled if it is much smaller than its largest term. Otherwise its terms may have.
    fn sum(&mut self, node: u32, value: f64, factor: f64, depth: u32) {
        let mut largest = 0.0f64;
        self.each_sum(node, |_, executed, of_product| {
            let [x, y, z] = executed.values;
            let terms = if of_product { [x * y, z] } else { [x, y] };
            largest = largest.max(terms[0].abs()).max(terms[1].abs());
        });
        if largest >= CANCELLATION_FACTOR * value.abs() {
            self.scale = self.scale.max(factor * largest);
        } else if depth > 0 {
            self.each_sum(node, |walk, executed, of_product| {
                if of_product {
                    walk.product(executed, factor, depth);
                    return;
                }
                for (from, term) in executed.from.into_iter().zip(executed.values).take(2) {
                    let matters = term.abs() > SMALL_TERM * value.abs();
                    if matters && !walk.is_sum(from) {
                        walk.follow(from, term, factor, depth - 1);
                    }
                }
            });
        }
    }

    fn is_sum(&mut self, node: u32) -> bool {
        let op = self
            .find(node)
            .and_then(|executed| Op::from_u16(executed.op));
        matches!(op, Some(Op::Add | Op::Sub | Op::Fma | Op::MulAdd))
    }

    /// Calls `work` for a sum and for the sums that are its terms, and says whether it adds a product.
    fn each_sum(&mut self, node: u32, mut work: impl FnMut(&mut Walk, &Executed, bool)) {
        let mut pending = [0; MOST_PENDING];
        let mut count = 1;
        let mut sums_left = self.most_sums;
        pending[0] = node;
        while count > 0 && sums_left > 0 {
            count -= 1;
            sums_left -= 1;
            let Some(executed) = self.find(pending[count]) else {
                continue;
            };
            let (of_product, terms) = match Op::from_u16(executed.op) {
                Some(Op::Add | Op::Sub) => (false, [executed.from[1], executed.from[0]]),
                Some(Op::Fma | Op::MulAdd) => (true, [0, executed.from[2]]),
                _ => continue,
            };
            work(self, &executed, of_product);
            for term in terms {
                if term != 0 && count < MOST_PENDING && self.is_sum(term) {
                    pending[count] = term;
                    count += 1;
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn zero(value: f64, real: f64, bound: f64, scale: f64) -> Zero {
        let value = Measured {
            kind: FpKind::Double,
            value,
            residue: real - value,
            bound,
        };
        judged(&value, real.abs(), scale)
    }

    fn is_noise(value: f64, real: f64, bound: f64, scale: f64) -> bool {
        zero(value, real, bound, scale) == Zero::NoiseOf(scale)
    }

    #[test]
    fn noise_is_small_against_its_scale_and_far_above_the_exact_value() {
        // A residual, and one that an iteration leaves.
        assert!(is_noise(1e-16, 0.0, 0.0, 1.0));
        assert!(is_noise(1e-16, 1e-30, 1e-33, 1.0));
        // A difference that is not known to be zero, and one that is not known not to be.
        assert!(!is_noise(1e-16, 0.0, 1e-19, 1e-3));
        assert!(is_noise(1e-15, 0.0, 1e-19, 1.0) && !is_noise(1e-15, 0.0, 1e-17, 1.0));
        // An error that was amplified before.
        assert!(!is_noise(1e-12, 0.0, 0.0, 1.0));
        // What it is cannot be said, and no exact value shown.
        assert_eq!(zero(1e-15, 0.0, 1e-17, 1.0), Zero::Perhaps);
        assert_eq!(zero(1e-12, 0.0, 1e-17, 1.0), Zero::Not);
        // A variance, a function near zero, and a value that was absorbed.
        assert!(!is_noise(-16.0, 0.5, 0.0, 1e16));
        assert!(!is_noise(-1489.0, 0.04, 0.0, 1e19));
        assert!(!is_noise(0.0, 1e-300, 0.0, 1.0));
        assert!(!is_noise(1e-16, 9e-17, 0.0, 1.0));
    }
}
