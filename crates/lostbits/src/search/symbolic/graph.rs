//! A call's graph as the search sees it: nodes by number, executions of sites counted, what depends on what.

use std::{collections::HashMap, rc::Rc};

use lostbits_abi::symbolic::Entry;

use super::checks::{Sample, is_checked};
use crate::target::{Ending, Recorded, RecordedNode};

pub type Node = RecordedNode;

/// One call: its input and what it did.
#[derive(Clone, Debug)]
pub struct Graph {
    pub input: Rc<[f64]>,
    pub ending: Ending,
    pub outputs: Vec<f64>,
    /// The first node has number 1.
    nodes: Vec<Node>,
    pub dropped: u64,
    /// Operands that did not have the value of their source, and so count as constants.
    pub strays: u64,
}

/// A checked execution of an addition.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub struct Spot {
    pub site: u32,
    /// Which of the site's executions in the call, from 0.
    pub execution: u32,
}

impl Graph {
    pub fn new(input: Vec<f64>, mut recorded: Recorded) -> Graph {
        let strays = cut_strays(&mut recorded.nodes);
        Graph {
            input: input.into(),
            ending: recorded.outcome.ending,
            outputs: recorded.outcome.outputs,
            nodes: recorded.nodes,
            dropped: recorded.dropped,
            strays,
        }
    }

    pub fn node(&self, number: u32) -> &Node {
        &self.nodes[number as usize - 1]
    }

    /// All nodes with their numbers, in the order of execution.
    pub fn nodes(&self) -> impl DoubleEndedIterator<Item = (u32, &Node)> {
        let numbered = |(at, node)| (at as u32 + 1, node);
        self.nodes.iter().enumerate().map(numbered)
    }

    pub fn length(&self) -> u32 {
        self.nodes.len() as u32
    }

    /// Which nodes lead to `roots`.
    pub fn sources(&self, roots: impl IntoIterator<Item = u32>) -> Vec<bool> {
        let mut leads = vec![false; self.nodes.len() + 1];
        for root in roots {
            leads[root as usize] = true;
        }
        for (number, node) in self.nodes().rev() {
            if leads[number as usize] {
                for operand in node.operands {
                    leads[operand as usize] = true;
                }
            }
        }
        leads[0] = false;
        leads
    }

    /// The inputs among `nodes` (by number).
    pub fn inputs(&self, nodes: &[bool]) -> Vec<usize> {
        let is_input =
            |(number, node): &(u32, &Node)| node.entry == Entry::Input && nodes[*number as usize];
        let mut inputs: Vec<usize> = self
            .nodes()
            .filter(is_input)
            .map(|(_, node)| node.detail as usize)
            .collect();
        inputs.sort_unstable();
        inputs.dedup();
        inputs
    }

    /// The nodes that outputs are.
    pub fn results(&self) -> Vec<(usize, u32)> {
        self.nodes()
            .filter(|(_, node)| node.entry == Entry::Output && node.operands[0] != 0)
            .map(|(_, node)| (node.detail as usize, node.operands[0]))
            .collect()
    }

    /// The additions that a sample takes, in the order of execution.
    pub fn spots(&self, sample: Sample) -> Vec<(Spot, u32)> {
        let mut counts: HashMap<u32, u32> = HashMap::new();
        let mut spots = Vec::new();
        for (number, node) in self.nodes() {
            if node.entry != Entry::Operation || !is_checked(node) {
                continue;
            }
            let count = counts.entry(node.site).or_default();
            let spot = Spot {
                site: node.site,
                execution: *count,
            };
            *count += 1;
            if sample.includes(spot.execution) {
                spots.push((spot, number));
            }
        }
        spots
    }
}

/// A shadow may match a value by chance: edges whose values do not match are cut.
fn cut_strays(nodes: &mut [Node]) -> u64 {
    let mut strays = 0;
    for at in 0..nodes.len() {
        for which in 0..3 {
            let operand = nodes[at].operands[which] as usize;
            if operand == 0 {
                continue;
            }
            let (given, taken) = (nodes[operand - 1].result, nodes[at].values[which]);
            if given.to_bits() != taken.to_bits() && !(given.is_nan() && taken.is_nan()) {
                nodes[at].operands[which] = 0;
                strays += 1;
            }
        }
    }
    strays
}

#[cfg(test)]
pub mod examples {
    //! Graphs made by hand.

    use lostbits_abi::{kind::FpKind, ops::Op};

    use super::*;
    use crate::{numeric::Relative, target::Outcome};

    pub struct Draft {
        input: Vec<f64>,
        nodes: Vec<Node>,
    }

    impl Draft {
        /// Inputs are nodes 1, 2, ….
        pub fn new(input: &[f64]) -> Draft {
            let node = |(at, value): (usize, &f64)| Node {
                entry: Entry::Input,
                op: Op::Extend,
                kind: FpKind::Double,
                site: u32::MAX,
                detail: at as u32,
                operands: [0; 3],
                values: [0.0; 3],
                result: *value,
            };
            Draft {
                input: input.to_vec(),
                nodes: input.iter().enumerate().map(node).collect(),
            }
        }

        /// Appends an operation on nodes; its number.
        pub fn add(&mut self, op: Op, x: u32, y: u32, result: f64) -> u32 {
            let value = |number: u32| match number {
                0 => 0.0,
                number => self.nodes[number as usize - 1].result,
            };
            self.nodes.push(Node {
                entry: Entry::Operation,
                op,
                kind: FpKind::Double,
                site: 0,
                detail: 0,
                operands: [x, y, 0],
                values: [value(x), value(y), 0.0],
                result,
            });
            self.nodes.len() as u32
        }

        pub fn done(self) -> Graph {
            let outcome = Outcome {
                ending: Ending::Returned,
                outputs: Vec::new(),
                estimate: Relative::NONE,
                steps: 0,
                depends_on_format: false,
                observations: 0..0,
            };
            let recorded = Recorded {
                outcome,
                nodes: self.nodes,
                dropped: 0,
            };
            Graph::new(self.input, recorded)
        }
    }
}

#[cfg(test)]
mod tests {
    use lostbits_abi::ops::Op;

    use super::{examples::Draft, *};

    #[test]
    fn an_operand_that_does_not_have_its_sources_value_is_cut() {
        let mut draft = Draft::new(&[1.0, 2.0]);
        let sum = draft.add(Op::Add, 1, 2, 3.0);
        draft.add(Op::Mul, sum, 2, 6.0);
        let whole = draft.done();
        assert_eq!(whole.strays, 0);
        let mut broken = whole.nodes.clone();
        broken[3].values[0] = 3.5;
        assert_eq!(cut_strays(&mut broken), 1);
        assert_eq!(broken[3].operands, [0, 2, 0]);
    }

    #[test]
    fn what_leads_to_a_node() {
        let mut draft = Draft::new(&[1.0, 2.0, 4.0]);
        let sum = draft.add(Op::Add, 1, 2, 3.0);
        let other = draft.add(Op::Mul, 3, 3, 16.0);
        let graph = draft.done();
        assert_eq!(graph.inputs(&graph.sources([sum])), [0, 1]);
        assert_eq!(graph.inputs(&graph.sources([other])), [2]);
        assert_eq!(graph.inputs(&graph.sources([sum, other])), [0, 1, 2]);
    }
}
