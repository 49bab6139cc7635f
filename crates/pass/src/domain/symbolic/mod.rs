//! Mode `symbolic`: the shadow of a value is the number of the node that made it, in the graph of what a
//! call did to its inputs ([`lostbits_abi::symbolic`]); 0 where no input is involved.
//!
//! This is FPGen's symbolic execution (ICSE 2020) turned round: the program runs as it is, and what a
//! solver needs of it is written down on the way. Numbers are as wide as their values, so that they move
//! through memory, vectors and integers as values do.
//!
//! Integers are followed where they are simple ([`whole`]). Where a value leaves what is followed (it becomes
//! another integer, or goes into an operation with several
//! results or a reduction of vectors), it is *pinned*: a solver has to keep it as it was.
//!
//! What it can miss: bits that are changed as integers, and half precision, go on as constants; what an
//! x87 value has beyond a double is not recorded.

mod whole;

use lostbits_abi::{
    kind::FpKind,
    mode::Mode,
    ops::{Op, Outcome},
    site::row_offset,
    symbolic::comparison_detail,
    symbols,
};

use self::whole::Wholes;
use super::{Decoded, Domain, LeafShadow, Operation, Shadow, same::bits};
use crate::{
    builder::{self, Builder},
    carry::Weaver,
    ir::{self, Opcode, Type, TypeKind, Value},
    shape,
};

#[derive(Default)]
pub struct Symbolic {
    wholes: Wholes,
}

impl Domain for Symbolic {
    fn mode(&self) -> Mode {
        Mode::Symbolic
    }

    fn needs_defined_values(&self) -> bool {
        true
    }

    fn components(&self, builder: &Builder, leaf: Type) -> Vec<Type> {
        vec![numbers(builder, leaf)]
    }

    fn fresh(&self, builder: &Builder, value: Value) -> LeafShadow {
        vec![builder::null(numbers(builder, ir::type_of(value)))]
    }

    fn cells(&self, builder: &Builder, leaf: Type) -> Vec<Type> {
        vec![leaf, numbers(builder, leaf)]
    }

    fn encode(&self, _: &Builder, value: Value, shadow: &[Value]) -> Vec<Value> {
        vec![value, shadow[0]]
    }

    fn decode(&self, builder: &Builder, value: Value, cells: &[Value]) -> Decoded {
        let valid = builder.equal(bits(builder, value), bits(builder, cells[0]));
        let none = builder::null(ir::type_of(cells[1]));
        Decoded {
            shadow: vec![builder.select(valid, cells[1], none)],
            valid: None,
        }
    }

    fn bitcast(&self, builder: &Builder, _: Value, shadow: &[Value], to: Type) -> LeafShadow {
        let ty = numbers(builder, to);
        let is_as_long = builder.bits(ir::type_of(shadow[0])) == builder.bits(ty);
        vec![match is_as_long {
            true => builder.bitcast(shadow[0], ty),
            false => builder::null(ty),
        }]
    }

    /// Bits that only change their places take their numbers with them; others do not.
    fn move_bits(
        &self,
        builder: &Builder,
        instruction: Value,
        operands: &[(u32, LeafShadow)],
    ) -> LeafShadow {
        use Opcode::*;
        let joins = || operands.len() == 2;
        let moves = match ir::opcode(instruction) {
            LLVMShl | LLVMLShr | LLVMTrunc | LLVMZExt => true,
            LLVMOr => joins(),
            _ => false,
        };
        if !moves {
            return self.fresh(builder, instruction);
        }
        let replaced: Vec<_> = operands
            .iter()
            .map(|(index, shadow)| (*index, shadow[0]))
            .collect();
        vec![builder.insert_clone(instruction, &replaced)]
    }

    fn operate(&self, weaver: &mut Weaver, operation: &Operation) -> Shadow {
        let info = operation.op.info();
        let is_followed = info.second.is_none()
            && info.folds.is_none()
            && info.outcome == Outcome::Real
            && (1..=3).contains(&operation.operands.len());
        match operation.op {
            Op::Compare if ir::opcode(operation.instruction) == Opcode::LLVMFCmp => {
                compare(weaver, operation);
                Shadow::new()
            }
            _ if is_followed => vec![record(weaver, operation)],
            Op::ToSigned | Op::ToUnsigned if self.wholes.follow(weaver, operation) => Shadow::new(),
            Op::FromSigned | Op::FromUnsigned => {
                match self.wholes.converted_back(weaver, operation.instruction) {
                    Some(number) => vec![vec![number]],
                    None => weaver.fresh(operation.instruction),
                }
            }
            _ => {
                pin(weaver, operation);
                weaver.fresh(operation.instruction)
            }
        }
    }

    fn arrived(&self, _: &mut Weaver, _: u32, _: Value, decoded: Decoded) -> LeafShadow {
        decoded.shadow
    }

    fn look_at(&self, weaver: &mut Weaver, instruction: Value) {
        self.wholes.look_at(weaver, instruction);
    }
}

/// The type of a leaf's node numbers.
fn numbers(builder: &Builder, leaf: Type) -> Type {
    let scalar = shape::scalar(leaf);
    let width = match shape::fp_kind(scalar) {
        Some(kind) => kind.storage_bits(),
        None => ir::int_width(scalar),
    };
    builder.types.shaped(builder.types.int(width), leaf)
}

fn lane_of(builder: &Builder, value: Value, lane: u32) -> Value {
    match ir::type_kind(ir::type_of(value)) {
        TypeKind::LLVMVectorTypeKind => builder.extract_lane(value, lane),
        _ => value,
    }
}

/// The node of a lane as the runtime takes it; none in formats that are too short for numbers.
fn node(builder: &Builder, value: Value, shadow: Value, lane: u32) -> Value {
    let i32 = builder.types.i32;
    match shape::fp_kind(ir::type_of(value)) {
        Some(FpKind::Half | FpKind::BFloat) | None => builder::null(i32),
        Some(_) => builder.resize_unsigned(lane_of(builder, shadow, lane), i32),
    }
}

fn row(weaver: &mut Weaver, site: u32) -> Value {
    let rows = weaver.rows();
    weaver.builder.offset(rows, row_offset(site) as u64)
}

/// Records an operation of each lane that somebody looks at; the numbers of the results.
fn record(weaver: &mut Weaver, operation: &Operation) -> LeafShadow {
    let row = row(weaver, operation.site);
    let builder = weaver.builder;
    let types = builder.types;
    let result = operation.instruction;
    let ty = numbers(builder, ir::type_of(result));
    if matches!(
        shape::fp_kind(ir::type_of(result)),
        Some(FpKind::Half | FpKind::BFloat)
    ) {
        return vec![builder::null(ty)];
    }
    let is_constant = |at: &(u32, Value, LeafShadow)| ir::is_null(at.2[0]);
    if operation.operands.iter().all(is_constant) {
        return vec![builder::null(ty)];
    }
    let whole = whole_operand(builder, operation);
    let (i32, double) = (types.i32, types.double);
    let parameters = [types.pointer, i32, i32, i32, double, double, double, double];
    let function = builder.declare(symbols::SYMBOLIC_OPERATE, i32, &parameters);
    let one = |lane: u32| {
        let mut nodes = [builder::null(i32); 3];
        let mut values = [builder::null(double); 3];
        for (at, (_, value, shadow)) in operation.operands.iter().enumerate() {
            nodes[at] = node(builder, *value, shadow[0], lane);
            values[at] = builder.as_double(lane_of(builder, *value, lane));
        }
        if let Some(whole) = whole {
            values[1] = whole;
        }
        let given = builder.as_double(lane_of(builder, result, lane));
        let [x, y, z] = nodes;
        let [u, v, w] = values;
        let number = builder.call(function, &[row, x, y, z, u, v, w, given]);
        builder.resize_unsigned(number, shape::scalar(ty))
    };
    if ir::type_kind(ty) != TypeKind::LLVMVectorTypeKind {
        return vec![one(0)];
    }
    let mut all = builder::null(ty);
    for lane in 0..shape::lanes(ty) {
        if operation
            .demanded
            .get(lane as usize)
            .copied()
            .unwrap_or(true)
        {
            let index = builder::integer(i32, u64::from(lane));
            all = builder.insert_element(all, one(lane), index);
        }
    }
    vec![all]
}

/// Records an operation on one scalar; the number of the result.
fn record_one(builder: &Builder, row: Value, x: Value, given: Value, result: Value) -> Value {
    let types = builder.types;
    let (i32, double) = (types.i32, types.double);
    let parameters = [types.pointer, i32, i32, i32, double, double, double, double];
    let function = builder.declare(symbols::SYMBOLIC_OPERATE, i32, &parameters);
    let (no, zero) = (builder::null(i32), builder::null(double));
    builder.call(function, &[row, x, no, no, given, zero, zero, result])
}

/// The integer beside a single floating-point operand, as a number (`ldexp`, `powi`).
fn whole_operand(builder: &Builder, operation: &Operation) -> Option<Value> {
    let info = operation.op.info();
    if info.arity() != 2 || operation.operands.len() != 1 {
        return None;
    }
    let whole = ir::operands(operation.instruction)
        .into_iter()
        .find(|value| ir::type_kind(ir::type_of(*value)) == TypeKind::LLVMIntegerTypeKind)?;
    Some(builder.cast(Opcode::LLVMSIToFP, whole, builder.types.double))
}

fn compare(weaver: &mut Weaver, operation: &Operation) {
    let [(_, a, s), (_, b, t)] = &operation.operands[..] else {
        return;
    };
    if ir::is_null(s[0]) && ir::is_null(t[0]) {
        return;
    }
    let row = row(weaver, operation.site);
    let builder = weaver.builder;
    let types = builder.types;
    let predicate = ir::comparison_predicate(operation.instruction);
    let (i32, double) = (types.i32, types.double);
    let parameters = [types.pointer, i32, i32, i32, double, double];
    let function = builder.declare(symbols::SYMBOLIC_COMPARE, types.void, &parameters);
    for lane in 0..shape::lanes(ir::type_of(*a)) {
        let [x, y] = [(a, s), (b, t)].map(|(value, shadow)| node(builder, *value, shadow[0], lane));
        let [u, v] = [a, b].map(|value| builder.as_double(lane_of(builder, *value, lane)));
        let outcome = lane_of(builder, operation.instruction, lane);
        let outcome = builder.resize_unsigned(outcome, i32);
        let outcome = builder.shift_left(outcome, comparison_detail(0, true).ilog2().into());
        let detail = builder.or(outcome, builder::integer(i32, predicate.into()));
        builder.call(function, &[row, detail, x, y, u, v]);
    }
}

/// The operands stay as they are.
fn pin(weaver: &mut Weaver, operation: &Operation) {
    let row = row(weaver, operation.site);
    let builder = weaver.builder;
    let types = builder.types;
    let parameters = [types.pointer, types.i32, types.double, types.double];
    let function = builder.declare(symbols::SYMBOLIC_PIN, types.void, &parameters);
    for (_, value, shadow) in &operation.operands {
        if ir::is_null(shadow[0]) {
            continue;
        }
        for lane in 0..shape::lanes(ir::type_of(*value)) {
            let number = node(builder, *value, shadow[0], lane);
            let given = builder.as_double(lane_of(builder, *value, lane));
            let result = whole_result(builder, operation, lane);
            builder.call(function, &[row, number, given, result.unwrap_or(given)]);
        }
    }
}

/// What a conversion to an integer gave.
fn whole_result(builder: &Builder, operation: &Operation, lane: u32) -> Option<Value> {
    let cast = match operation.op {
        Op::ToSigned => Opcode::LLVMSIToFP,
        Op::ToUnsigned => Opcode::LLVMUIToFP,
        _ => return None,
    };
    let result = lane_of(builder, operation.instruction, lane);
    Some(builder.cast(cast, result, builder.types.double))
}
