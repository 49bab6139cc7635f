//! Verdicts about outputs as they are printed: how far the text is from that of the exact value, in units of the last digit.
//!
//! A text may be wrong in its last digit: two numbers that are almost equal may round to neighbours, and who prints all digits that a
//! double has expects the last to be rounding. If there is only one digit, it may be off by one.
//!
//! # What it can miss
//!
//! Numbers beyond 10^±290 and conversions of more than 20 significant digits: there the lost bits decide.

use lostbits_abi::conversion::{Conversion, LastDigit};

use super::{
    double_double::{DoubleDouble, truncate},
    measure::{ALLOWANCE, Verdict, exponent},
};

/// A number and its error, about to be printed.
#[derive(Clone, Copy)]
pub struct Printed {
    pub value: DoubleDouble,
    pub residue: f64,
    pub bound: f64,
    pub conversion: Conversion,
}

const MOST_SIGNIFICANT: u32 = 20;
const MOST_SCALE: i32 = 290;
const MOST_VALUE: f64 = 1e290;

impl Printed {
    /// Whether fewer digits than `min_digits` are right; 0 means all that are printed but the last. None if the digits are not known.
    pub fn verdict(&self, min_digits: u32) -> Option<Verdict> {
        let last = self.conversion.last_digit()?;
        let is_too_long = matches!(last, LastDigit::Significant(MOST_SIGNIFICANT..));
        if is_too_long || !(self.value.high.abs() < MOST_VALUE) || self.residue.is_nan() {
            return None;
        }
        let doubt = ALLOWANCE * self.bound;
        if !(self.residue.abs() + doubt < MOST_VALUE) {
            return Some(Verdict::Undecided);
        }
        let is_wrong = |residue: f64| -> Option<bool> {
            let exact = self.value.plus(residue);
            let digits = Digits::of(self.value, exact, last)?;
            Some(!digits.are_right(min_digits))
        };
        let least = is_wrong(self.residue - doubt)?;
        let most = if doubt == 0.0 {
            least
        } else {
            is_wrong(self.residue + doubt)?
        };
        Some(match (least, most) {
            (false, false) => Verdict::Within,
            (true, true) if self.residue.abs() > doubt => Verdict::Over,
            _ => Verdict::Undecided,
        })
    }
}

/// Two numbers as printed with the same last digit.
#[derive(Clone, Copy, PartialEq, Debug)]
struct Digits {
    /// In units of the last digit.
    difference: f64,
    /// Digits of the larger one, from its first that is not zero.
    count: u32,
}

impl Digits {
    fn of(x: DoubleDouble, y: DoubleDouble, last: LastDigit) -> Option<Digits> {
        let larger = if x.high.abs() > y.high.abs() { x } else { y };
        let mut unit = match last {
            LastDigit::AfterPoint(places) => -i32::try_from(places).ok()?,
            LastDigit::Significant(_) if larger.high == 0.0 => 0,
            LastDigit::Significant(digits) => decimal_exponent(larger.high) + 1 - digits as i32,
        };
        let mut whole = in_units(larger, unit)?;
        if let LastDigit::Significant(digits) = last {
            // The estimate of the exponent is one too small at times, and rounding may carry into a new digit.
            while whole.high.abs() >= TENS[digits as usize] {
                unit += 1;
                whole = in_units(larger, unit)?;
            }
        }
        let (x, y) = (in_units(x, unit)?, in_units(y, unit)?);
        let difference = x.minus(y);
        let digits = TENS.partition_point(|power| *power <= whole.high.abs()) as u32;
        Some(Digits {
            difference: (difference.high + difference.low).abs(),
            count: match last {
                LastDigit::Significant(digits) => digits,
                LastDigit::AfterPoint(_) => digits.max(1),
            },
        })
    }

    /// Whether `min_digits` digits are right; 0 means all but the last. A digit is right if the error is less than one unit of
    /// it; the last one may be off by one.
    fn are_right(&self, min_digits: u32) -> bool {
        let wanted = match min_digits {
            0 => self.count.saturating_sub(1).max(1),
            _ => min_digits,
        };
        match self.count.checked_sub(wanted) {
            Some(others @ 1..) => self.difference < TENS[(others as usize).min(TENS.len() - 1)],
            _ => self.difference <= 1.0,
        }
    }
}

/// Powers of ten that are doubles.
const TENS: [f64; 23] = [
    1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16,
    1e17, 1e18, 1e19, 1e20, 1e21, 1e22,
];

/// The exponent of the first decimal digit, or one less.
fn decimal_exponent(x: f64) -> i32 {
    let estimate = f64::from(exponent(x)) * core::f64::consts::LOG10_2;
    let whole = estimate as i32;
    if f64::from(whole) > estimate {
        whole - 1
    } else {
        whole
    }
}

/// A number in units of 10^`unit`, rounded to a whole one.
fn in_units(x: DoubleDouble, unit: i32) -> Option<DoubleDouble> {
    let size = unit.unsigned_abs() as i32;
    if size > MOST_SCALE {
        return None;
    }
    let power = power_of_ten(size as usize);
    let scaled = match unit > 0 {
        true => quotient(x, power),
        false => product(x, power),
    };
    scaled.high.is_finite().then(|| nearest(scaled))
}

/// To the nearest whole number, to the even one of two.
fn nearest(x: DoubleDouble) -> DoubleDouble {
    let whole = truncate(x.high);
    let rest = (x.high - whole) + x.low;
    let is_odd = truncate(whole / 2.0) * 2.0 != whole;
    let up = match rest {
        // Where the high part is whole already, the low part has its own whole part.
        _ if rest.abs() > 1.0 => {
            let low = nearest(DoubleDouble {
                high: rest,
                low: 0.0,
            });
            return DoubleDouble::sum(whole, low.high);
        }
        _ if rest > 0.5 || (rest == 0.5 && is_odd) => 1.0,
        _ if rest < -0.5 || (rest == -0.5 && is_odd) => -1.0,
        _ => 0.0,
    };
    DoubleDouble::sum(whole, up)
}

fn power_of_ten(mut power: usize) -> DoubleDouble {
    const LARGEST: usize = TENS.len() - 1;
    let mut result = DoubleDouble {
        high: 1.0,
        low: 0.0,
    };
    while power > 0 {
        let step = power.min(LARGEST);
        let factor = DoubleDouble {
            high: TENS[step],
            low: 0.0,
        };
        result = product(result, factor);
        power -= step;
    }
    result
}

/// A double as a sum of two with half as many bits.
fn halves(x: f64) -> (f64, f64) {
    const SPLITTER: f64 = ((1u64 << 27) + 1) as f64;
    let scaled = SPLITTER * x;
    let high = scaled - (scaled - x);
    (high, x - high)
}

/// The exact product of two doubles far from the ends of their range.
fn exact_product(x: f64, y: f64) -> DoubleDouble {
    let high = x * y;
    let ((x1, x2), (y1, y2)) = (halves(x), halves(y));
    let low = ((x1 * y1 - high) + x1 * y2 + x2 * y1) + x2 * y2;
    DoubleDouble { high, low }
}

fn product(x: DoubleDouble, y: DoubleDouble) -> DoubleDouble {
    let exact = exact_product(x.high, y.high);
    DoubleDouble::sum(exact.high, exact.low + (x.high * y.low + x.low * y.high))
}

fn quotient(x: DoubleDouble, y: DoubleDouble) -> DoubleDouble {
    let first = x.high / y.high;
    let rest = x.minus(product(
        y,
        DoubleDouble {
            high: first,
            low: 0.0,
        },
    ));
    DoubleDouble::sum(first, (rest.high + rest.low) / y.high)
}

#[cfg(test)]
mod tests {
    use lostbits_abi::conversion::Notation;
    use lostbits_abi::conversion::Notation::{Fixed, General, Scientific, Shortest};

    use super::*;

    extern crate std;

    fn printed(notation: Notation, digits: u32, value: f64, exact: f64) -> Printed {
        Printed {
            value: DoubleDouble::sum(value, 0.0),
            residue: exact - value,
            bound: 0.0,
            conversion: Conversion::new(notation, digits),
        }
    }

    fn verdict(notation: Notation, digits: u32, value: f64, exact: f64) -> Option<Verdict> {
        printed(notation, digits, value, exact).verdict(0)
    }

    #[test]
    fn the_last_digit_may_be_wrong() {
        for (notation, digits, value, exact) in [
            (Fixed, 2, 0.314, 0.316),
            (Fixed, 2, 1234.561, 1234.554),
            (Fixed, 2, -0.001, 0.001),
            (Fixed, 0, 2.5, 3.4),
            (Fixed, 9, -0.169075164, -0.1690751640001),
            (Fixed, 2, 0.35, 0.31),
            (Fixed, 0, 2.0, 1.0),
            (Scientific, 3, 1.0004e-7, 1.0006e-7),
            (Scientific, 3, 999.96, 1000.0),
            (General, 6, 10.0, 9.999_96),
            (General, 6, 123_456.0, 123_457.0),
            (General, 15, 0.1 + 0.2, 0.3),
            (General, 17, 0.1 + 0.2, 0.3),
        ] {
            let found = verdict(notation, digits, value, exact);
            assert_eq!(
                found,
                Some(Verdict::Within),
                "{notation:?} {digits} {value} {exact}"
            );
        }
    }

    #[test]
    fn wrong_digits_are_found() {
        for (notation, digits, value, exact) in [
            (Fixed, 2, 0.35, 0.25),
            (Fixed, 0, 3.0, 1.0),
            (Fixed, 2, -0.01, 0.01),
            (Fixed, 9, 1.000_000_01, 1.0),
            (Fixed, 30, 1e-20, 2e-20),
            (Scientific, 8, 1e-20, 1.000_001e-20),
            (Scientific, 5, 0.0, 1e-20),
            (General, 6, 9.99, 10.0),
            (General, 3, 1e200, 1.1e200),
            (General, 17, 1.000_000_000_000_002, 1.0),
        ] {
            let found = verdict(notation, digits, value, exact);
            assert_eq!(
                found,
                Some(Verdict::Over),
                "{notation:?} {digits} {value} {exact}"
            );
        }
    }

    #[test]
    fn some_digits_may_be_enough() {
        let one = printed(General, 6, 1.234_56, 1.236_49);
        assert_eq!(one.verdict(0), Some(Verdict::Over));
        assert_eq!(one.verdict(4), Some(Verdict::Over));
        assert_eq!(one.verdict(3), Some(Verdict::Within));
        let fixed = printed(Fixed, 2, 123.45, 124.0);
        assert_eq!(fixed.verdict(9), Some(Verdict::Over));
        assert_eq!(fixed.verdict(4), Some(Verdict::Over));
        assert_eq!(fixed.verdict(3), Some(Verdict::Within));
    }

    #[test]
    fn what_is_not_known_is_undecided() {
        let mut one = printed(Fixed, 2, 0.31, 0.31);
        one.bound = 1e-5;
        assert_eq!(one.verdict(0), Some(Verdict::Within));
        one.bound = 1.0;
        assert_eq!(one.verdict(0), Some(Verdict::Undecided));
        one.bound = f64::INFINITY;
        assert_eq!(one.verdict(0), Some(Verdict::Undecided));
        assert_eq!(verdict(Shortest, 0, 1.0, 2.0), None);
        // Too far out for this arithmetic.
        assert_eq!(verdict(Scientific, 3, 1e-300, 2e-300), None);
    }

    /// Against texts that the standard library makes, which are exact.
    #[test]
    fn digits_are_those_of_the_texts() {
        let mut state = 7u64;
        let mut random = || {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            state >> 33
        };
        for _ in 0..20_000 {
            let size = (random() % 40) as i32 - 20;
            let value =
                (random() as f64 / 1e9 + 0.1) * std::format!("1e{size}").parse::<f64>().unwrap();
            let exact = value
                * (1.0 + (random() as f64 / 1e9 - 1.0) * TENS[(random() % 16) as usize] * 1e-16);
            let places = (random() % 12) as usize;
            let whole = |text: std::string::String| -> i128 {
                text.chars()
                    .filter(char::is_ascii_digit)
                    .collect::<std::string::String>()
                    .parse()
                    .unwrap()
            };
            let of = |x: f64| whole(std::format!("{x:.places$}"));
            let difference = (of(value) - of(exact)).abs();
            let [x, y] = [value, exact].map(|x| DoubleDouble::sum(x, 0.0));
            let digits = Digits::of(x, y, LastDigit::AfterPoint(places as u32)).unwrap();
            assert_eq!(
                digits.difference, difference as f64,
                "{value} {exact} {places}"
            );
        }
    }
}
