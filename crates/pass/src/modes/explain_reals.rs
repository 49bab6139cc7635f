//! Mode `explain-reals`: root causes as in mode `explain`, measured by high-precision numbers as in mode `reals`.
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
    functions::{self, FormatFunctions, RuntimeFunction},
    kind::FpKind,
    mode::Mode,
    numbers::VARIADIC_FLOAT,
    ops::{Op, Outcome},
};

use super::{
    explain::trace::{self, Tracing},
    lanes::lane_of,
    reals::{NumberCalls, frame::Frames},
};
use super::{
    explain::{
        self, extraction, fortran_stop, outputs, outputs::OutputEvents, rust_outputs, start_stop,
    },
    reals::{Reals, each_lane, put_operand, results, stored_results},
};
use crate::{
    builder::{self, Builder},
    carry::{
        Decoded, Domain, FunctionInstrumenter, LeafShadow, Observation, Operation, Preparation,
        Scaling, Shadow, ShadowFormat, ShadowRules, ShadowStorage,
    },
    ir::{self, Module, Type, TypeKind, Value},
    prepare::rust_library,
    shape,
};

pub struct ExplainReals;

impl Domain for ExplainReals {
    fn follows_lent_memory(&self) -> bool {
        true
    }

    fn mode(&self) -> Mode {
        Mode::ExplainReals
    }

    fn scaling(&self) -> Option<&dyn Scaling> {
        Some(self)
    }

    fn storage(&self) -> Option<&dyn ShadowStorage> {
        Some(self)
    }

    fn tracks_atomics(&self) -> bool {
        true
    }

    fn tracks_integer_arguments(&self) -> bool {
        true
    }
}

impl ShadowFormat for ExplainReals {
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

    fn slot_planes(&self) -> Option<u64> {
        Reals.slot_planes()
    }
}

impl ShadowRules for ExplainReals {
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

    fn knows_extrema(&self) -> bool {
        true
    }

    fn operate(&self, cx: &mut FunctionInstrumenter, operation: &Operation) -> Shadow {
        let place = cx.judged_after(operation.instruction);
        cx.tracer();
        cx.after(place);
        match operation.op {
            Op::Compare => {
                compare(cx, operation);
                Shadow::new()
            }
            Op::Extend => vec![operation.operands[0].2.clone()],
            op if op.info().outcome == Outcome::Integer => {
                convert(cx, operation);
                Shadow::new()
            }
            _ => {
                let shadow = results(cx, self, operation);
                stored_results(cx, self, operation);
                let exact_if_extraction =
                    |leaf| extraction::exact_if_extraction(cx.builder, operation, leaf);
                shadow.into_iter().map(exact_if_extraction).collect()
            }
        }
    }
}

impl Observation for ExplainReals {
    fn counts_executions(&self) -> bool {
        true
    }

    fn observe_instruction(&self, cx: &mut FunctionInstrumenter, instruction: Value) {
        outputs::observe_header_call(cx, self, instruction);
        rust_outputs::observe(cx, self, instruction);
        start_stop::observe(cx, instruction);
        explain::wrapping::observe(cx, instruction);
        explain::judged::observe(cx, self, instruction);
    }

    fn replaces_call(&self, cx: &mut FunctionInstrumenter, call: Value, name: &str) -> bool {
        wrapping::calls(cx, call, name)
    }

    fn observe_external_call(&self, cx: &mut FunctionInstrumenter, call: Value, name: &str) {
        outputs::observe_call(cx, self, call, name);
        fortran_stop::observe_call(cx, call, name);
    }

    fn describes_operations(&self) -> bool {
        true
    }

    fn lists_functions(&self) -> bool {
        true
    }

    fn has_several_threads(&self, cx: &FunctionInstrumenter) -> Option<Value> {
        trace::has_several_threads(cx)
    }

    fn finish_function(&self, cx: &mut FunctionInstrumenter) {
        trace::complete_traces(cx);
    }
}

impl Preparation for ExplainReals {
    fn needs_defined_values(&self) -> bool {
        Reals.needs_defined_values()
    }

    /// So the program is prepared as in mode `explain`: the same operations, and an environment of its own.
    fn uses_floating_point_unit(&self) -> bool {
        true
    }

    fn prepare(&self, module: Module) {
        explain::wrapping::prepare(module);
        explain::judged::prepare(module);
        rust_library::inline(module);
        ir::assign_discriminators(module);
    }

    fn attributes_library_code_to_callers(&self) -> bool {
        true
    }

    fn needs_extractions(&self) -> bool {
        true
    }

    fn opens_complex_functions(&self) -> bool {
        true
    }

    fn prefers_wide_vectors(&self) -> bool {
        true
    }
}

impl Scaling for ExplainReals {
    fn rescale(
        &self,
        cx: &mut FunctionInstrumenter,
        from: (Value, &[Value]),
        to: Value,
        _: &[Value],
    ) -> Option<LeafShadow> {
        scaling::rescale(cx, from, to)
    }
}

impl ShadowStorage for ExplainReals {
    fn enter_function(&self, cx: &mut FunctionInstrumenter) {
        Reals.enter_function(cx);
    }

    fn leave_function(&self, cx: &mut FunctionInstrumenter) {
        Reals.leave_function(cx);
    }

    fn load(&self, cx: &mut FunctionInstrumenter, address: Value, value: Value) -> LeafShadow {
        Reals.load(cx, address, value)
    }

    fn store(&self, cx: &mut FunctionInstrumenter, address: Value, value: Value, shadow: &[Value]) {
        Reals.store(cx, address, value, shadow);
    }

    fn copy_phis(&self, cx: &mut FunctionInstrumenter, phis: &[(Value, Shadow)]) -> Vec<Shadow> {
        Reals.copy_phis(cx, phis)
    }

    fn copy_result(
        &self,
        cx: &mut FunctionInstrumenter,
        value: Value,
        shadow: &[Value],
    ) -> LeafShadow {
        Reals.copy_result(cx, value, shadow)
    }

    /// Nothing is steered.
    fn steer(&self, _: &mut FunctionInstrumenter, argument: Value, _: &[Value]) -> Value {
        argument
    }

    fn store_variadic(
        &self,
        cx: &mut FunctionInstrumenter,
        address: Value,
        slot: Value,
        stride: u64,
        bytes: Value,
    ) {
        Reals.store_variadic(cx, address, slot, stride, bytes);
    }
}

impl NumberCalls for ExplainReals {
    fn identify(&self, cx: &mut FunctionInstrumenter, site: u32) -> Vec<Value> {
        let (site, thread) = cx.global_site(site);
        vec![site, thread]
    }

    fn function(&self, op: Op) -> Option<FormatFunctions> {
        Some(match op {
            Op::Add => functions::EXPLAIN_REALS_ADD,
            Op::Sub => functions::EXPLAIN_REALS_SUB,
            Op::Mul => functions::EXPLAIN_REALS_MUL,
            Op::Div => functions::EXPLAIN_REALS_DIV,
            Op::Fma => functions::EXPLAIN_REALS_FMA,
            Op::MulAdd => functions::EXPLAIN_REALS_MULADD,
            Op::Sqrt => functions::EXPLAIN_REALS_SQRT,
            _ => return None,
        })
    }

    fn general_function(&self) -> RuntimeFunction {
        functions::EXPLAIN_REALS_OPERATE
    }
}

/// A comparison of which an operand was computed.
fn compare(cx: &mut FunctionInstrumenter, operation: &Operation) {
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
        let area = cx.operand_area(2);
        let builder = cx.builder;
        for (index, (value, shadow)) in (0..).zip([(a, a_shadow), (b, b_shadow)]) {
            let value = lane_of(builder, *value, lane);
            put_operand(cx, area, index, value, lane_of(builder, shadow[0], lane));
        }
        let types = builder.types;
        let decided = builder.resize_unsigned(lane_of(builder, comparison, lane), types.i32);
        let predicate = builder::integer(types.i32, predicate);
        let (site, thread) = cx.global_site(operation.site);
        builder.call_runtime(
            functions::EXPLAIN_REALS_COMPARE,
            &[site, thread, predicate, area, decided],
        );
    }
}

/// A conversion to an integer.
fn convert(cx: &mut FunctionInstrumenter, operation: &Operation) {
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
        let area = cx.operand_area(1);
        let builder = cx.builder;
        let types = builder.types;
        let value = lane_of(builder, *operand, lane);
        put_operand(cx, area, 0, value, lane_of(builder, shadow[0], lane));
        let whole = builder.cast(opcode, lane_of(builder, result, lane), types.double);
        let op = builder::integer(types.i32, operation.op as u64);
        let (site, thread) = cx.global_site(operation.site);
        builder.call_runtime(
            functions::EXPLAIN_REALS_INTEGER,
            &[site, thread, op, area, whole],
        );
    }
}

impl OutputEvents for ExplainReals {
    fn report_value(
        &self,
        cx: &mut FunctionInstrumenter,
        site: u32,
        value: Value,
        shadow: &[Value],
    ) {
        for lane in 0..shape::lanes(ir::type_of(value)) {
            let area = cx.operand_area(1);
            let builder = cx.builder;
            let one = lane_of(builder, value, lane);
            put_operand(cx, area, 0, one, lane_of(builder, shadow[0], lane));
            let (site, thread) = cx.global_site(site);
            builder.call_runtime(functions::EXPLAIN_REALS_OUTPUT, &[site, thread, area]);
        }
    }

    fn memory_function(&self) -> RuntimeFunction {
        functions::EXPLAIN_REALS_OUTPUT_MEMORY
    }

    fn formatted_function(&self) -> RuntimeFunction {
        functions::EXPLAIN_REALS_OUTPUT_FORMATTED
    }
}
