//! `--library libm2.so --call 'f(2.5, 1e-7)'`: a small C program that calls the function once.
//!
//! The library's debug information says what the function takes and returns. Without it, arguments have the types
//! that they are written with, and the result is a float if all arguments are, likewise a long double, else a
//! double.

use std::{
    ffi::OsString,
    fs,
    path::{Path, PathBuf},
};

use super::prototype::{self, Parameter, Prototype};
use crate::{
    failure::Failure,
    inputs::{self, Argument, Literal},
};

/// A call whose arguments are all numbers.
#[derive(PartialEq, Debug)]
pub struct Call {
    text: String,
    function: String,
    arguments: Vec<Literal>,
}

impl Call {
    pub fn read(text: &str) -> Result<Call, Failure> {
        let call = inputs::Call::parse(text).map_err(|problem| problem.of(text))?;
        let number = |argument| match argument {
            Argument::Number(literal) => Ok(literal),
            Argument::Input(name)
            | Argument::Inputs(name, _)
            | Argument::Outputs(name, _)
            | Argument::Constant(name) => Err(Failure::NotACall {
                text: text.to_owned(),
                error: format!(
                    "`{name}` is not a number, and explain makes the call once: write numbers, such as 'f(2.5, 1e-7)'"
                ),
            }),
        };
        let arguments = call.arguments.into_iter().map(number);
        Ok(Call {
            text: text.to_owned(),
            function: call.function,
            arguments: arguments.collect::<Result<_, _>>()?,
        })
    }

    /// By the types that the arguments are written with.
    fn assumed(&self) -> Prototype {
        let all = |name| {
            let mut types = self.arguments.iter().map(|argument| argument.type_name);
            !self.arguments.is_empty() && types.all(|other| other == name)
        };
        let result = ["float", "long double"]
            .into_iter()
            .find(|name| all(*name))
            .unwrap_or("double");
        let parameter = |argument: &Literal| Parameter {
            type_name: argument.type_name,
            by_address: false,
        };
        Prototype {
            symbol: self.function.clone(),
            result,
            parameters: self.arguments.iter().map(parameter).collect(),
        }
    }

    /// Whether the arguments are those that the function takes.
    fn check(&self, prototype: &Prototype) -> Result<(), Failure> {
        let refuse = |reason| Failure::CannotCall {
            call: self.text.clone(),
            reason,
        };
        let (takes, given) = (prototype.parameters.len(), self.arguments.len());
        if takes != given {
            let s = if takes == 1 { "" } else { "s" };
            let reason = format!("the function takes {takes} argument{s}, {given} given");
            return Err(refuse(reason));
        }
        let pairs = self.arguments.iter().zip(&prototype.parameters);
        let mut fractions = pairs.filter(|(one, takes)| takes.is_integer() && !one.is_whole);
        match fractions.next() {
            Some((one, takes)) => Err(refuse(format!(
                "{} is not of type {}, which the function takes there",
                one.text, takes.type_name
            ))),
            None => Ok(()),
        }
    }

    /// The program. Lines are counted so that the call is the first line of a file named by it.
    fn program(&self, prototype: &Prototype) -> String {
        let declared = |one: &Parameter| match one.by_address {
            true => format!("{} *", one.type_name),
            false => one.type_name.to_owned(),
        };
        let types: Vec<String> = prototype.parameters.iter().map(declared).collect();
        let types = match types.as_slice() {
            [] => "void".to_owned(),
            types => types.join(", "),
        };
        let pairs = self.arguments.iter().zip(&prototype.parameters).enumerate();
        let inputs: String = pairs
            .clone()
            .map(|(index, (one, takes))| {
                format!(
                    "volatile {} in_{index} = {};\n",
                    takes.type_name,
                    match takes.is_integer() {
                        true => one.text.clone(),
                        false => one.floating(),
                    }
                )
            })
            .collect();
        let passed = |(index, (_, takes)): (usize, (&Literal, &Parameter))| match takes.by_address {
            true => format!("({} *)&in_{index}", takes.type_name),
            false => format!("in_{index}"),
        };
        let names = pairs.map(passed).collect::<Vec<_>>().join(", ");
        let Prototype { symbol, result, .. } = prototype;
        let (conversion, widened) = match *result {
            "long double" => ("%.21Lg", ""),
            "double" | "float" => ("%.17g", ""),
            _ => ("%ld", "(long)"),
        };
        let title = self.text.replace('\\', "\\\\").replace('"', "\\\"");
        format!(
            "#include <stdio.h>\n{result} {symbol}({types});\n{inputs}int main(void) {{\n\
             #line 1 \"{title}\"\n    printf(\"{conversion}\\n\", {widened}{symbol}({names}));\n}}\n"
        )
    }

    /// Writes the program into `folder`; gives the compiler's arguments.
    pub fn write(&self, libraries: &[PathBuf], folder: &Path) -> Result<Vec<OsString>, Failure> {
        let known = prototype::of(&self.function, libraries.iter().map(PathBuf::as_path))?;
        let prototype = known.unwrap_or_else(|| self.assumed());
        self.check(&prototype)?;
        let source = folder.join("call.c");
        fs::write(&source, self.program(&prototype))
            .map_err(|error| Failure::NoTemporaryFolder { error })?;
        let mut words = vec![source.into_os_string()];
        for library in libraries {
            let path = fs::canonicalize(library).map_err(|error| Failure::CannotRead {
                path: library.clone(),
                error,
            })?;
            let mut search = OsString::from("-Wl,-rpath,");
            search.push(path.parent().unwrap_or(Path::new("/")));
            words.extend([path.into_os_string(), search]);
        }
        Ok(words)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn program(text: &str) -> String {
        let call = Call::read(text).unwrap();
        call.program(&call.assumed())
    }

    #[test]
    fn calls_become_programs() {
        let text = program("f(2.5, 1e-7, 3)");
        assert!(text.contains("double f(double, double, double);"), "{text}");
        assert!(text.contains("volatile double in_2 = 3.0;"), "{text}");
        assert!(program("g(1.5f)").contains("float g(float);"));
        assert!(program(" h ( 2i, 1.5L ) ").contains("double h(int, long double);"));
        assert!(program("k()").contains("double k(void);"));
    }

    #[test]
    fn only_numbers_are_arguments() {
        for bad in ["f(x)", "f(1, &y)", "f(v[2])", "f((int)1)", "f"] {
            assert!(Call::read(bad).is_err(), "{bad}");
        }
    }
}
