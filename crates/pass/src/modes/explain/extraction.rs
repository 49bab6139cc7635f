//! The upper part of a number that was cut in two by a power of two is what it is: all that it is not is in the rest
//! (see [`crate::prepare::extraction`]).

use lostbits_abi::kind::FpKind;

use crate::{
    builder::{self, Builder},
    carry::{LeafShadow, Operation},
    ir::{self, RealPredicate, Value},
    prepare::extraction::MARK,
    shape,
};

/// The shadow of a result, at the builder's position: none if the operation extracts.
pub fn exact_if_extraction(b: &Builder, operation: &Operation, shadow: LeafShadow) -> LeafShadow {
    let high = operation.instruction;
    if !ir::is_marked(high, MARK) {
        return shadow;
    }
    let Some(cuts) = cuts(b, high, ir::operand(high, 1)) else {
        return shadow;
    };
    shadow
        .into_iter()
        .map(|part| b.select(cuts, builder::null(ir::type_of(part)), part))
        .collect()
}

/// Whether a unit is a power of two, and larger than what is left of the number. The one by which numbers are rounded to
/// whole ones is the runtime's matter: they may be rounded wrongly.
fn cuts(b: &Builder, high: Value, unit: Value) -> Option<Value> {
    let ty = ir::type_of(unit);
    let (bits, fraction) = match shape::fp_kind(ty)? {
        FpKind::Double => (b.types.i64, 52),
        FpKind::Float => (b.types.i32, 23),
        _ => return None,
    };
    let integer = b.types.shaped(bits, ty);
    let mask = builder::splat(integer, (1 << fraction) - 1);
    let rest = b.and(b.bitcast(unit, integer), mask);
    let is_power = b.equal(rest, builder::null(integer));
    let size = b.magnitude(unit);
    let is_larger = b.compare_reals(RealPredicate::LLVMRealOGE, size, b.magnitude(high));
    let whole = builder::real(ty, (1u64 << fraction) as f64);
    let is_other = b.compare_reals(RealPredicate::LLVMRealONE, size, whole);
    Some(b.and(is_power, b.and(is_larger, is_other)))
}
