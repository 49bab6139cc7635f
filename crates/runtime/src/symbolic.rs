//! Mode `symbolic`: appends nodes to the graph. The worker process of `lostbits search` begins it before
//! each call and reads it afterwards.
//!
//! What it can miss: threads that record at once overwrite each other's nodes; targets are called in
//! processes that have one.

use lostbits_abi::{
    shadow,
    symbolic::{Entry, Graph, NODES, Node},
    symbols,
};

use crate::planes;

#[unsafe(export_name = "__lostbits_symbolic_graph")]
pub static mut GRAPH: Graph = Graph::EMPTY;

/// The node's number; 0 if there is no room.
unsafe fn append(node: Node) -> u32 {
    let graph = &raw mut GRAPH;
    unsafe {
        let length = (*graph).length;
        if length as usize >= NODES {
            (*graph).dropped += 1;
            return 0;
        }
        (&raw mut (*graph).nodes[length as usize]).write(node);
        (*graph).length = length + 1;
        ((*graph).base + length + 1) as u32
    }
}

/// The number of a node of this call, from 1; 0 for others.
unsafe fn current(number: u32) -> u32 {
    let base = unsafe { GRAPH.base };
    u64::from(number).saturating_sub(base) as u32
}

crate::export! {
    /// An operation.
    SYMBOLIC_OPERATE = "__lostbits_symbolic_operate"
    fn symbolic_operate(row: usize, x: u32, y: u32, z: u32, u: f64, v: f64, w: f64, result: f64) -> u32 {
        let operands = unsafe { [current(x), current(y), current(z)] };
        if operands == [0; 3] {
            return 0;
        }
        let node = Node {
            row: row as u64,
            entry: Entry::Operation as u32,
            operands,
            values: [u, v, w],
            result,
            ..Node::NONE
        };
        unsafe { append(node) }
    }

    /// A comparison.
    SYMBOLIC_COMPARE = "__lostbits_symbolic_compare"
    fn symbolic_compare(row: usize, detail: u32, x: u32, y: u32, u: f64, v: f64) {
        let operands = unsafe { [current(x), current(y), 0] };
        if operands == [0; 3] {
            return;
        }
        let node = Node {
            row: row as u64,
            entry: Entry::Comparison as u32,
            detail,
            operands,
            values: [u, v, 0.0],
            ..Node::NONE
        };
        unsafe { append(node) };
    }

    /// A value is taken as it is.
    SYMBOLIC_PIN = "__lostbits_symbolic_pin"
    fn symbolic_pin(row: usize, x: u32, u: f64, result: f64) {
        let operands = unsafe { [current(x), 0, 0] };
        if operands == [0; 3] {
            return;
        }
        let node = Node {
            row: row as u64,
            entry: Entry::Pin as u32,
            operands,
            values: [u, 0.0, 0.0],
            result,
            ..Node::NONE
        };
        unsafe { append(node) };
    }

    /// Memory holds an input.
    SYMBOLIC_INPUT = "__lostbits_symbolic_input"
    fn symbolic_input(address: usize, bytes: usize, index: u32) {
        let Some(value) = (unsafe { number(address, bytes) }) else {
            return;
        };
        let node = Node {
            entry: Entry::Input as u32,
            detail: index,
            bytes: bytes as u32,
            result: value,
            ..Node::NONE
        };
        unsafe {
            let number = append(node);
            let [values, numbers] = cells(address);
            match bytes {
                4 => {
                    (values as *mut u32).write_unaligned((address as *const u32).read_unaligned());
                    (numbers as *mut u32).write_unaligned(number);
                }
                _ => {
                    (values as *mut u64).write_unaligned((address as *const u64).read_unaligned());
                    (numbers as *mut u64).write_unaligned(number.into());
                }
            }
        }
    }

    /// Memory holds an output.
    SYMBOLIC_OUTPUT = "__lostbits_symbolic_output"
    fn symbolic_output(address: usize, bytes: usize, index: u32) {
        let Some(value) = (unsafe { number(address, bytes) }) else {
            return;
        };
        let [values, numbers] = cells(address);
        let found = unsafe {
            match bytes {
                4 => ((values as *const u32).read_unaligned()
                    == (address as *const u32).read_unaligned())
                    .then(|| (numbers as *const u32).read_unaligned()),
                _ => ((values as *const u64).read_unaligned()
                    == (address as *const u64).read_unaligned())
                    .then(|| (numbers as *const u64).read_unaligned() as u32),
            }
        };
        let node = Node {
            entry: Entry::Output as u32,
            detail: index,
            operands: [unsafe { current(found.unwrap_or(0)) }, 0, 0],
            values: [value, 0.0, 0.0],
            result: value,
            ..Node::NONE
        };
        unsafe { append(node) };
    }
}

/// The number in memory, if it has shadows.
unsafe fn number(address: usize, bytes: usize) -> Option<f64> {
    if !planes::is_mirrored(address, bytes) {
        return None;
    }
    unsafe {
        match bytes {
            4 => Some((address as *const f32).read_unaligned().into()),
            8 => Some((address as *const f64).read_unaligned()),
            _ => None,
        }
    }
}

/// Where the value and the number of what is at `address` are kept.
fn cells(address: usize) -> [usize; 2] {
    [0, 1].map(|plane| address - shadow::distance(plane) as usize)
}
