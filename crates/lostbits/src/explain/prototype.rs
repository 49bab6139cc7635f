//! The prototype of the function of `--call`, from its library's debug information.

use std::path::Path;

use lostbits_abi::kind::FpKind;

use crate::{
    failure::Failure,
    target::{
        close_names::close_names,
        signature::{self, Signature, Type},
    },
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

/// None if the library was built without debug information.
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
    let result = printable(&signature.result).ok_or_else(|| {
        refuse("it does not return a number: call it from a small program instead".to_owned())
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
            let type_name = printable(ty).ok_or_else(|| {
                refuse(format!(
                    "its parameter `{name}` is not a number: call it from a small program instead"
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

/// The C name of a number that `printf` can print.
fn printable(ty: &Type) -> Option<&'static str> {
    match ty {
        Type::Floating(FpKind::Half | FpKind::BFloat) => None,
        ty => ty.c_name(),
    }
}
