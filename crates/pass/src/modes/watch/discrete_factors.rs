//! Discrete factors: comparisons, conversions to integers, roundings to integral values.

use lostbits_abi::{kind::FpKind, ops::Op, site::Note};

use super::{
    drift::Drift,
    harmless_patterns, precision_specific,
    quick_tests::{self, Reach},
    same_computation,
    sums::add_tags,
    values::{Limits, bias, demanded, exponent, is_zero, only},
};
use crate::{
    builder::{self, Builder},
    carry::{FunctionInstrumenter, Operation, Shadow},
    ir::{self, IntPredicate, Opcode, Value},
    modes::tags::{bits, tag_check, union_of_operands},
    shape,
};

pub const PICKS: Note = Note::PicksComparedValue;
const SAME: Note = Note::SameComputation;
const CONVERGES: Note = Note::NotTheLastTest;

pub fn compare(cx: &mut FunctionInstrumenter, operation: &Operation) -> Shadow {
    let comparison = operation.instruction;
    let [(_, x, x_tag), (_, y, y_tag)] = &operation.operands[..] else {
        unreachable!("a comparison has two operands")
    };
    // Asking whether something is a number, or comparing a value with itself, decides nothing.
    // Whole numbers that are exact by the way they are made have no errors, nor have inputs.
    let is_exact = || {
        let have_none = |are: fn(Value) -> bool| are(*x) && are(*y);
        have_none(harmless_patterns::is_exact) || have_none(harmless_patterns::is_input)
    };
    if !ir::orders_numbers(comparison) || x == y || is_exact() {
        return Vec::new();
    }
    let demanded = demanded(cx.builder, comparison);
    let site = match harmless_patterns::picks_compared_value(comparison, *x, *y) {
        true => cx.note_site(operation, PICKS),
        false => operation.site,
    };
    let suppression = Suppression::of(cx, operation, [*x, *y]);
    let drift = Drift::of(cx, comparison, [*x, *y]);
    let limits = Limits::of(cx, operation);
    let is_proved = drift.is_some_and(|drift| drift.is_proof());
    let (values, tags) = ([*x, *y], [cx.local(x_tag[0]), cx.local(y_tag[0])]);
    let builder = cx.builder;
    let tagged = match is_proved {
        // A step that cancels amplifies errors of the steps before, which the exact comparison knows.
        true => builder::null(ir::type_of(tags[0])),
        false => builder.or(tags[0], tags[1]),
    };
    let mut rare = builder.differ(tagged, builder::null(ir::type_of(tagged)));
    // Whether a number is whole is a question about the number, not about its error.
    let asks_for_whole =
        precision_specific::is_rounding_of(*x, *y) || precision_specific::is_rounding_of(*y, *x);
    let is_exact_rest = [(*x, *y), (*y, *x)]
        .into_iter()
        .any(|(rest, other)| precision_specific::is_rest_of_digits(rest) && ir::is_constant(other));
    let has_distance = !is_proved
        && !asks_for_whole
        && !is_exact_rest
        && !values.iter().any(|value| is_zero(*value))
        && shape::fp_kind(ir::type_of(*x)) != Some(FpKind::X87);
    if has_distance {
        rare = builder.or(rare, near(builder, &limits, values, 2));
    }
    let mut rare = builder.any_lane(only(builder, rare, demanded));
    let drifts = drift.map(|drift| {
        let drifts = drift.decides_otherwise(builder, comparison);
        rare = builder.or(rare, drifts);
        cx.local(drifts)
    });
    if let Some(drift) = drift {
        let lanes = shape::demanded_lanes(comparison);
        cx.guard(
            cx.judged_after(comparison),
            move |builder| match drift.has_zero_limit() {
                true => quick_tests::flags(drift.is_small(builder)),
                false => quick_tests::near(builder, values, &lanes, Reach::Drift),
            },
            move |cx| drift.decides_otherwise(cx.builder, comparison),
        );
    }
    if has_distance {
        let (kind, lanes) = (Limits::kind(operation), shape::demanded_lanes(comparison));
        cx.guard(
            cx.judged_after(comparison),
            move |builder| quick_tests::near(builder, values, &lanes, Reach::Cancellation),
            move |cx| {
                let limits = Limits::of_kind(cx, kind, comparison);
                let builder = cx.builder;
                let flags = near(builder, &limits, values, 2);
                builder.any_lane(only(builder, flags, demanded))
            },
        );
    }
    cx.report_rarely(rare, move |cx, totals| {
        let builder = cx.builder;
        let exponents = values.map(|value| exponent(builder, value));
        let tag = match is_proved {
            true => tagged,
            false => add_tags(builder, &limits, exponents, tags),
        };
        let mut unstable = builder.differ(tag, builder::null(ir::type_of(tag)));
        if has_distance {
            let cancels = cancels(builder, &limits, values, exponents);
            unstable = builder.or(unstable, cancels);
        }
        if let Some(drifts) = drifts {
            unstable = builder.or(unstable, drifts);
        }
        let mut unstable = only(builder, unstable, demanded);
        let values = values.map(|value| bits(builder, value));
        if let Some(suppression) = suppression {
            let is_suppressed = suppression.holds(builder, values);
            let flags = builder.and(unstable, is_suppressed);
            cx.report_if_any(totals, &tag_check(suppression.site, flags, values, tag));
            unstable = builder.and(unstable, builder.not(is_suppressed));
        }
        cx.report_if_any(totals, &tag_check(site, unstable, values, tag));
    });
    Vec::new()
}

/// A reason, found out while the program runs, for which an unstable comparison does no harm.
struct Suppression {
    /// Where it is counted.
    site: u32,
    why: Reason,
}

enum Reason {
    /// Both operands are equal, and so are these descriptions of how they were computed (the paper's I1).
    SameComputation([Value; 2]),
    /// It is a convergence test, and not the last that is allowed (section 7.2).
    NotTheLast { last: Value },
}

impl Suppression {
    fn of(
        cx: &mut FunctionInstrumenter,
        operation: &Operation,
        values: [Value; 2],
    ) -> Option<Suppression> {
        let comparison = operation.instruction;
        let marker = cx.judged_after(comparison);
        if marker != comparison {
            let last = ir::arguments(marker)[0];
            let site = cx.note_site(operation, CONVERGES);
            let why = Reason::NotTheLast { last };
            return Some(Suppression { site, why });
        }
        let prints = same_computation::fingerprints(cx, values)?;
        let site = cx.note_site(operation, SAME);
        cx.builder.after(comparison);
        let why = Reason::SameComputation(prints);
        Some(Suppression { site, why })
    }

    /// An `i1`. Only scalars have excuses.
    fn holds(&self, builder: &Builder, bits: [Value; 2]) -> Value {
        match self.why {
            Reason::NotTheLast { last } => builder.equal(last, builder::null(ir::type_of(last))),
            Reason::SameComputation([x, y]) => {
                let known = builder.differ(x, builder::null(ir::type_of(x)));
                let same = builder.and(known, builder.equal(x, y));
                builder.and(same, builder.equal(bits[0], bits[1]))
            }
        }
    }
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

/// Conversions to integers and roundings to integral values: unstable if the operand is tagged, or so
/// close to where the result jumps that the difference cancels.
pub fn convert(cx: &mut FunctionInstrumenter, operation: &Operation) -> Shadow {
    let (_, x, tag) = &operation.operands[0];
    let limits = Limits::of(cx, operation);
    let builder = cx.builder;
    let mut unstable = builder.differ(tag[0], builder::null(ir::type_of(tag[0])));
    if let Some(kind) = shape::fp_kind(ir::type_of(*x)).filter(|kind| *kind != FpKind::X87)
        && !harmless_patterns::is_whole(*x)
        && !harmless_patterns::is_input(*x)
        && !precision_specific::rounds_exact_digits(operation.instruction, *x)
    {
        let whole_is_meant = precision_specific::expects_whole_numbers(operation.instruction, *x);
        let at_jump = near_jump(builder, &limits, *x, kind, operation.op, whole_is_meant);
        unstable = builder.or(unstable, at_jump);
        let (x, op, instruction) = (*x, operation.op, operation.instruction);
        cx.guard(
            instruction,
            move |builder| quick_tests::near_jump(builder, x, kind, rounds_to_nearest(op)),
            move |cx| {
                let limits = Limits::of_kind(cx, kind, instruction);
                let flags = near_jump(cx.builder, &limits, x, kind, op, whole_is_meant);
                cx.builder.any_lane(flags)
            },
        );
    }
    let builder = cx.builder;
    let x_bits = bits(builder, *x);
    let nothing = builder::null(ir::type_of(x_bits));
    cx.check(tag_check(
        operation.site,
        unstable,
        [x_bits, nothing],
        tag[0],
    ));
    union_of_operands(cx, operation)
}

/// Whether a value is, in units of its last place, next to where `op` jumps: at whole numbers, or at
/// halves of odd ones for roundings to nearest.
fn near_jump(
    builder: &Builder,
    limits: &Limits,
    x: Value,
    kind: FpKind,
    op: Op,
    whole_is_meant: bool,
) -> Value {
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
    let mut just_above = builder.compare(IntPredicate::LLVMIntULT, above, near);
    if whole_is_meant && !rounds_to_nearest(op) {
        just_above = builder.and(just_above, builder.differ(above, number(0)));
    }
    let close = builder.or(
        just_above,
        builder.compare(IntPredicate::LLVMIntULT, below, near_below),
    );
    // Where one is but a few units, everything would be close.
    let wide = builder.compare(IntPredicate::LLVMIntUGT, one, builder.shift_left(near, 2));
    builder.and(builder.and(has_fraction, wide), close)
}

pub fn rounds_to_integers(op: Op) -> bool {
    use Op::*;
    matches!(op, ToSigned | ToUnsigned | Floor | Ceil | Trunc) || rounds_to_nearest(op)
}

pub fn rounds_to_nearest(op: Op) -> bool {
    use Op::*;
    matches!(
        op,
        Round | RoundEven | Rint | Nearbyint | Lrint | Llrint | Lround | Llround
    )
}
