//! The oracle: a core in exact arithmetic, by enclosures of rising precision.
//!
//! Its results are proved, up to bugs of MPFR: the enclosure is narrower than any rounding of interest.
//! Where 4096 bits do not suffice, rational arithmetic may; else the result is undecided.

use lostbits_abi::ops::Op;
use rug::{Float, Rational, float};

use super::{
    Arithmetic, Budget, Stop, Value,
    enclosure::{self, Enclosure},
    exact::Rationals,
    walk,
};
use crate::fpcore::{
    ast::{Class, Comparison, Constant, Core, Format},
    number::Number,
};

/// Which numbers the literals of a core stand for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Literals {
    /// The numbers as written: 0.1 is a tenth.
    Exact,
    /// As the compiled program has them: 0.1 is the nearest number of the format. This is what an analysis
    /// of the program can know.
    AsCompiled,
}

const FIRST_PRECISION: u32 = 128;
const LAST_PRECISION: u32 = 4096;
/// Enclosures as narrow as this are one value.
const BITS: u32 = 96;

/// A real value: correct to at least 96 bits, or NaN; beyond the range of doubles, perhaps only that it is so.
pub type Real = Float;

/// The exact value of a core. [`Stop::Undecided`] where neither 4096 bits nor rationals decide it.
pub fn evaluate_real(
    core: &Core,
    arguments: &[Value<f64>],
    literals: Literals,
    budget: Budget,
) -> Result<Value<Real>, Stop> {
    let by_enclosures = rising(|precision| {
        let reals = Reals {
            precision,
            literals,
        };
        let enclosed = walk::evaluate(&reals, core, &enclosed(arguments), budget)?;
        decided(enclosed)
    });
    match by_enclosures {
        Err(Stop::Undecided) => exactly(core, arguments, literals, budget),
        other => other,
    }
}

/// By rational arithmetic.
fn exactly(
    core: &Core,
    arguments: &[Value<f64>],
    literals: Literals,
    budget: Budget,
) -> Result<Value<Real>, Stop> {
    let rational = |x: &f64| Rational::from_f64(*x).ok_or(Stop::Undecided);
    let arguments = arguments
        .iter()
        .map(|argument| argument.mapped(rational))
        .collect::<Result<Vec<_>, Stop>>()?;
    let value = walk::evaluate(&Rationals { literals }, core, &arguments, budget)?;
    value.mapped(|exact| Ok(Float::with_val(2 * BITS, exact)))
}

/// Whether the precondition holds, its literals being exact.
pub fn holds_really(core: &Core, arguments: &[Value<f64>], budget: Budget) -> Result<bool, Stop> {
    rising(|precision| {
        let literals = Literals::Exact;
        let reals = Reals {
            precision,
            literals,
        };
        walk::holds(&reals, core, &enclosed(arguments), budget)
    })
}

fn rising<T>(mut attempt: impl FnMut(u32) -> Result<T, Stop>) -> Result<T, Stop> {
    let mut precision = FIRST_PRECISION;
    loop {
        match attempt(precision) {
            Err(Stop::Undecided) if precision < LAST_PRECISION => precision *= 2,
            other => return other,
        }
    }
}

fn enclosed(arguments: &[Value<f64>]) -> Vec<Value<Enclosure>> {
    let exact = |x: &f64| Ok(Enclosure::exact(Float::with_val(53, *x)));
    let value = |argument: &Value<f64>| argument.mapped(exact);
    arguments
        .iter()
        .filter_map(|argument| value(argument).ok())
        .collect()
}

fn decided(value: Value<Enclosure>) -> Result<Value<Real>, Stop> {
    value.mapped(|number| one(number.clone()))
}

fn one(number: Enclosure) -> Result<Real, Stop> {
    match number {
        Enclosure::Nan => Ok(enclosure::nan(BITS)),
        Enclosure::Between(low, high) if enclosure::is_tight(&low, &high, BITS) => Ok(low),
        _ => Err(Stop::Undecided),
    }
}

pub struct Reals {
    pub precision: u32,
    pub literals: Literals,
}

impl Arithmetic for Reals {
    type Number = Enclosure;

    fn literal(&self, number: &Number, format: Format) -> Result<Enclosure, Stop> {
        if self.literals == Literals::AsCompiled
            && let Some(compiled) = compiled_literal(number, format)
        {
            return Ok(Enclosure::exact(compiled));
        }
        let value = number.to_float(self.precision);
        let inexact = value.is_infinite()
            || value
                .to_rational()
                .is_none_or(|exact| exact != number.value);
        Ok(Enclosure::rounded(value, inexact))
    }

    fn constant(&self, constant: Constant, format: Format) -> Result<Enclosure, Stop> {
        let compiled = match (self.literals, format) {
            (Literals::Exact, _) | (_, Format::Real) => None,
            (_, Format::Binary32) => Some(24),
            (_, Format::Binary80) => Some(64),
            (_, Format::Binary64 | Format::Integer) => Some(53),
        };
        let is_number = !matches!(constant, Constant::Infinity | Constant::Nan);
        Ok(match compiled {
            Some(precision) => Enclosure::exact(constant_value(constant, precision)),
            None => Enclosure::rounded(constant_value(constant, self.precision), is_number),
        })
    }

    fn whole(&self, number: i64) -> Enclosure {
        Enclosure::exact(Float::with_val(64, number))
    }

    fn operation(&self, op: Op, operands: &[Enclosure], _: Format) -> Result<Enclosure, Stop> {
        Ok(enclosure::operation(op, operands, self.precision))
    }

    fn cast(&self, operand: &Enclosure, _: Format) -> Result<Enclosure, Stop> {
        Ok(operand.clone())
    }

    fn compare(
        &self,
        comparison: Comparison,
        left: &Enclosure,
        right: &Enclosure,
    ) -> Result<bool, Stop> {
        enclosure::compare(comparison, left, right).ok_or(Stop::Undecided)
    }

    fn class(&self, class: Class, operand: &Enclosure) -> Result<bool, Stop> {
        let (low, high) = match operand {
            Enclosure::Unknown => return Err(Stop::Undecided),
            Enclosure::Nan => return Ok(class == Class::Nan),
            Enclosure::Between(low, high) => (low, high),
        };
        let both = |truth: fn(&Float) -> bool| match (truth(low), truth(high)) {
            (true, true) => Ok(true),
            (false, false) => Ok(false),
            _ => Err(Stop::Undecided),
        };
        match class {
            Class::Nan => Ok(false),
            Class::Finite => both(|x| x.is_finite()),
            Class::Infinite => both(|x| x.is_infinite()),
            Class::Normal => both(|x| x.is_normal()),
            Class::SignBit => both(|x| x.is_sign_negative()),
        }
    }

    fn to_index(&self, number: &Enclosure) -> Result<usize, Stop> {
        let whole = number.point().ok_or(Stop::Undecided)?;
        let integer = whole.to_integer().filter(|_| whole.is_integer());
        integer
            .and_then(|integer| integer.to_usize())
            .ok_or(Stop::Index)
    }
}

/// A literal as the compiled program has it; none for real numbers.
pub fn compiled_literal(value: &Number, format: Format) -> Option<Float> {
    Some(match format {
        Format::Binary32 => Float::with_val(24, value.to_f32()),
        Format::Binary64 => Float::with_val(53, value.to_f64()),
        Format::Binary80 => value.to_float(64),
        Format::Integer => value.to_float(128).round(),
        Format::Real => return None,
    })
}

/// A constant, rounded to nearest at a precision.
pub fn constant_value(constant: Constant, precision: u32) -> Float {
    const GUARD: u32 = 64;
    let working = precision + GUARD;
    let number = |x: i32| Float::with_val(working, x);
    let pi = || Float::with_val(working, float::Constant::Pi);
    let value = match constant {
        Constant::E => number(1).exp(),
        Constant::Log2E => number(2).ln().recip(),
        Constant::Log10E => number(10).ln().recip(),
        Constant::Ln2 => number(2).ln(),
        Constant::Ln10 => number(10).ln(),
        Constant::Pi => pi(),
        Constant::HalfPi => pi() / 2u32,
        Constant::QuarterPi => pi() / 4u32,
        Constant::OneOverPi => pi().recip(),
        Constant::TwoOverPi => 2u32 / pi(),
        Constant::TwoOverRootPi => 2u32 / pi().sqrt(),
        Constant::Root2 => number(2).sqrt(),
        Constant::RootHalf => number(2).sqrt() / 2u32,
        Constant::Infinity => Float::with_val(working, float::Special::Infinity),
        Constant::Nan => enclosure::nan(working),
    };
    Float::with_val(precision, value)
}
