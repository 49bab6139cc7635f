//! Mode `watch`: one-bit inflation tags, after Bao and Zhang (OOPSLA 2013, Figure 6).
//!
//! A sum whose operands cancel more than τc bits is tagged: its relative error is inflated. Tags are
//! united by multiplication and the like; in a sum, an operand that is larger by more than τs bits
//! suppresses the other's tag. A *discrete factor* (a comparison, a conversion to integer, a rounding to
//! integral values) that depends on a tag is reported, with the operands; so is each inflation, and the
//! tag's set says which inflations a factor's tag may come from.
//!
//! Everything is computed from exponents and bits as integers: the program's floating-point environment
//! is left alone. Thresholds are read from the runtime when a function is entered.
//!
//! Deviations. Where both operands are tagged and one suppresses the other, the larger one's origins are
//! kept (the tag itself is as in the paper). A comparison of nearly equal operands cancels bits as their
//! subtraction would; that is seen from their distance in units in the last place. Conversions look
//! at boundaries from both sides. A comparison that only picks one of the compared values (minimum,
//! maximum) is a continuous core: it is counted as suppressed. (Without optimisation such a choice goes
//! through memory and is not recognised.)
//!
//! What it can miss: errors that grow without cancellation, and the paper's Figure 8, where an error much
//! larger than its value is taken for suppressed. x87 comparisons are judged by tags alone.

use lostbits_abi::{
    kind::FpKind,
    mode::Mode,
    ops::Op,
    symbols::{self, WatchLimits},
};

use super::{
    Operation, Shadow,
    tags::{TagRules, bits, reshaped, saw, united, word_of_site, word_type},
};
use crate::{
    builder::{self, Builder},
    carry::Weaver,
    ir::{self, IntPredicate, Opcode, Type, TypeKind, Value},
    shape,
};

pub struct Watch;

impl TagRules for Watch {
    const MODE: Mode = Mode::Watch;

    fn operate(&self, weaver: &mut Weaver, operation: &Operation) -> Shadow {
        use Op::*;
        match operation.op {
            Add | Sub | Fma | MulAdd => sum(weaver, operation),
            Compare => compare(weaver, operation),
            CopySign => vec![operation.operands[0].2.clone()],
            op if rounds_to_integers(op) => convert(weaver, operation),
            _ if operation.is_library_call && !operation.operands.is_empty() => {
                library(weaver, operation)
            }
            _ => united(weaver, operation),
        }
    }
}

// ---- sums ----

/// A value with its tag word.
type Tagged = (Value, Value);

/// The two terms of a sum; the first of a fused one is a product.
enum Terms {
    Plain(Tagged, Tagged),
    Fused { factors: [Tagged; 2], term: Tagged },
}

impl Terms {
    fn of(operation: &Operation) -> Terms {
        let tagged: Vec<Tagged> = operation
            .operands
            .iter()
            .map(|(_, value, tag)| (*value, tag[0]))
            .collect();
        match tagged[..] {
            [x, y] => Terms::Plain(x, y),
            [x, y, z] => Terms::Fused {
                factors: [x, y],
                term: z,
            },
            _ => unreachable!("a sum has two operands, a fused one three"),
        }
    }

    /// The terms' values; a factor stands for the product.
    fn values(&self) -> [Value; 2] {
        match self {
            Terms::Plain(x, y) => [x.0, y.0],
            Terms::Fused { factors, term } => [factors[0].0, term.0],
        }
    }

    fn tags(&self, builder: &Builder) -> [Value; 2] {
        match self {
            Terms::Plain(x, y) => [x.1, y.1],
            Terms::Fused {
                factors: [x, y],
                term,
            } => [builder.or(x.1, y.1), term.1],
        }
    }

    /// The exponents of the terms; a product's is the sum of its factors', to within one.
    fn exponents(&self, builder: &Builder) -> [Value; 2] {
        match self {
            Terms::Plain(x, y) => [exponent(builder, x.0), exponent(builder, y.0)],
            Terms::Fused {
                factors: [x, y],
                term,
            } => {
                let (x_exponent, y_exponent) = (exponent(builder, x.0), exponent(builder, y.0));
                let both = builder.binary(Opcode::LLVMAdd, x_exponent, y_exponent);
                let bias = builder::splat(ir::type_of(both), bias(ir::type_of(x.0)));
                let product = builder.binary(Opcode::LLVMSub, both, bias);
                [product, exponent(builder, term.0)]
            }
        }
    }
}

/// Rules ADD-TT, ADD-TF, ADD-FT and ADD-FF at once, and rarely: only where an operand is tagged or the
/// result is so much smaller than an operand that it may have cancelled.
fn sum(weaver: &mut Weaver, operation: &Operation) -> Shadow {
    let (result, site) = (operation.instruction, operation.site);
    // Before there are users of ours.
    let demanded = demanded(weaver.builder, result);
    let limits = Limits::of(weaver, operation);
    let builder = weaver.builder;
    let terms = Terms::of(operation);
    let word = word_type(builder, ir::type_of(result));
    let tags = terms.tags(builder);
    let tagged = builder.differ(builder.or(tags[0], tags[1]), builder::null(word));
    // Nothing cancels against zero.
    let can_cancel = !terms.values().iter().any(|value| is_zero(*value));
    if !can_cancel && ir::is_null(tagged) {
        return vec![vec![builder::null(word)]];
    }
    let rare = match can_cancel {
        true => builder.or(tagged, may_cancel(builder, &limits, &terms, result)),
        false => tagged,
    };
    let rare = builder.any_lane(only(builder, rare, demanded));
    let tag = weaver.rarely(rare, builder::null(word), move |weaver, totals| {
        let builder = weaver.builder;
        let [x, y] = terms.exponents(builder);
        let surviving = add_tags(builder, &limits, [x, y], tags);
        if !can_cancel {
            return Some(surviving);
        }
        let larger = builder.intrinsic("llvm.smax", &[ir::type_of(x)], &[x, y]);
        let lost = builder.binary(Opcode::LLVMSub, larger, exponent(builder, result));
        let most = limits.cancelled(builder, lost);
        let inflated = builder.compare(IntPredicate::LLVMIntSGT, lost, most);
        let inflated = only(builder, inflated, demanded);
        let own = word_of_site(word, site);
        let added = builder.and(own, builder.resize_mask(inflated, word));
        let values = terms.values().map(|value| bits(builder, value));
        weaver.report_if_any(totals, &saw(site, inflated, values, own));
        Some(weaver.builder.or(surviving, added))
    });
    vec![vec![tag]]
}

/// Cheaply, and conservatively, whether more than τc bits may have cancelled. Terms that cancel differ in
/// their exponents by two at the most, so one of them is enough; its bits and the result's are compared
/// as if they were logarithms, which is wrong by less than one.
fn may_cancel(builder: &Builder, limits: &Limits, terms: &Terms, result: Value) -> Value {
    let kind = shape::fp_kind(ir::type_of(result)).expect("a sum is a number");
    let [_, term] = terms.values();
    if kind == FpKind::X87 {
        let lost = builder.binary(
            Opcode::LLVMSub,
            exponent(builder, term),
            exponent(builder, result),
        );
        let few = limits.suppressed(builder, lost);
        return builder.compare(IntPredicate::LLVMIntSGT, lost, few);
    }
    let magnitude = |value| {
        let bits = bits(builder, value);
        let without_sign = (1u64 << (kind.storage_bits() - 1)) - 1;
        builder.and(bits, builder::splat(ir::type_of(bits), without_sign))
    };
    let apart = builder.binary(Opcode::LLVMSub, magnitude(term), magnitude(result));
    let word = ir::type_of(apart);
    let room = builder.binary(Opcode::LLVMSub, limits.apart(builder, word), apart);
    builder.compare(IntPredicate::LLVMIntSLT, room, builder::null(word))
}

/// The tags of two terms that survive their addition: each unless the other term is much larger.
fn add_tags(builder: &Builder, limits: &Limits, exponents: [Value; 2], tags: [Value; 2]) -> Value {
    let [x, y] = exponents;
    let keep = |tag: Value, own: Value, other: Value| {
        if ir::is_null(tag) {
            return tag;
        }
        let by = builder.binary(Opcode::LLVMSub, other, own);
        let kept = builder.compare(IntPredicate::LLVMIntSLE, by, limits.suppressed(builder, by));
        builder.and(tag, builder.resize_mask(kept, ir::type_of(tag)))
    };
    builder.or(keep(tags[0], x, y), keep(tags[1], y, x))
}

// ---- discrete factors ----

fn compare(weaver: &mut Weaver, operation: &Operation) -> Shadow {
    let comparison = operation.instruction;
    let [(_, x, x_tag), (_, y, y_tag)] = &operation.operands[..] else {
        unreachable!("a comparison has two operands")
    };
    // Asking whether something is a number, or comparing a value with itself, decides nothing.
    if !ir::orders_numbers(comparison) || x == y {
        return Vec::new();
    }
    let demanded = demanded(weaver.builder, comparison);
    let site = match only_picks(comparison, *x, *y) {
        true => weaver.note_site(operation, "continuous: picks one of the compared values"),
        false => operation.site,
    };
    let limits = Limits::of(weaver, operation);
    let builder = weaver.builder;
    let (values, tags) = ([*x, *y], [x_tag[0], y_tag[0]]);
    let tagged = builder.or(tags[0], tags[1]);
    let mut rare = builder.differ(tagged, builder::null(ir::type_of(tagged)));
    let has_distance = !values.iter().any(|value| is_zero(*value))
        && shape::fp_kind(ir::type_of(*x)) != Some(FpKind::X87);
    if has_distance {
        rare = builder.or(rare, near(builder, &limits, values, 2));
    }
    let rare = builder.any_lane(only(builder, rare, demanded));
    weaver.rarely(rare, rare, move |weaver, totals| {
        let builder = weaver.builder;
        let exponents = values.map(|value| exponent(builder, value));
        let tag = add_tags(builder, &limits, exponents, tags);
        let mut unstable = builder.differ(tag, builder::null(ir::type_of(tag)));
        if has_distance {
            let cancels = cancels(builder, &limits, values, exponents);
            unstable = builder.or(unstable, cancels);
        }
        let unstable = only(builder, unstable, demanded);
        let values = values.map(|value| bits(builder, value));
        weaver.report_if_any(totals, &saw(site, unstable, values, tag));
        None
    });
    Vec::new()
}

/// Whether two values are so few units in the last place apart that their difference cancels. Units
/// are half as large below a power of two, hence `scale`, a power of two itself.
fn near(builder: &Builder, limits: &Limits, values: [Value; 2], scale: u64) -> Value {
    let [x, y] = values.map(|value| bits(builder, value));
    let word = ir::type_of(x);
    let near = builder.shift_left(limits.near(builder, word), scale.trailing_zeros().into());
    let apart = builder.binary(Opcode::LLVMSub, x, y);
    // -near < apart < near, by one unsigned comparison.
    let shifted = builder.binary(Opcode::LLVMAdd, apart, near);
    let one = builder::splat(word, 1);
    let shifted = builder.binary(Opcode::LLVMSub, shifted, one);
    let width = builder.binary(Opcode::LLVMSub, builder.shift_left(near, 1), one);
    builder.compare(IntPredicate::LLVMIntULT, shifted, width)
}

/// As the difference would have it: twice as many units count across a power of two.
fn cancels(builder: &Builder, limits: &Limits, values: [Value; 2], exponents: [Value; 2]) -> Value {
    let across = builder.differ(exponents[0], exponents[1]);
    let nearly = builder.and(across, near(builder, limits, values, 2));
    builder.or(nearly, near(builder, limits, values, 1))
}

/// Whether a comparison is only used to choose between the very values it compares.
fn only_picks(comparison: Value, x: Value, y: Value) -> bool {
    let users = ir::uses(comparison);
    let picks = |user: &Value| {
        ir::opcode(*user) == Opcode::LLVMSelect
            && (1..3).all(|index| [x, y].contains(&ir::operand(*user, index)))
    };
    !users.is_empty() && users.iter().all(picks)
}

/// Conversions to integers and roundings to integral values: unstable if the operand is tagged, or so
/// close to where the result jumps that the difference cancels.
fn convert(weaver: &mut Weaver, operation: &Operation) -> Shadow {
    let (_, x, tag) = &operation.operands[0];
    let limits = Limits::of(weaver, operation);
    let builder = weaver.builder;
    let mut unstable = builder.differ(tag[0], builder::null(ir::type_of(tag[0])));
    if let Some(kind) = shape::fp_kind(ir::type_of(*x)).filter(|kind| *kind != FpKind::X87)
        && !is_whole(*x, 4)
    {
        let at_jump = near_jump(builder, &limits, *x, kind, operation.op);
        unstable = builder.or(unstable, at_jump);
    }
    let x_bits = bits(builder, *x);
    let nothing = builder::null(ir::type_of(x_bits));
    weaver.look(saw(operation.site, unstable, [x_bits, nothing], tag[0]));
    united(weaver, operation)
}

/// Whether a value is, in units of its last place, next to where `op` jumps: at whole numbers, or at
/// halves of odd ones for roundings to nearest.
fn near_jump(builder: &Builder, limits: &Limits, x: Value, kind: FpKind, op: Op) -> Value {
    let bits = bits(builder, x);
    let word = ir::type_of(bits);
    let number = |value| builder::splat(word, value);
    let subtract = |a, b| builder.binary(Opcode::LLVMSub, a, b);
    let fraction_bits = u64::from(kind.precision() - 1);
    let exponent = builder.resize_unsigned(exponent(builder, x), word);
    // 2 to the places is how many units in the last place make up one. Smaller values than one half (or
    // a quarter) are far from every jump, and large ones have no fractions.
    let places = subtract(number(bias(ir::type_of(x)) + fraction_bits), exponent);
    let most = fraction_bits + 1 + u64::from(rounds_to_nearest(op));
    let has_fraction = builder.compare(
        IntPredicate::LLVMIntULT,
        subtract(places, number(1)),
        number(most),
    );
    let places = builder.select(has_fraction, places, number(1));
    let one = builder.binary(Opcode::LLVMShl, number(1), places);
    let leading = 1u64 << fraction_bits;
    let significand = builder.or(builder.and(bits, number(leading - 1)), number(leading));
    let position = match rounds_to_nearest(op) {
        // Halves are moved to where whole numbers are.
        true => {
            let half = builder.shift_right(one, 1);
            builder.binary(Opcode::LLVMAdd, significand, half)
        }
        false => significand,
    };
    let above = builder.and(position, subtract(one, number(1)));
    let below = subtract(one, above);
    let near = limits.near(builder, word);
    // Below a power of two, units are half as large.
    let near_below = builder.shift_left(near, 1);
    let close = builder.or(
        builder.compare(IntPredicate::LLVMIntULT, above, near),
        builder.compare(IntPredicate::LLVMIntULT, below, near_below),
    );
    // Where one is but a few units, everything would be close.
    let wide = builder.compare(IntPredicate::LLVMIntUGT, one, builder.shift_left(near, 2));
    builder.and(builder.and(has_fraction, wide), close)
}

/// Values that are whole numbers by the way they are made: converted integers, rounded values, and sums
/// and products of such.
fn is_whole(value: Value, depth: u32) -> bool {
    if !ir::is_instruction(value) {
        return ir::is_constant(value);
    }
    let operands_are_whole = || {
        depth > 0
            && ir::operands(value)
                .into_iter()
                .filter(|operand| shape::fp_kind(ir::type_of(*operand)).is_some())
                .all(|operand| is_whole(operand, depth - 1))
    };
    use Opcode::*;
    match ir::opcode(value) {
        LLVMSIToFP | LLVMUIToFP => true,
        LLVMFAdd | LLVMFSub | LLVMFMul | LLVMFNeg | LLVMFPExt | LLVMSelect => operands_are_whole(),
        LLVMCall => ir::as_function(ir::callee(value))
            .and_then(|function| match ir::intrinsic_name(function) {
                Some(name) => Op::from_intrinsic(name),
                None => Op::from_library(&ir::name(function)).map(|(op, _)| op),
            })
            .is_some_and(rounds_to_integers),
        _ => false,
    }
}

fn rounds_to_integers(op: Op) -> bool {
    use Op::*;
    matches!(op, ToSigned | ToUnsigned | Floor | Ceil | Trunc) || rounds_to_nearest(op)
}

fn rounds_to_nearest(op: Op) -> bool {
    use Op::*;
    matches!(op, Round | RoundEven | Rint | Nearbyint | Lrint | Lround)
}

// ---- library functions ----

/// The runtime knows the functions' inflation factors; a call more beside a call.
fn library(weaver: &mut Weaver, operation: &Operation) -> Shadow {
    let result = operation.instruction;
    let kind = shape::fp_kind(ir::type_of(result));
    // Converting x87 values would raise flags, and vectors' lanes are not worth taking apart.
    let is_simple = shape::lanes(ir::type_of(result)) == 1 && kind != Some(FpKind::X87);
    let (Some(_), Some((_, x, x_tag)), true) = (kind, operation.operands.first(), is_simple) else {
        return united(weaver, operation);
    };
    let builder = weaver.builder;
    let types = builder.types;
    let double = types.double;
    let parameters = [
        types.i32, double, double, double, types.i64, types.i64, types.i64,
    ];
    let judge = builder.declare(symbols::WATCH_LIBRARY, types.i64, &parameters);
    let (y, y_tag) = match operation.operands.get(1) {
        Some((_, y, tag)) => (*y, tag[0]),
        None => (builder::null(double), builder::null(types.i64)),
    };
    let as_double = |value| builder.as_double(value);
    let wide = |tag| reshaped(builder, tag, types.i64);
    let own = word_of_site(types.i64, operation.site);
    let arguments = [
        builder::integer(types.i32, operation.op as u64),
        as_double(*x),
        as_double(y),
        as_double(result),
        wide(x_tag[0]),
        wide(y_tag),
        own,
    ];
    let tag = builder.call(judge, &arguments);
    let inflated = builder.equal(tag, own);
    let values = [bits(builder, *x), bits(builder, y)];
    let word = word_type(builder, ir::type_of(result));
    let shadow = reshaped(builder, tag, word);
    weaver.look(saw(operation.site, inflated, values, own));
    vec![vec![shadow]]
}

// ---- values and thresholds ----

/// The lanes of a vector that somebody looks at, where those are not all.
fn demanded(builder: &Builder, value: Value) -> Option<Value> {
    let lanes = shape::demanded_lanes(value);
    let some_are_not = lanes.contains(&false) && lanes.len() > 1;
    some_are_not.then(|| builder::flags(builder.types, &lanes))
}

fn only(builder: &Builder, flags: Value, lanes: Option<Value>) -> Value {
    lanes.map_or(flags, |lanes| builder.and(flags, lanes))
}

/// The biased exponents of a value's lanes, as `i32` lanes.
fn exponent(builder: &Builder, value: Value) -> Value {
    let ty = ir::type_of(value);
    let exponents = builder.types.shaped(builder.types.i32, ty);
    if ir::type_kind(ty) == TypeKind::LLVMX86_FP80TypeKind {
        let all = builder.bitcast(value, builder.types.int(80));
        let high = builder.resize_unsigned(builder.shift_right(all, 64), exponents);
        return builder.and(high, builder::splat(exponents, 0x7fff));
    }
    let kind = shape::fp_kind(ty).expect("a floating-point value");
    let bits = bits(builder, value);
    let shifted = builder.shift_right(bits, u64::from(kind.precision() - 1));
    let narrow = builder.resize_unsigned(shifted, exponents);
    builder.and(narrow, builder::splat(exponents, exponent_mask(kind)))
}

fn exponent_mask(kind: FpKind) -> u64 {
    match kind {
        FpKind::X87 => 0x7fff,
        _ => (1 << (kind.storage_bits() - kind.precision())) - 1,
    }
}

fn bias(ty: Type) -> u64 {
    shape::fp_kind(ty).map_or(0, |kind| exponent_mask(kind) / 2)
}

fn is_zero(value: Value) -> bool {
    ir::is_constant(value) && ir::is_any_zero(value)
}

/// The thresholds of a format, as they were when the function was entered.
struct Limits {
    cancelled: Value,
    suppressed: Value,
    near: Value,
    apart: Value,
}

impl Limits {
    /// Leaves the builder behind the operation, so it is to be asked for first.
    fn of(weaver: &mut Weaver, operation: &Operation) -> Limits {
        let (_, value, _) = operation.operands[0];
        let kind = shape::fp_kind(ir::type_of(value)).expect("a floating-point value");
        let row = kind as u64 * size_of::<WatchLimits>() as u64;
        let types = weaver.builder.types;
        let mut field = |offset: usize, ty| {
            let offset = row + offset as u64;
            weaver.runtime_word(symbols::WATCH_LIMITS, offset, ty, operation.instruction)
        };
        Limits {
            cancelled: field(std::mem::offset_of!(WatchLimits, cancelled), types.i32),
            suppressed: field(std::mem::offset_of!(WatchLimits, suppressed), types.i32),
            near: field(std::mem::offset_of!(WatchLimits, near), types.i64),
            apart: field(std::mem::offset_of!(WatchLimits, apart), types.i64),
        }
    }

    fn cancelled(&self, builder: &Builder, like: Value) -> Value {
        builder.broadcast(self.cancelled, ir::type_of(like))
    }

    fn suppressed(&self, builder: &Builder, like: Value) -> Value {
        builder.broadcast(self.suppressed, ir::type_of(like))
    }

    fn apart(&self, builder: &Builder, word: Type) -> Value {
        let lane = builder.resize_unsigned(self.apart, shape::scalar(word));
        builder.broadcast(lane, word)
    }

    fn near(&self, builder: &Builder, word: Type) -> Value {
        let lane = builder.resize_unsigned(self.near, shape::scalar(word));
        builder.broadcast(lane, word)
    }
}
