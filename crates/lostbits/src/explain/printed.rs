//! An output as it was printed, beside the exact value in the same conversion.
//!
//! Texts are made from the recorded numbers, exactly. They are those of C: without padding, and Fortran's and Rust's exponents
//! are written as C writes them.

use lostbits_abi::{
    conversion::{Conversion, LastDigit, Notation},
    explain::Exact,
    kind::FpKind,
};
use rug::{Integer, Rational, ops::Pow};

/// What was printed, and what exact arithmetic prints.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Printed {
    pub text: String,
    pub exact: String,
    /// Digits that are right, of those printed. The last one may be off by one.
    pub right: u32,
    pub of: u32,
}

/// A number as the runtime recorded it: a double, and what it has beyond that.
#[derive(Clone, Copy)]
pub struct Recorded {
    pub value: f64,
    pub tail: f64,
    pub exact: Exact,
    pub exact_tail: f64,
    pub kind: Option<FpKind>,
}

/// More digits are not shown.
const MOST_DIGITS: u32 = 60;

impl Printed {
    /// None if the conversion is not known, or the exact value is not a double.
    pub fn new(recorded: &Recorded, conversion: Conversion) -> Option<Printed> {
        let exact = &recorded.exact;
        let is_double = exact.fraction == 0.0 || exact.nearest.is_normal();
        if !is_double || conversion.digits() > MOST_DIGITS {
            return None;
        }
        match conversion.notation() {
            Notation::Shortest => shortest(recorded),
            _ => {
                let exact = rational(exact.nearest, recorded.exact_tail)?;
                match rational(recorded.value, recorded.tail) {
                    Some(value) => with_digits(&value, &exact, conversion),
                    None => {
                        let (exact, of) = text(&exact, conversion)?;
                        let text = recorded.value.to_string().to_lowercase();
                        let right = 0;
                        Some(Printed {
                            text,
                            exact,
                            right,
                            of,
                        })
                    }
                }
            }
        }
    }
}

fn rational(value: f64, tail: f64) -> Option<Rational> {
    Some(Rational::from_f64(value)? + Rational::from_f64(tail)?)
}

fn with_digits(value: &Rational, exact: &Rational, conversion: Conversion) -> Option<Printed> {
    let last = conversion.last_digit()?;
    let larger = if value.cmp_abs(exact).is_gt() {
        value
    } else {
        exact
    };
    let unit = unit(larger, last);
    let difference = Integer::from(in_units(value, unit) - in_units(exact, unit));
    let digits = match last {
        LastDigit::Significant(digits) => digits,
        LastDigit::AfterPoint(_) => length(&in_units(larger, unit)),
    };
    let ((text, of), (exact, of_exact)) = (text(value, conversion)?, text(exact, conversion)?);
    let of = of.max(of_exact);
    Some(Printed {
        right: right(&difference, digits).min(of),
        text,
        exact,
        of,
    })
}

/// How many of so many digits are right, at a difference in units of the last.
fn right(difference: &Integer, digits: u32) -> u32 {
    match *difference.as_abs() <= 1 {
        true => digits,
        false => digits.saturating_sub(length(difference)),
    }
}

/// The fewest digits that give both numbers back.
fn shortest(recorded: &Recorded) -> Option<Printed> {
    let show: fn(f64) -> String = match recorded.kind.unwrap_or(FpKind::Double) {
        FpKind::Double => |value| format!("{value:?}"),
        FpKind::Float => |value| format!("{:?}", value as f32),
        _ => return None,
    };
    if !recorded.exact.nearest.is_finite() {
        return None;
    }
    let [text, exact] = [recorded.value, recorded.exact.nearest]
        .map(show)
        .map(|text| text.trim_end_matches(".0").to_lowercase());
    let (exact_digits, exact_unit) = digits_of(&exact)?;
    let Some((digits, unit)) = digits_of(&text) else {
        let (right, of) = (0, length(&exact_digits));
        return Some(Printed {
            text,
            exact,
            right,
            of,
        });
    };
    let last = unit.min(exact_unit);
    let at_last = |digits: Integer, unit: i64| digits * ten((unit - last) as u32);
    let (value, other) = (at_last(digits, unit), at_last(exact_digits, exact_unit));
    let of = length(&value).max(length(&other));
    Some(Printed {
        right: right(&Integer::from(value - other), of),
        text,
        exact,
        of,
    })
}

/// The digits of a decimal text as a whole number, and the power of ten that it counts.
fn digits_of(text: &str) -> Option<(Integer, i64)> {
    let (fraction, exponent) = text.split_once('e').unwrap_or((text, "0"));
    let places = fraction
        .split_once('.')
        .map_or(0, |(_, places)| places.len());
    let digits: Integer = fraction.replace('.', "").parse().ok()?;
    Some((digits, exponent.parse::<i64>().ok()? - places as i64))
}

fn ten(power: u32) -> Integer {
    Integer::from(10).pow(power)
}

/// Decimal digits, at least one.
fn length(number: &Integer) -> u32 {
    number.clone().abs().to_string().len() as u32
}

/// The power of ten of a number's last printed digit.
fn unit(number: &Rational, last: LastDigit) -> i32 {
    match last {
        LastDigit::AfterPoint(places) => -(places as i32),
        LastDigit::Significant(_) if *number == 0 => 0,
        LastDigit::Significant(digits) => {
            let digits = digits as i32;
            let mut unit = exponent(number) + 1 - digits;
            // Rounding may carry into a new digit.
            if length(&in_units(number, unit)) as i32 > digits {
                unit += 1;
            }
            unit
        }
    }
}

/// The power of ten of a number's first digit.
fn exponent(number: &Rational) -> i32 {
    let bits = |part: &Integer| part.significant_bits() as f64;
    let log2 = bits(number.numer()) - bits(number.denom());
    let mut exponent = (log2 * std::f64::consts::LOG10_2).floor() as i32 - 1;
    let size = Rational::from(number.abs_ref());
    while size >= power(exponent + 1) {
        exponent += 1;
    }
    exponent
}

fn power(exponent: i32) -> Rational {
    let size = Rational::from(ten(exponent.unsigned_abs()));
    if exponent < 0 { size.recip() } else { size }
}

/// A number in units of a power of ten, rounded to the nearest; of two, to the even one.
fn in_units(number: &Rational, unit: i32) -> Integer {
    let (fraction, whole) = (number.clone() / power(unit)).fract_floor(Integer::new());
    let half = Rational::from((1, 2));
    let is_up = fraction > half || (fraction == half && whole.is_odd());
    whole + u32::from(is_up)
}

/// A number's text, and how many digits that has from the first that is not zero.
fn text(number: &Rational, conversion: Conversion) -> Option<(String, u32)> {
    let last = conversion.last_digit()?;
    let unit = unit(number, last);
    let whole = in_units(number, unit);
    let sign = if whole < 0 { "-" } else { "" };
    let mut digits = whole.abs().to_string();
    let e = if conversion.is_upper_case() { 'E' } else { 'e' };
    let first = match last {
        LastDigit::Significant(count) => {
            // Zero has as many digits as are asked for.
            digits = format!("{digits:0<width$}", width = count as usize);
            if *number == 0 {
                0
            } else {
                unit + count as i32 - 1
            }
        }
        LastDigit::AfterPoint(_) => unit + digits.len() as i32 - 1,
    };
    let precision = digits.len() as i32;
    let is_scientific = match conversion.notation() {
        Notation::Scientific => true,
        Notation::General => first < -4 || first >= precision,
        _ => false,
    };
    let count = if conversion.notation() == Notation::General {
        digits.truncate(digits.trim_end_matches('0').len().max(1));
        digits.len()
    } else {
        digits.trim_start_matches('0').len().max(1)
    };
    let body = match is_scientific {
        true => {
            let exponent = match first {
                ..0 => format!("-{:02}", -first),
                _ => format!("+{first:02}"),
            };
            format!("{}{e}{exponent}", with_point(&digits, 1))
        }
        false if first < 0 => with_point(&("0".repeat(first.unsigned_abs() as usize) + &digits), 1),
        false => {
            let before = first as usize + 1;
            with_point(&format!("{digits:0<before$}"), before)
        }
    };
    Some((format!("{sign}{body}"), count as u32))
}

/// Digits with a point after the first of them, if any follow.
fn with_point(digits: &str, before: usize) -> String {
    match digits.split_at(before.min(digits.len())) {
        (whole, "") => whole.to_owned(),
        (whole, places) => format!("{whole}.{places}"),
    }
}
