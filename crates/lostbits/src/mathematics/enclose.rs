//! Evaluates an expression in intervals of rising precision: what it says is proved, up to bugs of MPFR.
//!
//! MPFR rounds special functions of exact operands correctly, so one of them applied to an input or to a constant
//! is known to the last bit. Of an operand that is only enclosed, monotone functions alone are evaluated.
//! What MPFR lacks, or needs too long for, is unknown here.

use gmp_mpfr_sys::mpfr;
use lostbits_abi::ops::Op;
use rug::Float;

use super::expression::{Expression, Special};
use crate::fpcore::evaluate::enclosure::{self, Enclosure};

/// What is known about the value of an expression.
#[derive(Clone, PartialEq, Debug)]
pub enum Truth {
    /// Correct to at least 64 bits. Infinite where it is far outside the doubles.
    Value(Float),
    /// The expression is not defined at this input, or has a pole there.
    Undefined,
    Unknown,
}

const FIRST: u32 = 160;
/// Enough for arguments of 2^1023 next to a zero.
const LAST: u32 = 2560;
/// Enclosures as narrow as this are one value.
const BITS: u32 = 64;

pub fn evaluate(expression: &Expression, inputs: &[f64]) -> Truth {
    let mut precision = FIRST;
    loop {
        match enclosed(expression, inputs, precision) {
            Enclosure::Nan => return Truth::Undefined,
            Enclosure::Between(low, high) if enclosure::is_tight(&low, &high, BITS) => {
                return match low.is_infinite() && high.is_infinite() {
                    true => Truth::Undefined,
                    false => Truth::Value(low),
                };
            }
            Enclosure::Between(..) if precision < LAST => precision *= 2,
            Enclosure::Unknown if precision == FIRST => precision *= 2,
            _ => return Truth::Unknown,
        }
    }
}

fn enclosed(expression: &Expression, inputs: &[f64], precision: u32) -> Enclosure {
    let operands = |operands: &[Expression]| -> Vec<Enclosure> {
        operands
            .iter()
            .map(|operand| enclosed(operand, inputs, precision))
            .collect()
    };
    match expression {
        Expression::Number(number) => {
            let value = Float::with_val(precision, number);
            let inexact = value.to_rational().is_none_or(|exact| exact != *number);
            Enclosure::rounded(value, inexact)
        }
        Expression::Pi => {
            Enclosure::rounded(Float::with_val(precision, rug::float::Constant::Pi), true)
        }
        Expression::Input(index) => match inputs.get(*index) {
            Some(input) => Enclosure::exact(Float::with_val(53, *input)),
            None => Enclosure::Unknown,
        },
        Expression::Operation(op, inner) => operation(*op, &operands(inner), precision),
        Expression::Special(special, inner) => {
            let operands = operands(inner);
            let points: Option<Vec<&Float>> = operands.iter().map(Enclosure::point).collect();
            points.map_or(Enclosure::Unknown, |points| {
                at(*special, &points, precision)
            })
        }
    }
}

fn operation(op: Op, operands: &[Enclosure], precision: u32) -> Enclosure {
    // A pole of Γ is not a value.
    let pole = matches!(op, Op::Tgamma | Op::Lgamma)
        && operands[0]
            .point()
            .is_some_and(|x| *x <= 0 && x.is_integer());
    match pole {
        true => Enclosure::Nan,
        false => enclosure::operation(op, operands, precision),
    }
}

/// Beyond these MPFR needs seconds or gigabytes.
const LARGEST_AIRY: f64 = 200.0;
const LARGEST_ORDER: i32 = 64;
const LARGEST_ZETA: f64 = 1e6;

/// A special function of exact operands, as far as MPFR has it.
fn at(special: Special, operands: &[&Float], precision: u32) -> Enclosure {
    let x = operands[operands.len() - 1];
    if operands.iter().any(|operand| !operand.is_finite()) {
        return Enclosure::Unknown;
    }
    let order = || {
        let order = operands[0].to_integer()?.to_i32()?;
        (operands[0].is_integer() && order.abs() <= LARGEST_ORDER).then_some(order)
    };
    let is_pole = |x: &Float| *x <= 0 && x.is_integer();
    // SAFETY: the flags are MPFR's own, one set for each thread.
    unsafe { mpfr::clear_flags() };
    let value = match (special.name, operands.len()) {
        ("digamma", 1) if is_pole(x) => return Enclosure::Nan,
        ("digamma", 1) => Float::with_val(precision, x.digamma_ref()),
        ("polygamma", 2) | ("hurwitz", 2) if is_pole(x) => return Enclosure::Nan,
        ("besselk", 2) if *x <= 0 => return Enclosure::Nan,
        ("zeta", 1) if *x == 1 => return Enclosure::Nan,
        ("zeta", 1) if *x.as_abs() <= LARGEST_ZETA => Float::with_val(precision, x.zeta_ref()),
        ("besselj", 2) => match order() {
            Some(order) => Float::with_val(precision, x.jn_ref(order)),
            None => return Enclosure::Unknown,
        },
        ("bessely", 2) if *x <= 0 => return Enclosure::Nan,
        ("bessely", 2) => match order() {
            Some(order) => Float::with_val(precision, x.yn_ref(order)),
            None => return Enclosure::Unknown,
        },
        ("airyai", 1) if *x.as_abs() <= LARGEST_AIRY => Float::with_val(precision, x.ai_ref()),
        ("ei", 1) if x.is_zero() => return Enclosure::Nan,
        ("ei", 1) => Float::with_val(precision, x.eint_ref()),
        ("e1", 1) if x.is_zero() => return Enclosure::Nan,
        ("e1", 1) => {
            let negative = Float::with_val(x.prec(), -x);
            -Float::with_val(precision, negative.eint_ref())
        }
        ("dilog", 1) => Float::with_val(precision, x.li2_ref()),
        ("agm", 2) => Float::with_val(precision, operands[0].agm_ref(x)),
        ("rgamma", 1) if is_pole(x) => return Enclosure::exact(Float::new(precision)),
        ("rgamma", 1) => {
            let gamma = operation(Op::Tgamma, &[Enclosure::exact(x.clone())], precision);
            let one = Enclosure::exact(Float::with_val(precision, 1));
            return enclosure::operation(Op::Div, &[one, gamma], precision);
        }
        _ => return Enclosure::Unknown,
    };
    // SAFETY: as above.
    let inexact = unsafe { mpfr::inexflag_p() } != 0;
    match value.is_nan() {
        true => Enclosure::Nan,
        false => Enclosure::rounded(value, inexact),
    }
}

#[cfg(test)]
mod tests {
    use super::{super::expression::read, *};

    fn value(text: &str, x: f64) -> f64 {
        match evaluate(&read(text, &["x"]).unwrap(), &[x]) {
            Truth::Value(value) => value.to_f64(),
            other => panic!("{text} at {x}: {other:?}"),
        }
    }

    /// Values from DLMF and Abramowitz and Stegun.
    #[test]
    fn known_values() {
        for (text, x, right) in [
            ("besselj(0, x)", 1.0, 0.765_197_686_557_966_6),
            ("bessely(1, x)", 2.0, -0.107_032_431_540_937_55),
            ("airyai(x)", 0.0, 0.355_028_053_887_817_2),
            ("digamma(x)", 1.0, -0.577_215_664_901_532_9),
            ("zeta(x) - 1", 2.0, 0.644_934_066_848_226_4),
            ("ei(x)", 1.0, 1.895_117_816_355_936_8),
            ("e1(x)", 1.0, 0.219_383_934_395_520_27),
            ("dilog(x)", 1.0, 1.644_934_066_848_226_4),
            ("pi / (2 * agm(1, x))", 1.0, std::f64::consts::FRAC_PI_2),
            ("rgamma(x)", -3.0, 0.0),
            ("erfc(x / sqrt(2)) / 2", 0.0, 0.5),
            ("sin(x)", 1e22, -0.852_200_849_767_188_8),
        ] {
            let found = value(text, x);
            assert!(
                (found - right).abs() <= 4e-16 * right.abs(),
                "{text}: {found}"
            );
        }
    }

    #[test]
    fn poles_are_undefined_and_the_rest_is_unknown() {
        let truth = |text, x| evaluate(&read(text, &["x"]).unwrap(), &[x]);
        for (text, x) in [
            ("gamma(x)", -2.0),
            ("digamma(x)", 0.0),
            ("zeta(x)", 1.0),
            ("log(x)", -1.0),
            ("bessely(0, x)", -1.0),
            ("polygamma(1, x)", -1.5e307),
            ("besselk(0, x)", 0.0),
        ] {
            assert_eq!(truth(text, x), Truth::Undefined, "{text}");
        }
        assert_eq!(truth("besselk(0, x)", 1.0), Truth::Unknown);
        assert_eq!(truth("airyai(x)", 1e30), Truth::Unknown);
    }
}
