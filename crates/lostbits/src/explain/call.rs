//! `--library libm2.so --call 'f(2.5, 1e-7)'`: a small C program that calls the function once.
//!
//! What the function takes and gives back its library's debug information tells. Without any, arguments are doubles;
//! `2.5f` is a float, `2.5L` a long double, `3i` an int; and the result is a float where all arguments are, likewise a
//! long double, else a double.

use std::{
    ffi::OsString,
    fs,
    path::{Path, PathBuf},
};

use super::prototype::{self, Parameter, Prototype};
use crate::failure::Failure;

/// A call as the user wrote it, taken apart.
#[derive(PartialEq, Debug)]
pub struct Call {
    text: String,
    function: String,
    arguments: Vec<Argument>,
}

#[derive(PartialEq, Debug)]
struct Argument {
    literal: String,
    type_name: &'static str,
    is_whole: bool,
}

impl Call {
    pub fn read(text: &str) -> Result<Call, Failure> {
        let bad = || Failure::BadCall {
            call: text.to_owned(),
        };
        let (function, rest) = text.trim().split_once('(').ok_or_else(bad)?;
        let inner = rest.trim_end().strip_suffix(')').ok_or_else(bad)?;
        let function = function.trim();
        let is_name = |c: char| c.is_alphanumeric() || c == '_';
        if function.is_empty() || !function.chars().all(is_name) {
            return Err(bad());
        }
        let words = inner.split(',').map(str::trim);
        let arguments: Option<Vec<Argument>> = match inner.trim().is_empty() {
            true => Some(Vec::new()),
            false => words.map(argument).collect(),
        };
        Ok(Call {
            text: text.to_owned(),
            function: function.to_owned(),
            arguments: arguments.ok_or_else(bad)?,
        })
    }

    /// As the arguments are written.
    fn assumed(&self) -> Prototype {
        let all = |name| {
            let mut types = self.arguments.iter().map(|argument| argument.type_name);
            !self.arguments.is_empty() && types.all(|other| other == name)
        };
        let result = ["float", "long double"]
            .into_iter()
            .find(|name| all(*name))
            .unwrap_or("double");
        let parameter = |argument: &Argument| Parameter {
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
            let reason = format!("the function takes {takes} argument{s}, not {given}");
            return Err(refuse(reason));
        }
        let pairs = self.arguments.iter().zip(&prototype.parameters);
        let mut fractions = pairs.filter(|(one, takes)| takes.is_integer() && !one.is_whole);
        match fractions.next() {
            Some((one, takes)) => Err(refuse(format!(
                "{} is no {}, which the function takes there",
                one.literal, takes.type_name
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
                    takes.type_name, one.literal
                )
            })
            .collect();
        let passed = |(index, (_, takes)): (usize, (&Argument, &Parameter))| match takes.by_address
        {
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

fn argument(word: &str) -> Option<Argument> {
    let (number, suffix, type_name) = match word.chars().last()? {
        'f' if !word.contains("0x") => (&word[..word.len() - 1], "f", "float"),
        'L' => (&word[..word.len() - 1], "L", "long double"),
        'i' => (&word[..word.len() - 1], "", "int"),
        _ => (word, "", "double"),
    };
    if type_name == "int" {
        number.parse::<i32>().ok()?;
        return Some(Argument {
            literal: number.to_owned(),
            type_name,
            is_whole: true,
        });
    }
    let value = crate::fpcore::number::Number::read(number).ok()?.to_f64();
    // As it was written: a decimal of many digits means more to a long double.
    let literal = match number.contains(['.', 'e', 'E', 'x']) {
        true => format!("{number}{suffix}"),
        false => format!("{value:?}{suffix}"),
    };
    Some(Argument {
        literal,
        type_name,
        is_whole: value.fract() == 0.0,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_become_programs() {
        let call = Call::read("f(2.5, 1e-7, 3)").unwrap();
        let program = call.program(&call.assumed());
        assert!(
            program.contains("double f(double, double, double);"),
            "{program}"
        );
        assert!(program.contains("volatile double in_2 = 3.0;"), "{program}");
        let call = Call::read("g(1.5f)").unwrap();
        assert!(call.program(&call.assumed()).contains("float g(float);"));
        let call = Call::read(" h ( 2i, 1.5L ) ").unwrap();
        assert!(
            call.program(&call.assumed())
                .contains("double h(int, long double);")
        );
        let call = Call::read("k()").unwrap();
        assert!(call.program(&call.assumed()).contains("double k(void);"));
    }

    #[test]
    fn what_is_no_call_is_refused() {
        for bad in [
            "f", "f(", "(1)", "f(x)", "f(1,)", "f(1) + 2", "f g(1)", "f(2.5i)",
        ] {
            assert!(Call::read(bad).is_err(), "{bad}");
        }
    }
}
