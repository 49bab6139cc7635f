//! Tag masks: all bits of a value's mask are set if it is tagged, none otherwise.
//!
//! Mode `carry` moves the masks about and computes nothing: a result is tagged if an operand is. It
//! shows the price of the bare machinery, on which cheap domains (`watch`) stand.
//!
//! A mask has the width of its value (of the 64-bit significand for x87), so that vectors of masks
//! have the shape of the values' vectors. In memory a tag and the value it belongs to are one word in a
//! single plane, see [`TAG_PATTERN`].

use lostbits_abi::{kind::FpKind, mode::Mode, shadow::TAG_PATTERN};

use super::{Decoded, Domain, LeafShadow, Operation, Shadow};
use crate::{
    builder::{self, Builder},
    carry::Weaver,
    ir::{self, Opcode, Type, TypeKind, Value},
    shape::{self, Leaf},
};

pub struct Tags;

impl Domain for Tags {
    fn mode(&self) -> Mode {
        Mode::Carry
    }

    fn counts(&self) -> bool {
        false
    }

    fn needs_defined_values(&self) -> bool {
        false
    }

    fn components(&self, builder: &Builder, leaf: Type) -> Vec<Type> {
        vec![mask_type(builder, leaf)]
    }

    fn fresh(&self, builder: &Builder, value: Value) -> LeafShadow {
        vec![builder::null(mask_type(builder, ir::type_of(value)))]
    }

    fn cells(&self, builder: &Builder, leaf: Type) -> Vec<Type> {
        vec![mask_type(builder, leaf)]
    }

    fn encode(&self, builder: &Builder, value: Value, shadow: &[Value]) -> Vec<Value> {
        let tag = encoded(builder, ir::type_of(value), shadow[0]);
        vec![builder.xor(bits(builder, value), tag)]
    }

    fn decode(&self, builder: &Builder, value: Value, cells: &[Value]) -> Decoded {
        let tag = builder.xor(bits(builder, value), cells[0]);
        Decoded {
            shadow: vec![decoded(builder, ir::type_of(value), tag)],
            valid: None,
        }
    }

    fn bitcast(&self, builder: &Builder, value: Value, shadow: &[Value], to: Type) -> LeafShadow {
        let tag = encoded(builder, ir::type_of(value), shadow[0]);
        let tag = builder.bitcast(tag, mask_type(builder, to));
        vec![decoded(builder, to, tag)]
    }

    fn move_bits(
        &self,
        builder: &Builder,
        instruction: Value,
        operands: &[(u32, LeafShadow)],
    ) -> LeafShadow {
        let opcode = ir::opcode(instruction);
        let result = ir::type_of(instruction);
        let (_, first) = &operands[0];
        let moved = match (opcode, operands) {
            (Opcode::LLVMTrunc | Opcode::LLVMZExt, _) => builder.cast(opcode, first[0], result),
            (Opcode::LLVMShl | Opcode::LLVMLShr | Opcode::LLVMAnd, [(0, _)]) => {
                builder.binary(opcode, first[0], ir::operand(instruction, 1))
            }
            // Setting or flipping bits (of the sign, most likely) leaves the tag as it is.
            (_, [_]) => first[0],
            (_, [_, (_, second), ..]) => builder.or(first[0], second[0]),
            (_, []) => unreachable!("an operand carries bits"),
        };
        vec![moved]
    }

    fn operate(&self, weaver: &mut Weaver, operation: &Operation) -> Shadow {
        let builder = &weaver.builder;
        let any_operand = |leaf: &Leaf| {
            let mask = mask_type(builder, leaf.ty);
            let tags = operation
                .operands
                .iter()
                .map(|(_, _, tag)| reshape(builder, tag[0], mask));
            vec![
                tags.reduce(|a, b| builder.or(a, b))
                    .unwrap_or_else(|| builder::null(mask)),
            ]
        };
        weaver
            .leaves_of(operation.instruction)
            .iter()
            .map(any_operand)
            .collect()
    }

    fn arrived(&self, _: &mut Weaver, _: u32, _: Value, _: &Decoded) {}
}

/// The integer type of a value's mask: integers are their own.
fn mask_type(builder: &Builder, leaf: Type) -> Type {
    let scalar = shape::scalar(leaf);
    let width = match shape::fp_kind(scalar) {
        Some(FpKind::Half | FpKind::BFloat) => 16,
        Some(FpKind::Float) => 32,
        Some(FpKind::Double | FpKind::X87) => 64,
        None => ir::int_width(scalar),
    };
    builder.types.shaped(builder.types.int(width), leaf)
}

/// The bits that identify a value: all of them, or an x87 value's significand.
fn bits(builder: &Builder, value: Value) -> Value {
    let ty = ir::type_of(value);
    if ir::type_kind(ty) == TypeKind::LLVMX86_FP80TypeKind {
        let all = builder.bitcast(value, builder.types.int(80));
        return builder.resize_unsigned(all, builder.types.i64);
    }
    builder.bitcast(value, mask_type(builder, ty))
}

/// From a mask to what is combined with the value's bits. Integers hold this form always, since
/// their bits may belong to several values.
fn encoded(builder: &Builder, leaf: Type, mask: Value) -> Value {
    match shape::fp_kind(leaf) {
        Some(_) => builder.and(mask, builder::splat(mask_type(builder, leaf), TAG_PATTERN)),
        None => mask,
    }
}

fn decoded(builder: &Builder, leaf: Type, tag: Value) -> Value {
    let mask = mask_type(builder, leaf);
    match shape::fp_kind(leaf) {
        Some(_) => {
            let tagged = builder.equal(tag, builder::splat(mask, TAG_PATTERN));
            builder.resize_mask(tagged, mask)
        }
        None => tag,
    }
}

/// A mask in the width and number of lanes of another: a scalar is tagged if any lane was.
fn reshape(builder: &Builder, mask: Value, to: Type) -> Value {
    let from = ir::type_of(mask);
    let (from_lanes, to_lanes) = (shape::lanes(from), shape::lanes(to));
    if from_lanes == to_lanes && is_vector(from) == is_vector(to) {
        return builder.resize_mask(mask, to);
    }
    let scalar = match is_vector(from) {
        true => builder.intrinsic("llvm.vector.reduce.or", &[from], &[mask]),
        false => mask,
    };
    let scalar = builder.resize_mask(scalar, shape::scalar(to));
    match is_vector(to) {
        false => scalar,
        true => {
            let lane = builder::null(builder.types.i32);
            let one_lane = builder.insert_element(builder::null(to), scalar, lane);
            builder.shuffle(one_lane, one_lane, &vec![0; to_lanes as usize])
        }
    }
}

fn is_vector(ty: Type) -> bool {
    ir::type_kind(ty) == TypeKind::LLVMVectorTypeKind
}
