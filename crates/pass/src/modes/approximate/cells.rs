//! How errors lie in memory: in a cell of the value's size. Its upper half is that of the error's bits, rounded up;
//! its lower half is a signature of the value, so that an error counts only beside the value it was stored with.
//!
//! Values of 16 bits have no room and are exact when they come back. Integers that hold the bits of a number carry
//! its cell as it is.

use lostbits_abi::kind::FpKind;

use crate::{
    builder::{self, Builder},
    carry::{Decoded, LeafShadow},
    ir::{self, Opcode, Type, TypeKind, Value},
    shape,
};

/// The format that errors of a leaf are computed in.
pub fn error_type(b: &Builder, leaf: Type) -> Type {
    let scalar = match shape::fp_kind(leaf) {
        Some(FpKind::Double | FpKind::X87) => b.types.double,
        _ => b.types.float,
    };
    b.types.shaped(scalar, leaf)
}

/// An error; or the cell that an integer carries.
pub fn component(b: &Builder, leaf: Type) -> Type {
    match shape::fp_kind(leaf) {
        Some(_) => error_type(b, leaf),
        None => leaf,
    }
}

pub fn exact(b: &Builder, leaf: Type) -> LeafShadow {
    vec![builder::null(component(b, leaf))]
}

/// The bits of half a cell.
fn half(leaf: Type) -> Option<u32> {
    match shape::fp_kind(leaf)? {
        FpKind::Double | FpKind::X87 => Some(32),
        FpKind::Float => Some(16),
        FpKind::Half | FpKind::BFloat => None,
    }
}

pub fn types(b: &Builder, leaf: Type) -> Vec<Type> {
    match (shape::fp_kind(leaf), half(leaf)) {
        (None, _) => vec![leaf],
        (_, Some(half)) => vec![b.types.shaped(b.types.int(2 * half), leaf)],
        _ => vec![],
    }
}

pub fn encode(b: &Builder, value: Value, shadow: &[Value]) -> Vec<Value> {
    let ty = ir::type_of(value);
    if shape::fp_kind(ty).is_none() {
        return shadow.to_vec();
    }
    let Some(half) = half(ty) else {
        return vec![];
    };
    let word = types(b, ty)[0];
    let lower = builder::splat(word, (1 << half) - 1);
    let more = b.binary(Opcode::LLVMAdd, b.bitcast(shadow[0], word), lower);
    let error = b.and(more, b.not(lower));
    vec![b.or(error, signature(b, value, word, half))]
}

pub fn decode(b: &Builder, value: Value, cells: &[Value]) -> Decoded {
    let ty = ir::type_of(value);
    let shadow = match (shape::fp_kind(ty), half(ty)) {
        (None, _) => cells.to_vec(),
        (_, None) => exact(b, ty),
        (_, Some(half)) => {
            let word = ir::type_of(cells[0]);
            let lower = builder::splat(word, (1 << half) - 1);
            let found = b.and(cells[0], lower);
            let fits = b.equal(found, signature(b, value, word, half));
            let error = b.and(cells[0], b.not(lower));
            let error = b.and(error, b.resize_mask(fits, word));
            vec![b.bitcast(error, error_type(b, ty))]
        }
    };
    Decoded {
        shadow,
        valid: None,
    }
}

/// The shadow of the same bits seen as another type; exact where cells are not as large as values.
pub fn bitcast(b: &Builder, value: Value, shadow: &[Value], to: Type) -> LeafShadow {
    let from = ir::type_of(value);
    let (cells, types) = (encode(b, value, shadow), types(b, to));
    let ([cell], [ty]) = (&cells[..], &types[..]) else {
        return exact(b, to);
    };
    let alike = b.bits(ir::type_of(*cell)) == b.bits(from) && b.bits(*ty) == b.bits(to);
    if !alike {
        return exact(b, to);
    }
    let cell = b.bitcast(*cell, *ty);
    match shape::fp_kind(to) {
        None => vec![cell],
        Some(_) => decode(b, b.bitcast(value, to), &[cell]).shadow,
    }
}

/// The cell of an integer that is made of another's bits.
pub fn move_bits(b: &Builder, instruction: Value, operands: &[(u32, LeafShadow)]) -> LeafShadow {
    use Opcode::*;
    let opcode = ir::opcode(instruction);
    let (_, first) = &operands[0];
    vec![match (opcode, operands) {
        (LLVMTrunc | LLVMZExt, _) => b.cast(opcode, first[0], ir::type_of(instruction)),
        (LLVMShl | LLVMLShr | LLVMAnd, [(0, _)]) => {
            b.binary(opcode, first[0], ir::operand(instruction, 1))
        }
        (_, [_, (_, second), ..]) => b.or(first[0], second[0]),
        _ => first[0],
    }]
}

/// The value's halves, one laid over the other: zero for zero, as in fresh memory.
fn signature(b: &Builder, value: Value, word: Type, half: u32) -> Value {
    let bits = match ir::type_kind(ir::type_of(value)) {
        TypeKind::LLVMX86_FP80TypeKind => {
            b.resize_unsigned(b.bitcast(value, b.types.int(80)), word)
        }
        _ => b.bitcast(value, word),
    };
    let folded = b.xor(bits, b.shift_right(bits, half.into()));
    b.and(folded, builder::splat(word, (1 << half) - 1))
}
