//! Mode `symbolic`: the graph of a call's operations on its marked inputs.
//!
//! A value's shadow is the number of the node that made it, 0 where it depends on no input. Numbers keep rising from call to
//! call; those up to [`Graph::base`] belong to earlier calls, whose values are constants now. So memory that outlives a
//! call need not be cleared.

/// How many nodes a call may have; what comes later is counted, and taken for constant.
pub const NODES: usize = 1 << 17;

/// Something that happened to a value that depends on inputs.
#[derive(Clone, Copy, PartialEq, Debug)]
#[repr(C)]
pub struct Node {
    /// The address of the site's row; 0 for inputs and outputs.
    pub row: u64,
    /// An [`Entry`].
    pub entry: u32,
    /// The index of an input or output; see [`comparison_detail`] for a comparison.
    pub detail: u32,
    /// Where the operands came from; 0 for constants.
    pub operands: [u32; 3],
    /// Of an input, its size in memory; else 0.
    pub bytes: u32,
    pub values: [f64; 3],
    pub result: f64,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u32)]
pub enum Entry {
    Input = 1,
    Operation = 2,
    Comparison = 3,
    /// The first operand was taken as it is: it became an integer, say.
    Pin = 4,
    Output = 5,
}

impl Entry {
    pub fn from_u32(raw: u32) -> Option<Entry> {
        use Entry::*;
        [Input, Operation, Comparison, Pin, Output]
            .into_iter()
            .find(|entry| *entry as u32 == raw)
    }
}

/// An LLVM predicate (0 to 15) with what it gave.
pub const fn comparison_detail(predicate: u32, outcome: bool) -> u32 {
    predicate | (outcome as u32) << 8
}

#[repr(C)]
pub struct Graph {
    /// The number of the last node before the call: that of `nodes[i]` is `base + 1 + i`.
    pub base: u64,
    pub length: u64,
    /// Nodes that found no room.
    pub dropped: u64,
    pub padding: [u64; 5],
    pub nodes: [Node; NODES],
}

impl Graph {
    pub const EMPTY: Graph = Graph {
        base: 0,
        length: 0,
        dropped: 0,
        padding: [0; 5],
        nodes: [Node::NONE; NODES],
    };

    /// The numbers of all nodes before become those of constants.
    pub fn begin(&mut self) {
        let next = self.base + self.length;
        let wraps = next + NODES as u64 >= u64::from(u32::MAX);
        self.base = if wraps { 0 } else { next };
        self.length = 0;
        self.dropped = 0;
    }
}

impl Node {
    pub const NONE: Node = Node {
        row: 0,
        entry: 0,
        detail: 0,
        operands: [0; 3],
        bytes: 0,
        values: [0.0; 3],
        result: 0.0,
    };
}
