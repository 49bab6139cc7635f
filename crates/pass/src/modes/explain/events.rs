//! How an execution is reported to the runtime: the thread's event, or its lanes, are filled in.

use std::mem::offset_of;

use lostbits_abi::{
    explain::{Event, Lanes, MOST_LANES, Thread},
    functions::{self, RuntimeFunction},
    kind::FpKind,
};

use super::super::lanes::lane_of;
use crate::{
    builder::{self, Builder},
    carry::LeafShadow,
    ir::{self, Type, Value},
    shape,
};

/// An operand or result as the runtime sees it.
#[derive(Clone)]
pub struct ReportedValue {
    pub value: Value,
    pub shadow: LeafShadow,
}

/// What an event reports of an execution.
#[derive(Clone)]
pub struct EventFields {
    pub site: u32,
    pub number: u16,
    pub kind: FpKind,
    /// The numbers of the result's nodes, as `i64`s in the result's shape.
    pub nodes: Value,
    /// The result first.
    pub seen: Vec<ReportedValue>,
    pub thread: Value,
    pub first_site: Value,
}

/// Reports the lanes that are set in `reported`, and takes over what the runtime made of the result's shadows.
pub fn report_lanes(b: &Builder, fields: &EventFields, reported: Value) -> LeafShadow {
    const ROW: usize = MOST_LANES * 8;
    let types = b.types;
    let lanes = b.offset(fields.thread, offset_of!(Thread, lanes) as u64);
    let at = |offset: usize| b.offset(lanes, offset as u64);
    b.store(global_site(b, fields), at(offset_of!(Lanes, site)), 4);
    b.store(about(b, fields), at(offset_of!(Lanes, op)), 4);
    let bits = types.int(shape::lanes(ir::type_of(reported)));
    let reported = b.resize_unsigned(b.bitcast(reported, bits), types.i32);
    b.store(reported, at(offset_of!(Lanes, reported)), 4);
    let places = [
        offset_of!(Lanes, residues),
        offset_of!(Lanes, bounds),
        offset_of!(Lanes, metas),
    ];
    for (index, seen) in fields.seen.iter().enumerate() {
        let double = types.shaped(types.double, ir::type_of(seen.value));
        let value = b.convert(seen.value, double);
        b.store(value, at(offset_of!(Lanes, values) + index * ROW), 8);
        for (place, component) in places.into_iter().zip(&seen.shadow) {
            b.store(*component, at(place + index * ROW), 8);
        }
    }
    b.call_runtime(functions::EXPLAIN_REPORT_LANES, &[lanes]);
    let take = |(place, component): (usize, &Value)| b.load(ir::type_of(*component), at(place), 8);
    places
        .into_iter()
        .zip(&fields.seen[0].shadow)
        .map(take)
        .collect()
}

/// Reports one lane, and takes over what the runtime made of the result's shadow.
pub fn report_lane(
    b: &Builder,
    function: RuntimeFunction,
    fields: &EventFields,
    lane: u32,
    flag: Value,
    shadow: LeafShadow,
) -> LeafShadow {
    let event = write_event(b, fields, lane, flag);
    let types = b.types;
    b.call_runtime(function, &[event]);
    let changed = [
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
    changed.into_iter().zip(shadow).map(take).collect()
}

/// The number of the site among all of the program's.
fn global_site(b: &Builder, fields: &EventFields) -> Value {
    let i32 = b.types.i32;
    b.binary(
        ir::Opcode::LLVMAdd,
        b.resize_unsigned(fields.first_site, i32),
        builder::integer(i32, fields.site.into()),
    )
}

/// Operation, format and number of operands in one word, as [`Event`] and [`Lanes`] have them.
fn about(b: &Builder, fields: &EventFields) -> Value {
    let about = u32::from(fields.number)
        | (fields.kind as u32) << 16
        | (fields.seen.len() as u32 - 1) << 24;
    builder::integer(b.types.i32, about.into())
}

/// Fills in the thread's event.
pub fn write_event(b: &Builder, fields: &EventFields, lane: u32, flag: Value) -> Value {
    let types = b.types;
    let event = b.offset(fields.thread, offset_of!(Thread, event) as u64);
    let put = |value: Value, offset: usize, alignment: u32| {
        b.store(value, b.offset(event, offset as u64), alignment);
    };
    put(global_site(b, fields), offset_of!(Event, site), 4);
    put(about(b, fields), offset_of!(Event, op), 4);
    let node = b.resize_unsigned(lane_of(b, fields.nodes, lane), types.i32);
    put(node, offset_of!(Event, node), 4);
    put(
        b.resize_unsigned(flag, types.i32),
        offset_of!(Event, reported),
        4,
    );
    for (index, seen) in fields.seen.iter().enumerate() {
        let value = lane_of(b, seen.value, lane);
        let near = b.as_double(value);
        put(near, offset_of!(Event, values) + index * 8, 8);
        if fields.kind == FpKind::X87 {
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
