//! Rational arithmetic, for what no precision decides: comparisons of numbers that are exactly equal, as
//! at the end of a loop whose step divides its length.
//!
//! Only what keeps rationals rational, and only while they are short; everything else is undecided.

use lostbits_abi::ops::Op;
use rug::{Float, Rational, ops::Pow};

use super::{
    Arithmetic, Stop,
    reals::{Literals, compiled_literal, constant_value},
};
use crate::fpcore::{
    ast::{Class, Comparison, Constant, Format},
    number::Number,
};

/// The most bits that numerators and denominators may have.
const LONGEST: u32 = 100_000;

pub struct Rationals {
    pub literals: Literals,
}

fn short(value: Rational) -> Result<Rational, Stop> {
    let bits = value
        .numer()
        .significant_bits()
        .max(value.denom().significant_bits());
    if bits > LONGEST {
        Err(Stop::Undecided)
    } else {
        Ok(value)
    }
}

fn of_float(value: &Float) -> Result<Rational, Stop> {
    value.to_rational().ok_or(Stop::Undecided)
}

impl Arithmetic for Rationals {
    type Number = Rational;

    fn literal(&self, number: &Number, format: Format) -> Result<Rational, Stop> {
        match self.literals {
            Literals::Exact => Ok(number.value.clone()),
            Literals::AsCompiled => match compiled_literal(number, format) {
                Some(compiled) => of_float(&compiled),
                None => Ok(number.value.clone()),
            },
        }
    }

    fn constant(&self, constant: Constant, format: Format) -> Result<Rational, Stop> {
        match (self.literals, format) {
            (Literals::AsCompiled, Format::Binary32) => of_float(&constant_value(constant, 24)),
            (Literals::AsCompiled, Format::Binary64) => of_float(&constant_value(constant, 53)),
            _ => Err(Stop::Undecided),
        }
    }

    fn whole(&self, number: i64) -> Rational {
        Rational::from(number)
    }

    fn operation(&self, op: Op, operands: &[Rational], _: Format) -> Result<Rational, Stop> {
        let x = &operands[0];
        let y = operands.get(1);
        short(match (op, y) {
            (Op::Add, Some(y)) => Rational::from(x + y),
            (Op::Sub, Some(y)) => Rational::from(x - y),
            (Op::Mul, Some(y)) => Rational::from(x * y),
            (Op::Div, Some(y)) if *y != 0 => Rational::from(x / y),
            (Op::Fmin, Some(y)) => x.min(y).clone(),
            (Op::Fmax, Some(y)) => x.max(y).clone(),
            (Op::Pow, Some(y)) => match y.numer().to_i32().filter(|_| *y.denom() == 1) {
                Some(exponent @ -64..=64) if *x != 0 || exponent > 0 => {
                    Rational::from(x.pow(exponent))
                }
                _ => return Err(Stop::Undecided),
            },
            (Op::Neg, None) => Rational::from(-x),
            (Op::Abs, None) => x.clone().abs(),
            (Op::Floor, None) => x.clone().floor(),
            (Op::Ceil, None) => x.clone().ceil(),
            (Op::Trunc, None) => x.clone().trunc(),
            _ => return Err(Stop::Undecided),
        })
    }

    fn cast(&self, operand: &Rational, _: Format) -> Result<Rational, Stop> {
        Ok(operand.clone())
    }

    fn compare(
        &self,
        comparison: Comparison,
        left: &Rational,
        right: &Rational,
    ) -> Result<bool, Stop> {
        Ok(match comparison {
            Comparison::Less => left < right,
            Comparison::Greater => left > right,
            Comparison::AtMost => left <= right,
            Comparison::AtLeast => left >= right,
            Comparison::Equal => left == right,
            Comparison::Different => left != right,
        })
    }

    fn class(&self, class: Class, operand: &Rational) -> Result<bool, Stop> {
        Ok(match class {
            Class::Finite => true,
            Class::Infinite | Class::Nan => false,
            Class::Normal => *operand != 0,
            Class::SignBit if *operand == 0 => return Err(Stop::Undecided),
            Class::SignBit => *operand < 0,
        })
    }

    fn to_index(&self, number: &Rational) -> Result<usize, Stop> {
        let whole = number.numer().to_usize().filter(|_| *number.denom() == 1);
        whole.ok_or(Stop::Index)
    }
}
