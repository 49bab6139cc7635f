//! Mode `reals`: a high-precision number beside every value, computed by MPFR in the runtime (Herbgrind's
//! shadow reals).
//!
//! A shadow is the address of a slot that holds the number, or 0: then the real value is exactly the
//! program's ([`lostbits_abi::numbers`]). Each operation has a slot of its own in the function's frame, for
//! each lane. A reference to it stays right until the operation is executed again, so choosing and moving
//! values only moves references; phis copy, because what they refer to may be overwritten while they
//! live. In memory a number belongs to the cell of its value, and the runtime does all that.
//!
//! Comparisons and conversions to integers ask the runtime what to go on with: the program's decision, or
//! the one of exact arithmetic where the run is steered (`LOSTBITS_STEER`).
//!
//! What it can miss: integers that carry the bits of two floats, or bits that were changed, or that go
//! round a loop in a register, are taken for exact; so are half-precision values in memory and across calls.

mod decisions;
pub(super) mod frame;
mod operations;

use lostbits_abi::{
    functions,
    kind::FpKind,
    mode::Mode,
    numbers::{FRAMES_START, SLOT_BYTES, VARIADIC_X87},
    ops::{Op, Outcome},
};

use self::decisions::{compare, convert};
use self::frame::Frames;
pub use self::operations::{NumberCalls, put_operand, results, stored_results};
use super::lanes::bits;
use super::lanes::lane_of;
use crate::{
    builder::{self, Builder},
    carry::{
        Decoded, Domain, FunctionInstrumenter, LeafShadow, Observation, Operation, Preparation,
        Shadow, ShadowFormat, ShadowRules, ShadowStorage,
    },
    ir::{self, Opcode, Type, TypeKind, Value},
    shape,
};

pub struct Reals;

impl Domain for Reals {
    fn follows_lent_memory(&self) -> bool {
        true
    }

    fn mode(&self) -> Mode {
        Mode::Reals
    }

    fn storage(&self) -> Option<&dyn ShadowStorage> {
        Some(self)
    }
}

impl ShadowFormat for Reals {
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
            Some(FpKind::Half | FpKind::BFloat) => builder::null(ty),
            // Only an integer of this size may be a number; see `carry/integers.rs`.
            None if scalar_bits(leaf) != 64 => builder::null(ty),
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

    fn slot_planes(&self) -> Option<u64> {
        Some(2)
    }
}

impl ShadowRules for Reals {
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

    fn operate(&self, cx: &mut FunctionInstrumenter, operation: &Operation) -> Shadow {
        let op = operation.op;
        let info = op.info();
        match op {
            Op::Compare => {
                compare(cx, operation);
                Shadow::new()
            }
            // A conversion rounds the value, not the number; and a wider format holds every value.
            Op::Extend => vec![operation.operands[0].2.clone()],
            _ if info.outcome == Outcome::Integer => {
                convert(cx, operation);
                Shadow::new()
            }
            _ => {
                let shadow = results(cx, self, operation);
                stored_results(cx, self, operation);
                shadow
            }
        }
    }
}

impl Observation for Reals {
    fn counts_executions(&self) -> bool {
        true
    }
}

impl Preparation for Reals {
    fn needs_defined_values(&self) -> bool {
        true
    }

    fn opens_complex_functions(&self) -> bool {
        true
    }
}

impl ShadowStorage for Reals {
    fn enter_function(&self, cx: &mut FunctionInstrumenter) {
        cx.open_frame();
    }

    fn leave_function(&self, cx: &mut FunctionInstrumenter) {
        cx.close_frame();
    }

    fn load(&self, cx: &mut FunctionInstrumenter, address: Value, value: Value) -> LeafShadow {
        let ty = ir::type_of(value);
        let step = match memory_step(ty) {
            Some(step) => step,
            None => return self.fresh(cx.builder, value),
        };
        each_lane(cx, ty, |cx, lane| {
            let builder = cx.builder;
            let value = as_floating(builder, lane_of(builder, value, lane));
            let address = builder.offset(address, u64::from(lane) * step);
            load_one(cx, address, value)
        })
    }

    fn store(&self, cx: &mut FunctionInstrumenter, address: Value, value: Value, shadow: &[Value]) {
        let ty = ir::type_of(value);
        let Some(step) = memory_step(ty) else { return };
        for lane in 0..shape::lanes(ty) {
            let builder = cx.builder;
            let value = as_floating(builder, lane_of(builder, value, lane));
            let shadow = lane_of(builder, shadow[0], lane);
            let address = builder.offset(address, u64::from(lane) * step);
            store_one(cx, address, value, shadow);
        }
    }

    fn copy_phis(&self, cx: &mut FunctionInstrumenter, phis: &[(Value, Shadow)]) -> Vec<Shadow> {
        // What may refer to another phi of the block is brought to safety before any is overwritten.
        let safe: Vec<Shadow> = phis
            .iter()
            .map(|(phi, shadow)| match may_refer_to_phi(*phi) {
                true => copied(cx, shadow),
                false => shadow.clone(),
            })
            .collect();
        safe.iter().map(|shadow| copied(cx, shadow)).collect()
    }

    fn copy_result(&self, cx: &mut FunctionInstrumenter, _: Value, shadow: &[Value]) -> LeafShadow {
        copied_leaf(cx, shadow[0])
    }

    fn steer(&self, cx: &mut FunctionInstrumenter, argument: Value, shadow: &[Value]) -> Value {
        let builder = cx.builder;
        let kind = shape::fp_kind(ir::type_of(argument));
        let is_scalar = shape::lanes(ir::type_of(argument)) == 1;
        let function = kind.and_then(|kind| functions::REALS_STEER.of(kind));
        match function.filter(|_| is_scalar && !ir::is_null(shadow[0])) {
            Some(function) => builder.call_runtime(function, &[shadow[0], argument]),
            None => argument,
        }
    }

    fn store_variadic(
        &self,
        cx: &mut FunctionInstrumenter,
        address: Value,
        slot: Value,
        stride: u64,
        bytes: Value,
    ) {
        let builder = cx.builder;
        let types = builder.types;
        let stride = builder::integer(types.i64, stride);
        builder.call_runtime(functions::REALS_SPREAD, &[address, slot, stride, bytes]);
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
        16 if shape::fp_kind(shape::scalar(ty)).is_some() => Some(2),
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

/// Makes a reference for each lane of a leaf.
pub fn each_lane(
    cx: &mut FunctionInstrumenter,
    leaf: Type,
    mut make: impl FnMut(&mut FunctionInstrumenter, u32) -> Value,
) -> LeafShadow {
    if ir::type_kind(leaf) != TypeKind::LLVMVectorTypeKind {
        return vec![make(cx, 0)];
    }
    let mut all = builder::null(references(cx.builder, leaf));
    for lane in 0..shape::lanes(leaf) {
        let one = make(cx, lane);
        let index = builder::integer(cx.builder.types.i32, u64::from(lane));
        all = cx.builder.insert_element(all, one, index);
    }
    vec![all]
}

// ---- references that must not be overwritten ----

fn copied(cx: &mut FunctionInstrumenter, shadow: &Shadow) -> Shadow {
    shadow.iter().map(|leaf| copied_leaf(cx, leaf[0])).collect()
}

fn copied_leaf(cx: &mut FunctionInstrumenter, references: Value) -> LeafShadow {
    each_lane(cx, ir::type_of(references), |cx, lane| {
        let source = lane_of(cx.builder, references, lane);
        let slot = cx.slot();
        cx.builder
            .call_runtime(functions::REALS_COPY, &[slot, source])
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

fn load_one(cx: &mut FunctionInstrumenter, address: Value, value: Value) -> Value {
    let slot = cx.slot();
    let builder = cx.builder;
    let kind = shape::fp_kind(ir::type_of(value));
    if let Some(load) = kind.and_then(|kind| functions::REALS_LOAD.of(kind)) {
        return builder.call_runtime(load, &[slot, address, value]);
    }
    let area = cx.operand_area(1);
    put_operand(cx, area, 0, value, builder::null(builder.types.i64));
    builder.call_runtime(functions::REALS_LOAD_ANY, &[slot, address, area])
}

fn store_one(cx: &mut FunctionInstrumenter, address: Value, value: Value, shadow: Value) {
    let builder = cx.builder;
    let kind = shape::fp_kind(ir::type_of(value));
    if let Some(store) = kind.and_then(|kind| functions::REALS_STORE.of(kind)) {
        builder.call_runtime(store, &[address, shadow, value]);
        return;
    }
    let area = cx.operand_area(1);
    put_operand(cx, area, 0, value, shadow);
    builder.call_runtime(functions::REALS_STORE_ANY, &[address, area]);
}
