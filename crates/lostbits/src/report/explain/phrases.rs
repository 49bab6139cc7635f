//! The sentences of the report, which the formats share.

use lostbits_abi::{
    explain::{Range, SpotKind},
    kind::FpKind,
    ops::Op,
};

use super::infix::call_name;
use crate::{
    explain::{Kind, Printed, RootCause, Spot, Variable},
    printable::printable,
    report::{
        numbers::{exactly, shortest},
        words::{executions, in_function, number},
    },
};

/// Bits with at most one decimal: `51.3 bits`, `1 bit`.
pub fn bits(value: f64) -> String {
    let rounded = (value * 10.0).round() / 10.0;
    let unit = if rounded == 1.0 { "bit" } else { "bits" };
    format!("{} {unit}", shortest(rounded))
}

/// The significant bits of a format; those of double where it is unknown.
fn precision(kind: Option<FpKind>) -> u32 {
    kind.map_or(FpKind::Double.precision(), |kind| kind.precision())
}

/// `51.3 of 53 bits`; none if no correct bit is left.
fn lost_bits(value: f64, kind: Option<FpKind>) -> Option<String> {
    let (rounded, all) = ((value * 10.0).round() / 10.0, precision(kind));
    (rounded < f64::from(all)).then(|| format!("{} of {all} bits", shortest(rounded)))
}

/// The bits that a value of this format loses by an error.
pub fn lost(error: f64, exact: f64, kind: Option<FpKind>) -> f64 {
    match error == 0.0 {
        true => 0.0,
        false => (f64::from(precision(kind)) + (error / exact).abs().log2()).max(0.0),
    }
}

/// Correct digits and all digits of a value that lost this many bits.
pub fn digits(lost: f64, kind: Option<FpKind>) -> (u32, u32) {
    const DIGITS_PER_BIT: f64 = std::f64::consts::LOG10_2;
    let precision = f64::from(precision(kind));
    // As C counts them in DBL_DIG: digits that survive a round trip through the format.
    let all = ((precision - 1.0) * DIGITS_PER_BIT).floor();
    let correct = ((precision - lost) * DIGITS_PER_BIT).floor();
    (correct.clamp(0.0, all) as u32, all as u32)
}

/// `3 of 15`.
pub fn right_of_all(lost: f64, kind: Option<FpKind>) -> String {
    let (right, all) = digits(lost, kind);
    format!("{right} of {all}")
}

/// How many decimal digits of an output are correct: `3 of 15 digits are correct`.
pub fn correct_digits(lost: f64, kind: Option<FpKind>) -> String {
    let (correct, all) = digits(lost, kind);
    match correct {
        0 => "no correct digits".to_owned(),
        1 => format!("1 of {all} digits is correct"),
        correct => format!("{correct} of {all} digits are correct"),
    }
}

/// How many of the printed digits are right: `3 of 15 printed digits are right`.
pub fn right_digits(printed: &Printed) -> String {
    match (printed.right, printed.of) {
        (0, _) => "no printed digit is right".to_owned(),
        (1, of) => format!("1 of {of} printed digits is right"),
        (right, of) => format!("{right} of {of} printed digits are right"),
    }
}

/// What the operation does wrong.
pub fn headline(cause: &RootCause) -> String {
    let place = in_function(&cause.site);
    let operation = operation(cause);
    match Kind::of(cause) {
        Kind::NotANumber => format!("{operation}{place} produces a NaN"),
        Kind::Infinity => format!("{operation}{place} produces an infinity"),
        Kind::DivisionByZero => {
            format!(
                "{operation}{place} divides by rounding noise: the divisor is 0 in exact arithmetic"
            )
        }
        Kind::Cancellation { .. } => format!("cancellation{place} {}", loses(cause)),
        Kind::Amplification { .. } => format!(
            "{operation}{place} amplifies the error of its operands and {}",
            loses(cause)
        ),
        Kind::Underflow => format!("underflow{place} {}", loses(cause)),
        Kind::Underflowed => format!(
            "{operation}{place} uses an operand that underflowed and {}",
            loses(cause)
        ),
        Kind::Accumulation => accumulation(cause),
        Kind::Loss => format!("{operation}{place} {}", loses(cause)),
    }
}

/// Sums that cancel.
pub const SUBTRACTION: &str = "subtraction of nearly equal numbers";
pub const ADDITION: &str = "addition of nearly opposite numbers";

/// What a cause does, as the subject of a sentence.
pub fn subject(cause: &RootCause) -> String {
    match (Kind::of(cause), cause.op) {
        (Kind::Cancellation { .. }, Op::Sub) => SUBTRACTION.to_owned(),
        (Kind::Cancellation { .. }, Op::Add) => ADDITION.to_owned(),
        (Kind::Cancellation { .. }, _) => "cancellation".to_owned(),
        (Kind::Underflow, _) => "underflow".to_owned(),
        _ => operation(cause),
    }
}

/// `loses up to 12 of 53 bits`, `leaves no correct bits`.
fn loses(cause: &RootCause) -> String {
    match lost_bits(cause.worst_bits, cause.site.kind) {
        Some(lost) if cause.erroneous > 1 => format!("loses up to {lost}"),
        Some(lost) => format!("loses {lost}"),
        None if cause.erroneous > 1 => "leaves no correct bits in the worst case".to_owned(),
        None => "leaves no correct bits".to_owned(),
    }
}

/// The operation is the one at which the error first shows; later operations may add to it, so that
/// outputs are worse.
fn accumulation(cause: &RootCause) -> String {
    let until = |lost: f64| match lost_bits(lost, cause.site.kind) {
        Some(lost) => format!("{lost} are wrong"),
        None => "no correct bits are left".to_owned(),
    };
    let here = format!(
        "rounding errors accumulate{} until {}",
        in_function(&cause.site),
        until(cause.worst_bits)
    );
    match cause.bits_in_outputs() {
        more if more > cause.worst_bits => format!("{here} (in an output, {})", until(more)),
        _ => here,
    }
}

fn operation(cause: &RootCause) -> String {
    if let Some(name) = call_name(cause.op, Some(&cause.site)) {
        return format!("`{}`", printable(name));
    }
    match cause.op {
        Op::Add | Op::ReduceAdd => "this addition".to_owned(),
        Op::Sub => "this subtraction".to_owned(),
        Op::Mul | Op::ReduceMul => "this multiplication".to_owned(),
        Op::Div => "this division".to_owned(),
        Op::Truncate => "this conversion to a narrower type".to_owned(),
        Op::ComplexPart => "this operation on complex numbers".to_owned(),
        op => format!("`{}`", op.name()),
    }
}

/// The text below the underlined operation.
pub fn label(cause: &RootCause) -> String {
    let all = precision(cause.site.kind);
    match Kind::of(cause) {
        Kind::NotANumber => "the first NaN".to_owned(),
        Kind::Infinity => "the first infinity".to_owned(),
        Kind::DivisionByZero => "the divisor".to_owned(),
        Kind::Cancellation { bits } => format!("{bits} of {all} bits cancel"),
        Kind::Amplification { log2 } => format!("amplifies relative errors by 2^{log2}"),
        Kind::Underflow => "the result is too small for its type".to_owned(),
        Kind::Underflowed => "an operand was too small for its type".to_owned(),
        Kind::Accumulation if cause.executions == 1 => "rounded here".to_owned(),
        Kind::Accumulation => "rounding errors accumulate here".to_owned(),
        Kind::Loss => "bits are lost here".to_owned(),
    }
}

/// How many executions were wrong; none if there was only one.
pub fn how_often(cause: &RootCause, threshold: f64) -> Option<String> {
    if cause.executions == 1 {
        return None;
    }
    let share = format!(
        "{} of {}",
        number(cause.erroneous),
        executions(cause.executions)
    );
    if cause.makes_not_a_number() || cause.makes_infinity() || cause.divides_by_zero() {
        return Some(share);
    }
    let average = match lost_bits(cause.average_bits, cause.site.kind) {
        Some(_) => bits(cause.average_bits),
        None => "all bits".to_owned(),
    };
    let accumulates = matches!(Kind::of(cause), Kind::Accumulation | Kind::Underflowed);
    let verb = if accumulates { "are wrong by" } else { "lose" };
    Some(format!(
        "{share} {verb} more than {}; {average} on average",
        bits(threshold)
    ))
}

/// The worst execution: what was computed, what is exact, and for which input.
pub fn worst(cause: &RootCause) -> Option<String> {
    let input = match cause.worst_input() {
        [] => operands(&cause.worst_operands)?,
        variables => assignments(variables),
    };
    let result = shortest(cause.worst_result);
    let exact = exactly(&cause.worst_real);
    let outcome = match result == exact || cause.worst_real.nearest.is_nan() {
        true => format!("computed {result}"),
        false => format!("computed {result}, exact {exact}"),
    };
    let worst = if cause.erroneous > 1 {
        " (worst case)"
    } else {
        ""
    };
    Some(format!("{outcome} for {input}{worst}"))
}

fn assignments(variables: &[Variable]) -> String {
    let each = variables.iter().map(|variable| {
        let name = printable(&variable.name);
        format!("{name} = {}", shortest(variable.values.worst))
    });
    each.collect::<Vec<_>>().join(", ")
}

fn operands(operands: &[f64]) -> Option<String> {
    let shown: Vec<String> = operands.iter().map(|value| shortest(*value)).collect();
    let noun = if shown.len() == 1 {
        "operand"
    } else {
        "operands"
    };
    (!shown.is_empty()).then(|| format!("{noun} {}", shown.join(" and ")))
}

/// `x is 1e-9 to 1e-3, and 1e-9 to 2e-9 in wrong executions`.
pub fn ranges(variable: &Variable) -> String {
    let all = range(&variable.values.all);
    let erroneous = range(&variable.values.erroneous);
    let name = printable(&variable.name);
    match erroneous {
        erroneous if erroneous.is_empty() || erroneous == all => format!("{name} is {all}"),
        erroneous => format!("{name} is {all}, and {erroneous} in wrong executions"),
    }
}

/// Which executions the ranges cover, unless all.
pub fn sampled(cause: &RootCause) -> Option<String> {
    let has_ranges = cause
        .expression
        .as_ref()
        .is_some_and(|expression| !expression.variables.is_empty());
    (has_ranges && cause.sampled_executions < cause.executions).then(|| {
        format!(
            "these ranges cover a sample of {}",
            executions(cause.sampled_executions)
        )
    })
}

/// Split by sign where both occur: `-2 to -1, 0, or 3 to 7`.
fn range(range: &Range) -> String {
    let side = |[least, most]: [f64; 2]| match least == most {
        _ if least > most => None,
        true => Some(shortest(least)),
        // Four digits are easier to read, where they tell the numbers apart.
        false if (most - least).abs() > 0.01 * least.abs().min(most.abs()) => {
            Some(format!("{} to {}", rounded(least), rounded(most)))
        }
        false => Some(format!("{} to {}", shortest(least), shortest(most))),
    };
    let zero = (range.zeros > 0).then(|| "0".to_owned());
    let nan = (range.not_numbers > 0).then(|| "NaN".to_owned());
    let parts = [side(range.negative), zero, side(range.positive), nan];
    let parts: Vec<String> = parts.into_iter().flatten().collect();
    match parts.split_last() {
        None => String::new(),
        Some((last, [])) => last.clone(),
        Some((last, others)) => format!("{} or {last}", others.join(", ")),
    }
}

/// With four digits, unless it is whole.
fn rounded(value: f64) -> String {
    match value.fract() == 0.0 {
        true => shortest(value),
        false => shortest(format!("{value:.3e}").parse().unwrap_or(value)),
    }
}

/// `output in f`.
pub fn spot(spot: &Spot) -> String {
    spots(spot.kind, 1).to_owned() + &in_function(&spot.site)
}

/// A wrong spot without a root cause.
pub fn untraced(spot: &Spot) -> String {
    format!("this {} is wrong; its cause is unknown", self::spot(spot))
}

/// The noun for one or several spots of a kind.
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

/// What is wrong at a spot, for its label.
pub fn spot_label(spot: &Spot, times_here: u64, bits_here: f64) -> String {
    let share = match (times_here, spot.executions) {
        (1, 1) => String::new(),
        (here, all) => format!(" ({} of {})", number(here), executions(all)),
    };
    let worst = if times_here > 1 { "at worst " } else { "" };
    let is_worst_here = bits_here >= spot.worst_bits;
    let printed = spot.printed.as_ref().filter(|_| is_worst_here);
    let digits = match printed {
        Some(printed) => right_digits(printed),
        None => correct_digits(bits_here, spot.site.kind),
    };
    let [value, other] = spot.values.map(shortest);
    let [exact, other_exact] = spot.reals.each_ref().map(exactly);
    match spot.kind {
        // The recorded values belong to the worst execution, which has another cause.
        SpotKind::Output if !is_worst_here => format!("{worst}{digits}{share}"),
        SpotKind::Output if spot.reals[0].nearest.is_nan() => {
            format!("computed {value}, exact value unknown{share}")
        }
        SpotKind::Output => match printed {
            Some(Printed { text, exact, .. }) => {
                format!("{worst}{digits}: printed {text}, exact {exact}{share}")
            }
            None => format!("{worst}{digits}: computed {value}, exact {exact}{share}"),
        },
        SpotKind::Comparison => format!(
            "takes a different branch in exact arithmetic: computed {value} and {other}, exact {exact} and \
             {other_exact}{share}"
        ),
        SpotKind::Conversion => format!(
            "gives a different integer in exact arithmetic: computed {value}, exact {exact}{share}"
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bits_are_counted_within_the_format() {
        assert_eq!(
            lost_bits(51.26, Some(FpKind::Double)).unwrap(),
            "51.3 of 53 bits"
        );
        assert_eq!(
            lost_bits(20.0, Some(FpKind::Float)).unwrap(),
            "20 of 24 bits"
        );
        for (bits, kind) in [
            (53.0, Some(FpKind::Double)),
            (52.96, None),
            (62.0, Some(FpKind::Double)),
            (24.0, Some(FpKind::Float)),
        ] {
            assert_eq!(lost_bits(bits, kind), None, "{bits} of {kind:?}");
        }
    }

    #[test]
    fn outputs_are_measured_in_decimal_digits() {
        let double = |lost| correct_digits(lost, Some(FpKind::Double));
        assert_eq!(double(0.0), "15 of 15 digits are correct");
        assert_eq!(double(5.1), "14 of 15 digits are correct");
        assert_eq!(double(47.0), "1 of 15 digits is correct");
        assert_eq!(double(51.0), "no correct digits");
        assert_eq!(double(64.0), "no correct digits");
        let float = correct_digits(10.0, Some(FpKind::Float));
        assert_eq!(float, "4 of 6 digits are correct");
    }
}
