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

mod integers;

use lostbits_abi::{
    functions,
    kind::FpKind,
    mode::Mode,
    ops::{Op, Outcome},
    site::row_offset,
    symbolic::comparison_detail,
};

use self::integers::FollowedIntegers;
use super::lanes::{bits, lane_of};
use crate::{
    builder::{self, Builder},
    carry::{
        Decoded, Domain, FunctionInstrumenter, LeafShadow, Observation, Operation, Preparation,
        Shadow, ShadowFormat, ShadowRules,
    },
    ir::{self, Opcode, Type, TypeKind, Value},
    shape,
};

#[derive(Default)]
pub struct Symbolic {
    integers: FollowedIntegers,
}

impl Domain for Symbolic {
    fn mode(&self) -> Mode {
        Mode::Symbolic
    }
}

impl ShadowFormat for Symbolic {
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
}

impl ShadowRules for Symbolic {
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

    fn operate(&self, cx: &mut FunctionInstrumenter, operation: &Operation) -> Shadow {
        let info = operation.op.info();
        let is_followed = info.second.is_none()
            && info.folds.is_none()
            && info.outcome == Outcome::Real
            && (1..=3).contains(&operation.operands.len());
        match operation.op {
            Op::Compare if ir::opcode(operation.instruction) == Opcode::LLVMFCmp => {
                compare(cx, operation);
                Shadow::new()
            }
            _ if is_followed => vec![record(cx, operation)],
            Op::ToSigned | Op::ToUnsigned if self.integers.follow(cx, operation) => Shadow::new(),
            Op::FromSigned | Op::FromUnsigned => {
                match self.integers.converted_back(cx, operation.instruction) {
                    Some(number) => vec![vec![number]],
                    None => cx.fresh(operation.instruction),
                }
            }
            _ => {
                pin(cx, operation);
                cx.fresh(operation.instruction)
            }
        }
    }
}

impl Observation for Symbolic {
    fn observe_instruction(&self, cx: &mut FunctionInstrumenter, instruction: Value) {
        self.integers.observe(cx, instruction);
    }
}

impl Preparation for Symbolic {
    fn needs_defined_values(&self) -> bool {
        true
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

/// The node of a lane as the runtime takes it; none in formats that are too short for numbers.
fn node(builder: &Builder, value: Value, shadow: Value, lane: u32) -> Value {
    let i32 = builder.types.i32;
    match shape::fp_kind(ir::type_of(value)) {
        Some(FpKind::Half | FpKind::BFloat) | None => builder::null(i32),
        Some(_) => builder.resize_unsigned(lane_of(builder, shadow, lane), i32),
    }
}

fn row(cx: &mut FunctionInstrumenter, site: u32) -> Value {
    let rows = cx.rows();
    cx.builder.offset(rows, row_offset(site) as u64)
}

/// Records an operation of each lane that the program uses; the numbers of the results.
fn record(cx: &mut FunctionInstrumenter, operation: &Operation) -> LeafShadow {
    let row = row(cx, operation.site);
    let builder = cx.builder;
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
    let whole = integer_operand(builder, operation);
    let (i32, double) = (types.i32, types.double);
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
        let number =
            builder.call_runtime(functions::SYMBOLIC_OPERATE, &[row, x, y, z, u, v, w, given]);
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
    let (no, zero) = (builder::null(i32), builder::null(double));
    builder.call_runtime(
        functions::SYMBOLIC_OPERATE,
        &[row, x, no, no, given, zero, zero, result],
    )
}

/// The integer beside a single floating-point operand, as a number (`ldexp`, `powi`).
fn integer_operand(builder: &Builder, operation: &Operation) -> Option<Value> {
    let info = operation.op.info();
    if info.arity() != 2 || operation.operands.len() != 1 {
        return None;
    }
    let whole = ir::operands(operation.instruction)
        .into_iter()
        .find(|value| ir::type_kind(ir::type_of(*value)) == TypeKind::LLVMIntegerTypeKind)?;
    Some(builder.cast(Opcode::LLVMSIToFP, whole, builder.types.double))
}

fn compare(cx: &mut FunctionInstrumenter, operation: &Operation) {
    let [(_, a, s), (_, b, t)] = &operation.operands[..] else {
        return;
    };
    if ir::is_null(s[0]) && ir::is_null(t[0]) {
        return;
    }
    let row = row(cx, operation.site);
    let builder = cx.builder;
    let types = builder.types;
    let predicate = ir::comparison_predicate(operation.instruction);
    let i32 = types.i32;
    for lane in 0..shape::lanes(ir::type_of(*a)) {
        let [x, y] = [(a, s), (b, t)].map(|(value, shadow)| node(builder, *value, shadow[0], lane));
        let [u, v] = [a, b].map(|value| builder.as_double(lane_of(builder, *value, lane)));
        let outcome = lane_of(builder, operation.instruction, lane);
        let outcome = builder.resize_unsigned(outcome, i32);
        let outcome = builder.shift_left(outcome, comparison_detail(0, true).ilog2().into());
        let detail = builder.or(outcome, builder::integer(i32, predicate.into()));
        builder.call_runtime(functions::SYMBOLIC_COMPARE, &[row, detail, x, y, u, v]);
    }
}

/// The operands stay as they are.
fn pin(cx: &mut FunctionInstrumenter, operation: &Operation) {
    let row = row(cx, operation.site);
    let builder = cx.builder;
    for (_, value, shadow) in &operation.operands {
        if ir::is_null(shadow[0]) {
            continue;
        }
        for lane in 0..shape::lanes(ir::type_of(*value)) {
            let number = node(builder, *value, shadow[0], lane);
            let given = builder.as_double(lane_of(builder, *value, lane));
            let result = integer_result(builder, operation, lane);
            builder.call_runtime(
                functions::SYMBOLIC_PIN,
                &[row, number, given, result.unwrap_or(given)],
            );
        }
    }
}

/// What a conversion to an integer gave.
fn integer_result(builder: &Builder, operation: &Operation, lane: u32) -> Option<Value> {
    let cast = match operation.op {
        Op::ToSigned => Opcode::LLVMSIToFP,
        Op::ToUnsigned => Opcode::LLVMUIToFP,
        _ => return None,
    };
    let result = lane_of(builder, operation.instruction, lane);
    Some(builder.cast(cast, result, builder.types.double))
}
