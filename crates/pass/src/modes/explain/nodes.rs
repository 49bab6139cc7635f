//! Nodes of the trace: operations with their operands, each in its block's part of the thread's ring.

use std::mem::offset_of;

use lostbits_abi::explain::{CONTINUED, Node};

use super::super::lanes::lane_of;
use super::trace::{BlockTrace, NodeSlot, Tracing};
use super::{events::ReportedValue, reporting::NODE_HALF};
use crate::{
    builder::{self, Builder},
    carry::FunctionInstrumenter,
    ir::{self, Block, Type, Value},
    shape,
};

/// A node to be written for a lane.
#[derive(Clone, Copy)]
pub struct NewNode {
    lane: u32,
    pub place: NodeSlot,
    /// For a third operand.
    more: Option<NodeSlot>,
}

pub fn new_node(
    cx: &mut FunctionInstrumenter,
    block: Block,
    operands: usize,
    lane: u32,
) -> Option<NewNode> {
    let place = cx.next_node(block)?;
    let more = match operands > 2 {
        true => cx.next_node(block),
        false => None,
    };
    Some(NewNode { lane, place, more })
}

/// Nodes for the lanes that are asked for; none at all if the block has no room for all.
pub fn new_nodes(
    cx: &mut FunctionInstrumenter,
    block: Block,
    demanded: &[bool],
    operands: usize,
) -> Vec<NewNode> {
    let nodes: Option<Vec<NewNode>> = (0u32..)
        .zip(demanded)
        .filter(|(_, wanted)| **wanted)
        .map(|(lane, _)| new_node(cx, block, operands, lane))
        .collect();
    nodes.unwrap_or_default()
}

/// The same in a function where the block's first node is the first of these.
pub fn new_nodes_of(trace: &BlockTrace, demanded: &[bool], operands: usize) -> Vec<NewNode> {
    let mut next = (0..).map(|index| trace.slot(index));
    let mut slot = || next.next().expect("there is always one more");
    (0u32..)
        .zip(demanded)
        .filter(|(_, wanted)| **wanted)
        .map(|(lane, _)| NewNode {
            lane,
            place: slot(),
            more: (operands > 2).then(&mut slot),
        })
        .collect()
}

/// The numbers of nodes as `i64`s in the shape of `like`; lanes that the program does not use have any.
pub fn numbers(b: &Builder, trace: &BlockTrace, nodes: &[NewNode], like: Type) -> Value {
    let ty = b.types.shaped(b.types.i64, like);
    if nodes.is_empty() {
        return builder::null(ty);
    }
    let mut indices = vec![0; shape::lanes(like) as usize];
    for node in nodes {
        indices[node.lane as usize] = node.place.index();
    }
    trace.numbers(b, &indices, ty)
}

/// The builder is in a detour.
pub fn write_nodes_if(
    b: &Builder,
    traced: Value,
    nodes: Vec<NewNode>,
    site: u32,
    operands: &[ReportedValue],
) {
    let end = ir::terminator(b.insert_block());
    b.before(ir::unlikely_block(b.freeze(traced), end));
    for node in nodes {
        write_node(b, node, site, operands);
    }
    b.before(end);
}

pub fn write_node(b: &Builder, node: NewNode, site: u32, operands: &[ReportedValue]) {
    let i64 = b.types.i64;
    let lanes: Vec<(Value, Value)> = operands
        .iter()
        .map(|seen| {
            let value = b.as_double(lane_of(b, seen.value, node.lane));
            (value, lane_of(b, seen.shadow[2], node.lane))
        })
        .collect();
    let store = |address: Value, header: Value, pair: &[(Value, Value)]| {
        let mut from = builder::null(i64);
        for (index, (value, meta)) in (0u64..).zip(pair) {
            let at = offset_of!(Node, operands) as u64 + index * 8;
            b.store(*value, b.offset(address, at), 8);
            let node = match index {
                0 => b.and(*meta, builder::integer(i64, NODE_HALF)),
                _ => b.shift_left(*meta, 32),
            };
            from = b.or(from, node);
        }
        b.store(header, b.offset(address, offset_of!(Node, site) as u64), 8);
        b.store(from, b.offset(address, offset_of!(Node, from) as u64), 8);
    };
    let (first, rest) = lanes.split_at(lanes.len().min(2));
    store(node.place.address(b), node.place.header(b, site), first);
    if let Some(more) = node.more {
        let continued = builder::integer(i64, u64::from(CONTINUED));
        store(more.address(b), b.or(more.header(b, 0), continued), rest);
    }
}
