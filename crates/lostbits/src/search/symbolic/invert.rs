//! Algebraic inversion: solves one operation for one input.
//!
//! A goal for an operation is an equation between its operands (a cancellation: their sum is
//! zero; a loss: one of them has a certain size; a decision: they are equal). The derivative along the
//! graph shows which inputs move it; Newton's method moves one of them until the equation holds as well as
//! the input's format allows, then others with finer steps take up what is left; and the neighbours are
//! tried as well. Candidates are checked on the graph first ([`super::machine`]) and count only after a real run.
//!
//! What it can miss: several inputs that must move at once, and equations whose solution changes the path.

use lostbits_abi::{kind::FpKind, ops::Op};

use super::{
    checks::{Thresholds, Verdict},
    graph::Graph,
    machine,
};
use crate::numeric::Random;
use crate::search::space::{Axis, Space};

/// Newton's steps for one input, and inputs that take up what is left.
const STEPS: usize = 12;
const POLISHERS: usize = 6;
/// Inputs that are tried for one equation.
const TRIED: usize = 6;

pub struct Inversion<'a> {
    pub graph: &'a Graph,
    pub space: &'a Space,
    /// The inputs that may move.
    pub free: &'a [usize],
    pub thresholds: Thresholds,
}

/// A weighted sum of nodes and a constant that is to be zero.
#[derive(Clone, Debug)]
struct Equation {
    terms: Vec<(u32, f64)>,
    constant: f64,
}

impl Equation {
    fn residual(&self, results: &[f64]) -> f64 {
        let sum = |sum, (number, weight): &(u32, f64)| sum + weight * results[*number as usize];
        self.terms.iter().fold(self.constant, sum)
    }

    fn last(&self) -> u32 {
        self.terms.iter().map(|(at, _)| *at).max().unwrap_or(0)
    }
}

impl Inversion<'_> {
    /// Inputs on which node `number` may have the verdict.
    pub fn for_verdict(&self, number: u32, verdict: Verdict, rng: &mut Random) -> Vec<Vec<f64>> {
        let sides = self.sides(number);
        let mut found = Vec::new();
        match verdict {
            Verdict::Cancel => {
                let equation = joined(&sides, 0.0);
                found = self.solutions(&equation, rng);
                // A little is left over, which the errors of the operands then outweigh.
                let size = sides[0].value.abs().max(sides[1].value.abs());
                let left = size * power(-(self.thresholds.cancel as i32) - 1 - below(rng, 8));
                found.extend(self.solutions(&joined(&sides, left), rng));
            }
            Verdict::Loss | Verdict::Accurate => {
                for (moved, other) in [(0, 1), (1, 0)] {
                    let against = sides[other].value;
                    for up in [false, true] {
                        let size = self.size_for(verdict, against, up, rng);
                        let equation = sides[moved].equal_to(sides[other].sign() * size);
                        found.extend(self.solutions(&equation, rng));
                    }
                }
            }
        }
        found
    }

    /// Inputs on which the operands of a comparison are equal, or just not.
    pub fn for_decision(&self, number: u32, rng: &mut Random) -> Vec<Vec<f64>> {
        let node = self.graph.node(number);
        let sides = [0, 1].map(|at| Side::of(node.operands[at], node.values[at], at == 1));
        let difference = sides[0].value + sides[1].value;
        let mut found = self.solutions(&joined(&sides, 0.0), rng);
        if difference.is_finite() {
            // As far on the other side.
            found.extend(self.solutions(&joined(&sides, -difference), rng));
        }
        found
    }

    /// What is added by a node, each with the sign it is added with.
    fn sides(&self, number: u32) -> [Side; 2] {
        let node = self.graph.node(number);
        let side = |at: usize, negated| Side::of(node.operands[at], node.values[at], negated);
        match node.op {
            Op::Sub => [side(0, false), side(1, true)],
            Op::Fma | Op::MulAdd => {
                let [x, y, _] = node.values;
                // The product has no node of its own: one of its factors moves.
                let moving = if node.operands[0] != 0 { 0 } else { 1 };
                let factor = [y, x][moving];
                let product = Side {
                    terms: vec![(node.operands[moving], factor)],
                    value: x * y,
                };
                [product, side(2, false)]
            }
            _ => [side(0, false), side(1, false)],
        }
    }

    /// The size that one operand must have relative to the other.
    fn size_for(&self, verdict: Verdict, against: f64, up: bool, rng: &mut Random) -> f64 {
        let size = match against.abs() {
            0.0 => 1.0,
            size => size,
        };
        let bits = match verdict {
            Verdict::Loss => self.thresholds.loss as i32 + 1 + below(rng, 24),
            _ => below(rng, 3),
        };
        size * power(if up { bits } else { -bits }) * (1.0 + rng.unit())
    }

    fn solutions(&self, equation: &Equation, rng: &mut Random) -> Vec<Vec<f64>> {
        let last = equation.last();
        if last == 0 {
            return Vec::new();
        }
        let input = &self.graph.input;
        let results = machine::run(self.graph, input, last);
        let gradient = machine::gradient(self.graph, &results, &equation.terms);
        let mut movers: Vec<usize> = self
            .free
            .iter()
            .copied()
            .filter(|at| gradient[*at] != 0.0 && gradient[*at].is_finite())
            .collect();
        shuffle(&mut movers, rng);
        movers.truncate(TRIED);
        let mut found = Vec::new();
        for mover in movers {
            let Some(solved) = self.newton(equation, input, mover) else {
                continue;
            };
            let polished = self.polish(equation, &solved, mover, rng);
            found.extend(neighbours(self.space, &solved, mover));
            if polished != solved {
                found.push(polished);
            }
            found.push(solved);
        }
        found
    }

    /// Moves one input until nothing gets better.
    fn newton(&self, equation: &Equation, input: &[f64], mover: usize) -> Option<Vec<f64>> {
        let mut best: Option<(f64, Vec<f64>)> = None;
        let mut input = input.to_vec();
        for _ in 0..STEPS {
            let results = machine::run(self.graph, &input, equation.last());
            let residual = equation.residual(&results);
            let is_better = |best: &(f64, Vec<f64>)| residual.abs() < best.0;
            if !residual.is_finite() || !best.as_ref().is_none_or(is_better) {
                break;
            }
            best = Some((residual.abs(), input.clone()));
            let slope = machine::gradient(self.graph, &results, &equation.terms)[mover];
            let next = fit(&self.space.axes[mover], input[mover] - residual / slope);
            match next.filter(|next| residual != 0.0 && *next != input[mover]) {
                Some(next) => input[mover] = next,
                None => break,
            }
        }
        best.map(|(_, input)| input)
            .filter(|found| found[..] != self.graph.input[..])
    }

    /// Lets other inputs, whose steps are finer, take up what one could not.
    fn polish(
        &self,
        equation: &Equation,
        input: &[f64],
        mover: usize,
        rng: &mut Random,
    ) -> Vec<f64> {
        let mut input = input.to_vec();
        let mut others: Vec<usize> = self
            .free
            .iter()
            .copied()
            .filter(|at| *at != mover)
            .collect();
        shuffle(&mut others, rng);
        let at_input = |input: &[f64]| {
            let results = machine::run(self.graph, input, equation.last());
            (equation.residual(&results), results)
        };
        let (mut residual, mut results) = at_input(&input);
        for other in others.into_iter().take(POLISHERS) {
            if residual == 0.0 || !residual.is_finite() {
                break;
            }
            let slope = machine::gradient(self.graph, &results, &equation.terms)[other];
            let Some(next) = fit(&self.space.axes[other], input[other] - residual / slope) else {
                continue;
            };
            let before = std::mem::replace(&mut input[other], next);
            let (now, there) = at_input(&input);
            match now.abs() < residual.abs() {
                true => (residual, results) = (now, there),
                false => input[other] = before,
            }
        }
        input
    }
}

/// One operand of an addition: a node with its sign, or a constant.
struct Side {
    terms: Vec<(u32, f64)>,
    /// With the sign.
    value: f64,
}

impl Side {
    fn of(node: u32, value: f64, negated: bool) -> Side {
        let sign = if negated { -1.0 } else { 1.0 };
        Side {
            terms: if node == 0 {
                Vec::new()
            } else {
                vec![(node, sign)]
            },
            value: sign * value,
        }
    }

    fn equal_to(&self, value: f64) -> Equation {
        Equation {
            terms: self.terms.clone(),
            constant: -value,
        }
    }

    /// The sign with which nothing cancels against this.
    fn sign(&self) -> f64 {
        if self.value.is_sign_negative() {
            -1.0
        } else {
            1.0
        }
    }
}

/// Both sides together are `left`.
fn joined(sides: &[Side; 2], left: f64) -> Equation {
    let mut terms = Vec::new();
    let mut constant = -left;
    for side in sides {
        match side.terms.is_empty() {
            true => constant += side.value,
            false => terms.extend(side.terms.iter().copied()),
        }
    }
    Equation { terms, constant }
}

fn neighbours(space: &Space, input: &[f64], mover: usize) -> Vec<Vec<f64>> {
    let axis = &space.axes[mover];
    let position = axis.ordinal(input[mover]);
    let beside = |step: i64| {
        let mut near = input.to_vec();
        near[mover] = axis.value(position.saturating_add(step));
        near
    };
    [-1, 1].map(beside).into()
}

/// The nearest number that an input may be.
pub fn fit(axis: &Axis, value: f64) -> Option<f64> {
    match axis.kind {
        FpKind::Float => axis.fitted(f64::from(value as f32)),
        _ => axis.fitted(value),
    }
}

fn power(exponent: i32) -> f64 {
    f64::from(exponent).exp2()
}

fn below(rng: &mut Random, end: u64) -> i32 {
    rng.below(end) as i32
}

pub fn shuffle<T>(items: &mut [T], rng: &mut Random) {
    for last in (1..items.len()).rev() {
        items.swap(last, rng.below(last as u64 + 1) as usize);
    }
}

#[cfg(test)]
mod tests {
    use super::{super::graph::examples::Draft, *};
    use crate::{inputs::NamedRange, numeric::Range, search::space::Space, target::Parameter};

    fn space(inputs: usize, kind: FpKind) -> Space {
        let names: Vec<String> = (0..inputs).map(|at| format!("x{at}")).collect();
        let parameter = |name: &String| Parameter {
            name: name.clone(),
            kind,
        };
        let parameters: Vec<Parameter> = names.iter().map(parameter).collect();
        let ranges: Vec<_> = names
            .into_iter()
            .map(|name| NamedRange {
                name,
                range: Range {
                    low: -100.0,
                    high: 100.0,
                },
            })
            .collect();
        Space::new(&parameters, &ranges)
    }

    /// x·y + z: which verdicts the solutions have, by computing them again.
    fn reached(wanted: Verdict, kind: FpKind) -> usize {
        let input = [3.25, 7.5, 11.0];
        let mut draft = Draft::new(&input);
        let product = draft.add(Op::Mul, 1, 2, 3.25 * 7.5);
        let sum = draft.add(Op::Add, product, 3, 3.25 * 7.5 + 11.0);
        let (graph, space) = (draft.done(), space(3, kind));
        let inversion = Inversion {
            graph: &graph,
            space: &space,
            free: &[0, 1, 2],
            thresholds: Thresholds::default(),
        };
        let found = inversion.for_verdict(sum, wanted, &mut Random::named(1, "invert"));
        let has_verdict = |input: &&Vec<f64>| {
            let [x, y, z] = input[..] else { panic!() };
            assert!(input.iter().all(|value| value.abs() <= 100.0));
            Thresholds::default().verdict(x * y, z, x * y + z) == wanted
        };
        found.iter().filter(has_verdict).count()
    }

    #[test]
    fn sums_of_products_cancel_lose_and_keep_their_bits() {
        for kind in [FpKind::Float, FpKind::Double] {
            for verdict in Verdict::ALL {
                assert!(reached(verdict, kind) > 0, "{verdict:?} {kind:?}");
            }
        }
    }

    #[test]
    fn comparisons_are_brought_to_where_they_turn() {
        let mut draft = Draft::new(&[2.0, 30.0]);
        let square = draft.add(Op::Mul, 1, 1, 4.0);
        draft.add(Op::Compare, square, 2, 0.0);
        let (graph, space) = (draft.done(), space(2, FpKind::Double));
        let inversion = Inversion {
            graph: &graph,
            space: &space,
            free: &[0, 1],
            thresholds: Thresholds::default(),
        };
        let found = inversion.for_decision(square + 1, &mut Random::named(1, "invert"));
        assert!(found.iter().any(|input| input[0] * input[0] > input[1]));
        assert!(found.iter().any(|input| input[0] * input[0] == input[1]));
    }
}
