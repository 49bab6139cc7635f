//! Inaccuracy checks (FPGen, section 3.1): what an addition or subtraction did to its operands' bits.
//!
//! Exponents are the fields of the format, so that zero has the smallest: adding zero is a *loss* by the
//! paper's definition although nothing is lost, and a result of zero is a *cancellation*. No branch is
//! needed, here or in what a solver gets.

use lostbits_abi::{kind::FpKind, ops::Op};

use super::graph::Node;

/// The verdict of a check on one execution.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub enum Verdict {
    Accurate,
    /// The smaller operand lost most of its bits.
    Loss,
    /// The operands' leading bits cancelled.
    Cancel,
}

impl Verdict {
    pub const ALL: [Verdict; 3] = [Verdict::Accurate, Verdict::Loss, Verdict::Cancel];

    pub fn name(self) -> &'static str {
        match self {
            Verdict::Accurate => "accurate",
            Verdict::Loss => "loss",
            Verdict::Cancel => "cancellation",
        }
    }
}

/// How many bits make a loss or a cancellation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Thresholds {
    /// σ of the paper.
    pub loss: u32,
    /// θ of the paper.
    pub cancel: u32,
}

impl Default for Thresholds {
    /// The paper's best setting.
    fn default() -> Thresholds {
        Thresholds {
            loss: 32,
            cancel: 40,
        }
    }
}

impl Thresholds {
    pub fn verdict(self, x: f64, y: f64, result: f64) -> Verdict {
        let [a, b, r] = [x, y, result].map(exponent);
        if a.abs_diff(b) >= self.loss {
            Verdict::Loss
        } else if a.max(b) - r >= self.cancel as i32 {
            Verdict::Cancel
        } else {
            Verdict::Accurate
        }
    }

    /// The verdict on a node that is checked.
    pub fn of(self, node: &Node) -> Verdict {
        let [x, y] = terms(node);
        self.verdict(x, y, node.result)
    }
}

/// Whether a node is an addition that is checked.
pub fn is_checked(node: &Node) -> bool {
    matches!(node.op, Op::Add | Op::Sub | Op::Fma | Op::MulAdd)
        && matches!(node.kind, FpKind::Float | FpKind::Double | FpKind::X87)
}

/// The two numbers that are added.
pub fn terms(node: &Node) -> [f64; 2] {
    let [x, y, z] = node.values;
    match node.op {
        Op::Fma | Op::MulAdd => [x * y, z],
        _ => [x, y],
    }
}

/// The exponent field of a double.
pub fn exponent(value: f64) -> i32 {
    (value.to_bits() >> 52 & 0x7ff) as i32
}

/// Which executions of a site are checked: from `start` on (counted from 0), in steps; with logarithmic
/// sampling the step grows tenfold with each order of magnitude.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Sample {
    pub logarithmic: bool,
    pub start: u32,
    pub step: u32,
}

impl Default for Sample {
    fn default() -> Sample {
        Sample {
            logarithmic: false,
            start: 0,
            step: 1,
        }
    }
}

impl Sample {
    pub fn includes(self, execution: u32) -> bool {
        let Some(count) = execution.checked_sub(self.start) else {
            return false;
        };
        let step = self.step.max(1);
        if !self.logarithmic {
            return count.is_multiple_of(step);
        }
        // Up to ten samples at each step: 0, s, …, 9s, 10s, 20s, …
        let mut step = u64::from(step);
        while u64::from(count) >= 10 * step {
            step *= 10;
        }
        u64::from(count).is_multiple_of(step)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_manual_input_of_the_paper() {
        let limits = Thresholds::default();
        assert_eq!(limits.verdict(-98.0, -1.2e-15, -98.0), Verdict::Loss);
        assert_eq!(limits.verdict(-98.0, 98.0, 0.0), Verdict::Cancel);
        assert_eq!(limits.verdict(1.5, 2.5, 4.0), Verdict::Accurate);
        assert_eq!(limits.verdict(0.0, 0.0, 0.0), Verdict::Accurate);
        assert_eq!(
            limits.verdict(1.0, -1.0 + f64::EPSILON, f64::EPSILON),
            Verdict::Cancel
        );
    }

    #[test]
    fn samples_of_both_kinds() {
        let taken = |sample: Sample, end| -> Vec<u32> {
            (0..end).filter(|at| sample.includes(*at)).collect()
        };
        let uniform = Sample {
            logarithmic: false,
            start: 2,
            step: 3,
        };
        assert_eq!(taken(uniform, 10), [2, 5, 8]);
        let logarithmic = Sample {
            logarithmic: true,
            start: 1,
            step: 2,
        };
        assert_eq!(
            taken(logarithmic, 62),
            [1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 41, 61]
        );
    }
}
