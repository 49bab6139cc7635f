//! `--library libm2.so --call 'f(2.5, 1e-7)'`: a small C program that calls the function once.
//!
//! Arguments are doubles; `2.5f` is a float, `2.5L` a long double, `3i` an int. The result is a float where
//! all arguments are, likewise a long double, else a double.

use std::{
    ffi::OsString,
    fs,
    path::{Path, PathBuf},
};

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

    fn result(&self) -> &'static str {
        let all = |name| {
            let mut types = self.arguments.iter().map(|argument| argument.type_name);
            !self.arguments.is_empty() && types.all(|other| other == name)
        };
        ["float", "long double"]
            .into_iter()
            .find(|name| all(*name))
            .unwrap_or("double")
    }

    /// The program. Lines are counted so that the call is the first line of a file named by it.
    fn program(&self) -> String {
        let types: Vec<&str> = self.arguments.iter().map(|one| one.type_name).collect();
        let types = match types.as_slice() {
            [] => "void".to_owned(),
            types => types.join(", "),
        };
        let inputs = self.arguments.iter().enumerate();
        let inputs: String = inputs
            .map(|(index, one)| {
                let Argument { literal, type_name } = one;
                format!("volatile {type_name} in_{index} = {literal};\n")
            })
            .collect();
        let names = (0..self.arguments.len()).map(|index| format!("in_{index}"));
        let names = names.collect::<Vec<_>>().join(", ");
        let (result, function) = (self.result(), &self.function);
        let conversion = if result == "long double" {
            "%.21Lg"
        } else {
            "%.17g"
        };
        let title = self.text.replace('\\', "\\\\").replace('"', "\\\"");
        format!(
            "#include <stdio.h>\n{result} {function}({types});\n{inputs}int main(void) {{\n\
             #line 1 \"{title}\"\n    printf(\"{conversion}\\n\", {function}({names}));\n}}\n"
        )
    }

    /// Writes the program into `folder`; gives the compiler's arguments.
    pub fn write(&self, libraries: &[PathBuf], folder: &Path) -> Result<Vec<OsString>, Failure> {
        let source = folder.join("call.c");
        fs::write(&source, self.program()).map_err(|error| Failure::NoTemporaryFolder { error })?;
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
        });
    }
    let value = crate::fpcore::number::Number::read(number).ok()?.to_f64();
    // As it was written: a decimal of many digits means more to a long double.
    let literal = match number.contains(['.', 'e', 'E', 'x']) {
        true => format!("{number}{suffix}"),
        false => format!("{value:?}{suffix}"),
    };
    Some(Argument { literal, type_name })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_become_programs() {
        let call = Call::read("f(2.5, 1e-7, 3)").unwrap();
        let program = call.program();
        assert!(
            program.contains("double f(double, double, double);"),
            "{program}"
        );
        assert!(program.contains("volatile double in_2 = 3.0;"), "{program}");
        let call = Call::read("g(1.5f)").unwrap();
        assert!(call.program().contains("float g(float);"));
        let call = Call::read(" h ( 2i, 1.5L ) ").unwrap();
        assert!(call.program().contains("double h(int, long double);"));
        assert!(
            Call::read("k()")
                .unwrap()
                .program()
                .contains("double k(void);")
        );
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
