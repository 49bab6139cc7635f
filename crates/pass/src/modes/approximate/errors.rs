//! How errors grow: to first order, and a unit in the last place for every rounding.

use lostbits_abi::{kind::FpKind, ops::Op};

use super::cells::error_type;
use crate::{
    builder::{self, Builder},
    carry::Operation,
    ir::{self, Opcode, RealPredicate, Type, Value},
    shape,
};

/// A value in the format of errors, with its error.
#[derive(Clone, Copy)]
pub struct Known {
    pub value: Value,
    pub error: Value,
}

/// Computes in one format.
pub struct Errors<'a> {
    b: &'a Builder,
    ty: Type,
}

impl<'a> Errors<'a> {
    /// In the format of errors of `leaf`.
    pub fn of(b: &'a Builder, leaf: Type) -> Errors<'a> {
        Errors {
            b,
            ty: error_type(b, leaf),
        }
    }

    pub fn known(&self, value: Value, error: Value) -> Known {
        Known {
            value: self.b.convert(value, self.ty),
            error: self.b.convert(error, self.ty),
        }
    }

    pub fn number(&self, value: f64) -> Value {
        builder::real(self.ty, value)
    }

    pub fn sum(&self, a: Value, b: Value) -> Value {
        self.b.binary(Opcode::LLVMFAdd, a, b)
    }

    pub fn product(&self, a: Value, b: Value) -> Value {
        self.b.binary(Opcode::LLVMFMul, a, b)
    }

    pub fn larger(&self, a: Value, b: Value) -> Value {
        let above = self.b.compare_reals(RealPredicate::LLVMRealOGT, a, b);
        self.b.select(above, a, b)
    }

    /// `error` divided by a magnitude; nothing remains nothing.
    fn over(&self, error: Value, magnitude: Value) -> Value {
        let nothing = builder::null(self.ty);
        let is_exact = self
            .b
            .compare_reals(RealPredicate::LLVMRealOEQ, error, nothing);
        let quotient = self.b.binary(Opcode::LLVMFDiv, error, magnitude);
        self.b.select(is_exact, nothing, quotient)
    }

    /// A unit in the last place of `result`: the power of two below it, scaled by the precision.
    pub fn unit(&self, result: Value) -> Value {
        let kind = shape::fp_kind(ir::type_of(result)).expect("a number");
        let is_double = shape::scalar(self.ty) == self.b.types.double;
        let (width, infinity) = match is_double {
            true => (64, f64::INFINITY.to_bits()),
            false => (32, f32::INFINITY.to_bits().into()),
        };
        let word = self.b.types.shaped(self.b.types.int(width), self.ty);
        let bits = self.b.bitcast(self.b.convert(result, self.ty), word);
        let power = self.b.and(bits, builder::splat(word, infinity));
        let places = kind.precision() as i32 - 1;
        self.product(
            self.b.bitcast(power, self.ty),
            self.number(2f64.powi(-places)),
        )
    }

    /// What the error of a result is before it is rounded.
    pub fn inherited(&self, op: Op, operands: &[Known], result: Value) -> Value {
        use Op::*;
        let magnitude = |value| self.b.magnitude(value);
        let result = magnitude(self.b.convert(result, self.ty));
        match (op, operands) {
            (Add | Sub | Hypot | Fdim, [x, y]) => self.sum(x.error, y.error),
            (Mul, [x, y]) => self.of_product(x, y),
            (Fma | MulAdd, [x, y, z]) => self.sum(self.of_product(x, y), z.error),
            (Div, [x, y]) => {
                let of_both = self.sum(x.error, self.product(result, y.error));
                self.over(of_both, magnitude(y.value))
            }
            (Sqrt, [x]) => self.over(x.error, self.sum(result, result)),
            (Fmin | Fmax | Minimum | Maximum | MinimumNum | MaximumNum, [x, y]) => {
                self.larger(x.error, y.error)
            }
            // Derivatives that are nowhere larger than one are taken for one.
            (Sin | Cos | Atan | Tanh | Asinh | Erf, [x]) => x.error,
            (Tan, [x]) => {
                let slope = self.sum(self.number(1.0), self.product(result, result));
                self.product(slope, x.error)
            }
            (Exp | Exp2 | Exp10 | Cosh, [x]) => {
                let slope = self.product(result, self.number(slope_of_exponential(op)));
                self.product(slope, x.error)
            }
            (Sinh | Expm1, [x]) => {
                let slope = self.sum(self.number(1.0), result);
                self.product(slope, x.error)
            }
            (Log | Log2 | Log10, [x]) => {
                let slope = self.number(slope_of_logarithm(op));
                self.over(self.product(slope, x.error), magnitude(x.value))
            }
            (Pow, [x, y]) => {
                let of_base = self.over(
                    self.product(magnitude(y.value), x.error),
                    magnitude(x.value),
                );
                let of_power = self.product(self.logarithm(x.value), y.error);
                self.product(result, self.sum(of_base, of_power))
            }
            _ => self.relative(operands, result),
        }
    }

    fn of_product(&self, x: &Known, y: &Known) -> Value {
        let [of_x, of_y] =
            [(x, y), (y, x)].map(|(a, b)| self.product(self.b.magnitude(a.value), b.error));
        self.sum(self.sum(of_x, of_y), self.product(x.error, y.error))
    }

    /// Where nothing better is known: relative errors are handed on.
    fn relative(&self, operands: &[Known], result: Value) -> Value {
        let shares = operands
            .iter()
            .map(|known| self.over(known.error, self.b.magnitude(known.value)));
        match shares.reduce(|a, b| self.sum(a, b)) {
            Some(all) => self.product(result, all),
            None => builder::null(self.ty),
        }
    }

    /// The magnitude of a natural logarithm, nearly: exponent and fraction read as one number.
    fn logarithm(&self, value: Value) -> Value {
        let is_double = shape::scalar(self.ty) == self.b.types.double;
        let (width, one, places) = match is_double {
            true => (64, 1f64.to_bits(), 52),
            false => (32, 1f32.to_bits().into(), 23),
        };
        let word = self.b.types.shaped(self.b.types.int(width), self.ty);
        let bits = self.b.bitcast(self.b.magnitude(value), word);
        let above = self
            .b
            .binary(Opcode::LLVMSub, bits, builder::splat(word, one));
        let above = self.b.cast(Opcode::LLVMSIToFP, above, self.ty);
        let scale = self.number(std::f64::consts::LN_2 * 2f64.powi(-places));
        self.b.magnitude(self.product(above, scale))
    }

    /// A vector that is reduced to a number: the lanes of all operands, one after another.
    pub fn folded(&self, op: Op, lanes: &[Known], result: Value) -> Value {
        let errors = lanes.iter().map(|lane| lane.error);
        let roundings = self.product(self.number(lanes.len() as f64), self.unit(result));
        match op {
            Op::Add => self.sum(
                errors.reduce(|a, b| self.sum(a, b)).expect("lanes"),
                roundings,
            ),
            Op::Mul => {
                let magnitude = self.b.magnitude(self.b.convert(result, self.ty));
                self.sum(self.relative(lanes, magnitude), roundings)
            }
            _ => errors.reduce(|a, b| self.larger(a, b)).expect("lanes"),
        }
    }
}

fn slope_of_exponential(op: Op) -> f64 {
    match op {
        Op::Exp2 => std::f64::consts::LN_2,
        Op::Exp10 => std::f64::consts::LN_10,
        _ => 1.0,
    }
}

fn slope_of_logarithm(op: Op) -> f64 {
    match op {
        Op::Log2 => std::f64::consts::LOG2_E,
        Op::Log10 => std::f64::consts::LOG10_E,
        _ => 1.0,
    }
}

/// Whether a result is no other number than the operand was, or one of the operands.
pub fn is_exact(op: Op) -> bool {
    use Op::*;
    matches!(
        op,
        Neg | Abs
            | CopySign
            | Canonicalize
            | Extend
            | Fmin
            | Fmax
            | Minimum
            | Maximum
            | MinimumNum
            | MaximumNum
    )
}

/// Whether an integer may have more bits than the number made of it.
pub fn rounds_integer(operation: &Operation) -> bool {
    let integer = ir::type_of(ir::operand(operation.instruction, 0));
    let room = shape::fp_kind(ir::type_of(operation.instruction)).map_or(0, FpKind::precision);
    ir::int_width(shape::scalar(integer)) > room
}
