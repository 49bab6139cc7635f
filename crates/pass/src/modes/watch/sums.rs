//! Sums: rules ADD-TT, ADD-TF, ADD-FT and ADD-FF.

use lostbits_abi::{kind::FpKind, ops::Op};

use super::{
    precision_specific, quick_tests, signs,
    values::{
        Limits, bias, demanded, difference, exponent, is_greater, is_negative, is_zero, only,
    },
};
use crate::{
    builder::{self, Builder},
    carry::{FunctionInstrumenter, Operation, Shadow},
    ir::{self, Opcode, Value},
    modes::tags::{bits, tag_check, word_of_site, word_type},
    prepare, shape,
};

/// A value with its tag word.
type Tagged = (Value, Value);

/// The two terms of a sum; the first of a fused one is a product.
#[derive(Clone, Copy)]
enum Terms {
    Plain(Tagged, Tagged),
    Fused {
        discrete_factors: [Tagged; 2],
        term: Tagged,
    },
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
                discrete_factors: [x, y],
                term: z,
            },
            _ => unreachable!("a sum has two operands, a fused one three"),
        }
    }

    /// Where no tags are carried.
    fn untagged(builder: &Builder, operation: &Operation) -> Terms {
        let nothing = |value: Value| builder::null(word_type(builder, ir::type_of(value)));
        match operation.operands[..] {
            [(_, x, _), (_, y, _)] => Terms::Plain((x, nothing(x)), (y, nothing(y))),
            [(_, x, _), (_, y, _), (_, z, _)] => Terms::Fused {
                discrete_factors: [(x, nothing(x)), (y, nothing(y))],
                term: (z, nothing(z)),
            },
            _ => unreachable!("a sum has two operands, a fused one three"),
        }
    }

    /// The terms' values; a factor represents the product.
    fn values(&self) -> [Value; 2] {
        match self {
            Terms::Plain(x, y) => [x.0, y.0],
            Terms::Fused {
                discrete_factors,
                term,
            } => [discrete_factors[0].0, term.0],
        }
    }

    fn tags(&self, builder: &Builder) -> [Value; 2] {
        match self {
            Terms::Plain(x, y) => [x.1, y.1],
            Terms::Fused {
                discrete_factors: [x, y],
                term,
            } => [builder.or(x.1, y.1), term.1],
        }
    }

    /// The exponents of the terms; a product's is the sum of its factors', to within one.
    fn exponents(&self, builder: &Builder) -> [Value; 2] {
        match self {
            Terms::Plain(x, y) => [exponent(builder, x.0), exponent(builder, y.0)],
            Terms::Fused {
                discrete_factors: [x, y],
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

/// All rules at once, without branches: where this runs, many operands are tagged, and which of them are cannot be
/// foreseen.
pub fn sum(cx: &mut FunctionInstrumenter, operation: &Operation) -> Shadow {
    let (result, site) = (operation.instruction, operation.site);
    // Before there are users of ours.
    let demanded = demanded(cx.builder, result);
    let limits = Limits::of(cx, operation);
    let terms = Terms::of(operation);
    let builder = cx.builder;
    let word = word_type(builder, ir::type_of(result));
    let tags = terms.tags(builder);
    let exponents = terms.exponents(builder);
    let surviving = add_tags(builder, &limits, exponents, tags);
    // Nothing cancels against zero, nor where both terms have the same sign.
    if terms.values().iter().any(|value| is_zero(*value)) || signs::terms_agree(result) {
        return vec![vec![surviving]];
    }
    let Some(least) = Least::of(result) else {
        return vec![vec![surviving]];
    };
    let inflated = inflates(builder, &limits, exponents, result, least);
    let inflated = only(builder, inflated, demanded);
    let own = word_of_site(word, site);
    let added = builder.and(own, builder.resize_mask(inflated, word));
    let tag = builder.or(surviving, added);
    let values = terms.values().map(|value| bits(builder, value));
    guard(cx, operation, terms, demanded);
    cx.check(tag_check(site, inflated, values, own));
    vec![vec![tag]]
}

/// What a sum's result counts as at least, when its terms are compared with it.
#[derive(Clone, Copy)]
enum Least {
    Itself,
    /// 2 to this power.
    Unit(i32),
}

impl Least {
    /// None for a rounding by a constant: what cancels is the constant. Nor for what is exact.
    fn of(sum: Value) -> Option<Least> {
        if precision_specific::rounds_by_constant(sum) || precision_specific::is_rest_of_digits(sum)
        {
            return None;
        }
        Some(precision_specific::remainder_unit(sum).map_or(Least::Itself, Least::Unit))
    }

    fn exponent(self, builder: &Builder, result: Value) -> Value {
        let own = exponent(builder, result);
        match self {
            Least::Itself => own,
            Least::Unit(power) => {
                let biased = bias(ir::type_of(result)).wrapping_add_signed(power.into());
                let unit = builder::splat(ir::type_of(own), biased);
                builder.select(is_greater(builder, own, unit), own, unit)
            }
        }
    }
}

/// Whether more than τc bits of the larger term cancelled.
fn inflates(
    builder: &Builder,
    limits: &Limits,
    exponents: [Value; 2],
    result: Value,
    least: Least,
) -> Value {
    let left = least.exponent(builder, result);
    let most = limits.cancelled(builder, ir::type_of(left));
    let most = builder.binary(Opcode::LLVMAdd, left, most);
    let [x, y] = exponents.map(|term| is_greater(builder, term, most));
    builder.or(x, y)
}

/// Reports cancellation, and nothing else: the baseline without propagation.
pub fn cancellation(cx: &mut FunctionInstrumenter, operation: &Operation) {
    let (result, site) = (operation.instruction, operation.site);
    let demanded = demanded(cx.builder, result);
    let limits = Limits::of(cx, operation);
    let builder = cx.builder;
    let terms = Terms::untagged(builder, operation);
    if terms.values().iter().any(|value| is_zero(*value)) {
        return;
    }
    let rare = is_negative(builder, may_cancel(builder, &limits, &terms, result));
    let rare = builder.any_lane(only(builder, rare, demanded));
    cx.report_rarely(rare, move |cx, totals| {
        let builder = cx.builder;
        let word = word_type(builder, ir::type_of(result));
        let exponents = terms.exponents(builder);
        let inflated = inflates(builder, &limits, exponents, result, Least::Itself);
        let inflated = only(builder, inflated, demanded);
        let values = terms.values().map(|value| bits(builder, value));
        cx.report_if_any(
            totals,
            &tag_check(site, inflated, values, word_of_site(word, site)),
        );
    });
}

/// Where no operand is tagged, only cancellation makes a sum worth looking at.
fn guard(
    cx: &mut FunctionInstrumenter,
    operation: &Operation,
    terms: Terms,
    demanded: Option<Value>,
) {
    let result = operation.instruction;
    let function = ir::parent_function(result);
    let is_fused = match operation.op {
        Op::Fma => true,
        Op::MulAdd => prepare::has_fused_multiply_add(function),
        _ => false,
    };
    let [_, term] = terms.values();
    let lanes = shape::demanded_lanes(result);
    let kind = Limits::kind(operation);
    cx.guard(
        result,
        move |builder| match is_fused {
            true => quick_tests::much_smaller(builder, result, term, &lanes),
            false => quick_tests::ends_in_zeros(builder, result, &lanes),
        },
        move |cx| {
            let limits = Limits::of_kind(cx, kind, result);
            let builder = cx.builder;
            let flags = is_negative(builder, may_cancel(builder, &limits, &terms, result));
            builder.any_lane(only(builder, flags, demanded))
        },
    );
}

/// Cheaply, and conservatively, whether more than τc bits may have cancelled, as sign bits. Terms that cancel differ in
/// their exponents by two at the most, so one of them is enough; its bits and the result's are compared
/// as if they were logarithms, which is wrong by less than one.
fn may_cancel(builder: &Builder, limits: &Limits, terms: &Terms, result: Value) -> Value {
    let kind = shape::fp_kind(ir::type_of(result)).expect("a sum is a number");
    let [_, term] = terms.values();
    if kind == FpKind::X87 {
        let lost = difference(builder, exponent(builder, term), exponent(builder, result));
        let few = limits.suppressed(builder, ir::type_of(lost));
        return difference(builder, few, lost);
    }
    let magnitude = |value| {
        let bits = bits(builder, value);
        let without_sign = (1u64 << (kind.storage_bits() - 1)) - 1;
        builder.and(bits, builder::splat(ir::type_of(bits), without_sign))
    };
    let apart = builder.binary(Opcode::LLVMSub, magnitude(term), magnitude(result));
    let word = ir::type_of(apart);
    difference(builder, limits.apart(builder, word), apart)
}

/// The tags of two terms that survive their addition: each unless the other term is much larger.
pub fn add_tags(
    builder: &Builder,
    limits: &Limits,
    exponents: [Value; 2],
    tags: [Value; 2],
) -> Value {
    let [x, y] = exponents;
    let suppressed = limits.suppressed(builder, ir::type_of(x));
    let keep = |tag: Value, own: Value, other: Value| {
        if ir::is_null(tag) {
            return tag;
        }
        let by = difference(builder, other, own);
        let is_suppressed = is_greater(builder, by, suppressed);
        builder.and(
            tag,
            builder.resize_mask(builder.not(is_suppressed), ir::type_of(tag)),
        )
    };
    builder.or(keep(tags[0], x, y), keep(tags[1], y, x))
}
