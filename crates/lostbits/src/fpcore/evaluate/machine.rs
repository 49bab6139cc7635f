//! What a program compiled from a core computes: each operation in the format that C gives it, library
//! functions by this machine's libm.
//!
//! As in the programs that [`crate::fpcore::c`] writes, an operation is done in the widest of its context and
//! its operands, then rounded to its context. `long double` exists here for what IEEE 754 rounds
//! correctly, not for library functions.

use std::ffi::{CString, c_void};

use lostbits_abi::ops::{Op, Operand, Outcome};
use rug::Float;

use super::{Arithmetic, Budget, Stop, Value, reals::constant_value, walk};
use crate::fpcore::{
    ast::{Class, Comparison, Constant, Core, Format, operator},
    number::Number,
};

const TWO_POW_63: f64 = (1u64 << 63) as f64;

/// A number of a format of C.
#[derive(Clone, PartialEq, Debug)]
pub enum Machine {
    Integer(i64),
    Single(f32),
    Double(f64),
    /// 64 bits of precision.
    Extended(Float),
}

impl Machine {
    pub fn format(&self) -> Format {
        match self {
            Machine::Integer(_) => Format::Integer,
            Machine::Single(_) => Format::Binary32,
            Machine::Double(_) => Format::Binary64,
            Machine::Extended(_) => Format::Binary80,
        }
    }

    /// Exact but for integers and extended numbers that a double does not hold.
    pub fn to_f64(&self) -> f64 {
        match self {
            Machine::Integer(x) => *x as f64,
            Machine::Single(x) => f64::from(*x),
            Machine::Double(x) => *x,
            Machine::Extended(x) => x.to_f64(),
        }
    }

    pub fn to_float(&self) -> Float {
        match self {
            Machine::Integer(x) => Float::with_val(64, *x),
            Machine::Extended(x) => x.clone(),
            other => Float::with_val(53, other.to_f64()),
        }
    }

    /// C's conversion, but to integers by rounding to nearest.
    pub fn to(&self, format: Format) -> Result<Machine, Stop> {
        Ok(match (format, self) {
            (Format::Integer, Machine::Integer(x)) => Machine::Integer(*x),
            (Format::Integer, Machine::Extended(x)) => Machine::Integer(
                x.to_integer_round(rug::float::Round::Nearest)
                    .and_then(|(whole, _)| whole.to_i64())
                    .unwrap_or(i64::MIN),
            ),
            (Format::Integer, other) => {
                let rounded = other.to_f64().round_ties_even();
                let fits = (-TWO_POW_63..TWO_POW_63).contains(&rounded);
                Machine::Integer(if fits { rounded as i64 } else { i64::MIN })
            }
            (Format::Binary32, Machine::Double(x)) => Machine::Single(*x as f32),
            (Format::Binary32, Machine::Single(x)) => Machine::Single(*x),
            (Format::Binary32, Machine::Integer(x)) => Machine::Single(*x as f32),
            (Format::Binary32, Machine::Extended(x)) => Machine::Single(x.to_f32()),
            (Format::Binary64, other) => Machine::Double(other.to_f64()),
            (Format::Binary80, other) => Machine::Extended(Float::with_val(64, other.to_float())),
            (Format::Real, _) => {
                return Err(Stop::Unsupported(
                    "a real number".to_owned(),
                    "a format of C",
                ));
            }
        })
    }
}

/// The value of a core as the program computes it.
pub fn evaluate_machine(
    core: &Core,
    arguments: &[Value<f64>],
    budget: Budget,
) -> Result<Value<Machine>, Stop> {
    let mut converted = Vec::new();
    for (parameter, argument) in core.parameters.iter().zip(arguments) {
        let to = |x: &f64| Machine::Double(*x).to(parameter.format);
        converted.push(match argument {
            Value::Number(number) => Value::Number(to(number)?),
            Value::Tensor { shape, elements } => Value::Tensor {
                shape: shape.clone(),
                elements: elements.iter().map(to).collect::<Result<_, _>>()?,
            },
        });
    }
    walk::evaluate(&C, core, &converted, budget)
}

struct C;

impl Arithmetic for C {
    type Number = Machine;

    fn literal(&self, number: &Number, format: Format) -> Result<Machine, Stop> {
        Ok(match format {
            Format::Binary32 => Machine::Single(number.to_f32()),
            Format::Binary64 => Machine::Double(number.to_f64()),
            Format::Binary80 => Machine::Extended(number.to_float(64)),
            Format::Integer | Format::Real => {
                return Machine::Extended(number.to_float(128)).to(format);
            }
        })
    }

    fn constant(&self, constant: Constant, format: Format) -> Result<Machine, Stop> {
        match format {
            Format::Binary32 => Machine::Extended(constant_value(constant, 24)).to(format),
            Format::Binary64 | Format::Integer => {
                Machine::Extended(constant_value(constant, 53)).to(format)
            }
            _ => Machine::Extended(constant_value(constant, 64)).to(format),
        }
    }

    fn whole(&self, number: i64) -> Machine {
        Machine::Integer(number)
    }

    fn operation(&self, op: Op, operands: &[Machine], format: Format) -> Result<Machine, Stop> {
        let widest = operands
            .iter()
            .fold(format, |widest, operand| widest.join(operand.format()));
        let operands = operands
            .iter()
            .map(|operand| operand.to(widest))
            .collect::<Result<Vec<_>, Stop>>()?;
        compute(op, &operands, widest)?.to(format)
    }

    fn cast(&self, operand: &Machine, format: Format) -> Result<Machine, Stop> {
        operand.to(format)
    }

    fn compare(
        &self,
        comparison: Comparison,
        left: &Machine,
        right: &Machine,
    ) -> Result<bool, Stop> {
        // Exact, as comparisons in the wider format are (integers beyond 2^53 aside).
        let order = left.to_float().partial_cmp(&right.to_float());
        Ok(match (comparison, order) {
            (Comparison::Different, order) => order.is_none_or(|order| order.is_ne()),
            (_, None) => false,
            (Comparison::Less, Some(order)) => order.is_lt(),
            (Comparison::Greater, Some(order)) => order.is_gt(),
            (Comparison::AtMost, Some(order)) => order.is_le(),
            (Comparison::AtLeast, Some(order)) => order.is_ge(),
            (Comparison::Equal, Some(order)) => order.is_eq(),
        })
    }

    fn class(&self, class: Class, operand: &Machine) -> Result<bool, Stop> {
        let normal = match operand {
            Machine::Single(x) => x.is_normal(),
            other => other.to_f64().is_normal(),
        };
        let x = operand.to_float();
        Ok(match class {
            Class::Finite => x.is_finite(),
            Class::Infinite => x.is_infinite(),
            Class::Nan => x.is_nan(),
            Class::Normal => normal,
            Class::SignBit => x.is_sign_negative(),
        })
    }

    fn to_index(&self, number: &Machine) -> Result<usize, Stop> {
        let x = number.to_float();
        let whole = x.to_integer().filter(|_| x.is_integer());
        whole.and_then(|whole| whole.to_usize()).ok_or(Stop::Index)
    }
}

/// An operation on operands that all have the format.
fn compute(op: Op, operands: &[Machine], format: Format) -> Result<Machine, Stop> {
    let unsupported = || Stop::Unsupported(operator(op).to_owned(), format.name());
    match format {
        Format::Binary64 => {
            let x: Vec<f64> = operands.iter().map(Machine::to_f64).collect();
            Ok(Machine::Double(double(op, &x).ok_or_else(unsupported)?))
        }
        Format::Binary32 => {
            let x: Vec<f32> = operands
                .iter()
                .map(|operand| operand.to_f64() as f32)
                .collect();
            Ok(Machine::Single(single(op, &x).ok_or_else(unsupported)?))
        }
        Format::Binary80 => extended(op, operands).ok_or_else(unsupported),
        Format::Integer => integer(op, operands).ok_or_else(unsupported),
        Format::Real => Err(unsupported()),
    }
}

macro_rules! define_hardware {
    ($name:ident, $type:ty, $suffix:literal) => {
        fn $name(op: Op, x: &[$type]) -> Option<$type> {
            Some(match op {
                Op::Add => x[0] + x[1],
                Op::Sub => x[0] - x[1],
                Op::Mul => x[0] * x[1],
                Op::Div => x[0] / x[1],
                Op::Neg => -x[0],
                Op::Abs => x[0].abs(),
                Op::Sqrt => x[0].sqrt(),
                Op::Extend | Op::Truncate => x[0],
                _ => {
                    let symbol = library(op, $suffix)?;
                    // SAFETY: `library` gives only functions whose operands and result are real, and
                    // the suffix is that of the type.
                    unsafe {
                        match x {
                            [x] => {
                                std::mem::transmute::<*mut c_void, extern "C" fn($type) -> $type>(
                                    symbol,
                                )(*x)
                            }
                            [x, y] => std::mem::transmute::<
                                *mut c_void,
                                extern "C" fn($type, $type) -> $type,
                            >(symbol)(*x, *y),
                            [x, y, z] => std::mem::transmute::<
                                *mut c_void,
                                extern "C" fn($type, $type, $type) -> $type,
                            >(symbol)(*x, *y, *z),
                            _ => return None,
                        }
                    }
                }
            })
        }
    };
}
define_hardware!(double, f64, "");
define_hardware!(single, f32, "f");

/// A function of libm whose operands and result are real.
fn library(op: Op, suffix: &str) -> Option<*mut c_void> {
    let info = op.info();
    let real = info.outcome == Outcome::Real && info.operands.iter().all(|o| *o == Operand::Real);
    if !real || info.second.is_some() {
        return None;
    }
    let name = CString::new(format!("{}{suffix}", info.library.first()?)).ok()?;
    // SAFETY: the name is a C string; the library is never closed, so that the pointer stays good.
    let symbol = unsafe {
        let libm = libc::dlopen(c"libm.so.6".as_ptr(), libc::RTLD_NOW);
        if libm.is_null() {
            return None;
        }
        libc::dlsym(libm, name.as_ptr())
    };
    (!symbol.is_null()).then_some(symbol)
}

/// What IEEE 754 rounds correctly; x87's exponents end at ±2^14, which is beyond what doubles lead to.
fn extended(op: Op, operands: &[Machine]) -> Option<Machine> {
    use Op::*;
    let correct = matches!(
        op,
        Add | Sub
            | Mul
            | Div
            | Neg
            | Abs
            | Sqrt
            | Fma
            | Fmin
            | Fmax
            | Extend
            | Truncate
            | Floor
            | Ceil
            | Trunc
            | Round
            | Nearbyint
            | Rem
            | Remainder
            | CopySign
            | Fdim
    );
    let operands: Vec<Float> = operands.iter().map(Machine::to_float).collect();
    let value = correct
        .then(|| crate::numeric::evaluate(op, &operands, 64))
        .flatten()?;
    Some(Machine::Extended(value))
}

/// Exact where C's are, quotients rounded to nearest as FPCore wants; the rest by way of doubles.
fn integer(op: Op, operands: &[Machine]) -> Option<Machine> {
    let x: Vec<i64> = operands
        .iter()
        .filter_map(|operand| match operand {
            Machine::Integer(x) => Some(*x),
            _ => None,
        })
        .collect();
    Some(Machine::Integer(match op {
        Op::Add => x[0].wrapping_add(x[1]),
        Op::Sub => x[0].wrapping_sub(x[1]),
        Op::Mul => x[0].wrapping_mul(x[1]),
        Op::Neg => x[0].wrapping_neg(),
        Op::Abs => x[0].wrapping_abs(),
        _ => {
            let doubles: Vec<f64> = x.iter().map(|x| *x as f64).collect();
            let value = Machine::Double(double(op, &doubles)?);
            return value.to(Format::Integer).ok();
        }
    }))
}
