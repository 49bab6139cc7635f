//! Numbers whose sign or exponent was changed through their bits: the runtime looks whether the fraction is still the same.

use lostbits_abi::{kind::FpKind, symbols};

use super::{each_lane, lane_of};
use crate::{
    builder,
    carry::Weaver,
    domain::LeafShadow,
    ir::{self, Value},
    shape,
};

/// The references of the integer `to`, made of `from`'s bits.
pub fn rescale(
    weaver: &mut Weaver,
    (from, shadow): (Value, &[Value]),
    to: Value,
) -> Option<LeafShadow> {
    let integer = ir::type_of(to);
    let kind = match ir::int_width(shape::scalar(integer)) {
        64 => FpKind::Double,
        32 => FpKind::Float,
        _ => return None,
    };
    let one = |weaver: &mut Weaver, lane: u32| {
        let slot = weaver.slot();
        let b = weaver.builder;
        let i64 = b.types.i64;
        let bits = |value: Value| b.resize_unsigned(lane_of(b, value, lane), i64);
        let parameters = [i64, i64, i64, i64, b.types.i32];
        let rescale = b.declare(symbols::EXPLAIN_REALS_RESCALE, i64, &parameters);
        let arguments = [
            slot,
            lane_of(b, shadow[0], lane),
            bits(from),
            bits(to),
            builder::integer(b.types.i32, kind as u64),
        ];
        b.call(rescale, &arguments)
    };
    Some(each_lane(weaver, integer, one))
}
