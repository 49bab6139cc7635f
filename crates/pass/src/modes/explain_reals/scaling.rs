//! Numbers whose sign or exponent was changed through their bits: the runtime checks that the fraction is unchanged.

use lostbits_abi::{functions, kind::FpKind};

use super::super::{lanes::lane_of, reals::frame::Frames};
use super::each_lane;
use crate::{
    builder,
    carry::{FunctionInstrumenter, LeafShadow},
    ir::{self, Value},
    shape,
};

/// The references of the integer `to`, made of `from`'s bits.
pub fn rescale(
    cx: &mut FunctionInstrumenter,
    (from, shadow): (Value, &[Value]),
    to: Value,
) -> Option<LeafShadow> {
    let integer = ir::type_of(to);
    let kind = match ir::int_width(shape::scalar(integer)) {
        64 => FpKind::Double,
        32 => FpKind::Float,
        _ => return None,
    };
    let one = |cx: &mut FunctionInstrumenter, lane: u32| {
        let slot = cx.slot();
        let b = cx.builder;
        let i64 = b.types.i64;
        let bits = |value: Value| b.resize_unsigned(lane_of(b, value, lane), i64);
        let arguments = [
            slot,
            lane_of(b, shadow[0], lane),
            bits(from),
            bits(to),
            builder::integer(b.types.i32, kind as u64),
        ];
        b.call_runtime(functions::EXPLAIN_REALS_RESCALE, &arguments)
    };
    Some(each_lane(cx, integer, one))
}
