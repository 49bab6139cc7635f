//! Residues of numbers whose sign or exponent was changed through their bits: a number with the same fraction is the old
//! one times a power of two, and so is its residue.

use super::cells;
use crate::{
    builder::{self, Builder},
    ir::{self, Opcode, RealPredicate, Type, Value},
    shape,
};

/// The format that has the size of an integer, with a mask for its fraction.
fn format(b: &Builder, integer: Type) -> Option<(Type, u64)> {
    let (scalar, fraction) = match ir::int_width(shape::scalar(integer)) {
        64 => (b.types.double, 52),
        32 => (cells::float(b), 23),
        _ => return None,
    };
    Some((b.types.shaped(scalar, integer), (1 << fraction) - 1))
}

/// The words of the integer `to`, made of `from`'s bits.
pub fn rescale(
    b: &Builder,
    (from, words): (Value, &[Value]),
    to: Value,
    otherwise: &[Value],
) -> Option<Vec<Value>> {
    let integer = ir::type_of(to);
    let (format, fraction) = format(b, integer)?;
    let cells: Vec<Value> = words
        .iter()
        .zip(cells::types(b, format))
        .map(|(word, ty)| b.bitcast(*word, ty))
        .collect();
    let (before, after) = (b.bitcast(from, format), b.bitcast(to, format));
    let decoded = cells::decode(b, before, &cells);
    let double = ir::type_of(decoded.shadow[0]);
    // The fractions are the same: the quotient is a power of two.
    let factor = b.binary(
        Opcode::LLVMFDiv,
        b.convert(after, double),
        b.convert(before, double),
    );
    let size = b.magnitude(factor);
    let changed = b.and(b.xor(from, to), builder::splat(integer, fraction));
    let is_same = b.equal(changed, builder::null(integer));
    let some = b.compare_reals(RealPredicate::LLVMRealOGT, size, builder::null(double));
    let infinite = builder::real(double, f64::INFINITY);
    let finite = b.compare_reals(RealPredicate::LLVMRealOLT, size, infinite);
    let holds = b.and(b.and(is_same, decoded.valid?), b.and(some, finite));
    let mut shadow = decoded.shadow;
    shadow[0] = b.binary(Opcode::LLVMFMul, shadow[0], factor);
    shadow[1] = b.binary(Opcode::LLVMFMul, shadow[1], size);
    let scaled = cells::words(b, format, cells::encode(b, after, &shadow));
    let chosen = scaled
        .into_iter()
        .zip(otherwise)
        .map(|(scaled, other)| b.select(holds, b.bitcast(scaled, integer), *other));
    Some(chosen.collect())
}
