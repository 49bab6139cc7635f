//! How shadows of mode `explain` lie in memory; see [`lostbits_abi::explain::cell`].
//!
//! A cell has the size of its value, so a float's has less room: the residue is kept as a float (and what
//! that loses is added to the bound), bound and signature in 16 bits each. A value of 16 bits keeps no bound
//! ([`encode_half`]). Integers that hold floating-point bits carry the cells as they are. A pass that only detects errors
//! ([`super::detection`]) has no meta words, and only the first two cells.

use lostbits_abi::{
    explain::cell::{IS_X87, WAS_FLOAT},
    kind::FpKind,
};

use super::detection;
use crate::{
    builder::{self, Builder},
    carry::{Decoded, LeafShadow},
    ir::{self, Opcode, RealPredicate, Type, TypeKind, Value},
    shape,
};

/// Words that an integer carries: as many as there are planes.
const WORDS: usize = 4;

/// Components and cells without the meta word.
const DETECTING: usize = 2;

/// How many components and cells a shadow has at most.
fn limit() -> usize {
    if detection::is_active() {
        DETECTING
    } else {
        WORDS
    }
}

/// The cells of a format, as scalars.
pub fn types(b: &Builder, leaf: Type) -> Vec<Type> {
    let mut types = all_types(b, leaf);
    types.truncate(limit());
    types
}

/// The cells of a format, with those of the meta word.
fn all_types(b: &Builder, leaf: Type) -> Vec<Type> {
    let (float, i32) = (float(b), b.types.i32);
    let scalars = match shape::fp_kind(leaf) {
        Some(FpKind::Double | FpKind::X87) => vec![b.types.double, b.types.i64, b.types.i64],
        Some(FpKind::Float) => vec![float, i32, i32, i32],
        Some(FpKind::Half | FpKind::BFloat) => vec![b.types.int(16); WORDS],
        None => vec![shape::scalar(leaf); WORDS],
    };
    scalars
        .into_iter()
        .map(|scalar| b.types.shaped(scalar, leaf))
        .collect()
}

pub fn float(b: &Builder) -> Type {
    b.types.float
}

/// The signature of a value, in the lower half of a word of its size; the upper half is anything.
fn folded(b: &Builder, value: Value, word: Type, half: u64) -> Value {
    let ty = ir::type_of(value);
    let bits = match ir::type_kind(ty) {
        TypeKind::LLVMX86_FP80TypeKind => {
            let all = b.bitcast(value, b.types.int(80));
            b.resize_unsigned(all, word)
        }
        _ => b.bitcast(value, word),
    };
    b.xor(bits, b.shift_right(bits, half))
}

fn signature(b: &Builder, value: Value, word: Type, half: u64) -> Value {
    let folded = folded(b, value, word, half);
    b.and(folded, builder::splat(word, (1 << half) - 1))
}

pub fn encode(b: &Builder, value: Value, shadow: &[Value]) -> Vec<Value> {
    if !detection::is_active() || shape::fp_kind(ir::type_of(value)).is_none() {
        return encode_all(b, value, shadow);
    }
    let meta = b.types.shaped(b.types.i64, ir::type_of(value));
    let mut cells = encode_all(b, value, &[shadow[0], shadow[1], builder::null(meta)]);
    cells.truncate(DETECTING);
    cells
}

/// The cells with those of the meta word.
fn encode_all(b: &Builder, value: Value, shadow: &[Value]) -> Vec<Value> {
    let ty = ir::type_of(value);
    match shape::fp_kind(ty) {
        None => shadow.to_vec(),
        Some(FpKind::Half | FpKind::BFloat) => encode_half(b, value, shadow),
        Some(FpKind::Double | FpKind::X87) => {
            let word = b.types.shaped(b.types.i64, ty);
            let bound = rounded_up(b, b.bitcast(shadow[1], word), 32);
            let mut bound = b.or(bound, signature(b, value, word, 32));
            if shape::fp_kind(ty) == Some(FpKind::X87) {
                bound = b.or(bound, builder::splat(word, IS_X87));
            }
            vec![shadow[0], bound, shadow[2]]
        }
        Some(FpKind::Float) => {
            let (short, word) = (
                b.types.shaped(float(b), ty),
                b.types.shaped(b.types.i32, ty),
            );
            let residue = b.convert(shadow[0], short);
            let kept = b.convert(residue, ir::type_of(shadow[0]));
            let lost = b.magnitude(b.binary(Opcode::LLVMFSub, shadow[0], kept));
            let bound = b.binary(Opcode::LLVMFAdd, shadow[1], lost);
            let bound = b.convert(not_vanishing(b, bound), short);
            // Beyond the floats nothing is known. That is said by a bound alone: whoever computes with it goes on.
            let infinite = builder::real(short, f64::INFINITY);
            let known = b.compare_reals(RealPredicate::LLVMRealOLT, bound, infinite);
            let residue = b.select(known, residue, builder::null(short));
            let bound = b.bitcast(b.select(known, bound, infinite), word);
            let bound = b.or(rounded_up(b, bound, 16), signature(b, value, word, 16));
            let node = b.resize_unsigned(shadow[2], word);
            let influences = b.resize_unsigned(b.shift_right(shadow[2], 32), word);
            vec![residue, bound, node, influences]
        }
    }
}

/// Of a value of 16 bits the residue is kept as the upper 20 bits of a float: 16 in the first cell, 4 in the second beside a
/// signature. The influences have the other two; there is no room for bound and node. Where the residue is not known as
/// well as this form says, it is unknown, which is an infinity.
fn encode_half(b: &Builder, value: Value, shadow: &[Value]) -> Vec<Value> {
    let ty = ir::type_of(value);
    let [double, float, word, short] =
        [b.types.double, b.types.float, b.types.i32, b.types.int(16)]
            .map(|to| b.types.shaped(to, ty));
    let bits = b.bitcast(b.convert(shadow[0], float), word);
    let bits = b.and(bits, builder::splat(word, HALF_RESIDUE));
    let kept = b.convert(b.bitcast(bits, float), double);
    let lost = b.magnitude(b.binary(Opcode::LLVMFSub, shadow[0], kept));
    let bound = b.binary(Opcode::LLVMFAdd, shadow[1], lost);
    let known = b.compare_reals(
        RealPredicate::LLVMRealOLE,
        bound,
        half_bound(b, value, kept, HALF_TOLERANCE),
    );
    let bits = b.select(known, bits, builder::splat(word, UNKNOWN_HALF));
    let low = |bits: Value| b.resize_unsigned(bits, short);
    let high = |bits: Value| low(b.shift_right(bits, 16));
    let influences = b.resize_unsigned(b.shift_right(shadow[2], 32), word);
    vec![
        high(bits),
        b.or(low(bits), half_signature(b, value)),
        low(influences),
        high(influences),
    ]
}

fn decode_half(b: &Builder, value: Value, cells: &[Value]) -> (Value, [Value; 3]) {
    let ty = ir::type_of(value);
    let [double, float, word, long] =
        [b.types.double, b.types.float, b.types.i32, b.types.i64].map(|to| b.types.shaped(to, ty));
    let of_signature = builder::splat(ir::type_of(cells[1]), !HALF_RESIDUE & 0xffff);
    let valid = b.equal(b.and(cells[1], of_signature), half_signature(b, value));
    let high = b.shift_left(b.resize_unsigned(cells[0], word), 16);
    let bits = b.or(high, b.resize_unsigned(cells[1], word));
    let bits = b.and(bits, builder::splat(word, HALF_RESIDUE));
    let unknown = b.equal(bits, builder::splat(word, UNKNOWN_HALF));
    let residue = b.convert(b.bitcast(bits, float), double);
    let residue = b.select(unknown, builder::null(double), residue);
    let infinite = builder::real(double, f64::INFINITY);
    let bound = b.select(
        unknown,
        infinite,
        half_bound(b, value, residue, HALF_PRECISION),
    );
    let low = b.shift_left(b.resize_unsigned(cells[2], long), 32);
    let high = b.shift_left(b.resize_unsigned(cells[3], long), 48);
    (valid, [residue, bound, b.or(low, high)])
}

/// The bits of a float that are kept of a residue; the signature has the others of the lower half.
const HALF_RESIDUE: u64 = 0xffff_f000;
/// The bits of an infinite float.
const UNKNOWN_HALF: u64 = 0x7f80_0000;

/// Of 12 bits; 0 for zero.
fn half_signature(b: &Builder, value: Value) -> Value {
    let short = b.types.shaped(b.types.int(16), ir::type_of(value));
    let bits = b.bitcast(value, short);
    let folded = b.xor(bits, b.shift_right(bits, 4));
    b.and(folded, builder::splat(short, !HALF_RESIDUE & 0xffff))
}

/// A residue that has lost more than this is unknown; one that is loaded is taken to have lost no more than its last bit. What
/// lies between is forgotten: it cannot change a verdict unless residues cancel.
const HALF_TOLERANCE: i32 = -6;
const HALF_PRECISION: i32 = -11;

/// A part of a residue; of a value that has none, of what is far below its last place.
fn half_bound(b: &Builder, value: Value, residue: Value, exponent: i32) -> Value {
    let double = ir::type_of(residue);
    let part = |of: Value, exponent: i32| {
        let factor = builder::real(double, 2f64.powi(exponent));
        b.binary(Opcode::LLVMFMul, b.magnitude(of), factor)
    };
    let of_value = part(b.convert(value, double), exponent - 14);
    b.binary(Opcode::LLVMFAdd, part(residue, exponent), of_value)
}

/// A bound that is something for floats, too, if it is something: what floats underflow to is only in the bound.
fn not_vanishing(b: &Builder, bound: Value) -> Value {
    let double = ir::type_of(bound);
    let least = builder::real(double, LEAST_FLOAT);
    let scaled = b.binary(
        Opcode::LLVMFMul,
        bound,
        builder::real(double, 2f64.powi(900)),
    );
    let is_less = b.compare_reals(RealPredicate::LLVMRealOLT, scaled, least);
    let raised = b.select(is_less, scaled, least);
    let is_more = b.compare_reals(RealPredicate::LLVMRealOGT, raised, bound);
    b.select(is_more, raised, bound)
}

/// 2⁻¹⁴⁹.
const LEAST_FLOAT: f64 = f32::from_bits(1) as f64;

/// As [`encode`], for an argument that is passed behind `…`.
pub fn encode_variadic(b: &Builder, value: Value, shadow: &[Value]) -> Vec<Value> {
    let mut cells = encode(b, value, shadow);
    let is_extended = ir::is_instruction(value) && ir::opcode(value) == Opcode::LLVMFPExt;
    let was_float =
        is_extended && shape::fp_kind(ir::type_of(ir::operand(value, 0))) == Some(FpKind::Float);
    if was_float && shape::fp_kind(ir::type_of(value)) == Some(FpKind::Double) {
        let mark = builder::integer(ir::type_of(cells[1]), WAS_FLOAT);
        cells[1] = b.or(cells[1], mark);
    }
    cells
}

/// The bits of a magnitude with the lower half zero, not less than it was.
fn rounded_up(b: &Builder, bits: Value, half: u64) -> Value {
    let ty = ir::type_of(bits);
    let low = (1u64 << half) - 1;
    let more = b.binary(Opcode::LLVMAdd, bits, builder::splat(ty, low));
    b.and(more, builder::splat(ty, !low))
}

pub fn decode(b: &Builder, value: Value, cells: &[Value]) -> Decoded {
    if !detection::is_active() || shape::fp_kind(ir::type_of(value)).is_none() {
        return decode_all(b, value, cells);
    }
    let absent = all_types(b, ir::type_of(value))
        .into_iter()
        .skip(cells.len());
    let cells: Vec<Value> = cells
        .iter()
        .copied()
        .chain(absent.map(builder::null))
        .collect();
    let mut decoded = decode_all(b, value, &cells);
    decoded.shadow.truncate(DETECTING);
    decoded
}

fn decode_all(b: &Builder, value: Value, cells: &[Value]) -> Decoded {
    let ty = ir::type_of(value);
    let double = b.types.shaped(b.types.double, ty);
    let meta = b.types.shaped(b.types.i64, ty);
    let (valid, shadow) = match shape::fp_kind(ty) {
        None => return carried(cells.to_vec()),
        Some(FpKind::Half | FpKind::BFloat) => decode_half(b, value, cells),
        Some(FpKind::Double | FpKind::X87) => {
            let valid = fits(b, value, cells[1], meta, 32);
            let bound = b.and(cells[1], builder::splat(meta, !(0xffff_ffff | WAS_FLOAT)));
            (valid, [cells[0], b.bitcast(bound, double), cells[2]])
        }
        Some(FpKind::Float) => {
            let word = ir::type_of(cells[1]);
            let valid = fits(b, value, cells[1], word, 16);
            let bound = b.and(cells[1], builder::splat(word, !0xffff));
            let bound = b.bitcast(bound, ir::type_of(cells[0]));
            let node = b.resize_unsigned(cells[2], meta);
            let influences = b.shift_left(b.resize_unsigned(cells[3], meta), 32);
            let shadow = [
                b.convert(cells[0], double),
                b.convert(bound, double),
                b.or(node, influences),
            ];
            (valid, shadow)
        }
    };
    Decoded {
        shadow: shadow.to_vec(),
        valid: Some(valid),
    }
}

/// A shadow where it belongs to its value, and that of an exact one elsewhere.
pub fn where_valid(b: &Builder, valid: Value, shadow: &[Value]) -> LeafShadow {
    let kept = |component: &Value| {
        let ty = ir::type_of(*component);
        b.select(valid, *component, builder::null(ty))
    };
    shadow.iter().map(kept).collect()
}

/// The same without a branch: a choice between scalars would be one.
pub fn masked(b: &Builder, valid: Value, shadow: &[Value]) -> LeafShadow {
    let kept = |component: &Value| {
        let ty = ir::type_of(*component);
        let bits = b.types.shaped(b.types.i64, ty);
        if b.bits(bits) != b.bits(ty) {
            return where_valid(b, valid, &[*component])[0];
        }
        let mask = b.resize_mask(valid, bits);
        b.bitcast(b.and(b.bitcast(*component, bits), mask), ty)
    };
    shadow.iter().map(kept).collect()
}

fn carried(shadow: LeafShadow) -> Decoded {
    Decoded {
        shadow,
        valid: None,
    }
}

/// Written so that processors need but one mask.
fn fits(b: &Builder, value: Value, cell: Value, word: Type, half: u64) -> Value {
    let difference = b.xor(cell, folded(b, value, word, half));
    let difference = b.and(difference, builder::splat(word, (1 << half) - 1));
    b.equal(difference, builder::null(word))
}

/// The components of an exact value.
pub fn fresh(b: &Builder, leaf: Type) -> LeafShadow {
    components(b, leaf).into_iter().map(builder::null).collect()
}

/// Residue, bound and meta word; or the words that an integer carries.
pub fn components(b: &Builder, leaf: Type) -> Vec<Type> {
    if shape::fp_kind(leaf).is_none() {
        return vec![leaf; limit()];
    }
    let double = b.types.shaped(b.types.double, leaf);
    let mut components = vec![double, double, b.types.shaped(b.types.i64, leaf)];
    components.truncate(limit());
    components
}

/// The shadow of the same bits seen as another type.
pub fn bitcast(b: &Builder, value: Value, shadow: &[Value], to: Type) -> LeafShadow {
    let from = ir::type_of(value);
    let words = words(b, from, encode(b, value, shadow));
    let types = types(b, to);
    // An x87 value and the integer of its 80 bits: cells are not as large as the value.
    let alike = types.iter().all(|cell| b.bits(*cell) == b.bits(to));
    if words.len() < types.len() || !alike {
        return fresh(b, to);
    }
    let cells: Vec<Value> = words
        .into_iter()
        .zip(types)
        .map(|(word, ty)| b.bitcast(word, ty))
        .collect();
    match shape::fp_kind(to) {
        None => cells,
        Some(_) => {
            let decoded = decode(b, b.bitcast(value, to), &cells);
            match decoded.valid {
                Some(valid) => where_valid(b, valid, &decoded.shadow),
                None => decoded.shadow,
            }
        }
    }
}

/// Cells as many words, if they have the size of the value.
pub fn words(b: &Builder, leaf: Type, mut cells: Vec<Value>) -> Vec<Value> {
    let alike = |cell: &Value| b.bits(ir::type_of(*cell)) == b.bits(leaf);
    if cells.is_empty() || !cells.iter().all(alike) {
        return vec![];
    }
    while cells.len() < limit() {
        cells.push(builder::null(ir::type_of(cells[0])));
    }
    cells
}

/// The words of an integer operation that only moves bits.
pub fn move_bits(b: &Builder, instruction: Value, operands: &[(u32, LeafShadow)]) -> LeafShadow {
    let opcode = ir::opcode(instruction);
    let result = ir::type_of(instruction);
    let (_, first) = &operands[0];
    let moved = |word: usize| match (opcode, operands) {
        (Opcode::LLVMTrunc | Opcode::LLVMZExt, _) => b.cast(opcode, first[word], result),
        (Opcode::LLVMShl | Opcode::LLVMLShr | Opcode::LLVMAnd, [(0, _)]) => {
            b.binary(opcode, first[word], ir::operand(instruction, 1))
        }
        (_, [_]) => first[word],
        (_, [_, (_, second), ..]) => b.or(first[word], second[word]),
        (_, []) => unreachable!("an operand carries bits"),
    };
    (0..limit()).map(moved).collect()
}
