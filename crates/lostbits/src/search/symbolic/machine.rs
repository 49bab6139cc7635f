//! A call's graph computed again for another input: the same operations in the same formats, so that a
//! solver can check before it asks for a real run. Comparisons keep their outcomes.
//!
//! Library functions are those of MPFR, which may differ from libm in the last bit: what is found here
//! counts only after a real run.

use lostbits_abi::{kind::FpKind, ops::Op, symbolic::Entry};
use rug::Float;

use super::graph::{Graph, Node};
use crate::numeric::evaluate;

/// The results of all nodes up to `last`, by number (0 is unused).
pub fn run(graph: &Graph, input: &[f64], last: u32) -> Vec<f64> {
    let mut results = vec![0.0; last as usize + 1];
    for (number, node) in graph.nodes().take(last as usize) {
        results[number as usize] = match node.entry {
            Entry::Input => input[node.detail as usize],
            Entry::Operation => {
                let values = operands(node, &results);
                apply(node, values).unwrap_or(node.result)
            }
            Entry::Comparison | Entry::Pin | Entry::Output => node.result,
        };
    }
    results
}

/// The operands of a node: what its sources gave, or the constants that it saw.
pub fn operands(node: &Node, results: &[f64]) -> [f64; 3] {
    let mut values = node.values;
    for (value, operand) in values.iter_mut().zip(node.operands) {
        if operand != 0 {
            *value = results[operand as usize];
        }
    }
    values
}

fn apply(node: &Node, [x, y, z]: [f64; 3]) -> Option<f64> {
    let exact = match node.op {
        Op::Add => x + y,
        Op::Sub => x - y,
        Op::Mul => x * y,
        Op::Div => x / y,
        Op::Fma => x.mul_add(y, z),
        Op::MulAdd => x * y + z,
        Op::Sqrt => x.sqrt(),
        Op::Neg => -x,
        Op::Abs => x.abs(),
        Op::Extend | Op::Truncate | Op::Canonicalize => x,
        op => {
            let count = op.info().arity();
            let values = [x, y, z].map(|value| Float::with_val(53, value));
            evaluate(op, &values[..count.min(3)], 53)?.to_f64()
        }
    };
    // Sums, products, quotients and roots of floats may be rounded twice without harm.
    Some(match result_kind(node) {
        FpKind::Float => f64::from(exact as f32),
        _ => exact,
    })
}

/// The format of a node's result: a site's is the widest of its operands'.
pub fn result_kind(node: &Node) -> FpKind {
    match node.op {
        Op::Truncate if f64::from(node.result as f32) == node.result => FpKind::Float,
        _ => node.kind,
    }
}

/// The derivatives of a node's result by its operands.
fn slopes(node: &Node, values: [f64; 3]) -> [f64; 3] {
    let [x, y, _] = values;
    match node.op {
        Op::Add => [1.0, 1.0, 0.0],
        Op::Sub => [1.0, -1.0, 0.0],
        Op::Mul => [y, x, 0.0],
        Op::Div => [1.0 / y, -x / (y * y), 0.0],
        Op::Fma | Op::MulAdd => [y, x, 1.0],
        Op::Sqrt => [0.5 / x.sqrt(), 0.0, 0.0],
        Op::Neg => [-1.0, 0.0, 0.0],
        Op::Abs => [x.signum(), 0.0, 0.0],
        Op::Extend | Op::Truncate | Op::Canonicalize => [1.0, 0.0, 0.0],
        _ => [0, 1, 2].map(|at| match node.operands[at] {
            0 => 0.0,
            _ => measured(node, values, at),
        }),
    }
}

/// A difference quotient.
fn measured(node: &Node, values: [f64; 3], at: usize) -> f64 {
    const STEP: f64 = 1e-6;
    let step = match values[at] {
        0.0 => STEP,
        value => value * STEP,
    };
    let mut moved = values;
    moved[at] += step;
    match (apply(node, values), apply(node, moved)) {
        (Some(here), Some(there)) => (there - here) / (moved[at] - values[at]),
        _ => 0.0,
    }
}

/// The derivatives of a weighted sum of nodes by each input.
pub fn gradient(graph: &Graph, results: &[f64], weights: &[(u32, f64)]) -> Vec<f64> {
    let mut gradient = vec![0.0; graph.input.len()];
    let last = weights.iter().map(|(number, _)| *number).max().unwrap_or(0);
    let mut adjoints = vec![0.0; last as usize + 1];
    for (number, weight) in weights {
        adjoints[*number as usize] += weight;
    }
    adjoints[0] = 0.0;
    for number in (1..=last).rev() {
        let adjoint = adjoints[number as usize];
        if adjoint == 0.0 {
            continue;
        }
        let node = graph.node(number);
        match node.entry {
            Entry::Input => gradient[node.detail as usize] += adjoint,
            Entry::Operation => {
                let slopes = slopes(node, operands(node, results));
                for (operand, slope) in node.operands.into_iter().zip(slopes) {
                    if operand != 0 {
                        adjoints[operand as usize] += adjoint * slope;
                    }
                }
            }
            Entry::Comparison | Entry::Pin | Entry::Output => {}
        }
    }
    gradient
}

#[cfg(test)]
mod tests {
    use super::{super::graph::examples::Draft, *};

    #[test]
    fn derivatives_agree_with_differences() {
        let (x, y) = (0.75f64, 1.5f64);
        let input = [x, y];
        let mut draft = Draft::new(&input);
        let product = draft.add(Op::Mul, 1, 2, x * y);
        let root = draft.add(Op::Sqrt, product, 0, (x * y).sqrt());
        let sine = draft.add(Op::Sin, 1, 0, x.sin());
        let quotient = draft.add(Op::Div, root, sine, (x * y).sqrt() / x.sin());
        let last = draft.add(Op::Sub, quotient, 2, (x * y).sqrt() / x.sin() - y);
        let graph = draft.done();
        let value = |input: &[f64]| run(&graph, input, last)[last as usize];
        let results = run(&graph, &input, last);
        let slopes = gradient(&graph, &results, &[(last, 1.0)]);
        for at in 0..2 {
            let mut moved = input;
            moved[at] += 1e-6;
            let measured = (value(&moved) - value(&input)) / 1e-6;
            assert!(
                (slopes[at] - measured).abs() < 1e-4,
                "{at}: {slopes:?} {measured}"
            );
        }
    }
}
