//! What the function of `--call` takes and gives back, as its library's debug information has it.

use std::path::Path;

use lostbits_abi::kind::FpKind;

use crate::{
    failure::Failure,
    target::signature::{self, Signature, Type, close_names},
};

/// How to declare the function in C.
#[derive(PartialEq, Debug)]
pub struct Prototype {
    pub symbol: String,
    pub result: &'static str,
    pub parameters: Vec<Parameter>,
}

#[derive(PartialEq, Debug)]
pub struct Parameter {
    pub type_name: &'static str,
    /// Its address is passed, as Fortran does.
    pub by_address: bool,
}

impl Parameter {
    pub fn is_integer(&self) -> bool {
        !matches!(self.type_name, "float" | "double" | "long double")
    }
}

/// None where no library says it: it was built without debug information.
pub fn of<'a>(
    function: &str,
    libraries: impl Iterator<Item = &'a Path>,
) -> Result<Option<Prototype>, Failure> {
    let mut names = Vec::new();
    for library in libraries {
        let Some(functions) = signature::read(library, &[function]) else {
            return Ok(None);
        };
        if let Some(found) = functions.by_name.get(function) {
            return prototype(function, found).map(Some);
        }
        if functions.exported.iter().any(|known| known == function) {
            return Ok(None);
        }
        names.extend(functions.exported);
        names.extend(functions.plain);
    }
    Err(Failure::NoSuchFunction {
        function: function.to_owned(),
        close: close_names(function, &names),
    })
}

fn prototype(function: &str, signature: &Signature) -> Result<Prototype, Failure> {
    let refuse = |reason: String| Failure::CannotCall {
        call: function.to_owned(),
        reason,
    };
    let result = number(&signature.result).ok_or_else(|| {
        refuse("it gives no number back: call it from a small program instead".to_owned())
    })?;
    let parameters = signature
        .parameters
        .iter()
        .zip(&signature.by_address)
        .map(|((name, ty), by_address)| {
            let ty = match ty {
                Type::Pointer(inner) if *by_address => inner,
                ty => ty,
            };
            let type_name = number(ty).ok_or_else(|| {
                refuse(format!(
                    "its parameter `{name}` is no number: call it from a small program instead"
                ))
            })?;
            Ok(Parameter {
                type_name,
                by_address: *by_address,
            })
        })
        .collect::<Result<_, Failure>>()?;
    Ok(Prototype {
        symbol: signature.symbol.clone(),
        result,
        parameters,
    })
}

/// What C calls a number of this type.
fn number(ty: &Type) -> Option<&'static str> {
    Some(match ty {
        Type::Floating(kind @ (FpKind::Float | FpKind::Double | FpKind::X87)) => kind.c_name(),
        Type::Integer(1, true) => "signed char",
        Type::Integer(1, false) => "unsigned char",
        Type::Integer(2, true) => "short",
        Type::Integer(2, false) => "unsigned short",
        Type::Integer(4, true) => "int",
        Type::Integer(4, false) => "unsigned",
        Type::Integer(8, true) => "long",
        Type::Integer(8, false) => "unsigned long",
        _ => return None,
    })
}
