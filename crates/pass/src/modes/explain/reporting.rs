//! Results in mode `explain`: which of them are reported to the runtime.

use lostbits_abi::{
    explain::{CANCELLATION_FACTOR, MOST_LANES, TINY, node_site},
    functions,
    kind::FpKind,
    ops::Op,
};

use super::super::lanes::lane_of;
use super::trace::{Tracing, load_limit};
use super::{
    Arithmetic, Known, detection,
    events::{EventFields, ReportedValue, report_lane, report_lanes},
    intervening, is_fused, known,
    nodes::{new_node, new_nodes, numbers, write_node},
    outlined::{self, Report, Reported},
    own_arithmetic,
};
use crate::{
    builder::{self, Builder},
    carry::{FunctionInstrumenter, LeafShadow, Operation, Shadow},
    ir::{self, Block, RealPredicate, Value},
    shape,
};

/// The half of a meta word that is the node.
pub const NODE_HALF: u64 = 0xffff_ffff;

/// To be called before any code for an operation is emitted: what follows may move the builder.
pub fn begin(cx: &mut FunctionInstrumenter, operation: &Operation) -> Block {
    cx.after(operation.instruction);
    let block = cx.builder.insert_block();
    match detection::is_active() {
        true => drop(cx.tracer()),
        false => drop(cx.block_trace(block)),
    }
    cx.after(operation.instruction);
    block
}

/// An operation whose residue is computed in line.
pub fn in_line(cx: &mut FunctionInstrumenter, operation: &Operation) -> LeafShadow {
    let result = operation.instruction;
    begin(cx, operation);
    let can_underflow = shape::fp_kind(ir::type_of(result)) == Some(FpKind::Double)
        && matches!(operation.op, Op::Mul | Op::Div | Op::Fma | Op::MulAdd);
    let is_call = !detection::is_active() && cx.is_large_here();
    if is_call && !intervening::rounds_to_float() {
        return outlined::operate(cx, operation, can_underflow);
    }
    let arithmetic = own_arithmetic(cx, operation, ir::type_of(result));
    let operands: Vec<Known> = operation
        .operands
        .iter()
        .map(|(_, value, shadow)| known(&arithmetic, *value, shadow))
        .collect();
    let known = computed(&arithmetic, operation.op, &operands, result);
    let known = intervening::rounded(cx, operation, known);
    if detection::is_active() {
        return detection::result(cx, operation, known, can_underflow.then_some(operands));
    }
    self::result(cx, operation, known, None, can_underflow)
}

/// What is known of the result of an operation.
pub fn computed(arithmetic: &Arithmetic, op: Op, operands: &[Known], result: Value) -> Known {
    use Op::*;
    match (op, operands) {
        (Add, [x, y]) => arithmetic.sum(x, y, Some(result)),
        (Sub, [x, y]) => arithmetic.sum(x, &arithmetic.negated(y), Some(result)),
        (Mul, [x, y]) => arithmetic.product(x, y, Some(result)),
        (Div, [x, y]) => arithmetic.quotient(x, y, result),
        (Fma | MulAdd, [x, y, z]) => arithmetic.fused(x, y, z, result),
        (Sqrt, [x]) => arithmetic.root(x, result),
        (Neg, [x]) => arithmetic.resigned(x, result),
        (Abs, [x]) => arithmetic.absolute(x, result),
        (CopySign, [x, y]) => arithmetic.signed_like(x, y, result),
        (Fmin | Minimum | MinimumNum, [x, y]) => arithmetic.choice(x, y, result, true),
        (Fmax | Maximum | MaximumNum, [x, y]) => arithmetic.choice(x, y, result, false),
        (op, operands) => unreachable!("{op:?} of {} is not in line", operands.len()),
    }
}

/// The shadow of a result, reported to the runtime where necessary. `meta` says what to inherit
/// influences from, if not from the operands.
pub fn result(
    cx: &mut FunctionInstrumenter,
    operation: &Operation,
    known: Known,
    meta: Option<Value>,
    can_underflow: bool,
) -> LeafShadow {
    if detection::is_active() {
        return detection::result(cx, operation, known, None);
    }
    let result = operation.instruction;
    let ty = ir::type_of(result);
    let Some(kind) = shape::fp_kind(ty) else {
        unreachable!("a result in line has a format")
    };
    let block = cx.builder.insert_block();
    let operands: Vec<ReportedValue> = match meta {
        Some(_) => Vec::new(),
        None => reported_operands(operation),
    };
    let trace = cx.block_trace(block);
    // What is folded has the lanes of its operand, but one result.
    let demanded = operation.demanded[..shape::lanes(ty) as usize].to_vec();
    let new_nodes = new_nodes(cx, block, &demanded, operands.len());
    let builder = cx.builder;
    let nodes = numbers(builder, &trace, &new_nodes, ty);
    let shadow = vec![known.residue, known.bound, nodes];
    let thread = cx.known_tracer().thread;
    let usual = trace.reach(kind);
    let aside = match can_underflow {
        false => is_beyond_reach(builder, usual, &known),
        true => is_beyond_reach_or_small(builder, usual, &known),
    };
    let aside = builder.any_lane(is_wanted(builder, &demanded, aside));
    let report = Report {
        op: operation.op,
        ty,
        operands: operands.len(),
        exact: Vec::new(),
        demanded,
        has_nodes: !new_nodes.is_empty(),
        can_underflow,
        fused: is_fused(cx),
        has_wide_vectors: cx.has_wide_vectors(),
    };
    let slot = new_nodes.first().map(|node| node.place);
    let site = node_site::join(operation.site, operation.op as u16);
    cx.detour(aside, shadow, move |cx| {
        let reported = Reported {
            thread,
            trace,
            slot,
            nodes,
            site,
            result,
            known,
            operands,
            meta,
        };
        outlined::report(cx, &report, reported)
    })
}

/// The lanes of these that the program uses.
pub fn is_wanted(b: &Builder, demanded: &[bool], flags: Value) -> Value {
    match demanded.iter().all(|lane| *lane) {
        true => flags,
        false => b.and(flags, builder::flags(b.types, demanded)),
    }
}

/// Lanes whose errors, so often taken, exceed their values; an `i1` or a vector of it.
pub fn is_beyond_reach(b: &Builder, reach: Value, known: &Known) -> Value {
    let double = ir::type_of(known.residue);
    let size = b.magnitude(b.convert(known.value, double));
    let error = b.magnitude(known.residue);
    let scaled = b.binary(ir::Opcode::LLVMFMul, error, b.broadcast(reach, double));
    b.not(b.compare_reals(RealPredicate::LLVMRealOLE, scaled, size))
}

/// The same, and lanes that are so small that they may have underflowed, by one comparison.
pub fn is_beyond_reach_or_small(b: &Builder, reach: Value, known: &Known) -> Value {
    let double = ir::type_of(known.residue);
    let arguments = [
        b.magnitude(known.residue),
        b.broadcast(reach, double),
        builder::real(double, TINY),
    ];
    let scaled = b.intrinsic("llvm.fmuladd", &[double], &arguments);
    b.not(b.compare_reals(RealPredicate::LLVMRealOLE, scaled, b.magnitude(known.value)))
}

/// The influences of the operands, in the upper half; right unless sets meet that are known by numbers.
pub fn inherited(b: &Builder, metas: &[Value], inaccurate: Value) -> Value {
    let all = metas
        .iter()
        .copied()
        .reduce(|x, y| b.or(x, y))
        .expect("operations have operands");
    let word = ir::type_of(all);
    let influences = b.and(all, builder::splat(word, !NODE_HALF));
    b.select(inaccurate, influences, builder::null(word))
}

/// Lanes whose error is not explained by their influences.
pub fn needs(
    b: &Builder,
    (op, kind): (Op, FpKind),
    known: &Known,
    operands: &[ReportedValue],
    influences: Value,
) -> Value {
    let double = ir::type_of(known.residue);
    let limit = b.broadcast(load_limit(b, kind), double);
    let size = b.magnitude(b.convert(known.value, double));
    let scaled = b.binary(ir::Opcode::LLVMFMul, b.magnitude(known.residue), limit);
    let over = b.not(b.compare_reals(RealPredicate::LLVMRealOLE, scaled, size));
    let mut unexplained = b.equal(influences, builder::null(ir::type_of(influences)));
    if let Some(cancels) = cancels(b, op, operands, size) {
        unexplained = b.or(unexplained, cancels);
    }
    b.and(over, unexplained)
}

/// Whether different, non-empty sets of influences come together.
pub fn meet(b: &Builder, metas: &[Value]) -> Value {
    let word = ir::type_of(metas[0]);
    let sets: Vec<Value> = metas.iter().map(|meta| b.shift_right(*meta, 32)).collect();
    let none = builder::null(word);
    let mut any = builder::null(b.types.shaped(b.types.int(1), word));
    for (index, x) in sets.iter().enumerate() {
        for y in &sets[index + 1..] {
            let both = b.and(b.differ(*x, none), b.differ(*y, none));
            any = b.or(any, b.and(both, b.differ(*x, *y)));
        }
    }
    any
}

/// The influences of both where bits unite them, else of one.
pub fn either(b: &Builder, x: Value, y: Value) -> Value {
    let node_alone = builder::integer(ir::type_of(x), NODE_HALF);
    let influenced = b.compare(ir::IntPredicate::LLVMIntUGT, x, node_alone);
    let (one, both) = (b.select(influenced, x, y), b.or(x, y));
    b.select(is_numbered(b, both), one, both)
}

/// Whether a set of influences in the upper half of a word is known by a number, or one of those was that it was made
/// of; others are united by their bits, see [`lostbits_abi::explain::set`].
pub fn is_numbered(b: &Builder, influences: Value) -> Value {
    let none = builder::null(ir::type_of(influences));
    b.compare(ir::IntPredicate::LLVMIntSLT, influences, none)
}

/// Whether a sum is much smaller than its terms: if than one, then than the other.
fn cancels(b: &Builder, op: Op, operands: &[ReportedValue], size: Value) -> Option<Value> {
    let double = ir::type_of(size);
    let term = match op {
        Op::Add | Op::Sub => operands.first()?.value,
        Op::Fma | Op::MulAdd => operands[2].value,
        _ => return None,
    };
    let scaled = b.binary(
        ir::Opcode::LLVMFMul,
        size,
        builder::real(double, CANCELLATION_FACTOR),
    );
    let term = b.magnitude(b.convert(term, double));
    Some(b.compare_reals(RealPredicate::LLVMRealOLT, scaled, term))
}

fn reported_operands(operation: &Operation) -> Vec<ReportedValue> {
    operation
        .operands
        .iter()
        .map(|(_, value, shadow)| ReportedValue {
            value: *value,
            shadow: shadow.clone(),
        })
        .collect()
}

/// Reports the lanes that `need` it, or all if `sampled`; returns the shadow after that.
pub fn report_if_needed(
    b: &Builder,
    fields: &EventFields,
    need: Value,
    sampled: Value,
    demanded: &[bool],
    usual: LeafShadow,
) -> LeafShadow {
    if_any(b, need, sampled, usual, |mut shadow| {
        if (2..=MOST_LANES).contains(&demanded.len()) {
            let reported = b.or(need, b.broadcast(sampled, ir::type_of(need)));
            let reported = b.and(reported, builder::flags(b.types, demanded));
            return report_lanes(b, fields, b.freeze(reported));
        }
        for (lane, _) in (0u32..).zip(demanded).filter(|(_, wanted)| **wanted) {
            let flag = b.freeze(b.or(lane_of(b, need, lane), sampled));
            shadow = report_lane(b, functions::EXPLAIN_REPORT, fields, lane, flag, shadow);
        }
        shadow
    })
}

/// What `work` makes of a shadow where a lane of `flags` is set or the block is `sampled`, elsewhere the shadow itself.
/// The builder is at the end of a block, before and after.
pub fn if_any(
    b: &Builder,
    flags: Value,
    sampled: Value,
    usual: LeafShadow,
    work: impl FnOnce(LeafShadow) -> LeafShadow,
) -> LeafShadow {
    let here = b.insert_block();
    let end = ir::terminator(here);
    let any = b.freeze(b.or(b.any_lane(flags), sampled));
    let inner = ir::unlikely_block(any, end);
    b.before(inner);
    let worked = work(usual.clone());
    let (aside, tail) = (ir::parent_block(inner), ir::parent_block(end));
    let merged = usual
        .iter()
        .zip(worked)
        .map(|(usual, worked)| {
            let phi = b.phi(ir::type_of(*usual), tail);
            ir::add_incoming(phi, *usual, here);
            ir::add_incoming(phi, worked, aside);
            phi
        })
        .collect();
    b.before(end);
    merged
}

/// An operation that the runtime evaluates: library functions, roundings, remainders.
pub fn by_runtime(cx: &mut FunctionInstrumenter, operation: &Operation) -> Shadow {
    let call = operation.instruction;
    let leaves = cx.leaves_of(call);
    if leaves.is_empty() {
        super::decisions::rounded_to_integer(cx, operation);
        return Vec::new();
    }
    let block = begin(cx, operation);
    let mut shadows = Shadow::new();
    for (index, leaf) in leaves.iter().enumerate() {
        let op = match index {
            0 => Some(operation.op),
            _ => operation.op.info().second,
        };
        let value = cx.builder.member(call, &leaf.path);
        shadows.push(match op {
            Some(op) => evaluated(cx, block, operation, op, value),
            None => super::cells::fresh(cx.builder, leaf.ty),
        });
    }
    shadows
}

fn evaluated(
    cx: &mut FunctionInstrumenter,
    block: Block,
    operation: &Operation,
    op: Op,
    value: Value,
) -> LeafShadow {
    let ty = ir::type_of(value);
    let operands = all_operands(cx, operation);
    let is_vector = ir::type_kind(ty) == ir::TypeKind::LLVMVectorTypeKind;
    let mut shadow = super::cells::fresh(cx.builder, ty);
    let wanted = match is_vector {
        true => vec![true; shape::lanes(ty) as usize],
        false => vec![true],
    };
    for lane in 0..wanted.len() as u32 {
        let node = match detection::is_active() {
            true => None,
            false => new_node(cx, block, operands.len(), lane),
        };
        if let Some(node) = node {
            let site = node_site::join(operation.site, op as u16);
            write_node(cx.builder, node, site, &operands);
        }
        let tracer = cx.known_tracer();
        let b = cx.builder;
        let none = builder::null(b.types.i64);
        let mut seen = vec![ReportedValue {
            value,
            shadow: shadow.clone(),
        }];
        seen.extend(operands.clone());
        let fields = EventFields {
            site: operation.site,
            number: op as u16,
            kind: shape::fp_kind(ty).unwrap_or(FpKind::Double),
            nodes: node.map_or(none, |node| node.place.number(b)),
            seen,
            thread: tracer.thread,
            first_site: tracer.first_site,
        };
        let flag = builder::integer(b.types.int(1), 1);
        shadow = report_lane(b, functions::EXPLAIN_EVALUATE, &fields, lane, flag, shadow);
    }
    shadow
}

/// The operands with those that are integers, at most three; pointers take results.
pub fn all_operands(cx: &FunctionInstrumenter, operation: &Operation) -> Vec<ReportedValue> {
    let call = operation.instruction;
    let b = cx.builder;
    let values = match ir::is_call(call) {
        true => ir::arguments(call),
        false => ir::operands(call),
    };
    let mut all = Vec::new();
    for (index, value) in (0u32..).zip(values) {
        let known = operation
            .operands
            .iter()
            .find(|(operand, _, _)| *operand == index);
        let ty = ir::type_of(value);
        let is_integer = ir::type_kind(shape::scalar(ty)) == ir::TypeKind::LLVMIntegerTypeKind;
        if let Some((_, value, shadow)) = known {
            all.push(ReportedValue {
                value: *value,
                shadow: shadow.clone(),
            });
        } else if is_integer && ir::int_width(shape::scalar(ty)) > 1 {
            let double = b.types.shaped(b.types.double, ty);
            all.push(ReportedValue {
                value: b.cast(ir::Opcode::LLVMSIToFP, value, double),
                shadow: super::cells::fresh(b, double),
            });
        }
    }
    all.truncate(3);
    all
}
