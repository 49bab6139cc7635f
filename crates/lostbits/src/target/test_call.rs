//! A call with its numbers, as a generated test makes it: enough to write it in any language.

use lostbits_abi::kind::FpKind;
use serde::{Deserialize, Serialize};

use super::{
    signature::Type,
    stub::{ResolvedCall, kind_of},
};
use crate::inputs::Argument;

#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct TestCall {
    /// The name that the linker knows.
    pub symbol: String,
    /// None if nothing is returned.
    pub result: Option<Scalar>,
    pub arguments: Vec<TestArgument>,
    /// Where the number to check is.
    pub checked: Checked,
}

/// The type of a number.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Scalar {
    Float,
    Double,
    LongDouble,
    /// Bytes, and whether it has a sign.
    Integer(u64, bool),
}

#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub enum TestArgument {
    /// The bits of a double.
    Number(Scalar, u64),
    /// The address of these numbers.
    Array(Scalar, Vec<u64>),
    /// The address of as many numbers that the function writes.
    Output(String, Scalar, usize),
    /// As C writes it.
    Literal(Scalar, String),
}

#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub enum Checked {
    Result,
    /// An output by its name, and which of its numbers.
    Output(String, usize),
}

/// Memory behind an output is at least as long: functions may write structures.
const LEAST_OUTPUT: usize = 8;

impl Scalar {
    fn of(ty: &Type) -> Option<Scalar> {
        match ty {
            Type::Floating(kind) => Some(Scalar::of_kind(*kind)),
            Type::Integer(bytes, signed) => Some(Scalar::Integer(*bytes, *signed)),
            _ => None,
        }
    }

    fn of_kind(kind: FpKind) -> Scalar {
        match kind {
            FpKind::Float | FpKind::Half | FpKind::BFloat => Scalar::Float,
            FpKind::Double => Scalar::Double,
            FpKind::X87 => Scalar::LongDouble,
        }
    }
}

impl ResolvedCall {
    /// The call with an input; none if a test cannot make it (structures by value, methods).
    pub fn test(&self, input: &[f64], output: &str) -> Option<TestCall> {
        if self.signature.object.is_some() {
            return None;
        }
        let bits = |name: &str| {
            let at = self.parameters.iter().position(|known| known.name == name);
            at.map_or(0, |at| input[at].to_bits())
        };
        let mut arguments = Vec::new();
        for (argument, (_, ty)) in self.call.arguments.iter().zip(&self.signature.parameters) {
            let element = Scalar::of_kind(kind_of(ty).unwrap_or(FpKind::Double));
            arguments.push(match argument {
                Argument::Input(name) => TestArgument::Number(Scalar::of(ty)?, bits(name)),
                Argument::Inputs(name, 1) => TestArgument::Array(element, vec![bits(name)]),
                Argument::Inputs(name, length) => {
                    let each = (0..*length).map(|at| bits(&format!("{name}[{at}]")));
                    TestArgument::Array(element, each.collect())
                }
                Argument::Outputs(name, length) => {
                    TestArgument::Output(name.clone(), element, (*length).max(LEAST_OUTPUT))
                }
                Argument::Number(literal) => {
                    TestArgument::Literal(Scalar::of(ty)?, literal.text.clone())
                }
                Argument::Constant(text) => TestArgument::Literal(Scalar::of(ty)?, text.clone()),
            });
        }
        let result = match &self.signature.result {
            Type::Void => None,
            ty => Some(Scalar::of(ty)?),
        };
        let checked = match output {
            "result" => Checked::Result,
            name => {
                let (name, at) = name.split_once('[').unwrap_or((name, "0"));
                Checked::Output(name.to_owned(), at.trim_end_matches(']').parse().ok()?)
            }
        };
        Some(TestCall {
            symbol: self.signature.symbol.clone(),
            result,
            arguments,
            checked,
        })
    }
}
