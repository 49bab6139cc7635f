//! Results in mode `explain`: which of them the runtime is told of.

use lostbits_abi::{
    explain::{MOST_LANES, TINY, node_site},
    kind::FpKind,
    ops::Op,
    symbols,
};

use super::{
    Known, LeafShadow, Operation, Shadow, arithmetic, known,
    nodes::{new_node, new_nodes, numbers, write_node, write_nodes_if},
    tale::{Seen, Tale, lane_of, tell_lane, tell_lanes},
};
use crate::{
    builder::{self, Builder},
    carry::{Weaver, reach},
    ir::{self, Block, RealPredicate, Value},
    shape,
};

/// The half of a meta word that is the node.
pub const NODE_HALF: u64 = 0xffff_ffff;

/// To be called before any code for an operation is emitted: what follows may move the builder.
pub fn begin(weaver: &mut Weaver, operation: &Operation) -> Block {
    weaver.after(operation.instruction);
    let block = weaver.builder.insert_block();
    weaver.block_trace(block);
    weaver.after(operation.instruction);
    block
}

/// An operation whose residue is computed in line.
pub fn in_line(weaver: &mut Weaver, operation: &Operation) -> LeafShadow {
    let result = operation.instruction;
    begin(weaver, operation);
    let arithmetic = arithmetic(weaver, ir::type_of(result));
    let operands: Vec<Known> = operation
        .operands
        .iter()
        .map(|(_, value, shadow)| known(&arithmetic, *value, shadow))
        .collect();
    use Op::*;
    let known = match (operation.op, &operands[..]) {
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
    };
    let can_underflow = shape::fp_kind(ir::type_of(result)) == Some(FpKind::Double)
        && matches!(operation.op, Mul | Div | Fma | MulAdd);
    let operands = can_underflow.then_some(operands);
    self::result(weaver, operation, known, None, operands)
}

/// The shadow of a result, told to the runtime where that is called for. `meta` says what to inherit
/// influences from, if not from the operands; `multiplied` are operands whose result may underflow, none where it cannot.
pub fn result(
    weaver: &mut Weaver,
    operation: &Operation,
    known: Known,
    meta: Option<Value>,
    multiplied: Option<Vec<Known>>,
) -> LeafShadow {
    let result = operation.instruction;
    let ty = ir::type_of(result);
    let Some(kind) = shape::fp_kind(ty) else {
        unreachable!("a result in line has a format")
    };
    let block = weaver.builder.insert_block();
    let operands: Vec<Seen> = match meta {
        Some(_) => Vec::new(),
        None => seen_operands(operation),
    };
    let trace = weaver.block_trace(block);
    // What is folded has the lanes of its operand, but one result.
    let demanded = operation.demanded[..shape::lanes(ty) as usize].to_vec();
    let new_nodes = new_nodes(weaver, block, &demanded, operands.len());
    let builder = weaver.builder;
    let nodes = numbers(builder, &trace, &new_nodes, ty);
    let metas = match meta {
        Some(meta) => vec![meta],
        None => operands.iter().map(|seen| seen.shadow[2]).collect(),
    };
    let shadow = vec![known.residue, known.bound, nodes];
    let tracer = weaver.tracer_known();
    let mut seen = vec![Seen {
        value: result,
        shadow: shadow.clone(),
    }];
    seen.extend(operands.clone());
    let mut tale = Tale {
        site: operation.site,
        number: operation.op as u16,
        kind,
        nodes,
        seen,
        thread: tracer.thread,
        first_site: tracer.first_site,
    };
    let lanes = demanded.clone();
    let is_wanted = move |builder: &Builder, flags: Value| match lanes.iter().all(|lane| *lane) {
        true => flags,
        false => builder.and(flags, builder::flags(builder.types, &lanes)),
    };
    let usual = trace.reach(kind);
    let aside = match &multiplied {
        None => is_beyond_reach(builder, usual, &known),
        Some(_) => is_beyond_reach_or_small(builder, usual, &known),
    };
    let aside = builder.any_lane(is_wanted(builder, aside));
    let op = operation.op;
    let site = node_site::join(operation.site, op as u16);
    weaver.detour(aside, shadow.clone(), move |weaver| {
        let builder = weaver.builder;
        write_nodes_if(builder, trace.traced, new_nodes, site, &operands);
        let usual_reach = builder::real(builder.types.double, reach(kind));
        let inaccurate = is_wanted(builder, is_beyond_reach(builder, usual_reach, &known));
        // A value that is accurate has no influences: what goes wrong with it goes wrong later.
        let influences = inherited(builder, &metas, inaccurate);
        let mut shadow = shadow;
        shadow[2] = builder.or(nodes, influences);
        if let Some(multiplied) = &multiplied {
            shadow[1] = bound_of_small(weaver, op, &known, multiplied);
            tale.seen[0].shadow[1] = shadow[1];
        }
        let unexplained = needs(weaver, &tale, &known, influences, op);
        let unexplained = weaver.builder.and(unexplained, inaccurate);
        let numbered = is_numbered(weaver.builder, influences);
        let perhaps = weaver.builder.or(unexplained, numbered);
        if_any(weaver, perhaps, trace.sampled, shadow, |weaver, shadow| {
            let b = weaver.builder;
            let need = b.or(unexplained, b.and(numbered, meet(b, &metas)));
            tell_if_any(weaver, &tale, need, trace.sampled, &demanded, shadow)
        })
    })
}

/// Lanes whose errors, so often taken, exceed their values; an `i1` or a vector of it.
fn is_beyond_reach(b: &Builder, reach: Value, known: &Known) -> Value {
    let double = ir::type_of(known.residue);
    let size = b.magnitude(b.convert(known.value, double));
    let error = b.magnitude(known.residue);
    let scaled = b.binary(ir::Opcode::LLVMFMul, error, b.broadcast(reach, double));
    b.not(b.compare_reals(RealPredicate::LLVMRealOLE, scaled, size))
}

/// The same, and lanes that are so small that they may have underflowed, by one comparison.
fn is_beyond_reach_or_small(b: &Builder, reach: Value, known: &Known) -> Value {
    let double = ir::type_of(known.residue);
    let arguments = [
        b.magnitude(known.residue),
        b.broadcast(reach, double),
        builder::real(double, TINY),
    ];
    let scaled = b.intrinsic("llvm.fmuladd", &[double], &arguments);
    b.not(b.compare_reals(RealPredicate::LLVMRealOLE, scaled, b.magnitude(known.value)))
}

/// The bound of a result that may have underflowed. The builder stands in the detour, which inaccurate values take, too.
fn bound_of_small(weaver: &mut Weaver, op: Op, known: &Known, operands: &[Known]) -> Value {
    let b = weaver.builder;
    let double = ir::type_of(known.bound);
    let tiny = builder::real(double, TINY);
    let size = b.magnitude(known.value);
    let small = b.compare_reals(RealPredicate::LLVMRealOLT, size, tiny);
    let never = builder::null(b.types.int(1));
    let bounds = if_any(weaver, small, never, vec![known.bound], |weaver, _| {
        let bound = arithmetic(weaver, double).bound_of_small(op, small, known.bound, operands);
        vec![bound]
    });
    bounds[0]
}

/// The influences of the operands, in the upper half; right unless sets meet that are known by numbers.
fn inherited(b: &Builder, metas: &[Value], inaccurate: Value) -> Value {
    let all = metas
        .iter()
        .copied()
        .reduce(|x, y| b.or(x, y))
        .expect("operations have operands");
    let word = ir::type_of(all);
    let influences = b.and(all, builder::splat(word, !NODE_HALF));
    b.select(inaccurate, influences, builder::null(word))
}

/// Lanes whose error is not explained by their influences. The builder stands in the detour.
fn needs(weaver: &Weaver, tale: &Tale, known: &Known, influences: Value, op: Op) -> Value {
    let b = weaver.builder;
    let double = ir::type_of(known.residue);
    let limit = b.broadcast(weaver.limit_here(tale.kind), double);
    let size = b.magnitude(b.convert(known.value, double));
    let scaled = b.binary(ir::Opcode::LLVMFMul, b.magnitude(known.residue), limit);
    let over = b.not(b.compare_reals(RealPredicate::LLVMRealOLE, scaled, size));
    let mut unexplained = b.equal(influences, builder::null(ir::type_of(influences)));
    if let Some(cancels) = cancels(b, tale, op, size) {
        unexplained = b.or(unexplained, cancels);
    }
    b.and(over, unexplained)
}

/// Whether different, non-empty sets of influences come together.
fn meet(b: &Builder, metas: &[Value]) -> Value {
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
fn is_numbered(b: &Builder, influences: Value) -> Value {
    let none = builder::null(ir::type_of(influences));
    b.compare(ir::IntPredicate::LLVMIntSLT, influences, none)
}

/// Whether a sum is much smaller than its terms: if than one, then than the other.
fn cancels(b: &Builder, tale: &Tale, op: Op, size: Value) -> Option<Value> {
    let double = ir::type_of(size);
    let term = match op {
        Op::Add | Op::Sub => tale.seen[1].value,
        Op::Fma | Op::MulAdd => tale.seen[3].value,
        _ => return None,
    };
    let scaled = b.binary(ir::Opcode::LLVMFMul, size, builder::real(double, 8.0));
    let term = b.magnitude(b.convert(term, double));
    Some(b.compare_reals(RealPredicate::LLVMRealOLT, scaled, term))
}

fn seen_operands(operation: &Operation) -> Vec<Seen> {
    operation
        .operands
        .iter()
        .map(|(_, value, shadow)| Seen {
            value: *value,
            shadow: shadow.clone(),
        })
        .collect()
}

/// Tells of the lanes that `need` it, or of all if `sampled`; gives the shadow as it is then.
fn tell_if_any(
    weaver: &mut Weaver,
    tale: &Tale,
    need: Value,
    sampled: Value,
    demanded: &[bool],
    usual: LeafShadow,
) -> LeafShadow {
    if_any(weaver, need, sampled, usual, |weaver, mut shadow| {
        let b = weaver.builder;
        if (2..=MOST_LANES).contains(&demanded.len()) {
            let told = b.or(need, b.broadcast(sampled, ir::type_of(need)));
            let told = b.and(told, builder::flags(b.types, demanded));
            return tell_lanes(b, tale, b.freeze(told));
        }
        for (lane, _) in (0u32..).zip(demanded).filter(|(_, wanted)| **wanted) {
            let flag = b.freeze(b.or(lane_of(b, need, lane), sampled));
            shadow = tell_lane(b, symbols::EXPLAIN_TELL, tale, lane, flag, shadow);
        }
        shadow
    })
}

/// What `work` makes of a shadow where a lane of `flags` is set or the block is `sampled`, elsewhere the shadow itself.
/// The builder stands in a detour, and does so afterwards.
fn if_any(
    weaver: &mut Weaver,
    flags: Value,
    sampled: Value,
    usual: LeafShadow,
    work: impl FnOnce(&mut Weaver, LeafShadow) -> LeafShadow,
) -> LeafShadow {
    let b = weaver.builder;
    let here = b.insert_block();
    let end = ir::terminator(here);
    let any = b.freeze(b.or(b.any_lane(flags), sampled));
    let inner = ir::unlikely_block(any, end);
    b.before(inner);
    let worked = work(weaver, usual.clone());
    let b = weaver.builder;
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
pub fn by_runtime(weaver: &mut Weaver, operation: &Operation) -> Shadow {
    let call = operation.instruction;
    let leaves = weaver.leaves_of(call);
    if leaves.is_empty() {
        super::spots::rounded_to_integer(weaver, operation);
        return Vec::new();
    }
    let block = begin(weaver, operation);
    let mut shadows = Shadow::new();
    for (index, leaf) in leaves.iter().enumerate() {
        let op = match index {
            0 => Some(operation.op),
            _ => operation.op.info().second,
        };
        let value = weaver.builder.member(call, &leaf.path);
        shadows.push(match op {
            Some(op) => evaluated(weaver, block, operation, op, value),
            None => super::cells::fresh(weaver.builder, leaf.ty),
        });
    }
    shadows
}

fn evaluated(
    weaver: &mut Weaver,
    block: Block,
    operation: &Operation,
    op: Op,
    value: Value,
) -> LeafShadow {
    let ty = ir::type_of(value);
    let operands = all_operands(weaver, operation);
    let is_vector = ir::type_kind(ty) == ir::TypeKind::LLVMVectorTypeKind;
    let mut shadow = super::cells::fresh(weaver.builder, ty);
    let wanted = match is_vector {
        true => vec![true; shape::lanes(ty) as usize],
        false => vec![true],
    };
    for lane in 0..wanted.len() as u32 {
        let node = new_node(weaver, block, operands.len(), lane);
        if let Some(node) = node {
            let site = node_site::join(operation.site, op as u16);
            write_node(weaver.builder, node, site, &operands);
        }
        let tracer = weaver.tracer_known();
        let b = weaver.builder;
        let none = builder::null(b.types.i64);
        let mut seen = vec![Seen {
            value,
            shadow: shadow.clone(),
        }];
        seen.extend(operands.clone());
        let tale = Tale {
            site: operation.site,
            number: op as u16,
            kind: shape::fp_kind(ty).unwrap_or(FpKind::Double),
            nodes: node.map_or(none, |node| node.place.number(b)),
            seen,
            thread: tracer.thread,
            first_site: tracer.first_site,
        };
        let flag = builder::integer(b.types.int(1), 1);
        shadow = tell_lane(b, symbols::EXPLAIN_EVALUATE, &tale, lane, flag, shadow);
    }
    shadow
}

/// The operands with those that are integers, at most three; pointers take results.
pub fn all_operands(weaver: &Weaver, operation: &Operation) -> Vec<Seen> {
    let call = operation.instruction;
    let b = weaver.builder;
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
            all.push(Seen {
                value: *value,
                shadow: shadow.clone(),
            });
        } else if is_integer && ir::int_width(shape::scalar(ty)) > 1 {
            let double = b.types.shaped(b.types.double, ty);
            all.push(Seen {
                value: b.cast(ir::Opcode::LLVMSIToFP, value, double),
                shadow: super::cells::fresh(b, double),
            });
        }
    }
    all.truncate(3);
    all
}
