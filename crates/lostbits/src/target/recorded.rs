//! The graph of a call as the worker hands it over: sites instead of addresses.

use lostbits_abi::{
    kind::FpKind,
    ops::Op,
    site::ROW_DETAIL,
    symbolic::{Entry, Graph, Node},
};

use super::{Outcome, observe::Reader};

/// A node; its number is its position in the graph, from 1.
#[derive(Clone, Copy, PartialEq, Debug)]
#[repr(C)]
pub struct RecordedNode {
    pub entry: Entry,
    pub op: Op,
    /// Of an input, the format of its variable.
    pub kind: FpKind,
    pub site: u32,
    pub detail: u32,
    pub operands: [u32; 3],
    pub values: [f64; 3],
    pub result: f64,
}

/// The outcome of a call, with its graph.
#[derive(Clone, PartialEq, Debug)]
pub struct Recorded {
    pub outcome: Outcome,
    pub nodes: Vec<RecordedNode>,
    /// Nodes for which there was no room: their results were taken for constants.
    pub dropped: u64,
}

/// The nodes of a graph; those that no row describes are inputs and outputs.
pub fn nodes<'a>(
    reader: &'a mut Reader,
    graph: &'a Graph,
) -> impl Iterator<Item = RecordedNode> + 'a {
    let length = graph.length as usize;
    graph.nodes[..length]
        .iter()
        .map(move |node| read(reader, node))
}

fn read(reader: &mut Reader, node: &Node) -> RecordedNode {
    let (site, op, kind) = match node.row as usize {
        0 if node.bytes == 4 => (u32::MAX, Op::Extend, FpKind::Float),
        0 => (u32::MAX, Op::Extend, FpKind::Double),
        row => {
            // SAFETY: instrumented code points to rows of its module's table, which stays where it is.
            let (what, detail) = unsafe {
                let words = row as *const u32;
                (words.add(5).read(), (words.byte_add(ROW_DETAIL)).read())
            };
            let kind = FpKind::from_u8(what.to_le_bytes()[1]).unwrap_or(FpKind::Double);
            let op = Op::from_u16(detail as u16).unwrap_or(Op::Extend);
            (reader.site(row), op, kind)
        }
    };
    RecordedNode {
        entry: Entry::from_u32(node.entry).unwrap_or(Entry::Pin),
        op,
        kind,
        site,
        detail: node.detail,
        operands: node.operands,
        values: node.values,
        result: node.result,
    }
}
