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

/// Shadows are found beside values, and a value that fits by chance is no source: what does not fit is cut.
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
