//! Lanes and bits of values, as several domains need them.

use crate::{
    builder::Builder,
    ir::{self, TypeKind, Value},
    shape,
};

/// One lane of a vector; a scalar itself.
pub fn lane_of(builder: &Builder, value: Value, lane: u32) -> Value {
    match ir::type_kind(ir::type_of(value)) {
        TypeKind::LLVMVectorTypeKind => builder.extract_lane(value, lane),
        _ => value,
    }
}

/// A value as integers of the same shape.
pub fn bits(builder: &Builder, value: Value) -> Value {
    let ty = ir::type_of(value);
    let scalar = shape::scalar(ty);
    if ir::type_kind(scalar) == TypeKind::LLVMIntegerTypeKind {
        return value;
    }
    let width = shape::fp_kind(scalar).map_or(64, |kind| kind.storage_bits());
    builder.bitcast(value, builder.types.shaped(builder.types.int(width), ty))
}
