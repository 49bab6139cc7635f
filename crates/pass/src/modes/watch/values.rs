//! Exponents, lanes and thresholds.

use lostbits_abi::{kind::FpKind, variables, watch::WatchLimits};

use crate::{
    builder::{self, Builder},
    carry::{FunctionInstrumenter, Operation},
    ir::{self, IntPredicate, Opcode, Type, TypeKind, Value},
    modes::tags::{bits, word_type},
    shape,
};

/// The lanes of a vector that the program uses, where those are not all.
pub fn demanded(builder: &Builder, value: Value) -> Option<Value> {
    let lanes = shape::demanded_lanes(value);
    let some_are_not = lanes.contains(&false) && lanes.len() > 1;
    some_are_not.then(|| builder::flags(builder.types, &lanes))
}

pub fn only(builder: &Builder, flags: Value, lanes: Option<Value>) -> Value {
    lanes.map_or(flags, |lanes| builder.and(flags, lanes))
}

/// The biased exponents of a value's lanes, in lanes as wide as the value's words.
pub fn exponent(builder: &Builder, value: Value) -> Value {
    let ty = ir::type_of(value);
    let word = word_type(builder, ty);
    if ir::type_kind(ty) == TypeKind::LLVMX86_FP80TypeKind {
        let all = builder.bitcast(value, builder.types.int(80));
        let high = builder.resize_unsigned(builder.shift_right(all, 64), word);
        return builder.and(high, builder::splat(word, 0x7fff));
    }
    let kind = shape::fp_kind(ty).expect("a floating-point value");
    let without_sign = builder.shift_left(bits(builder, value), 1);
    builder.shift_right(without_sign, u64::from(kind.precision()))
}

/// The sign bits of lanes, as flags.
pub fn is_negative(builder: &Builder, lanes: Value) -> Value {
    let zero = builder::null(ir::type_of(lanes));
    builder.compare(IntPredicate::LLVMIntSLT, lanes, zero)
}

pub fn is_greater(builder: &Builder, a: Value, b: Value) -> Value {
    builder.compare(IntPredicate::LLVMIntSGT, a, b)
}

pub fn difference(builder: &Builder, a: Value, b: Value) -> Value {
    builder.binary(Opcode::LLVMSub, a, b)
}

pub fn exponent_mask(kind: FpKind) -> u64 {
    match kind {
        FpKind::X87 => 0x7fff,
        _ => (1 << (kind.storage_bits() - kind.precision())) - 1,
    }
}

pub fn bias(ty: Type) -> u64 {
    shape::fp_kind(ty).map_or(0, |kind| exponent_mask(kind) / 2)
}

pub fn is_zero(value: Value) -> bool {
    ir::is_constant(value) && ir::is_any_zero(value)
}

/// The thresholds of a format.
#[derive(Clone, Copy)]
pub struct Limits {
    cancelled: Value,
    suppressed: Value,
    near: Value,
    apart: Value,
}

impl Limits {
    pub fn of(cx: &mut FunctionInstrumenter, operation: &Operation) -> Limits {
        Limits::of_kind(cx, Limits::kind(operation), operation.instruction)
    }

    pub fn kind(operation: &Operation) -> FpKind {
        let (_, value, _) = operation.operands[0];
        shape::fp_kind(ir::type_of(value)).expect("a floating-point value")
    }

    /// Loaded at the builder's position.
    pub fn of_kind(cx: &mut FunctionInstrumenter, kind: FpKind, instruction: Value) -> Limits {
        let row = kind as u64 * size_of::<WatchLimits>() as u64;
        let types = cx.builder.types;
        let mut field = |offset: usize, ty| {
            let offset = row + offset as u64;
            cx.runtime_word(variables::WATCH_LIMITS, offset, ty, instruction)
        };
        Limits {
            cancelled: field(std::mem::offset_of!(WatchLimits, cancelled), types.i32),
            suppressed: field(std::mem::offset_of!(WatchLimits, suppressed), types.i32),
            near: field(std::mem::offset_of!(WatchLimits, near), types.i64),
            apart: field(std::mem::offset_of!(WatchLimits, apart), types.i64),
        }
    }

    pub fn cancelled(&self, builder: &Builder, word: Type) -> Value {
        let lane = builder.resize_unsigned(self.cancelled, shape::scalar(word));
        builder.broadcast(lane, word)
    }

    pub fn suppressed(&self, builder: &Builder, word: Type) -> Value {
        let lane = builder.resize_unsigned(self.suppressed, shape::scalar(word));
        builder.broadcast(lane, word)
    }

    pub fn apart(&self, builder: &Builder, word: Type) -> Value {
        let lane = builder.resize_unsigned(self.apart, shape::scalar(word));
        builder.broadcast(lane, word)
    }

    pub fn near(&self, builder: &Builder, word: Type) -> Value {
        let lane = builder.resize_unsigned(self.near, shape::scalar(word));
        builder.broadcast(lane, word)
    }
}
