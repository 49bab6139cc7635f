//! How the runtime is told of an execution: the thread's event, or its lanes, are filled in.

use std::mem::offset_of;

use lostbits_abi::{
    explain::{Event, Lanes, MOST_LANES, Thread},
    kind::FpKind,
    symbols,
};

use super::LeafShadow;
use crate::{
    builder::{self, Builder},
    ir::{self, Type, Value},
    shape,
};

/// An operand or result as the runtime sees it.
#[derive(Clone)]
pub struct Seen {
    pub value: Value,
    pub shadow: LeafShadow,
}

/// What the runtime is told of an execution.
#[derive(Clone)]
pub struct Tale {
    pub site: u32,
    pub number: u16,
    pub kind: FpKind,
    /// The numbers of the result's nodes, as `i64`s in the result's shape.
    pub nodes: Value,
    /// The result first.
    pub seen: Vec<Seen>,
    pub thread: Value,
    pub first_site: Value,
}

/// Tells of the lanes that are `told`, and takes over what the runtime made of the result's shadows.
pub fn tell_lanes(b: &Builder, tale: &Tale, told: Value) -> LeafShadow {
    const ROW: usize = MOST_LANES * 8;
    let types = b.types;
    let lanes = b.offset(tale.thread, offset_of!(Thread, lanes) as u64);
    let at = |offset: usize| b.offset(lanes, offset as u64);
    b.store(global_site(b, tale), at(offset_of!(Lanes, site)), 4);
    b.store(about(b, tale), at(offset_of!(Lanes, op)), 4);
    let bits = types.int(shape::lanes(ir::type_of(told)));
    let told = b.resize_unsigned(b.bitcast(told, bits), types.i32);
    b.store(told, at(offset_of!(Lanes, told)), 4);
    let places = [
        offset_of!(Lanes, residues),
        offset_of!(Lanes, bounds),
        offset_of!(Lanes, metas),
    ];
    for (index, seen) in tale.seen.iter().enumerate() {
        let double = types.shaped(types.double, ir::type_of(seen.value));
        let value = b.convert(seen.value, double);
        b.store(value, at(offset_of!(Lanes, values) + index * ROW), 8);
        for (place, component) in places.into_iter().zip(&seen.shadow) {
            b.store(*component, at(place + index * ROW), 8);
        }
    }
    let tell = b.declare(symbols::EXPLAIN_TELL_LANES, types.void, &[types.pointer]);
    b.call(tell, &[lanes]);
    let take = |(place, component): (usize, &Value)| b.load(ir::type_of(*component), at(place), 8);
    places
        .into_iter()
        .zip(&tale.seen[0].shadow)
        .map(take)
        .collect()
}

/// Tells of one lane, and takes over what the runtime made of the result's shadow.
pub fn tell_lane(
    b: &Builder,
    function: &str,
    tale: &Tale,
    lane: u32,
    flag: Value,
    shadow: LeafShadow,
) -> LeafShadow {
    let event = write_event(b, tale, lane, flag);
    let types = b.types;
    let tell = b.declare(function, types.void, &[types.pointer]);
    b.call(tell, &[event]);
    let fields = [
        (offset_of!(Event, residues), types.double),
        (offset_of!(Event, bounds), types.double),
        (offset_of!(Event, metas), types.i64),
    ];
    let take = |((offset, ty), whole): ((usize, Type), Value)| {
        let value = b.load(ty, b.offset(event, offset as u64), 8);
        match ir::type_kind(ir::type_of(whole)) {
            ir::TypeKind::LLVMVectorTypeKind => {
                b.insert_element(whole, value, builder::integer(types.i32, lane.into()))
            }
            _ => value,
        }
    };
    fields.into_iter().zip(shadow).map(take).collect()
}

/// The number of the site among all of the program's.
fn global_site(b: &Builder, tale: &Tale) -> Value {
    let i32 = b.types.i32;
    b.binary(
        ir::Opcode::LLVMAdd,
        b.resize_unsigned(tale.first_site, i32),
        builder::integer(i32, tale.site.into()),
    )
}

/// Operation, format and number of operands in one word, as [`Event`] and [`Lanes`] have them.
fn about(b: &Builder, tale: &Tale) -> Value {
    let about =
        u32::from(tale.number) | (tale.kind as u32) << 16 | (tale.seen.len() as u32 - 1) << 24;
    builder::integer(b.types.i32, about.into())
}

/// Fills in the thread's event.
pub fn write_event(b: &Builder, tale: &Tale, lane: u32, flag: Value) -> Value {
    let types = b.types;
    let event = b.offset(tale.thread, offset_of!(Thread, event) as u64);
    let put = |value: Value, offset: usize, alignment: u32| {
        b.store(value, b.offset(event, offset as u64), alignment);
    };
    put(global_site(b, tale), offset_of!(Event, site), 4);
    put(about(b, tale), offset_of!(Event, op), 4);
    let node = b.resize_unsigned(lane_of(b, tale.nodes, lane), types.i32);
    put(node, offset_of!(Event, node), 4);
    put(
        b.resize_unsigned(flag, types.i32),
        offset_of!(Event, told),
        4,
    );
    for (index, seen) in tale.seen.iter().enumerate() {
        let value = lane_of(b, seen.value, lane);
        let near = b.as_double(value);
        put(near, offset_of!(Event, values) + index * 8, 8);
        if tale.kind == FpKind::X87 {
            let rest = b.binary(
                ir::Opcode::LLVMFSub,
                value,
                b.convert(near, ir::type_of(value)),
            );
            put(b.as_double(rest), offset_of!(Event, tails) + index * 8, 8);
        }
        let places = [
            offset_of!(Event, residues),
            offset_of!(Event, bounds),
            offset_of!(Event, metas),
        ];
        for (place, component) in places.into_iter().zip(&seen.shadow) {
            put(lane_of(b, *component, lane), place + index * 8, 8);
        }
    }
    event
}

pub fn lane_of(b: &Builder, value: Value, lane: u32) -> Value {
    match ir::type_kind(ir::type_of(value)) {
        ir::TypeKind::LLVMVectorTypeKind => b.extract_lane(value, lane),
        _ => value,
    }
}
