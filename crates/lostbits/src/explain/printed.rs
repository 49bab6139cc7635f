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
    conversion: Conversion,
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
    /// Exact arithmetic prints something else, which another run found.
    pub fn set_exact(&mut self, text: String) {
        let [value, exact] = [&self.text, &text].map(|text| digits_of(&text.to_lowercase()));
        if let (Some((value, unit)), Some((exact, exact_unit))) = (value, exact) {
            let last = unit.min(exact_unit);
            let at_last = |digits: Integer, unit: i64| digits * ten((unit - last) as u32);
            let (value, exact) = (at_last(value, unit), at_last(exact, exact_unit));
            self.of = length(&value).max(length(&exact));
            self.right = right(&(value - exact), self.of);
        }
        self.exact = text;
    }

    /// Another value in the same conversion.
    pub fn with_value(&self, value: f64, exact: f64, kind: Option<FpKind>) -> Option<Printed> {
        let recorded = Recorded {
            value,
            tail: 0.0,
            exact: Exact::of(exact),
            exact_tail: 0.0,
            kind,
        };
        let mut printed = Printed::new(&recorded, self.conversion)?;
        // `%g` does not print zeros at the end; they are right, too.
        if printed.right == printed.of {
            printed.of = printed.of.max(self.of);
            printed.right = printed.of;
        }
        Some(printed)
    }

    /// None if the conversion is not known, or the exact value is known and not a double.
    pub fn new(recorded: &Recorded, conversion: Conversion) -> Option<Printed> {
        let exact = &recorded.exact;
        if exact.nearest.is_nan() {
            return without_exact(recorded, conversion);
        }
        let is_double = exact.fraction == 0.0 || exact.nearest.is_normal();
        if !is_double || conversion.digits() > MOST_DIGITS {
            return None;
        }
        match conversion.notation() {
            Notation::Shortest => shortest(recorded, conversion),
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
                            conversion,
                        })
                    }
                }
            }
        }
    }
}

/// What was printed, where exact arithmetic has no value that this precision knows.
fn without_exact(recorded: &Recorded, conversion: Conversion) -> Option<Printed> {
    if recorded.value.is_nan() {
        return None;
    }
    let known = Recorded {
        exact: Exact::of(recorded.value),
        exact_tail: recorded.tail,
        ..*recorded
    };
    let printed = Printed::new(&known, conversion)?;
    Some(Printed {
        exact: no_number(recorded.value).to_owned(),
        right: 0,
        ..printed
    })
}

/// In place of an exact value that is NaN: of a computed NaN or infinity it is not known; a computed number is none in exact
/// arithmetic, which divided by zero, say.
pub fn no_number(computed: f64) -> &'static str {
    match computed.is_finite() {
        true => "undefined",
        false => "unknown",
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
    let difference = in_units(value, unit) - in_units(exact, unit);
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
        conversion,
    })
}

/// How many of `of` digits are right, at a difference in units of the last.
fn right(difference: &Integer, digits: u32) -> u32 {
    match *difference.as_abs() <= 1 {
        true => digits,
        false => digits.saturating_sub(length(difference)),
    }
}

/// The fewest digits that give both numbers back.
fn shortest(recorded: &Recorded, conversion: Conversion) -> Option<Printed> {
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
            conversion,
        });
    };
    let last = unit.min(exact_unit);
    let at_last = |digits: Integer, unit: i64| digits * ten((unit - last) as u32);
    let (value, other) = (at_last(digits, unit), at_last(exact_digits, exact_unit));
    let of = length(&value).max(length(&other));
    Some(Printed {
        right: right(&(value - other), of),
        text,
        exact,
        of,
        conversion,
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

#[cfg(test)]
mod tests {
    use std::ffi::CString;

    use super::*;
    use crate::numeric::Random;

    fn printed(value: f64, exact: f64, notation: Notation, digits: u32) -> Printed {
        let recorded = Recorded {
            value,
            tail: 0.0,
            exact: Exact::of(exact),
            exact_tail: 0.0,
            kind: Some(FpKind::Double),
        };
        Printed::new(&recorded, Conversion::new(notation, digits)).expect("a known conversion")
    }

    /// What C prints.
    fn c_text(letter: char, digits: u32, value: f64) -> String {
        let format = CString::new(format!("%.{digits}{letter}")).expect("no zero");
        let mut text = [0u8; 512];
        // SAFETY: the format takes one double, and the length is that of the text.
        let length =
            unsafe { libc::snprintf(text.as_mut_ptr().cast(), text.len(), format.as_ptr(), value) };
        String::from_utf8_lossy(&text[..length as usize]).into_owned()
    }

    #[test]
    fn without_an_exact_value_no_digit_is_right() {
        let of = |value: f64| {
            let recorded = Recorded {
                value,
                tail: 0.0,
                exact: Exact::of(f64::NAN),
                exact_tail: 0.0,
                kind: Some(FpKind::Double),
            };
            Printed::new(&recorded, Conversion::new(Notation::General, 6))
        };
        let printed = of(1.0000000039384198).expect("a number has a text");
        assert_eq!((printed.text.as_str(), printed.right), ("1", 0));
        assert_eq!(printed.exact, "undefined");
        assert_eq!(of(f64::NAN), None);
    }

    #[test]
    fn texts_are_those_of_c() {
        let mut random = Random::new(11);
        let edges = [
            0.0,
            1.0,
            -1.0,
            0.5,
            0.125,
            2.5,
            9.5,
            99.5,
            0.095,
            1e-5,
            123_456.0,
            999_999.5,
            1e22,
            5e-324,
            f64::MAX,
        ];
        let others = (0..3000).map(|_| f64::from_bits(random.bits()));
        for value in edges
            .into_iter()
            .chain(others)
            .filter(|one| one.is_finite())
        {
            for digits in [0, 1, 3, 6, 17] {
                for (letter, notation) in [
                    ('e', Notation::Scientific),
                    ('f', Notation::Fixed),
                    ('g', Notation::General),
                ] {
                    let text = printed(value, value, notation, digits).text;
                    let wanted = c_text(letter, digits, value);
                    // The sign of a zero is no digit.
                    let is_zero = !wanted.contains(|c: char| ('1'..='9').contains(&c));
                    let wanted = match is_zero {
                        true => wanted.trim_start_matches('-').to_owned(),
                        false => wanted,
                    };
                    assert_eq!(text, wanted, "%.{digits}{letter} of {value:e}");
                }
            }
        }
    }

    #[test]
    fn right_digits_are_counted() {
        let count = |value, exact, notation, digits| {
            let printed = printed(value, exact, notation, digits);
            (printed.right, printed.of)
        };
        use Notation::{Fixed, General, Scientific, Shortest};
        assert_eq!(
            count(2.88096620145325, 2.88096620145285, General, 15),
            (13, 15)
        );
        assert_eq!(count(-1.90734863e-6, 4.28517771e-7, Scientific, 8), (0, 9));
        assert_eq!(count(123.45, 123.41, Fixed, 2), (4, 5));
        assert_eq!(count(0.01, 0.02, Fixed, 2), (1, 1));
        assert_eq!(count(0.001, -0.001, Fixed, 2), (1, 1));
        assert_eq!(count(0.5, 0.500002, General, 6), (5, 6));
        assert_eq!(count(2.0, 3.0, General, 6), (0, 1));
        assert_eq!(count(0.0, 1e-20, Scientific, 3), (0, 4));
        assert_eq!(count(0.1 + 0.2, 0.3, Shortest, 0), (16, 17));
        assert_eq!(count(f64::NAN, 0.25, General, 6), (0, 2));
        assert_eq!(count(f64::INFINITY, 0.25, Shortest, 0), (0, 2));
    }

    #[test]
    fn long_doubles_have_all_their_digits() {
        let recorded = Recorded {
            value: 1.0,
            tail: f64::EPSILON / 2048.0,
            exact: Exact::of(1.0),
            exact_tail: 0.0,
            kind: Some(FpKind::X87),
        };
        let printed = |conversion| Printed::new(&recorded, conversion);
        let long = printed(Conversion::new(Notation::General, 20)).expect("known");
        assert_eq!(long.text, "1.0000000000000000001");
        assert_eq!((long.right, long.of), (20, 20));
        assert_eq!(printed(Conversion::SHORTEST), None);
        assert_eq!(printed(Conversion::UNKNOWN), None);
        let upper = Conversion::new(Notation::Scientific, 2).in_upper_case();
        assert_eq!(printed(upper).expect("known").text, "1.00E+00");
    }
}
