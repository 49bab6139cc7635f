//! The sentences of the report, which the formats share.

use lostbits_abi::{
    explain::{Range, SpotKind},
    ops::Op,
};

use super::infix::call_name;
use crate::{
    explain::{Kind, RootCause, Spot, Variable},
    report::{
        numbers::{exactly, shortest},
        words::{count, inside, number, times},
    },
};

/// Bits with at most one digit behind the point: `51.3 bits`, `1 bit`.
pub fn bits(value: f64) -> String {
    let rounded = (value * 10.0).round() / 10.0;
    let unit = if rounded == 1.0 { "bit" } else { "bits" };
    format!("{} {unit}", shortest(rounded))
}

/// What the operation does wrong.
pub fn headline(cause: &RootCause) -> String {
    let place = inside(&cause.site);
    let operation = operation(cause);
    match Kind::of(cause) {
        Kind::NotANumber => format!("{operation}{place} makes a not-a-number of numbers"),
        Kind::Infinity => format!("{operation}{place} makes an infinity of finite numbers"),
        Kind::Cancellation { .. } => format!("cancellation{place} loses {}", most(cause)),
        Kind::Amplification { .. } => {
            format!(
                "{operation}{place} amplifies the error of its operands and loses {}",
                most(cause)
            )
        }
        Kind::Underflow => format!("underflow{place} loses {}", most(cause)),
        Kind::Underflowed => {
            format!(
                "{operation}{place} takes a number that underflowed, and {} are lost",
                bits(cause.worst_bits)
            )
        }
        Kind::Accumulation => {
            // The site is told of when its error first shows; outputs may be the worse for what came after.
            let here = format!(
                "rounding errors add up{place} until {} are lost",
                bits(cause.worst_bits)
            );
            match cause.bits_in_outputs() {
                more if more > cause.worst_bits => {
                    format!("{here}, and {} in an output", bits(more))
                }
                _ => here,
            }
        }
        Kind::Loss => format!("{operation}{place} loses {}", most(cause)),
    }
}

fn most(cause: &RootCause) -> String {
    format!("up to {}", bits(cause.worst_bits))
}

fn operation(cause: &RootCause) -> String {
    if let Some(name) = call_name(cause.op, Some(&cause.site)) {
        return format!("`{name}`");
    }
    match cause.op {
        Op::Add | Op::ReduceAdd => "this addition".to_owned(),
        Op::Sub => "this subtraction".to_owned(),
        Op::Mul | Op::ReduceMul => "this multiplication".to_owned(),
        Op::Div => "this division".to_owned(),
        Op::Truncate => "this conversion to a narrower format".to_owned(),
        op => format!("`{}`", op.name()),
    }
}

/// Stands under the operation.
pub fn label(cause: &RootCause) -> String {
    let of = cause.site.kind.map_or(53, |kind| kind.precision());
    match Kind::of(cause) {
        Kind::NotANumber => "this is where it begins".to_owned(),
        Kind::Infinity => "this is where it begins".to_owned(),
        Kind::Cancellation { bits } => format!("{bits} of {of} bits cancel"),
        Kind::Amplification { log2 } => format!("relative errors grow 2^{log2} times"),
        Kind::Underflow => "the result is too small for its format".to_owned(),
        Kind::Underflowed => "an operand was too small for its format".to_owned(),
        Kind::Accumulation if cause.executions == 1 => "small errors meet here".to_owned(),
        Kind::Accumulation => "the rounding errors of many executions meet here".to_owned(),
        Kind::Loss => "bits are lost here".to_owned(),
    }
}

/// How often it ran and erred.
pub fn how_often(cause: &RootCause, threshold: f64) -> String {
    let ran = format!("it ran {}", times(cause.executions));
    if cause.makes_not_a_number() || cause.makes_infinity() {
        return format!("{ran}, and this happened {}", times(cause.erroneous));
    }
    if matches!(Kind::of(cause), Kind::Accumulation | Kind::Underflowed) {
        return format!(
            "{ran}; its result was too far off {}, by {} at worst, {} on average",
            times(cause.erroneous),
            bits(cause.worst_bits),
            bits(cause.average_bits)
        );
    }
    if cause.erroneous == 1 && cause.executions == 1 {
        return format!("{ran} and lost {}", bits(cause.worst_bits));
    }
    format!(
        "{ran} and lost more than {} {}: {} at worst, {} on average",
        bits(threshold),
        times(cause.erroneous),
        bits(cause.worst_bits),
        bits(cause.average_bits)
    )
}

/// The worst execution: its input, what came out, what should have.
pub fn worst(cause: &RootCause) -> Option<String> {
    let input = match cause.worst_input() {
        [] => operands(&cause.worst_operands)?,
        variables => assignments(variables),
    };
    let result = shortest(cause.worst_result);
    let real = exactly(&cause.worst_real);
    let outcome = match result == real {
        true => format!("the result is {result}"),
        false if cause.worst_real.nearest.is_nan() => format!("the result is {result}"),
        false => format!("the result is {result}, and exactly {real}"),
    };
    let begins = if cause.erroneous > 1 {
        "at worst, "
    } else {
        ""
    };
    Some(format!("{begins}with {input}, {outcome}"))
}

fn assignments(variables: &[Variable]) -> String {
    let each = variables
        .iter()
        .map(|variable| format!("{} = {}", variable.name, shortest(variable.values.worst)));
    each.collect::<Vec<_>>().join(", ")
}

fn operands(operands: &[f64]) -> Option<String> {
    let shown: Vec<String> = operands.iter().map(|value| shortest(*value)).collect();
    let noun = if shown.len() == 1 {
        "operand"
    } else {
        "operands"
    };
    (!shown.is_empty()).then(|| format!("the {noun} {}", shown.join(" and ")))
}

/// `x was 1e-9 to 1e-3; where it erred, 1e-9 to 2e-9`.
pub fn ranges(variable: &Variable) -> String {
    let all = range(&variable.values.all);
    let erroneous = range(&variable.values.erroneous);
    let name = &variable.name;
    match erroneous {
        erroneous if erroneous.is_empty() || erroneous == all => format!("{name} was {all}"),
        erroneous => format!("{name} was {all}; where it erred, {erroneous}"),
    }
}

/// Which executions the ranges tell of, unless all.
pub fn looked_at(cause: &RootCause) -> Option<String> {
    let has_ranges = cause
        .expression
        .as_ref()
        .is_some_and(|expression| !expression.variables.is_empty());
    let executions = count(
        cause.looked_at,
        "execution that was",
        "executions that were",
    );
    (has_ranges && cause.looked_at < cause.executions)
        .then(|| format!("these are the values of {executions} looked at closely"))
}

/// Split by sign where both occur: `-2 to -1, 0, or 3 to 7`.
fn range(range: &Range) -> String {
    let side = |[least, most]: [f64; 2]| match least == most {
        _ if least > most => None,
        true => Some(shortest(least)),
        false => Some(format!("{} to {}", shortest(least), shortest(most))),
    };
    let zero = (range.zeros > 0).then(|| "0".to_owned());
    let nan = (range.not_numbers > 0).then(|| "not a number".to_owned());
    let parts = [side(range.negative), zero, side(range.positive), nan];
    let parts: Vec<String> = parts.into_iter().flatten().collect();
    match parts.split_last() {
        None => String::new(),
        Some((last, [])) => last.clone(),
        Some((last, others)) => format!("{} or {last}", others.join(", ")),
    }
}

/// `output in f`.
pub fn spot(spot: &Spot) -> String {
    spots(spot.kind, 1).to_owned() + &inside(&spot.site)
}

/// The noun for so many spots of a kind.
pub fn spots(kind: SpotKind, how_many: u64) -> &'static str {
    match (kind, how_many) {
        (SpotKind::Output, 1) => "output",
        (SpotKind::Output, _) => "outputs",
        (SpotKind::Comparison, 1) => "comparison",
        (SpotKind::Comparison, _) => "comparisons",
        (SpotKind::Conversion, 1) => "conversion to an integer",
        (SpotKind::Conversion, _) => "conversions to integers",
    }
}

/// What happened at a spot, for its label.
pub fn spot_label(spot: &Spot, times_here: u64, bits_here: f64) -> String {
    let share = match (times_here, spot.executions) {
        (1, 1) => String::new(),
        (here, all) => format!("{} of {} times ", number(here), number(all)),
    };
    let [value, other] = spot.values.map(shortest);
    let [real, other_real] = spot.reals.each_ref().map(exactly);
    match spot.kind {
        // The values are those of the worst, for which others are to blame.
        SpotKind::Output if bits_here < spot.worst_bits => {
            format!("{share}it lost {}", up_to(times_here, bits_here))
        }
        SpotKind::Output if spot.reals[0].nearest.is_nan() => {
            format!("{share}it is {value}, and what it should be is not known")
        }
        SpotKind::Output => format!(
            "{share}it lost {}: {value} instead of {real}",
            up_to(times_here, bits_here)
        ),
        SpotKind::Comparison => format!(
            "{share}it goes the wrong way: with {value} and {other}, which are exactly (rounded) {real} and {other_real}"
        ),
        SpotKind::Conversion => {
            format!(
                "{share}it gives another integer: of {value}, which is exactly (rounded) {real}"
            )
        }
    }
}

fn up_to(times: u64, most: f64) -> String {
    match times {
        1 => bits(most),
        _ => format!("up to {}", bits(most)),
    }
}
