//! From a call and a signature to C: a function that takes numbers and gives numbers.
//!
//! The stub is compiled, not interpreted: so every convention for arguments and results is the compiler's
//! matter, and a call costs a call.

use std::fmt::Write;

use lostbits_abi::{functions, kind::FpKind};

use super::{
    Parameter,
    method::{Constructor, Object},
    signature::{Signature, Type},
    worker::{INIT_NAME, stub_name},
};
use crate::{
    failure::Failure,
    inputs::{Argument, Call, Initializer, Literal, call::MOST_NUMBERS},
    numeric::hexadecimal,
};

/// A call whose arguments fit the function's parameters.
#[derive(Clone, Debug)]
pub struct ResolvedCall {
    pub call: Call,
    pub signature: Signature,
    /// The inputs, which vary.
    pub parameters: Vec<Parameter>,
    /// The outputs: the result first, if it is a number.
    pub outputs: Vec<Parameter>,
    pub raised: Raised,
}

/// How a call reports failure, beside a result that is not finite: then it has no outputs. (A handler that a
/// library calls can report it, too: [`RAISE_NAME`], which `--init` can install.)
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Raised {
    /// Its integer result is not 0.
    pub status: bool,
    /// It leaves EDOM or ERANGE in errno.
    pub errno: bool,
}

/// A function of the stubs that can be called with any arguments: the call failed.
pub const RAISE_NAME: &str = "lostbits_raised";

impl ResolvedCall {
    pub fn new(call: Call, signature: Signature) -> Result<ResolvedCall, Failure> {
        let refuse = |reason: String| Failure::CannotCall {
            call: call.text.clone(),
            reason,
        };
        let (given, taken) = (call.arguments.len(), signature.parameters.len());
        if given != taken {
            return Err(refuse(format!(
                "{} takes {taken} arguments, {given} given",
                call.function
            )));
        }
        let call = addressed(call.clone(), &signature);
        let mut parameters: Vec<Parameter> = Vec::new();
        let mut outputs = Vec::new();
        match &signature.result {
            Type::Floating(kind) => outputs.push(parameter("result", *kind)),
            ty if !ty.parts().is_empty() => {
                let parts = ty.parts();
                outputs.extend(
                    parts
                        .iter()
                        .map(|(part, kind)| parameter(&format!("result.{part}"), *kind)),
                );
            }
            Type::Structure(..) | Type::Complex(_) | Type::Other(_) => {
                return Err(refuse("its result is a structure".to_owned()));
            }
            _ => {}
        }
        for (index, (argument, (name, ty))) in
            call.arguments.iter().zip(&signature.parameters).enumerate()
        {
            let place = format!("parameter {} ({name})", index + 1);
            check(argument, ty).map_err(|reason| refuse(format!("{place} {reason}")))?;
            let kind = kind_of(ty).unwrap_or(FpKind::Double);
            let list = match argument {
                Argument::Input(_) if ty.is_callback() => continue,
                Argument::Input(name) if !ty.parts().is_empty() => {
                    for (part, kind) in ty.parts() {
                        let called = format!("{name}.{part}");
                        if !parameters.iter().any(|known| known.name == called) {
                            parameters.push(parameter(&called, kind));
                        }
                    }
                    continue;
                }
                Argument::Input(name) => {
                    if !parameters.iter().any(|known| known.name == *name) {
                        parameters.push(parameter(name, kind));
                    }
                    continue;
                }
                Argument::Inputs(name, length) => (&mut parameters, name, *length),
                Argument::Outputs(name, length) => (&mut outputs, name, *length),
                Argument::Number(_) | Argument::Constant(_) => continue,
            };
            let (list, name, length) = list;
            for element in 0..length {
                let called = if length == 1 {
                    name.clone()
                } else {
                    format!("{name}[{element}]")
                };
                if !list.iter().any(|known: &Parameter| known.name == called) {
                    list.push(parameter(&called, kind));
                }
            }
        }
        if parameters.is_empty() {
            return Err(refuse(
                "it has no input that varies: name a floating-point argument, as in `f(x, 0)`"
                    .to_owned(),
            ));
        }
        if outputs.is_empty() {
            return Err(refuse(
                "it has no floating-point output: name an argument that it writes, as in `f(x, &y)`".to_owned(),
            ));
        }
        if parameters.len() > MOST_NUMBERS || outputs.len() > MOST_NUMBERS {
            return Err(refuse(format!(
                "the limit is {MOST_NUMBERS} inputs and {MOST_NUMBERS} outputs"
            )));
        }
        Ok(ResolvedCall {
            call,
            signature,
            parameters,
            outputs,
            raised: Raised::default(),
        })
    }

    /// Sets how a call can report failure.
    pub fn raise(&mut self, raised: Raised) -> Result<(), Failure> {
        if raised.status && !matches!(self.signature.result, Type::Integer(..)) {
            return Err(Failure::CannotCall {
                call: self.call.text.clone(),
                reason: "its result is not an integer, so it is not a status".to_owned(),
            });
        }
        self.raised = raised;
        Ok(())
    }

    /// The call of a function with all that can vary varying.
    pub fn whole(function: &str, signature: Signature) -> Result<ResolvedCall, Failure> {
        let refuse = |index: usize, name: &str, reason: &str| Failure::CannotCall {
            call: function.to_owned(),
            reason: format!(
                "parameter {} ({name}) {reason}: write how to call it, as in --call '{function}(x, 0)'",
                index + 1
            ),
        };
        let mut arguments = Vec::new();
        for (index, (name, ty)) in signature.parameters.iter().enumerate() {
            let ty = match ty {
                Type::Pointer(to) if signature.by_address[index] => to,
                ty => ty,
            };
            match ty {
                Type::Floating(_) => arguments.push(name.as_str()),
                ty if !ty.parts().is_empty() => arguments.push(name.as_str()),
                Type::Integer(..) => return Err(refuse(index, name, "is an integer")),
                Type::Pointer(_) => {
                    return Err(refuse(
                        index,
                        name,
                        "is an address (write `&y` for an output, `v[3]` for an input)",
                    ));
                }
                Type::Other(what) => return Err(refuse(index, name, &format!("is {what}"))),
                _ => return Err(refuse(index, name, "is not a number")),
            }
        }
        let text = format!("{function}({})", arguments.join(", "));
        let call = Call::parse(&text).map_err(|problem| problem.of(&text))?;
        ResolvedCall::new(call, signature)
    }
}

impl ResolvedCall {
    /// Lets only numbers of a narrower format vary; the function's own parameters stay as they are.
    pub fn narrow_inputs(&mut self, kind: FpKind) {
        for parameter in &mut self.parameters {
            if kind.precision() < parameter.kind.precision() {
                parameter.kind = kind;
            }
        }
    }

    /// How C declares the function.
    pub fn declaration(&self) -> String {
        declaration(&self.signature)
    }

    /// Statements of C that call it with these inputs and leave an output in `computed`.
    pub fn test_call(&self, input: &[f64], output: &str) -> String {
        let value = |name: &str| {
            let at = self.parameters.iter().position(|known| known.name == name);
            at.map_or_else(String::new, |at| hexadecimal(input[at]))
        };
        let mut text = String::new();
        let mut arguments = Vec::new();
        for (argument, (_, ty)) in self.call.arguments.iter().zip(&self.signature.parameters) {
            let element = kind_of(ty).unwrap_or(FpKind::Double).c_name();
            match argument {
                Argument::Input(name) => arguments.push(value(name)),
                Argument::Inputs(name, 1) => {
                    arguments.push(format!("({element}[]){{{}}}", value(name)))
                }
                Argument::Inputs(name, length) => {
                    let values: Vec<String> = (0..*length)
                        .map(|at| value(&format!("{name}[{at}]")))
                        .collect();
                    arguments.push(format!("({element}[]){{{}}}", values.join(", ")));
                }
                Argument::Outputs(name, length) => {
                    let _ = write!(text, "{element} {name}[{}] = {{0}}; ", (*length).max(8));
                    arguments.push(name.clone());
                }
                Argument::Number(literal) => arguments.push(literal.text.clone()),
                Argument::Constant(constant) => arguments.push(constant.clone()),
            }
        }
        let call = format!("{}({})", self.signature.symbol, arguments.join(", "));
        let is_element = output.ends_with(']');
        match output {
            "result" => format!("{text}double computed = {call};"),
            element if is_element => format!("{text}{call}; double computed = {element};"),
            scalar => format!("{text}{call}; double computed = {scalar}[0];"),
        }
    }
}

fn parameter(name: &str, kind: FpKind) -> Parameter {
    Parameter {
        name: name.to_owned(),
        kind,
    }
}

pub(super) fn kind_of(ty: &Type) -> Option<FpKind> {
    match ty {
        Type::Floating(kind) | Type::Structure(_, Some(kind), _) => Some(*kind),
        Type::Pointer(to) => kind_of(to),
        _ => None,
    }
}

/// Functions of libm that can be passed as a callback.
pub const CALLBACKS: [&str; 4] = ["exp", "sin", "cos", "atan"];

/// Whether an argument can be passed for a parameter; else what is wrong.
fn check(argument: &Argument, ty: &Type) -> Result<(), String> {
    match (argument, ty) {
        (Argument::Input(_), Type::Floating(_)) => Ok(()),
        (Argument::Input(_), ty) if !ty.parts().is_empty() => Ok(()),
        (Argument::Input(name), ty) if ty.is_callback() => match CALLBACKS.contains(&name.as_str())
        {
            true => Ok(()),
            false => Err(format!(
                "is a callback: name one of {}",
                CALLBACKS.join(", ")
            )),
        },
        (Argument::Input(name), Type::Integer(..)) => Err(format!(
            "is an integer, and `{name}` would have to vary: give it a value"
        )),
        (Argument::Input(name), Type::Pointer(to)) if matches!(**to, Type::Integer(..)) => Err(
            format!("is an integer, and `{name}` would have to vary: give it a value"),
        ),
        (Argument::Input(name), Type::Pointer(_)) => Err(format!(
            "is an address: write `&{name}` if the function writes it, `{name}[n]` if it reads n numbers"
        )),
        (Argument::Inputs(..) | Argument::Outputs(..), Type::Pointer(to))
            if kind_of(to).is_some() =>
        {
            Ok(())
        }
        (Argument::Inputs(..) | Argument::Outputs(..), _) => {
            Err("is not an address of floating-point numbers".to_owned())
        }
        (Argument::Number(number), Type::Integer(..)) if !number.is_whole => {
            Err(format!("is an integer, and {} is not", number.text))
        }
        (
            Argument::Number(_) | Argument::Constant(_),
            Type::Structure(..) | Type::Complex(_) | Type::Other(_),
        ) => Err("is passed by value and is not a number".to_owned()),
        (Argument::Number(_) | Argument::Constant(_), _) => Ok(()),
        (Argument::Input(_), _) => Err("is not a number".to_owned()),
    }
}

/// The C file with a stub for each call. With `marks_numbers`, inputs and outputs are marked for mode `symbolic`.
pub fn source(
    resolved_calls: &[ResolvedCall],
    init: &[Initializer],
    marks_numbers: bool,
) -> String {
    let mut text = String::from(
        "/* Written by lostbits search. */\n#include <errno.h>\n#include <stddef.h>\n\
         static volatile int raised;\n",
    );
    let _ = writeln!(text, "void {RAISE_NAME}() {{ raised = 1; }}");
    if marks_numbers {
        for name in [
            functions::SYMBOLIC_INPUT.symbol,
            functions::SYMBOLIC_OUTPUT.symbol,
        ] {
            let _ = writeln!(text, "extern void {name}(void *, unsigned long, unsigned);");
        }
    }
    let mut declared: Vec<&str> = Vec::new();
    let mut structures: Vec<String> = vec![String::new()];
    for resolved in resolved_calls {
        let name = resolved.signature.symbol.as_str();
        if !declared.contains(&name) {
            declared.push(name);
            for ty in resolved.signature.passed_by_value() {
                let structure = structure(ty);
                if !structures.contains(&structure) {
                    text += &structure;
                    structures.push(structure);
                }
            }
            text += &declaration(&resolved.signature);
        }
    }
    for (index, resolved) in resolved_calls.iter().enumerate() {
        text += &stub(index, resolved, marks_numbers);
    }
    for call in init {
        let name = call.function.as_str();
        if !declared.contains(&name) {
            declared.push(name);
            let _ = writeln!(text, "extern long {name}();");
        }
    }
    let _ = writeln!(text, "void {INIT_NAME}(void) {{");
    for call in init {
        let _ = writeln!(text, "  {}", call.statement());
    }
    text + "}\n"
}

/// Numbers that are passed by address: one number for each that varies, and an array for constants.
fn addressed(mut call: Call, signature: &Signature) -> Call {
    let parameters = signature.parameters.iter().zip(&signature.by_address);
    for (argument, ((_, ty), by_address)) in call.arguments.iter_mut().zip(parameters) {
        let Type::Pointer(to) = ty else { continue };
        match argument {
            Argument::Input(name) if *by_address && kind_of(to).is_some() => {
                *argument = Argument::Inputs(name.clone(), 1);
            }
            Argument::Number(Literal { text, .. }) | Argument::Constant(text) if *by_address => {
                *argument = Argument::Constant(format!("({}[]){{{text}}}", spelled(to)));
            }
            _ => {}
        }
    }
    call
}

fn declaration(signature: &Signature) -> String {
    let object = signature.object.iter().map(|_| "void *".to_owned());
    let own = signature.parameters.iter().map(|(_, ty)| spelled(ty));
    let parameters: Vec<String> = object.chain(own).collect();
    let constructor = match signature.object.as_ref().map(|object| &object.constructor) {
        Some(Constructor::Default(name)) => format!("extern void {name}(void *);\n"),
        _ => String::new(),
    };
    let parameters = match parameters.len() {
        0 => "void".to_owned(),
        _ => parameters.join(", "),
    };
    format!(
        "{constructor}extern {} {}({parameters});\n",
        spelled(&signature.result),
        signature.symbol
    )
}

/// A type that is passed in the same way.
fn spelled(ty: &Type) -> String {
    match ty {
        Type::Pointer(_) => "void *".to_owned(),
        Type::Integer(..) => ty.c_name().unwrap_or("long").to_owned(),
        Type::Complex(kind) => format!("{} _Complex", kind.c_name()),
        ty if !ty.parts().is_empty() => format!("struct {}", structure_name(ty)),
        ty => ty.c_name().unwrap_or("void").to_owned(),
    }
}

/// A name that says what a structure consists of, so that equal ones have one.
fn structure_name(ty: &Type) -> String {
    let parts = ty.parts();
    let formats: Vec<&str> = parts.iter().map(|(_, kind)| kind.c_name()).collect();
    format!("lostbits_{}", formats.join("_").replace(' ', "_"))
}

/// The definition of a structure that is passed by value.
fn structure(ty: &Type) -> String {
    let parts = ty.parts();
    if !matches!(ty, Type::Structure(..)) || parts.is_empty() {
        return String::new();
    }
    let member = |(at, (_, kind)): (usize, &(&str, FpKind))| format!("{} m{at}; ", kind.c_name());
    let members: String = parts.iter().enumerate().map(member).collect();
    format!("struct {} {{ {members}}};\n", structure_name(ty))
}

/// A complex number or structure of these numbers, as an expression.
fn made(ty: &Type, numbers: &[String]) -> String {
    match ty {
        Type::Complex(_) => format!("__builtin_complex({})", numbers.join(", ")),
        _ => format!("(struct {}){{{}}}", structure_name(ty), numbers.join(", ")),
    }
}

impl Signature {
    fn passed_by_value(&self) -> impl Iterator<Item = &Type> {
        let parameters = self.parameters.iter().map(|(_, ty)| ty);
        parameters.chain([&self.result])
    }
}

/// Marks a variable as an input for the runtime.
fn mark(variable: &str, input: usize) -> String {
    let name = functions::SYMBOLIC_INPUT.symbol;
    format!("  {name}(&{variable}, sizeof {variable}, {input});\n")
}

fn callback_name(index: usize, number: usize, function: &str) -> String {
    format!("callback_{index}_{number}_{function}")
}

/// The functions that a call passes as callbacks.
fn callbacks(index: usize, resolved: &ResolvedCall) -> String {
    let mut text = String::new();
    let parameters = resolved.signature.parameters.iter();
    for (number, (argument, (_, ty))) in resolved.call.arguments.iter().zip(parameters).enumerate()
    {
        let (Argument::Input(name), Type::Pointer(to)) = (argument, ty) else {
            continue;
        };
        let Type::Function(result, taken) = &**to else {
            continue;
        };
        let data = if taken.len() > 1 { ", void *data" } else { "" };
        let _ = writeln!(
            text,
            "static {} {}({} x{data}) {{ return __builtin_{name}(x); }}",
            spelled(result),
            callback_name(index, number, name),
            taken.first().map_or_else(String::new, spelled),
        );
    }
    text
}

fn stub(index: usize, resolved: &ResolvedCall, marks_numbers: bool) -> String {
    let mut text = callbacks(index, resolved);
    let _ = writeln!(
        text,
        "void {}(const double *in, double *out) {{",
        stub_name(index)
    );
    let mut arguments = Vec::new();
    if let Some(Object { bytes, constructor }) = &resolved.signature.object {
        // Aligned as much as any number.
        let words = bytes.div_ceil(16).max(1);
        let _ = writeln!(text, "  long double object[{words}] = {{0}};");
        if let Constructor::Default(name) = constructor {
            let _ = writeln!(text, "  {name}(object);");
        }
        arguments.push("object".to_owned());
    }
    let mut outputs: Vec<String> = Vec::new();
    let position = |name: &str| {
        let at = resolved
            .parameters
            .iter()
            .position(|known| known.name == name);
        at.unwrap_or(0)
    };
    for (number, (argument, (_, ty))) in resolved
        .call
        .arguments
        .iter()
        .zip(&resolved.signature.parameters)
        .enumerate()
    {
        let element = kind_of(ty).unwrap_or(FpKind::Double).c_name();
        match argument {
            Argument::Input(name) if ty.is_callback() => {
                arguments.push(callback_name(index, number, name));
            }
            Argument::Input(name) if !ty.parts().is_empty() => {
                let parts = ty.parts();
                let numbers = parts.iter().map(|(part, kind)| {
                    let at = position(&format!("{name}.{part}"));
                    format!("({})in[{at}]", kind.c_name())
                });
                let numbers: Vec<String> = numbers.collect();
                arguments.push(made(ty, &numbers));
            }
            Argument::Input(name) if marks_numbers => {
                let at = position(name);
                let _ = writeln!(text, "  {element} s{number} = ({element})in[{at}];");
                text += &mark(&format!("s{number}"), at);
                arguments.push(format!("s{number}"));
            }
            Argument::Input(name) => arguments.push(format!("({element})in[{}]", position(name))),
            Argument::Inputs(name, length) => {
                let first = position(&if *length == 1 {
                    name.clone()
                } else {
                    format!("{name}[0]")
                });
                let _ = writeln!(text, "  {element} a{number}[{length}];");
                for at in 0..*length {
                    let _ = writeln!(text, "  a{number}[{at}] = ({element})in[{}];", first + at);
                    if marks_numbers {
                        text += &mark(&format!("a{number}[{at}]"), first + at);
                    }
                }
                arguments.push(format!("a{number}"));
            }
            Argument::Outputs(_, length) => {
                // A structure may be larger than its first member.
                let room = match ty {
                    Type::Pointer(to) => match **to {
                        Type::Structure(bytes, ..) => bytes.max(8) as usize,
                        _ => *length,
                    },
                    _ => *length,
                };
                let _ = writeln!(
                    text,
                    "  {element} a{number}[{}] = {{0}};",
                    room.max(*length)
                );
                outputs.extend((0..*length).map(|at| format!("a{number}[{at}]")));
                arguments.push(format!("a{number}"));
            }
            Argument::Number(literal) => arguments.push(literal.text.clone()),
            Argument::Constant(constant) => arguments.push(constant.clone()),
        }
    }
    let call = format!("{}({})", resolved.signature.symbol, arguments.join(", "));
    let Raised { status, errno } = resolved.raised;
    text += "  raised = 0;\n";
    text += if errno { "  errno = 0;\n" } else { "" };
    let _ = match resolved.signature.result {
        Type::Floating(_) => writeln!(text, "  out[0] = (double){call};"),
        Type::Complex(_) => writeln!(
            text,
            "  {} result = {call}; out[0] = __real__ result; out[1] = __imag__ result;",
            spelled(&resolved.signature.result)
        ),
        ref ty if !ty.parts().is_empty() => {
            let _ = writeln!(text, "  {} result = {call};", spelled(ty));
            let parts = 0..ty.parts().len();
            let each = parts.map(|at| format!("out[{at}] = (double)result.m{at};"));
            writeln!(text, "  {}", each.collect::<Vec<_>>().join(" "))
        }
        _ if status => writeln!(text, "  if ({call}) raised = 1;"),
        _ => writeln!(text, "  {call};"),
    };
    if errno {
        text += "  if (errno == EDOM || errno == ERANGE) raised = 1;\n";
    }
    let first = resolved.outputs.len() - outputs.len();
    for (at, output) in outputs.iter().enumerate() {
        let _ = writeln!(text, "  out[{}] = (double){output};", first + at);
    }
    if marks_numbers {
        for at in 0..resolved.outputs.len() {
            let name = functions::SYMBOLIC_OUTPUT.symbol;
            let _ = writeln!(text, "  {name}(&out[{at}], sizeof out[{at}], {at});");
        }
    }
    let _ = writeln!(
        text,
        "  if (raised) for (int i = 0; i < {}; i++) out[i] = __builtin_nan(\"\");",
        resolved.outputs.len()
    );
    text + "}\n"
}
