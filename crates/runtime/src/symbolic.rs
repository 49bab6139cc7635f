//! Mode `symbolic`: appends nodes to the graph. The worker process of `lostbits search` begins the graph before
//! each call and reads it afterwards.
//!
//! What it can miss: threads that record at the same time overwrite each other's nodes. The worker process has one.

use core::{ffi::c_void, ptr};

use lostbits_abi::{
    shadow,
    symbolic::{Entry, Graph, Node},
    variable_symbol, variables,
};

use crate::planes;

#[unsafe(export_name = variable_symbol!(SYMBOLIC_GRAPH))]
pub static mut GRAPH: variables::layout::SYMBOLIC_GRAPH = Graph::EMPTY;

/// Appends a node; returns its number, or 0 if there is no room.
fn append(node: Node) -> u32 {
    // SAFETY: nothing else uses the graph while a target runs: the worker process calls targets in one thread.
    let graph = unsafe { &mut *ptr::addr_of_mut!(GRAPH) };
    let length = graph.length;
    let Some(free) = graph.nodes.get_mut(length as usize) else {
        graph.dropped += 1;
        return 0;
    };
    *free = node;
    graph.length = length + 1;
    (graph.base + length + 1) as u32
}

/// The number of a node of this call, from 1; 0 for others.
fn current(number: u32) -> u32 {
    // SAFETY: only the worker process changes it, between calls.
    let base = unsafe { GRAPH.base };
    u64::from(number).saturating_sub(base) as u32
}

crate::export! {
    /// An operation.
    SYMBOLIC_OPERATE
    fn symbolic_operate(row: *const c_void, x: u32, y: u32, z: u32, u: f64, v: f64, w: f64, result: f64) -> u32 {
        let operands = [x, y, z].map(current);
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
        append(node)
    }

    /// A comparison.
    SYMBOLIC_COMPARE
    fn symbolic_compare(row: *const c_void, detail: u32, x: u32, y: u32, u: f64, v: f64) {
        let operands = [current(x), current(y), 0];
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
        append(node);
    }

    /// A value goes where nodes do not follow it.
    SYMBOLIC_PIN
    fn symbolic_pin(row: *const c_void, x: u32, u: f64, result: f64) {
        let operands = [current(x), 0, 0];
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
        append(node);
    }

    /// Memory holds an input.
    SYMBOLIC_INPUT
    fn symbolic_input(start: *mut c_void, bytes: usize, index: u32) {
        let address = start as usize;
        // SAFETY: the caller owns the number at this address.
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
        let number = append(node);
        let [values, numbers] = cells(address);
        // SAFETY: the address is mirrored, so it has cells in both planes.
        unsafe {
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
    SYMBOLIC_OUTPUT
    fn symbolic_output(start: *const c_void, bytes: usize, index: u32) {
        let address = start as usize;
        // SAFETY: the caller owns the number at this address.
        let Some(value) = (unsafe { number(address, bytes) }) else {
            return;
        };
        let [values, numbers] = cells(address);
        // SAFETY: the address is mirrored, so it has cells in both planes.
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
            operands: [current(found.unwrap_or(0)), 0, 0],
            values: [value, 0.0, 0.0],
            result: value,
            ..Node::NONE
        };
        append(node);
    }
}

/// The number in memory, if it has shadows.
///
/// # Safety
///
/// `bytes` bytes can be read from `address` on.
unsafe fn number(address: usize, bytes: usize) -> Option<f64> {
    if !planes::is_mirrored(address, bytes) {
        return None;
    }
    // SAFETY: the caller's promise.
    unsafe {
        match bytes {
            4 => Some((address as *const f32).read_unaligned().into()),
            8 => Some((address as *const f64).read_unaligned()),
            _ => None,
        }
    }
}

/// The cells of the number at `address`: its value, and the number of its node.
fn cells(address: usize) -> [usize; 2] {
    [0, 1].map(|plane| planes::mirror(address, shadow::distance(plane) as usize))
}
