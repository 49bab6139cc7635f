//! Floating-point values by their bits: the shortest decimal that reads back as the value, and the
//! hexadecimal form of C, which is exact.

use lostbits_abi::{explain::Exact, kind::FpKind};
use rug::Float;

pub use crate::numeric::hexadecimal;
use crate::watch::real;

/// A value in both forms; `None` where the record does not hold all its bits.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Number {
    pub decimal: String,
    pub hexadecimal: String,
}

impl Number {
    pub fn new(bits: u64, kind: FpKind) -> Option<Number> {
        let value = real(bits, kind)?;
        let decimal = match kind {
            FpKind::Double => format!("{value:?}"),
            _ => format!("{:?}", value as f32),
        };
        Some(Number {
            decimal,
            hexadecimal: hexadecimal(value),
        })
    }
}

/// The shortest decimal that reads back as the value, without a needless `.0`.
pub fn shortest(value: f64) -> String {
    let text = format!("{value:?}");
    text.strip_suffix(".0").map_or(text.clone(), str::to_owned)
}

/// A real number: the double nearest to it, or its digits where it lies beyond the doubles.
pub fn exactly(real: &Exact) -> String {
    if real.fraction == 0.0 || real.nearest.is_normal() {
        return shortest(real.nearest);
    }
    let Ok(exponent) = i32::try_from(real.exponent) else {
        let size = if real.exponent > 0 { "large" } else { "small" };
        return format!("a number too {size} to be written");
    };
    let digits = format!("{:.12e}", Float::with_val(64, real.fraction) << exponent);
    let (fraction, exponent) = digits.split_once('e').unwrap_or((&digits, "0"));
    let fraction = fraction.trim_end_matches('0').trim_end_matches('.');
    format!("{fraction}e{exponent}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn doubles_in_both_forms() {
        let shown = |value: f64| {
            let number = Number::new(value.to_bits(), FpKind::Double).unwrap();
            format!("{} {}", number.decimal, number.hexadecimal)
        };
        assert_eq!(shown(0.5), "0.5 0x1p-1");
        assert_eq!(shown(0.1), "0.1 0x1.999999999999ap-4");
        assert_eq!(shown(-1.5), "-1.5 -0x1.8p+0");
        assert_eq!(shown(0.0), "0.0 0x0p+0");
        assert_eq!(shown(5e-324), "5e-324 0x0.0000000000001p-1022");
        assert_eq!(shown(f64::INFINITY), "inf inf");
    }

    #[test]
    fn reals_beyond_the_doubles_have_digits() {
        let real = |fraction, exponent| {
            exactly(&Exact {
                nearest: 0.0,
                fraction,
                exponent,
            })
        };
        assert_eq!(real(0.5, -1999), "8.70980981622e-603");
        assert_eq!(real(-0.75, 2001), "-1.72219604291e602");
        assert_eq!(real(0.5, 1 << 40), "a number too large to be written");
        assert_eq!(exactly(&Exact::of(0.25)), "0.25");
    }

    #[test]
    fn floats_are_as_short_as_floats() {
        let bits = u64::from(0.1f32.to_bits());
        let number = Number::new(bits, FpKind::Float).unwrap();
        assert_eq!(number.decimal, "0.1");
        assert_eq!(number.hexadecimal, "0x1.99999ap-4");
        assert_eq!(Number::new(bits, FpKind::X87), None);
    }
}
