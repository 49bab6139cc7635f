//! Root causes of error, after Herbgrind (Sanchez-Stern, Panchekha, Lerner, Tatlock, PLDI 2018), with
//! residues in the place of high-precision numbers.
//!
//! The shadow of a value is its residue (the real value minus the program's), a bound of the residue's own
//! error, and a meta word: the node in the trace that computed it, and the set of candidates that influenced
//! it. Residues, bounds and nodes are computed in line. An operation is reported to the runtime
//! ([`reporting`]) if its result lost more bits than the threshold and nothing is known to have caused that, if it cancels, if
//! sets of influences meet that have no bits to unite them by, and of samples; it finds local errors and keeps
//! expressions.
//!
//! # What it can miss
//!
//! Candidates whose errors happen to cancel at once; influences on values accurate to two bits, which
//! are dropped on purpose: an error after such a value arose after it.

mod arithmetic;
mod cells;
mod confirmation;
mod constants;
mod conversions;
mod cpp_outputs;
mod decisions;
mod detection;
mod events;
pub(super) mod extraction;
mod fortran_outputs;
pub(super) mod fortran_stop;
mod intervening;
pub(super) mod judged;
mod nodes;
mod outlined;
pub(super) mod outputs;
mod reductions;
mod reporting;
pub(super) mod rust_outputs;
mod rust_templates;
mod scaling;
pub(super) mod start_stop;
pub(super) mod trace;
pub mod wrapping;

use lostbits_abi::{explain::is_inline, kind::FpKind, mode::Mode, ops::Op};

use self::arithmetic::{Arithmetic, Known};
use crate::{
    builder::{self, Builder},
    carry::{
        Decoded, Domain, FunctionInstrumenter, LeafShadow, Observation, Operation, Preparation,
        Scaling, Shadow, ShadowFormat, ShadowRules,
    },
    ir::{self, Module, Type, Value},
    prepare::rust_library,
    shape,
};

pub struct Explain;

impl Domain for Explain {
    fn follows_lent_memory(&self) -> bool {
        true
    }

    fn mode(&self) -> Mode {
        Mode::Explain
    }

    fn scaling(&self) -> Option<&dyn Scaling> {
        Some(self)
    }

    fn tracks_atomics(&self) -> bool {
        true
    }

    fn tracks_integer_arguments(&self) -> bool {
        true
    }
}

impl ShadowFormat for Explain {
    fn components(&self, builder: &Builder, leaf: Type) -> Vec<Type> {
        cells::components(builder, leaf)
    }

    fn fresh(&self, builder: &Builder, value: Value) -> LeafShadow {
        cells::fresh(builder, ir::type_of(value))
    }

    fn cells(&self, builder: &Builder, leaf: Type) -> Vec<Type> {
        cells::types(builder, leaf)
    }

    fn encode(&self, builder: &Builder, value: Value, shadow: &[Value]) -> Vec<Value> {
        cells::encode(builder, value, shadow)
    }

    fn encode_variadic(&self, builder: &Builder, value: Value, shadow: &[Value]) -> Vec<Value> {
        cells::encode_variadic(builder, value, shadow)
    }

    fn decode(&self, builder: &Builder, value: Value, cells: &[Value]) -> Decoded {
        cells::decode(builder, value, cells)
    }
}

impl ShadowRules for Explain {
    fn bitcast(&self, builder: &Builder, value: Value, shadow: &[Value], to: Type) -> LeafShadow {
        cells::bitcast(builder, value, shadow, to)
    }

    fn move_bits(
        &self,
        builder: &Builder,
        instruction: Value,
        operands: &[(u32, LeafShadow)],
    ) -> LeafShadow {
        cells::move_bits(builder, instruction, operands)
    }

    fn knows_extrema(&self) -> bool {
        true
    }

    fn operate(&self, cx: &mut FunctionInstrumenter, operation: &Operation) -> Shadow {
        use Op::*;
        match operation.op {
            Compare => decisions::comparison(cx, operation),
            ToSigned | ToUnsigned => decisions::conversion(cx, operation),
            FromSigned | FromUnsigned => vec![from_integer(cx, operation)],
            Extend | Truncate | Canonicalize | ComplexPart => vec![passed_on(cx, operation)],
            op if op.info().folds.is_some() => vec![folded(cx, operation)],
            op if is_inline(op) => {
                let shadow = reporting::in_line(cx, operation);
                vec![extraction::exact_if_extraction(
                    cx.builder, operation, shadow,
                )]
            }
            _ => reporting::by_runtime(cx, operation),
        }
    }

    fn receive(
        &self,
        cx: &mut FunctionInstrumenter,
        _: u32,
        _: Value,
        decoded: Decoded,
    ) -> LeafShadow {
        let Some(valid) = decoded.valid else {
            return decoded.shadow;
        };
        let builder = cx.builder;
        if cx.is_large_here() {
            return cells::masked(builder, valid, &decoded.shadow);
        }
        if detection::is_active() {
            return cells::where_valid(builder, valid, &decoded.shadow);
        }
        let stale = builder.any_lane(builder.not(valid));
        // A branch that goes the same way for a whole array is cheaper than a choice for each word.
        cx.detour(stale, decoded.shadow.clone(), move |cx| {
            cells::where_valid(cx.builder, valid, &decoded.shadow)
        })
    }
}

impl Observation for Explain {
    fn counts_executions(&self) -> bool {
        true
    }

    fn observe_instruction(&self, cx: &mut FunctionInstrumenter, instruction: Value) {
        outputs::observe_header_call(cx, self, instruction);
        rust_outputs::observe(cx, self, instruction);
        start_stop::observe(cx, instruction);
        wrapping::observe(cx, instruction);
        judged::observe(cx, self, instruction);
    }

    fn replaces_call(&self, cx: &mut FunctionInstrumenter, call: Value, name: &str) -> bool {
        wrapping::calls(cx, call, name)
    }

    fn observe_external_call(&self, cx: &mut FunctionInstrumenter, call: Value, name: &str) {
        outputs::observe_call(cx, self, call, name);
        fortran_stop::observe_call(cx, call, name);
        reductions::observe_call(cx, call, name);
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
        detection::check_products(cx);
    }
}

impl Preparation for Explain {
    fn uses_floating_point_unit(&self) -> bool {
        true
    }

    fn prepare(&self, module: Module) {
        wrapping::prepare(module);
        judged::prepare(module);
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

impl Scaling for Explain {
    fn rescale(
        &self,
        cx: &mut FunctionInstrumenter,
        from: (Value, &[Value]),
        to: Value,
        otherwise: &[Value],
    ) -> Option<LeafShadow> {
        scaling::rescale(cx.builder, from, to, otherwise)
    }
}

/// The arithmetic for values of a type in the function at hand.
fn arithmetic<'a>(cx: &FunctionInstrumenter<'a>, like: Type) -> Arithmetic<'a> {
    Arithmetic::new(cx.builder, like, is_fused(cx))
}

/// Whether the processor of the function at hand multiplies and adds in one.
fn is_fused(cx: &FunctionInstrumenter) -> bool {
    let features = ir::string_attribute(cx.function, "target-features");
    features.is_some_and(|features| features.split(',').any(|name| name == "+fma"))
}

/// The same for an operation on which a run may intervene.
fn own_arithmetic<'a>(
    cx: &mut FunctionInstrumenter<'a>,
    operation: &Operation,
    like: Type,
) -> Arithmetic<'a> {
    match intervening::on(cx, operation) {
        Some(intervention) => arithmetic(cx, like).under(intervention),
        None => arithmetic(cx, like),
    }
}

fn known(arithmetic: &Arithmetic, value: Value, shadow: &[Value]) -> Known {
    Known {
        value: arithmetic.widened(value),
        residue: shadow[0],
        bound: shadow[1],
    }
}

/// Conversions between floating-point formats are no operations on reals.
fn passed_on(cx: &mut FunctionInstrumenter, operation: &Operation) -> LeafShadow {
    let (_, value, shadow) = &operation.operands[0];
    // The wider of the two formats is the one to compute in.
    let types = [ir::type_of(*value), ir::type_of(operation.instruction)];
    let widest = types
        .into_iter()
        .max_by_key(|ty| shape::fp_kind(*ty))
        .expect("there are two");
    let arithmetic = own_arithmetic(cx, operation, widest);
    let rounded = arithmetic.rounded(&known(&arithmetic, *value, shadow), operation.instruction);
    let meta = shadow.get(2).copied();
    [rounded.residue, rounded.bound]
        .into_iter()
        .chain(meta)
        .collect()
}

/// Integers are exact; what a format has no room for is the residue.
fn from_integer(cx: &mut FunctionInstrumenter, operation: &Operation) -> LeafShadow {
    let builder = cx.builder;
    let instruction = operation.instruction;
    let ty = ir::type_of(instruction);
    let integer = ir::operand(instruction, 0);
    let signed = operation.op == Op::FromSigned;
    let width = ir::int_width(shape::scalar(ir::type_of(integer)));
    let room = shape::fp_kind(ty).map_or(0, FpKind::precision);
    let mut fresh = cells::fresh(builder, ty);
    if width > 64 || width <= room {
        return fresh;
    }
    let intervention = intervening::on(cx, operation);
    let double = builder.types.shaped(builder.types.double, ty);
    let (to_real, to_integer) = match signed {
        true => (ir::Opcode::LLVMSIToFP, "llvm.fptosi.sat"),
        false => (ir::Opcode::LLVMUIToFP, "llvm.fptoui.sat"),
    };
    let near = builder.cast(to_real, integer, double);
    let own = builder.convert(instruction, double);
    let lost = builder.binary(ir::Opcode::LLVMFSub, near, own);
    fresh[0] = lost;
    if width > 53 {
        let types = [ir::type_of(integer), double];
        let back = builder.intrinsic(to_integer, &types, &[near]);
        let rest = builder.binary(ir::Opcode::LLVMSub, integer, back);
        let rest = builder.cast(ir::Opcode::LLVMSIToFP, rest, double);
        fresh[0] = builder.binary(ir::Opcode::LLVMFAdd, lost, rest);
    }
    if let Some(intervention) = intervention {
        fresh[0] = builder.select(intervention.own, builder::null(double), fresh[0]);
    }
    fresh
}

/// A vector reduced to a scalar: lane after lane, in the working format; the last step goes to the
/// program's result.
fn folded(cx: &mut FunctionInstrumenter, operation: &Operation) -> LeafShadow {
    let op = operation.op.info().folds.expect("a reduction");
    if !matches!(op, Op::Add | Op::Mul) {
        return selected_lane(cx, operation, op);
    }
    reporting::begin(cx, operation);
    let builder = cx.builder;
    let result = operation.instruction;
    let arithmetic = own_arithmetic(cx, operation, ir::type_of(result));
    let mut parts = lanes(cx, &arithmetic, operation).into_iter();
    let (mut sum, mut meta) = parts.next().expect("vectors have lanes");
    for (part, part_meta) in parts {
        sum = match op {
            Op::Add => arithmetic.sum(&sum, &part, None),
            _ => arithmetic.product(&sum, &part, None),
        };
        meta = reporting::either(builder, meta, part_meta);
    }
    let rounded = arithmetic.rounded(&sum, result);
    reporting::result(cx, operation, rounded, Some(meta), false)
}

/// The least or largest lane has no error of its own: the trace goes on with what computed that lane.
fn selected_lane(cx: &mut FunctionInstrumenter, operation: &Operation, op: Op) -> LeafShadow {
    cx.after(operation.instruction);
    let builder = cx.builder;
    let arithmetic = arithmetic(cx, ir::type_of(operation.instruction));
    let smaller = matches!(op, Op::Fmin | Op::Minimum | Op::MinimumNum);
    let name = match smaller {
        true => "llvm.minnum",
        false => "llvm.maxnum",
    };
    let mut parts = lanes(cx, &arithmetic, operation).into_iter();
    let (mut chosen, mut meta) = parts.next().expect("vectors have lanes");
    for (part, part_meta) in parts {
        let ty = ir::type_of(part.value);
        let value = builder.intrinsic(name, &[ty], &[chosen.value, part.value]);
        let is_before = builder.compare_reals(ir::RealPredicate::LLVMRealOEQ, value, chosen.value);
        meta = builder.select(is_before, meta, part_meta);
        chosen = arithmetic.choice(&chosen, &part, value, smaller);
    }
    let rounded = arithmetic.rounded(&chosen, operation.instruction);
    match detection::is_active() {
        true => vec![rounded.residue, rounded.bound],
        false => vec![rounded.residue, rounded.bound, meta],
    }
}

/// The lanes of all operands, each with its meta word.
fn lanes(
    cx: &FunctionInstrumenter,
    arithmetic: &Arithmetic,
    operation: &Operation,
) -> Vec<(Known, Value)> {
    let builder = cx.builder;
    let mut parts: Vec<(Known, Value)> = Vec::new();
    for (_, value, shadow) in &operation.operands {
        let is_vector = ir::type_kind(ir::type_of(*value)) == ir::TypeKind::LLVMVectorTypeKind;
        for lane in 0..shape::lanes(ir::type_of(*value)) {
            let of = |value: Value| match is_vector {
                true => builder.extract_lane(value, lane),
                false => value,
            };
            let shadow: LeafShadow = shadow.iter().map(|component| of(*component)).collect();
            let none = || builder::null(builder.types.i64);
            let meta = shadow.get(2).copied().unwrap_or_else(none);
            parts.push((known(arithmetic, of(*value), &shadow), meta));
        }
    }
    parts
}
