//! Mode `explain-reals`: root causes as in mode `explain`, measured by numbers of many bits as in mode `reals`.
//!
//! Shadows are those of mode `reals`, kept and moved by the same code: references to slots, which here also hold the
//! meta word of mode `explain` (node and influences) and the order of the number's own error. Every operation
//! is one call of the runtime, which computes the number, writes the node, and judges with the code of mode
//! `explain`; outputs are found by that mode's code too. The program's decisions are left alone.
//!
//! Unlike in mode `reals`, an exact result has a slot, because it has a node; 0 is a value that nothing computed.

mod scaling;
mod wrapping;

use lostbits_abi::{
    kind::FpKind,
    mode::Mode,
    numbers::VARIADIC_FLOAT,
    ops::{Op, Outcome},
    symbols,
};

use super::{
    Decoded, Domain, Keeper, LeafShadow, Operation, Shadow,
    explain::{self, extraction, opaque, outputs, rust_outputs, stop, switches},
    reals::{Reals, each_lane, lane_of, put_operand, results, stored_results},
};
use crate::{
    builder::{self, Builder},
    carry::Weaver,
    ir::{self, Module, Type, TypeKind, Value},
    shape,
};

pub struct ExplainReals;

impl Domain for ExplainReals {
    fn mode(&self) -> Mode {
        Mode::ExplainReals
    }

    fn counts(&self) -> bool {
        true
    }

    fn needs_defined_values(&self) -> bool {
        Reals.needs_defined_values()
    }

    /// So the program is prepared as in mode `explain`: the same operations, and an environment of its own.
    fn computes(&self) -> bool {
        true
    }

    fn components(&self, builder: &Builder, leaf: Type) -> Vec<Type> {
        Reals.components(builder, leaf)
    }

    fn fresh(&self, builder: &Builder, value: Value) -> LeafShadow {
        Reals.fresh(builder, value)
    }

    fn cells(&self, builder: &Builder, leaf: Type) -> Vec<Type> {
        Reals.cells(builder, leaf)
    }

    fn encode(&self, builder: &Builder, value: Value, shadow: &[Value]) -> Vec<Value> {
        Reals.encode(builder, value, shadow)
    }

    fn encode_variadic(&self, builder: &Builder, value: Value, shadow: &[Value]) -> Vec<Value> {
        let mut cells = Reals.encode(builder, value, shadow);
        let was_float = ir::is_instruction(value)
            && ir::opcode(value) == ir::Opcode::LLVMFPExt
            && shape::fp_kind(ir::type_of(ir::operand(value, 0))) == Some(FpKind::Float);
        if was_float {
            let flag = builder::integer(ir::type_of(cells[1]), VARIADIC_FLOAT);
            cells[1] = builder.or(cells[1], flag);
        }
        cells
    }

    fn decode(&self, builder: &Builder, value: Value, cells: &[Value]) -> Decoded {
        Reals.decode(builder, value, cells)
    }

    fn bitcast(&self, builder: &Builder, value: Value, shadow: &[Value], to: Type) -> LeafShadow {
        Reals.bitcast(builder, value, shadow, to)
    }

    fn move_bits(
        &self,
        builder: &Builder,
        instruction: Value,
        operands: &[(u32, LeafShadow)],
    ) -> LeafShadow {
        Reals.move_bits(builder, instruction, operands)
    }

    fn rescales(&self) -> bool {
        true
    }

    fn rescale(
        &self,
        weaver: &mut Weaver,
        from: (Value, &[Value]),
        to: Value,
        _: &[Value],
    ) -> Option<LeafShadow> {
        scaling::rescale(weaver, from, to)
    }

    fn operate(&self, weaver: &mut Weaver, operation: &Operation) -> Shadow {
        let place = weaver.place_of(operation.instruction);
        weaver.tracer();
        weaver.after(place);
        match operation.op {
            Op::Compare => {
                compare(weaver, operation);
                Shadow::new()
            }
            Op::Extend => vec![operation.operands[0].2.clone()],
            op if op.info().outcome == Outcome::Integer => {
                convert(weaver, operation);
                Shadow::new()
            }
            _ => {
                let shadow = results(weaver, operation);
                stored_results(weaver, operation);
                let settled = |leaf| extraction::settled(weaver.builder, operation, leaf);
                shadow.into_iter().map(settled).collect()
            }
        }
    }

    fn arrived(&self, _: &mut Weaver, _: u32, _: Value, decoded: Decoded) -> LeafShadow {
        decoded.shadow
    }

    fn look_at(&self, weaver: &mut Weaver, instruction: Value) {
        outputs::look_at_header_call(weaver, instruction);
        rust_outputs::look_at(weaver, instruction);
        switches::look_at(weaver, instruction);
        explain::wrapping::look_at(weaver, instruction);
    }

    fn prepare(&self, module: Module) {
        explain::wrapping::prepare(module);
        ir::tell_operations_apart(module);
    }

    fn calls(&self, weaver: &mut Weaver, call: Value, name: &str) -> bool {
        wrapping::calls(weaver, call, name)
    }

    fn leaves_program(&self, weaver: &mut Weaver, call: Value, name: &str) {
        outputs::look_at_call(weaver, call, name);
        opaque::look_at_call(weaver, call, name);
        stop::look_at_call(weaver, call, name);
    }

    fn keeper(&self) -> Option<&dyn Keeper> {
        Some(self)
    }

    fn slot_planes(&self) -> u64 {
        Reals.slot_planes()
    }
}

impl Keeper for ExplainReals {
    fn load(&self, weaver: &mut Weaver, address: Value, value: Value) -> LeafShadow {
        Reals.load(weaver, address, value)
    }

    fn store(&self, weaver: &mut Weaver, address: Value, value: Value, shadow: &[Value]) {
        Reals.store(weaver, address, value, shadow);
    }

    fn settle(&self, weaver: &mut Weaver, phis: &[(Value, Shadow)]) -> Vec<Shadow> {
        Reals.settle(weaver, phis)
    }

    fn keep_result(&self, weaver: &mut Weaver, value: Value, shadow: &[Value]) -> LeafShadow {
        Reals.keep_result(weaver, value, shadow)
    }

    /// Nothing is steered.
    fn steer(&self, _: &mut Weaver, argument: Value, _: &[Value]) -> Value {
        argument
    }

    fn spread(&self, weaver: &mut Weaver, address: Value, slot: Value, stride: u64, bytes: Value) {
        Reals.spread(weaver, address, slot, stride, bytes);
    }
}

/// A comparison of which an operand was computed.
fn compare(weaver: &mut Weaver, operation: &Operation) {
    let comparison = operation.instruction;
    if ir::opcode(comparison) != ir::Opcode::LLVMFCmp || !ir::orders_numbers(comparison) {
        return;
    }
    let [(_, a, a_shadow), (_, b, b_shadow)] = &operation.operands[..] else {
        return;
    };
    if ir::is_null(a_shadow[0]) && ir::is_null(b_shadow[0]) {
        return;
    }
    let predicate = ir::predicate(comparison) as u64;
    for lane in 0..shape::lanes(ir::type_of(comparison)) {
        let area = weaver.operand_area(2);
        let builder = weaver.builder;
        for (index, (value, shadow)) in (0..).zip([(a, a_shadow), (b, b_shadow)]) {
            let value = lane_of(builder, *value, lane);
            put_operand(
                weaver,
                area,
                index,
                value,
                lane_of(builder, shadow[0], lane),
            );
        }
        let types = builder.types;
        let decided = builder.resize_unsigned(lane_of(builder, comparison, lane), types.i32);
        let predicate = builder::integer(types.i32, predicate);
        let (site, thread) = weaver.global_site(operation.site);
        let parameters = [
            types.i64,
            types.pointer,
            types.i32,
            types.pointer,
            types.i32,
        ];
        let function = builder.declare(symbols::EXPLAIN_REALS_COMPARE, types.void, &parameters);
        builder.call(function, &[site, thread, predicate, area, decided]);
    }
}

/// A conversion to an integer.
fn convert(weaver: &mut Weaver, operation: &Operation) {
    let result = operation.instruction;
    let [(_, operand, shadow)] = &operation.operands[..] else {
        return;
    };
    let ty = shape::scalar(ir::type_of(result));
    let is_integer = ir::type_kind(ty) == TypeKind::LLVMIntegerTypeKind;
    if !is_integer || ir::int_width(ty) > 64 || ir::is_null(shadow[0]) {
        return;
    }
    let opcode = match operation.op {
        Op::ToUnsigned => ir::Opcode::LLVMUIToFP,
        _ => ir::Opcode::LLVMSIToFP,
    };
    for lane in 0..shape::lanes(ir::type_of(result)) {
        let area = weaver.operand_area(1);
        let builder = weaver.builder;
        let types = builder.types;
        let value = lane_of(builder, *operand, lane);
        put_operand(weaver, area, 0, value, lane_of(builder, shadow[0], lane));
        let whole = builder.cast(opcode, lane_of(builder, result, lane), types.double);
        let op = builder::integer(types.i32, operation.op as u64);
        let (site, thread) = weaver.global_site(operation.site);
        let parameters = [
            types.i64,
            types.pointer,
            types.i32,
            types.pointer,
            types.double,
        ];
        let function = builder.declare(symbols::EXPLAIN_REALS_INTEGER, types.void, &parameters);
        builder.call(function, &[site, thread, op, area, whole]);
    }
}

/// A value leaves the program, where the builder stands.
pub fn put_out(weaver: &mut Weaver, site: u32, value: Value, shadow: &[Value]) {
    for lane in 0..shape::lanes(ir::type_of(value)) {
        let area = weaver.operand_area(1);
        let builder = weaver.builder;
        let types = builder.types;
        let one = lane_of(builder, value, lane);
        put_operand(weaver, area, 0, one, lane_of(builder, shadow[0], lane));
        let (site, thread) = weaver.global_site(site);
        let parameters = [types.i64, types.pointer, types.pointer];
        let function = builder.declare(symbols::EXPLAIN_REALS_OUTPUT, types.void, &parameters);
        builder.call(function, &[site, thread, area]);
    }
}
