//! Mode `reals`: a number of many bits beside every value, computed by MPFR in the runtime (Herbgrind's
//! shadow reals).
//!
//! A shadow is the address of a slot that holds the number, or 0: then the real value is exactly the
//! program's ([`lostbits_abi::numbers`]). Each operation has a slot of its own in the function's frame, for
//! each lane. A reference to it stays right until the operation is executed again, so choosing and moving
//! values only moves references; phis copy, because what they refer to may be overwritten while they
//! live. In memory a number belongs to the cell of its value, and the runtime does all that.
//!
//! Comparisons and conversions to integers ask the runtime what to go on with: the program's decision, or
//! the one in the reals where the run is steered (`LOSTBITS_STEER`).
//!
//! What it can miss: integers that carry the bits of two floats, or bits that were changed, or that go
//! round a loop in a register, are taken for exact; so are half-precision values in memory and across calls.

use lostbits_abi::{
    kind::FpKind,
    mode::Mode,
    numbers::{FRAMES_START, Operand, SIGNED, SLOT_BYTES, UNSIGNED, VARIADIC_X87},
    ops::{Op, Operand as OperandKind, Outcome},
    symbols,
};

use super::{Decoded, Domain, Keeper, LeafShadow, Operation, Shadow, same::bits};
use crate::{
    builder::{self, Builder},
    carry::Weaver,
    ir::{self, Opcode, Type, TypeKind, Value},
    shape::{self, Leaf},
};

pub struct Reals;

impl Domain for Reals {
    fn mode(&self) -> Mode {
        Mode::Reals
    }

    fn counts(&self) -> bool {
        true
    }

    fn needs_defined_values(&self) -> bool {
        true
    }

    fn components(&self, builder: &Builder, leaf: Type) -> Vec<Type> {
        vec![references(builder, leaf)]
    }

    fn fresh(&self, builder: &Builder, value: Value) -> LeafShadow {
        vec![builder::null(references(builder, ir::type_of(value)))]
    }

    /// Across calls: the value, and the numbers of the slots.
    fn cells(&self, builder: &Builder, leaf: Type) -> Vec<Type> {
        vec![leaf, slot_numbers(builder, leaf)]
    }

    fn encode(&self, builder: &Builder, value: Value, shadow: &[Value]) -> Vec<Value> {
        let leaf = ir::type_of(value);
        let ty = slot_numbers(builder, leaf);
        let number = match shape::fp_kind(leaf) {
            Some(FpKind::Half | FpKind::BFloat) | None => builder::null(ty),
            kind => {
                let wide = ir::type_of(shadow[0]);
                let start = builder::splat(wide, FRAMES_START);
                let offset = builder.intrinsic("llvm.usub.sat", &[wide], &[shadow[0], start]);
                let size = builder::splat(wide, SLOT_BYTES);
                let number = builder.binary(Opcode::LLVMUDiv, offset, size);
                let number = builder.resize_unsigned(number, ty);
                match kind {
                    Some(FpKind::X87) => builder.or(number, builder::splat(ty, VARIADIC_X87)),
                    _ => number,
                }
            }
        };
        vec![value, number]
    }

    fn decode(&self, builder: &Builder, value: Value, cells: &[Value]) -> Decoded {
        let ty = references(builder, ir::type_of(value));
        let mut number = builder.resize_unsigned(cells[1], ty);
        number = builder.and(number, builder::splat(ty, u64::from(u32::MAX)));
        let same_value = builder.equal(bits(builder, value), bits(builder, cells[0]));
        let is_slot = builder.differ(number, builder::null(ty));
        let valid = builder.and(same_value, is_slot);
        let offset = builder.binary(Opcode::LLVMMul, number, builder::splat(ty, SLOT_BYTES));
        let address = builder.binary(Opcode::LLVMAdd, offset, builder::splat(ty, FRAMES_START));
        Decoded {
            shadow: vec![builder.select(valid, address, builder::null(ty))],
            valid: None,
        }
    }

    /// A reference goes along where the bits of each lane stay together.
    fn bitcast(&self, builder: &Builder, value: Value, shadow: &[Value], to: Type) -> LeafShadow {
        let ty = references(builder, to);
        let from = ir::type_of(value);
        let stays = ir::type_of(shadow[0]) == ty && scalar_bits(from) == scalar_bits(to);
        vec![match stays {
            true => shadow[0],
            false => builder::null(ty),
        }]
    }

    fn move_bits(
        &self,
        builder: &Builder,
        instruction: Value,
        _: &[(u32, LeafShadow)],
    ) -> LeafShadow {
        self.fresh(builder, instruction)
    }

    fn operate(&self, weaver: &mut Weaver, operation: &Operation) -> Shadow {
        let op = operation.op;
        let info = op.info();
        match op {
            Op::Compare => {
                compare(weaver, operation);
                Shadow::new()
            }
            // A conversion rounds the value, not the number; and a wider format holds every value.
            Op::Extend => vec![operation.operands[0].2.clone()],
            _ if info.outcome == Outcome::Integer => {
                convert(weaver, operation);
                Shadow::new()
            }
            _ => {
                let shadow = results(weaver, operation);
                stored_results(weaver, operation);
                shadow
            }
        }
    }

    fn arrived(&self, _: &mut Weaver, _: u32, _: Value, decoded: Decoded) -> LeafShadow {
        decoded.shadow
    }

    fn keeper(&self) -> Option<&dyn Keeper> {
        Some(self)
    }

    fn slot_planes(&self) -> u64 {
        2
    }
}

impl Keeper for Reals {
    fn load(&self, weaver: &mut Weaver, address: Value, value: Value) -> LeafShadow {
        let ty = ir::type_of(value);
        let step = match memory_step(ty) {
            Some(step) => step,
            None => return self.fresh(weaver.builder, value),
        };
        each_lane(weaver, ty, |weaver, lane| {
            let builder = weaver.builder;
            let value = as_floating(builder, lane_of(builder, value, lane));
            let address = builder.offset(address, u64::from(lane) * step);
            load_one(weaver, address, value)
        })
    }

    fn store(&self, weaver: &mut Weaver, address: Value, value: Value, shadow: &[Value]) {
        let ty = ir::type_of(value);
        let Some(step) = memory_step(ty) else { return };
        for lane in 0..shape::lanes(ty) {
            let builder = weaver.builder;
            let value = as_floating(builder, lane_of(builder, value, lane));
            let shadow = lane_of(builder, shadow[0], lane);
            let address = builder.offset(address, u64::from(lane) * step);
            store_one(weaver, address, value, shadow);
        }
    }

    fn settle(&self, weaver: &mut Weaver, phis: &[(Value, Shadow)]) -> Vec<Shadow> {
        // What may refer to another phi of the block is brought to safety before any is overwritten.
        let safe: Vec<Shadow> = phis
            .iter()
            .map(|(phi, shadow)| match may_refer_to_phi(*phi) {
                true => copied(weaver, shadow),
                false => shadow.clone(),
            })
            .collect();
        safe.iter().map(|shadow| copied(weaver, shadow)).collect()
    }

    fn keep_result(&self, weaver: &mut Weaver, _: Value, shadow: &[Value]) -> LeafShadow {
        copied_leaf(weaver, shadow[0])
    }

    fn steer(&self, weaver: &mut Weaver, argument: Value, shadow: &[Value]) -> Value {
        let builder = weaver.builder;
        let ty = ir::type_of(argument);
        let name = match ir::type_kind(ty) {
            TypeKind::LLVMDoubleTypeKind => symbols::REALS_STEER,
            TypeKind::LLVMFloatTypeKind => symbols::REALS_STEER_FLOAT,
            _ => return argument,
        };
        if ir::is_null(shadow[0]) {
            return argument;
        }
        let steer = builder.declare(name, ty, &[builder.types.i64, ty]);
        builder.call(steer, &[shadow[0], argument])
    }

    fn spread(&self, weaver: &mut Weaver, address: Value, slot: Value, stride: u64, bytes: Value) {
        let builder = weaver.builder;
        let types = builder.types;
        let parameters = [types.pointer, types.pointer, types.i64, types.i64];
        let spread = builder.declare(symbols::REALS_SPREAD, types.void, &parameters);
        let stride = builder::integer(types.i64, stride);
        builder.call(spread, &[address, slot, stride, bytes]);
    }
}

// ---- types ----

fn references(builder: &Builder, leaf: Type) -> Type {
    builder.types.shaped(builder.types.i64, leaf)
}

/// As wide as the value, so that a vector's fit into as many bytes.
fn slot_numbers(builder: &Builder, leaf: Type) -> Type {
    let width = match shape::fp_kind(shape::scalar(leaf)) {
        Some(FpKind::X87) | None => 64,
        Some(kind) => kind.storage_bits(),
    };
    builder.types.shaped(builder.types.int(width), leaf)
}

fn scalar_bits(ty: Type) -> u32 {
    let scalar = shape::scalar(ty);
    match shape::fp_kind(scalar) {
        Some(kind) => kind.storage_bits(),
        None => ir::int_width(scalar),
    }
}

/// Bytes from lane to lane of what can have a number in memory.
fn memory_step(ty: Type) -> Option<u64> {
    match scalar_bits(ty) {
        32 => Some(4),
        64 => Some(8),
        80 => Some(16),
        _ => None,
    }
}

/// An integer that may be a value's bits, as the value.
fn as_floating(builder: &Builder, value: Value) -> Value {
    let ty = ir::type_of(value);
    if ir::type_kind(ty) != TypeKind::LLVMIntegerTypeKind {
        return value;
    }
    match ir::int_width(ty) {
        32 => builder.bitcast(value, builder.types.float),
        _ => builder.bitcast(value, builder.types.double),
    }
}

fn lane_of(builder: &Builder, value: Value, lane: u32) -> Value {
    match ir::type_kind(ir::type_of(value)) {
        TypeKind::LLVMVectorTypeKind => builder.extract_lane(value, lane),
        _ => value,
    }
}

/// Makes a reference for each lane of a leaf.
fn each_lane(
    weaver: &mut Weaver,
    leaf: Type,
    mut make: impl FnMut(&mut Weaver, u32) -> Value,
) -> LeafShadow {
    if ir::type_kind(leaf) != TypeKind::LLVMVectorTypeKind {
        return vec![make(weaver, 0)];
    }
    let mut all = builder::null(references(weaver.builder, leaf));
    for lane in 0..shape::lanes(leaf) {
        let one = make(weaver, lane);
        let index = builder::integer(weaver.builder.types.i32, u64::from(lane));
        all = weaver.builder.insert_element(all, one, index);
    }
    vec![all]
}

// ---- references that must not be overwritten ----

fn copied(weaver: &mut Weaver, shadow: &Shadow) -> Shadow {
    shadow
        .iter()
        .map(|leaf| copied_leaf(weaver, leaf[0]))
        .collect()
}

fn copied_leaf(weaver: &mut Weaver, references: Value) -> LeafShadow {
    each_lane(weaver, ir::type_of(references), |weaver, lane| {
        let source = lane_of(weaver.builder, references, lane);
        let slot = weaver.slot();
        let i64 = weaver.builder.types.i64;
        let copy = weaver
            .builder
            .declare(symbols::REALS_COPY, i64, &[i64, i64]);
        weaver.builder.call(copy, &[slot, source])
    })
}

/// Whether a value that comes in may be kept in the slot of another phi of the same block: only what moves
/// references, and phis themselves, are not kept in a slot of their own.
fn may_refer_to_phi(phi: Value) -> bool {
    use Opcode::*;
    let block = ir::parent_block(phi);
    ir::incoming(phi).into_iter().any(|(value, _)| {
        value != phi
            && ir::is_instruction(value)
            && match ir::opcode(value) {
                LLVMPHI => ir::parent_block(value) == block,
                LLVMSelect | LLVMFreeze | LLVMExtractElement | LLVMInsertElement
                | LLVMShuffleVector | LLVMExtractValue | LLVMInsertValue | LLVMBitCast
                | LLVMFPExt => true,
                LLVMCall => ir::as_function(ir::callee(value))
                    .and_then(ir::intrinsic_name)
                    .is_some(),
                _ => false,
            }
    })
}

// ---- memory ----

fn load_one(weaver: &mut Weaver, address: Value, value: Value) -> Value {
    let slot = weaver.slot();
    let builder = weaver.builder;
    let types = builder.types;
    let ty = ir::type_of(value);
    let name = match ir::type_kind(ty) {
        TypeKind::LLVMDoubleTypeKind => symbols::REALS_LOAD,
        TypeKind::LLVMFloatTypeKind => symbols::REALS_LOAD_FLOAT,
        _ => {
            let area = weaver.operand_area(1);
            put_operand(weaver, area, 0, value, builder::null(types.i64));
            let parameters = [types.i64, types.pointer, types.pointer];
            let load = builder.declare(symbols::REALS_LOAD_ANY, types.i64, &parameters);
            return builder.call(load, &[slot, address, area]);
        }
    };
    let load = builder.declare(name, types.i64, &[types.i64, types.pointer, ty]);
    builder.call(load, &[slot, address, value])
}

fn store_one(weaver: &mut Weaver, address: Value, value: Value, shadow: Value) {
    let builder = weaver.builder;
    let types = builder.types;
    let ty = ir::type_of(value);
    let name = match ir::type_kind(ty) {
        TypeKind::LLVMDoubleTypeKind => symbols::REALS_STORE,
        TypeKind::LLVMFloatTypeKind => symbols::REALS_STORE_FLOAT,
        _ => {
            let area = weaver.operand_area(1);
            put_operand(weaver, area, 0, value, shadow);
            let parameters = [types.pointer, types.pointer];
            let store = builder.declare(symbols::REALS_STORE_ANY, types.void, &parameters);
            builder.call(store, &[address, area]);
            return;
        }
    };
    let store = builder.declare(name, types.void, &[types.pointer, types.i64, ty]);
    builder.call(store, &[address, shadow, value]);
}

// ---- operations ----

/// The shadow of each leaf of an operation's result.
fn results(weaver: &mut Weaver, operation: &Operation) -> Shadow {
    let leaves = weaver.leaves_of(operation.instruction);
    (0..)
        .zip(&leaves)
        .map(|(index, leaf)| match op_of_result(operation.op, index) {
            Some(op) => result(weaver, operation, op, leaf),
            None => Reals.fresh_of(weaver, leaf.ty),
        })
        .collect()
}

impl Reals {
    fn fresh_of(&self, weaver: &Weaver, leaf: Type) -> LeafShadow {
        vec![builder::null(references(weaver.builder, leaf))]
    }
}

/// Where there are two results, another operation gives the second.
fn op_of_result(op: Op, index: usize) -> Option<Op> {
    match index {
        0 => Some(op),
        1 => op.info().second,
        _ => None,
    }
}

fn result(weaver: &mut Weaver, operation: &Operation, op: Op, leaf: &Leaf) -> LeafShadow {
    let instruction = operation.instruction;
    if is_always_exact(op, instruction, leaf) {
        return Reals.fresh_of(weaver, leaf.ty);
    }
    let value = weaver.builder.member(instruction, &leaf.path);
    let demanded = match ir::type_kind(ir::type_of(instruction)) {
        TypeKind::LLVMVectorTypeKind => shape::demanded_lanes(instruction),
        _ => vec![true; shape::lanes(leaf.ty) as usize],
    };
    each_lane(weaver, leaf.ty, |weaver, lane| {
        if !demanded[lane as usize] {
            return builder::null(weaver.builder.types.i64);
        }
        let value = lane_of(weaver.builder, value, lane);
        frequent(weaver, operation, op, value, lane)
            .or_else(|| general(weaver, operation, op, value, lane))
            .unwrap_or_else(|| builder::null(weaver.builder.types.i64))
    })
}

/// What a library function leaves behind pointers: `modf`, `sincos`.
fn stored_results(weaver: &mut Weaver, operation: &Operation) {
    let places: &[(usize, Op)] = match operation.op {
        Op::Modf => &[(1, Op::Trunc)],
        Op::Sincos => &[(1, Op::Sin), (2, Op::Cos)],
        Op::SincosPi => &[(1, Op::SinPi), (2, Op::CosPi)],
        _ => return,
    };
    let (true, [(0, operand, _), ..]) = (operation.is_library_call, &operation.operands[..]) else {
        return;
    };
    let (arguments, ty) = (ir::arguments(operation.instruction), ir::type_of(*operand));
    for (index, op) in places {
        let Some(pointer) = arguments.get(*index).copied() else {
            continue;
        };
        if ir::type_kind(ir::type_of(pointer)) != TypeKind::LLVMPointerTypeKind {
            continue;
        }
        let value = weaver.builder.load(ty, pointer, 1);
        if let Some(shadow) = general(weaver, operation, *op, value, 0) {
            store_one(weaver, pointer, value, shadow);
        }
    }
}

/// Integers that fit into the significand.
fn is_always_exact(op: Op, instruction: Value, leaf: &Leaf) -> bool {
    if !matches!(op, Op::FromSigned | Op::FromUnsigned) {
        return false;
    }
    let source = shape::scalar(ir::type_of(ir::operand(instruction, 0)));
    ir::type_kind(source) == TypeKind::LLVMIntegerTypeKind
        && ir::int_width(source) <= leaf.kind.precision()
}

/// Operations that have a function of their own in the runtime.
fn frequent(
    weaver: &mut Weaver,
    operation: &Operation,
    op: Op,
    result: Value,
    lane: u32,
) -> Option<Value> {
    let ty = ir::type_of(result);
    let is_double = match ir::type_kind(ty) {
        TypeKind::LLVMDoubleTypeKind => true,
        TypeKind::LLVMFloatTypeKind => false,
        _ => return None,
    };
    let pair = match op {
        Op::Add => [symbols::REALS_ADD, symbols::REALS_ADD_FLOAT],
        Op::Sub => [symbols::REALS_SUB, symbols::REALS_SUB_FLOAT],
        Op::Mul => [symbols::REALS_MUL, symbols::REALS_MUL_FLOAT],
        Op::Div => [symbols::REALS_DIV, symbols::REALS_DIV_FLOAT],
        Op::Fma => [symbols::REALS_FMA, symbols::REALS_FMA_FLOAT],
        Op::MulAdd => [symbols::REALS_MULADD, symbols::REALS_MULADD_FLOAT],
        Op::Sqrt => [symbols::REALS_SQRT, symbols::REALS_SQRT_FLOAT],
        _ => return None,
    };
    let name = pair[usize::from(!is_double)];
    let slot = weaver.slot();
    let totals = weaver.totals_of(operation.site);
    let builder = weaver.builder;
    let types = builder.types;
    let (mut arguments, mut parameters) = (vec![slot, totals], vec![types.i64, types.pointer]);
    for (_, _, shadow) in &operation.operands {
        arguments.push(lane_of(builder, shadow[0], lane));
        parameters.push(types.i64);
    }
    let values = operation
        .operands
        .iter()
        .map(|(_, value, _)| lane_of(builder, *value, lane));
    for value in values.chain([result]) {
        arguments.push(value);
        parameters.push(ty);
    }
    let function = builder.declare(name, types.i64, &parameters);
    Some(builder.call(function, &arguments))
}

/// Everything else, by the operation's number; none where an operand is nothing the table knows.
fn general(
    weaver: &mut Weaver,
    operation: &Operation,
    op: Op,
    result: Value,
    lane: u32,
) -> Option<Value> {
    let operands = operands_of(weaver, operation, lane)?;
    let area = weaver.operand_area(operands.len() as u64 + 1);
    for (index, (value, shadow)) in (0..).zip(&operands) {
        put(weaver, area, index, *value, *shadow, op != Op::FromUnsigned);
    }
    let count = operands.len() as u64;
    let null = builder::null(weaver.builder.types.i64);
    put_operand(weaver, area, count, result, null);
    let slot = weaver.slot();
    let totals = weaver.totals_of(operation.site);
    let builder = weaver.builder;
    let types = builder.types;
    let parameters = [
        types.i64,
        types.pointer,
        types.i32,
        types.i32,
        types.pointer,
        types.pointer,
    ];
    let function = builder.declare(symbols::REALS_OPERATE, types.i64, &parameters);
    let number = builder::integer(types.i32, op as u64);
    let place = builder.offset(area, count * size_of::<Operand>() as u64);
    let count = builder::integer(types.i32, count);
    Some(builder.call(function, &[slot, totals, number, count, area, place]))
}

/// Values with their shadows, in the table's order; a reduction's lanes one after another.
fn operands_of(
    weaver: &mut Weaver,
    operation: &Operation,
    lane: u32,
) -> Option<Vec<(Value, Value)>> {
    let builder = weaver.builder;
    let info = operation.op.info();
    if info.folds.is_some() {
        let mut all = Vec::new();
        for (_, value, shadow) in &operation.operands {
            for lane in 0..shape::lanes(ir::type_of(*value)) {
                all.push((
                    lane_of(builder, *value, lane),
                    lane_of(builder, shadow[0], lane),
                ));
            }
        }
        return Some(all);
    }
    let one = |(index, kind): (u32, &OperandKind)| match kind {
        OperandKind::Real => {
            let (_, value, shadow) = operation
                .operands
                .iter()
                .find(|(position, _, _)| *position == index)?;
            Some((
                lane_of(builder, *value, lane),
                lane_of(builder, shadow[0], lane),
            ))
        }
        OperandKind::Integer => {
            let value = ir::operand(operation.instruction, index);
            let is_integer =
                ir::type_kind(shape::scalar(ir::type_of(value))) == TypeKind::LLVMIntegerTypeKind;
            let is_small = is_integer && ir::int_width(shape::scalar(ir::type_of(value))) <= 64;
            is_small.then(|| {
                (
                    lane_of(builder, value, lane),
                    builder::null(builder.types.i64),
                )
            })
        }
    };
    (0..).zip(info.operands).map(one).collect()
}

/// Writes an [`Operand`] into the area for them.
fn put_operand(weaver: &Weaver, area: Value, index: u64, value: Value, shadow: Value) {
    put(weaver, area, index, value, shadow, true);
}

fn put(weaver: &Weaver, area: Value, index: u64, value: Value, shadow: Value, is_signed: bool) {
    let builder = weaver.builder;
    let types = builder.types;
    let place = |field: usize| {
        let offset = index * size_of::<Operand>() as u64 + field as u64;
        builder.offset(area, offset)
    };
    let kind = shape::fp_kind(ir::type_of(value));
    let (word, high) = words_of(builder, value, is_signed);
    builder.store(shadow, place(std::mem::offset_of!(Operand, slot)), 8);
    builder.store(word, place(std::mem::offset_of!(Operand, bits)), 8);
    builder.store(high, place(std::mem::offset_of!(Operand, high)), 4);
    let kind = match (kind, is_signed) {
        (Some(kind), _) => kind as u32,
        (None, true) => SIGNED,
        (None, false) => UNSIGNED,
    };
    let kind = builder::integer(types.i32, u64::from(kind));
    builder.store(kind, place(std::mem::offset_of!(Operand, kind)), 4);
}

/// The bits of a scalar in 64 and, of an x87 number, 16 more.
fn words_of(builder: &Builder, value: Value, is_signed: bool) -> (Value, Value) {
    let types = builder.types;
    let none = builder::null(types.i32);
    match shape::fp_kind(ir::type_of(value)) {
        Some(FpKind::X87) => {
            let all = builder.bitcast(value, types.int(80));
            let high = builder.shift_right(all, 64);
            (
                builder.resize_unsigned(all, types.i64),
                builder.resize_unsigned(high, types.i32),
            )
        }
        Some(_) => (
            builder.resize_unsigned(bits(builder, value), types.i64),
            none,
        ),
        None if is_signed => (builder.resize_mask(value, types.i64), none),
        None => (builder.resize_unsigned(value, types.i64), none),
    }
}

// ---- decisions ----

fn compare(weaver: &mut Weaver, operation: &Operation) {
    let [(_, a, a_shadow), (_, b, b_shadow)] = &operation.operands[..] else {
        return;
    };
    let instruction = operation.instruction;
    if ir::opcode(instruction) != Opcode::LLVMFCmp {
        return;
    }
    let predicate = ir::comparison_predicate(instruction);
    let program_users = ir::uses(instruction);
    let decision = each_result(weaver, instruction, |weaver, decided, lane| {
        let builder = weaver.builder;
        let types = builder.types;
        let [x, y] = [*a, *b].map(|value| lane_of(builder, value, lane));
        let [s, t] = [a_shadow, b_shadow].map(|shadow| lane_of(builder, shadow[0], lane));
        let totals = weaver.totals_of(operation.site);
        let predicate = builder::integer(types.i32, u64::from(predicate));
        let decided = builder.resize_unsigned(decided, types.i32);
        let ty = ir::type_of(x);
        let name = match ir::type_kind(ty) {
            TypeKind::LLVMDoubleTypeKind => symbols::REALS_COMPARE,
            TypeKind::LLVMFloatTypeKind => symbols::REALS_COMPARE_FLOAT,
            _ => {
                let area = weaver.operand_area(2);
                put_operand(weaver, area, 0, x, s);
                put_operand(weaver, area, 1, y, t);
                let parameters = [types.pointer, types.i32, types.pointer, types.i32];
                let function = builder.declare(symbols::REALS_COMPARE_ANY, types.i32, &parameters);
                return builder.call(function, &[totals, predicate, area, decided]);
            }
        };
        let parameters = [
            types.pointer,
            types.i32,
            types.i64,
            types.i64,
            ty,
            ty,
            types.i32,
        ];
        let function = builder.declare(name, types.i32, &parameters);
        builder.call(function, &[totals, predicate, s, t, x, y, decided])
    });
    replace_in(&program_users, instruction, decision);
}

/// A conversion to an integer.
fn convert(weaver: &mut Weaver, operation: &Operation) {
    let instruction = operation.instruction;
    let [(_, operand, shadow)] = &operation.operands[..] else {
        return;
    };
    let result = shape::scalar(ir::type_of(instruction));
    let is_integer = ir::type_kind(result) == TypeKind::LLVMIntegerTypeKind;
    if !is_integer || ir::int_width(result) > 64 {
        return;
    }
    let width = u64::from(ir::int_width(result));
    let program_users = ir::uses(instruction);
    let (op, operand, shadow) = (operation.op, *operand, shadow[0]);
    let converted = each_result(weaver, instruction, |weaver, program, lane| {
        let area = weaver.operand_area(1);
        let builder = weaver.builder;
        let types = builder.types;
        let value = lane_of(builder, operand, lane);
        put_operand(weaver, area, 0, value, lane_of(builder, shadow, lane));
        let totals = weaver.totals_of(operation.site);
        let program = builder.resize_unsigned(program, types.i64);
        let parameters = [
            types.pointer,
            types.i32,
            types.i32,
            types.pointer,
            types.i64,
        ];
        let function = builder.declare(symbols::REALS_INTEGER, types.i64, &parameters);
        let [op, width] = [op as u64, width].map(|word| builder::integer(types.i32, word));
        builder.call(function, &[totals, op, width, area, program])
    });
    replace_in(&program_users, instruction, converted);
}

/// A result like the instruction's, made lane by lane from integers.
fn each_result(
    weaver: &mut Weaver,
    instruction: Value,
    mut make: impl FnMut(&mut Weaver, Value, u32) -> Value,
) -> Value {
    let ty = ir::type_of(instruction);
    let scalar = shape::scalar(ty);
    let mut one = |weaver: &mut Weaver, lane| {
        let program = lane_of(weaver.builder, instruction, lane);
        let made = make(weaver, program, lane);
        weaver.builder.resize_unsigned(made, scalar)
    };
    if ir::type_kind(ty) != TypeKind::LLVMVectorTypeKind {
        return one(weaver, 0);
    }
    let mut all = builder::null(ty);
    for lane in 0..shape::lanes(ty) {
        let made = one(weaver, lane);
        let index = builder::integer(weaver.builder.types.i32, u64::from(lane));
        all = weaver.builder.insert_element(all, made, index);
    }
    all
}

fn replace_in(users: &[Value], old: Value, new: Value) {
    for user in users {
        for (index, operand) in (0..).zip(ir::operands(*user)) {
            if operand == old {
                ir::set_operand(*user, index, new);
            }
        }
    }
}
