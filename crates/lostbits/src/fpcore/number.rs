//! Numbers as written, exactly: decimal, hexadecimal, rational, `(digits m e b)`.

use std::cmp::Ordering;

use rug::{Float, Integer, Rational, float::Round, ops::Pow};

use super::problem::Problem;

/// Beyond this, exact values would take megabytes; no format reaches so far.
const LARGEST_EXPONENT: i64 = 20_000;

/// An exact number with the text it was written as.
#[derive(Clone, PartialEq, Debug)]
pub struct Number {
    pub value: Rational,
    pub text: String,
    /// The sign of a zero.
    pub negative: bool,
}

impl Number {
    pub fn read(text: &str) -> Result<Number, Problem> {
        let not_a_number = || Problem::NotANumber(text.to_owned());
        let (negative, unsigned) = match text.as_bytes().first() {
            Some(b'-') => (true, &text[1..]),
            Some(b'+') => (false, &text[1..]),
            _ => (false, text),
        };
        let magnitude = match unsigned.split_once('/') {
            Some((above, below)) => {
                let [above, below] = [above, below].map(|digits| integer(digits, 10));
                let (above, below) = above.zip(below).ok_or_else(not_a_number)?;
                if below == 0 {
                    return Err(not_a_number());
                }
                Rational::from((above, below))
            }
            None => match unsigned.strip_prefix("0x").or(unsigned.strip_prefix("0X")) {
                Some(digits) => positional(digits, text, 16, ['p', 'P'], 2)?,
                None => positional(unsigned, text, 10, ['e', 'E'], 10)?,
            },
        };
        Ok(Number {
            value: if negative { -magnitude } else { magnitude },
            text: text.to_owned(),
            negative,
        })
    }

    /// m · b^e of `(digits m e b)`.
    pub fn from_digits(
        mantissa: &Number,
        exponent: &Number,
        base: &Number,
    ) -> Result<Number, Problem> {
        let text = format!("(digits {} {} {})", mantissa.text, exponent.text, base.text);
        let whole = |number: &Number| {
            let is_whole = *number.value.denom() == 1;
            is_whole.then(|| number.value.numer().to_i64()).flatten()
        };
        let (Some(exponent), Some(base)) = (whole(exponent), whole(base)) else {
            return Err(Problem::NotANumber(text));
        };
        if base < 2 {
            return Err(Problem::NotANumber(text));
        }
        let value = &mantissa.value * power(base as u32, exponent, &text)?;
        Ok(Number {
            value,
            text,
            negative: mantissa.negative,
        })
    }

    /// The shortest decimal that reads as a finite double.
    pub fn from_f64(x: f64) -> Number {
        let everyday = (1e-4..1e16).contains(&x.abs()) || x == 0.0;
        let text = if everyday {
            format!("{x}")
        } else {
            format!("{x:e}")
        };
        Number::read(&text).expect("a finite number is a number")
    }

    /// Rounded to nearest at a precision, with the exponents of MPFR.
    pub fn to_float(&self, precision: u32) -> Float {
        let float = Float::with_val(precision, &self.value);
        if float.is_zero() && self.negative {
            -float
        } else {
            float
        }
    }

    /// Rounded to nearest once, into the subnormals too.
    pub fn to_f64(&self) -> f64 {
        self.to_format(53).to_f64()
    }

    pub fn to_f32(&self) -> f32 {
        self.to_format(24).to_f32()
    }

    fn to_format(&self, precision: u32) -> Float {
        let (mut float, direction) = Float::with_val_round(precision, &self.value, Round::Nearest);
        let _: Ordering = float.subnormalize_ieee_round(direction, Round::Nearest);
        if float.is_zero() && self.negative {
            -float
        } else {
            float
        }
    }
}

fn integer(digits: &str, radix: i32) -> Option<Integer> {
    let plain = !digits.is_empty() && digits.chars().all(|c| c.is_digit(radix as u32));
    plain
        .then(|| Integer::from_str_radix(digits, radix).ok())
        .flatten()
}

/// Digits with an optional point and an optional exponent, which is always decimal.
fn positional(
    digits: &str,
    text: &str,
    radix: i32,
    marks: [char; 2],
    base: u32,
) -> Result<Rational, Problem> {
    let not_a_number = || Problem::NotANumber(text.to_owned());
    let (digits, exponent) = match digits.split_once(marks) {
        Some((digits, exponent)) => (
            digits,
            exponent.parse::<i64>().map_err(|error| {
                use std::num::IntErrorKind::{NegOverflow, PosOverflow};
                match error.kind() {
                    PosOverflow | NegOverflow => Problem::ExponentOutOfReach(text.to_owned()),
                    _ => not_a_number(),
                }
            })?,
        ),
        None => (digits, 0),
    };
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
    let all = integer(&format!("{whole}{fraction}"), radix).ok_or_else(not_a_number)?;
    let shift = power(radix as u32, -(fraction.len() as i64), text)?;
    Ok(Rational::from(all) * shift * power(base, exponent, text)?)
}

fn power(base: u32, exponent: i64, text: &str) -> Result<Rational, Problem> {
    if exponent.abs() > LARGEST_EXPONENT {
        return Err(Problem::ExponentOutOfReach(text.to_owned()));
    }
    let power = Integer::from(base).pow(exponent.unsigned_abs() as u32);
    Ok(if exponent < 0 {
        Rational::from((Integer::from(1), power))
    } else {
        Rational::from(power)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_notation_is_read_exactly() {
        let cases = [
            ("1", 1.0),
            ("-.985", -0.985),
            ("10e-6", 10e-6),
            ("+1/2", 0.5),
            ("-3969/625", -6.3504),
            ("0x1.8p-1", 0.75),
            ("0xff", 255.0),
            ("5e-324", 5e-324),
            ("4.9406564584124654e-324", 5e-324),
            ("2.2250738585072011e-308", f64::MIN_POSITIVE.next_down()),
            ("1e400", f64::INFINITY),
            ("-0.0", -0.0),
        ];
        for (text, value) in cases {
            let read = Number::read(text).unwrap().to_f64();
            assert_eq!(read.to_bits(), value.to_bits(), "{text}");
        }
        let digits = |m, e, b| {
            let [m, e, b] = [m, e, b].map(|text| Number::read(text).unwrap());
            Number::from_digits(&m, &e, &b).unwrap().to_f64()
        };
        assert_eq!(digits("3", "-2", "10"), 0.03);
        assert_eq!(digits("-5", "3", "2"), -40.0);
    }

    #[test]
    fn what_is_no_number_is_refused() {
        for text in [
            "",
            "-",
            "1/0",
            "1..2",
            "1e",
            "0x",
            "e5",
            "1/2.0",
            "1e99999999999999999999",
        ] {
            assert!(Number::read(text).is_err(), "{text}");
        }
    }
}
