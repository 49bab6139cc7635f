//! What the operations of the table are called in each language.

use lostbits_abi::ops::Op;

use super::{tree::Language, write::Style};
use crate::{fix::machine::Width, fpcore::ast::operator};

pub enum Call {
    Function {
        name: &'static str,
        /// A function of C's library that Fortran must declare.
        foreign: bool,
    },
    Method(&'static str),
    Operator(&'static str),
}

pub fn call(op: Op, style: &Style, _width: Width) -> Option<Call> {
    match style.language {
        Language::C | Language::Cxx => Some(Call::Function {
            name: operator(op),
            foreign: false,
        }),
        Language::Rust => RUST
            .iter()
            .find(|(known, _)| *known == op)
            .map(|(_, name)| Call::Method(name)),
        Language::Fortran if op == Op::Pow => Some(Call::Operator("**")),
        Language::Fortran => {
            if let Some((_, name)) = FORTRAN.iter().find(|(known, _)| *known == op) {
                return Some(Call::Function {
                    name,
                    foreign: false,
                });
            }
            FOREIGN.contains(&op).then(|| Call::Function {
                name: operator(op),
                foreign: true,
            })
        }
    }
}

/// An operation by the name that a language has for it.
pub fn operation_named(language: Language, name: &str, arity: usize) -> Option<Op> {
    let table: &[(Op, &str)] = match language {
        Language::Rust => RUST,
        Language::Fortran => FORTRAN,
        Language::C | Language::Cxx => return None,
    };
    let fits = |op: &Op| op.info().arity() == arity;
    let found = table.iter().find(|(op, known)| *known == name && fits(op));
    let foreign = FOREIGN
        .iter()
        .find(|op| language == Language::Fortran && operator(**op) == name && fits(op));
    found.map(|(op, _)| *op).or(foreign.copied())
}

/// Functions of C's library that Fortran lacks.
const FOREIGN: [Op; 6] = [Op::Expm1, Op::Log1p, Op::Fma, Op::Cbrt, Op::Exp2, Op::Log2];

/// Methods of `f64`.
const RUST: &[(Op, &str)] = &[
    (Op::Abs, "abs"),
    (Op::Sqrt, "sqrt"),
    (Op::Cbrt, "cbrt"),
    (Op::Fma, "mul_add"),
    (Op::Hypot, "hypot"),
    (Op::Sin, "sin"),
    (Op::Cos, "cos"),
    (Op::Tan, "tan"),
    (Op::Asin, "asin"),
    (Op::Acos, "acos"),
    (Op::Atan, "atan"),
    (Op::Atan2, "atan2"),
    (Op::Sinh, "sinh"),
    (Op::Cosh, "cosh"),
    (Op::Tanh, "tanh"),
    (Op::Asinh, "asinh"),
    (Op::Acosh, "acosh"),
    (Op::Atanh, "atanh"),
    (Op::Exp, "exp"),
    (Op::Exp2, "exp2"),
    (Op::Expm1, "exp_m1"),
    (Op::Log, "ln"),
    (Op::Log2, "log2"),
    (Op::Log10, "log10"),
    (Op::Log1p, "ln_1p"),
    (Op::Pow, "powf"),
    (Op::Fmin, "min"),
    (Op::Fmax, "max"),
    (Op::Floor, "floor"),
    (Op::Ceil, "ceil"),
    (Op::Trunc, "trunc"),
    (Op::CopySign, "copysign"),
];

/// Intrinsic functions.
const FORTRAN: &[(Op, &str)] = &[
    (Op::Abs, "abs"),
    (Op::Sqrt, "sqrt"),
    (Op::Hypot, "hypot"),
    (Op::Sin, "sin"),
    (Op::Cos, "cos"),
    (Op::Tan, "tan"),
    (Op::Asin, "asin"),
    (Op::Acos, "acos"),
    (Op::Atan, "atan"),
    (Op::Atan2, "atan2"),
    (Op::Sinh, "sinh"),
    (Op::Cosh, "cosh"),
    (Op::Tanh, "tanh"),
    (Op::Asinh, "asinh"),
    (Op::Acosh, "acosh"),
    (Op::Atanh, "atanh"),
    (Op::Exp, "exp"),
    (Op::Log, "log"),
    (Op::Log10, "log10"),
    (Op::Erf, "erf"),
    (Op::Erfc, "erfc"),
    (Op::CopySign, "sign"),
    (Op::Fmin, "min"),
    (Op::Fmax, "max"),
];
