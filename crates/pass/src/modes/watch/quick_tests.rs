//! Quick tests: whether a tag might be set where no operand has one.
//!
//! Each is a handful of vector instructions and depends on no threshold; the runtime distrusts them all if
//! thresholds are set lower than they hold for ([`lostbits_abi::watch::QUICK_TESTS_HOLD`]). They may say
//! yes for nothing, never no.

use lostbits_abi::kind::FpKind;

use super::values::{bias, exponent_mask};
use crate::{
    builder::{self, Builder},
    carry::{Alarm, Alarming},
    ir::{self, IntPredicate, Opcode, Type, Value},
    modes::tags::bits,
    shape,
};

/// Whether a sum may have cancelled many bits. The difference of two numbers that cancel is exact, and a
/// multiple of their units in the last place: the more bits cancel, the more of its own last bits are zero.
/// (If d bits cancel, the last d - 1 are; one less if it is subnormal.)
pub fn ends_in_zeros(builder: &Builder, result: Value, lanes: &[bool]) -> Alarm {
    let kind = shape::fp_kind(ir::type_of(result)).expect("a sum is a number");
    match kind {
        FpKind::Double | FpKind::Float => {
            let half = kind.storage_bits() / 2;
            let halves = in_lanes_of(builder, in_vector(builder, result), half);
            zero_in_lanes(halves, lanes, 2, 0)
        }
        _ => {
            let bits = bits(builder, result);
            let word = ir::type_of(bits);
            let last = match kind {
                FpKind::X87 => u32::MAX.into(),
                FpKind::Half => 0x7f,
                _ => 0x1f,
            };
            let last = builder.and(bits, builder::splat(word, last));
            flags(builder.equal(last, builder::null(word)))
        }
    }
}

/// Whether the result of a fused operation is much smaller than its last operand, which is about as large
/// as the product if the two cancel.
pub fn much_smaller(builder: &Builder, result: Value, term: Value, lanes: &[bool]) -> Alarm {
    let kind = shape::fp_kind(ir::type_of(result)).expect("a sum is a number");
    if !matches!(kind, FpKind::Double | FpKind::Float) {
        return always(builder);
    }
    let magnitude = |value| {
        let bits = in_lanes_of(builder, in_vector(builder, value), kind.storage_bits());
        let without_sign = (1u64 << (kind.storage_bits() - 1)) - 1;
        builder.and(bits, builder::splat(ir::type_of(bits), without_sign))
    };
    let (result, term) = (magnitude(result), magnitude(term));
    let word = ir::type_of(result);
    let apart = u64::from(kind.precision() / 3) << (kind.precision() - 1);
    let more = builder.binary(Opcode::LLVMAdd, result, builder::splat(word, apart));
    let difference = builder.binary(Opcode::LLVMSub, more, term);
    Alarm {
        lanes: difference,
        counts: spread(lanes, shape::lanes(word), 1, 0),
        meaning: Alarming::Negative,
    }
}

/// How near two values are that matter.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Reach {
    /// Their difference cancels.
    Cancellation,
    /// The errors of many steps lie between them.
    Drift,
}

/// Whether two values are near each other, counted in units in the last place.
pub fn near(builder: &Builder, values: [Value; 2], lanes: &[bool], reach: Reach) -> Alarm {
    let kind = shape::fp_kind(ir::type_of(values[0])).expect("numbers are compared");
    if !matches!(kind, FpKind::Double | FpKind::Float) {
        return always(builder);
    }
    let [x, y] =
        values.map(|value| in_lanes_of(builder, in_vector(builder, value), kind.storage_bits()));
    let word = ir::type_of(x);
    let apart = builder.binary(Opcode::LLVMSub, x, y);
    let (from, shifted) = match kind {
        FpKind::Double => (1 << 31, 0),
        _ if reach == Reach::Drift => (1 << 19, 20),
        _ => (1 << 8, 9),
    };
    let moved = builder.binary(Opcode::LLVMAdd, apart, builder::splat(word, from));
    match shifted {
        // The upper half is zero.
        0 => zero_in_lanes(in_lanes_of(builder, moved, 32), lanes, 2, 1),
        _ => zero_in_lanes(builder.shift_right(moved, shifted), lanes, 1, 0),
    }
}

/// Whether a value is near a whole number, or a half of an odd one, counted in units in the last place.
pub fn near_jump(builder: &Builder, x: Value, kind: FpKind, to_nearest: bool) -> Alarm {
    let is_simple =
        matches!(kind, FpKind::Double | FpKind::Float) && shape::lanes(ir::type_of(x)) == 1;
    if !is_simple {
        return always(builder);
    }
    let bits = bits(builder, x);
    let word = ir::type_of(bits);
    let number = |value| builder::splat(word, value);
    let (width, fraction) = (kind.storage_bits(), kind.precision() - 1);
    let leading = 1u64 << fraction;
    let significand = builder.or(builder.and(bits, number(leading - 1)), number(leading));
    let exponent = builder.and(
        builder.shift_right(bits, fraction.into()),
        number(exponent_mask(kind)),
    );
    // Shifted so far left, only what is behind the point is left. Exponents for which this is not so are
    // those of numbers that are far from every jump, or have nothing behind the point.
    let unbiased = u64::from(width - fraction).wrapping_sub(bias(ir::type_of(x)));
    let places = builder.binary(Opcode::LLVMAdd, exponent, number(unbiased));
    let places = builder.and(places, number(u64::from(width) - 1));
    let behind_point = |value| builder.binary(Opcode::LLVMShl, value, places);
    let few = match kind {
        FpKind::Double => 1 << 17,
        _ => 1 << 6,
    };
    let moved = behind_point(builder.binary(Opcode::LLVMAdd, significand, number(few)));
    let moved = match to_nearest {
        true => builder.xor(moved, number(1 << (width - 1))),
        false => moved,
    };
    let close = behind_point(number(2 * few));
    flags(builder.compare(IntPredicate::LLVMIntULT, moved, close))
}

/// Whether a value is very large or very small: only there do functions inflate errors.
pub fn extreme(builder: &Builder, values: &[Value]) -> Alarm {
    let is_extreme = |value: &Value| {
        let ty = ir::type_of(*value);
        let kind = shape::fp_kind(ty).expect("a number");
        let bits = bits(builder, *value);
        let word = ir::type_of(bits);
        let number = |value| builder::splat(word, value);
        let range = extreme_exponent(kind);
        let exponent = builder.shift_right(bits, u64::from(kind.precision() - 1));
        let exponent = builder.and(exponent, number(exponent_mask(kind)));
        let lowest = number((range).wrapping_sub(bias(ty)));
        let moved = builder.binary(Opcode::LLVMAdd, exponent, lowest);
        builder.compare(IntPredicate::LLVMIntUGT, moved, number(2 * range))
    };
    let any = values
        .iter()
        .map(is_extreme)
        .reduce(|a, b| builder.or(a, b));
    flags(any.expect("a function has operands"))
}

/// Twice this is less than the number of bits that must cancel.
fn extreme_exponent(kind: FpKind) -> u64 {
    match kind {
        FpKind::Half | FpKind::BFloat => 2,
        FpKind::Float => 8,
        _ => 16,
    }
}

pub fn always(builder: &Builder) -> Alarm {
    flags(builder::integer(builder.types.int(1), 1))
}

/// `i1` or lanes of it.
pub fn flags(flags: Value) -> Alarm {
    Alarm {
        lanes: flags,
        counts: Vec::new(),
        meaning: Alarming::Negative,
    }
}

/// A scalar in the first lane of a vector register, where it lies anyway.
fn in_vector(builder: &Builder, value: Value) -> Value {
    let ty = ir::type_of(value);
    if shape::lanes(ty) > 1 {
        return value;
    }
    let kind = shape::fp_kind(ty).expect("a number");
    let register = builder.types.vector(ty, 128 / kind.storage_bits());
    builder.insert_element(
        builder::poison(register),
        value,
        builder::null(builder.types.i32),
    )
}

/// The bits of a vector in lanes of another width.
fn in_lanes_of(builder: &Builder, vector: Value, width: u32) -> Value {
    let ty: Type = ir::type_of(vector);
    let lane = shape::scalar(ty);
    let lane_bits = shape::fp_kind(lane).map_or_else(|| ir::int_width(lane), FpKind::storage_bits);
    let lanes = shape::lanes(ty) * lane_bits / width;
    builder.bitcast(
        vector,
        builder.types.vector(builder.types.int(width), lanes),
    )
}

/// Alarms where a lane of integers is zero; every value has `each` lanes, of which the one at `offset`
/// counts.
fn zero_in_lanes(integers: Value, lanes: &[bool], each: usize, offset: usize) -> Alarm {
    Alarm {
        lanes: integers,
        counts: spread(lanes, shape::lanes(ir::type_of(integers)), each, offset),
        meaning: Alarming::Zero,
    }
}

fn spread(lanes: &[bool], total: u32, each: usize, offset: usize) -> Vec<bool> {
    let counts =
        |index: usize| index % each == offset && lanes.get(index / each).copied().unwrap_or(false);
    (0..total as usize).map(counts).collect()
}
