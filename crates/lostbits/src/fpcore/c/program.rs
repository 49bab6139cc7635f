//! A program around a function: inputs from standard input, one sample on each line, as hexadecimal
//! floating-point numbers; the result of each on a line of standard output, in the same notation.

use std::fmt::Write;

use super::{Argument, Function, HEADER, Outcome, Untranslatable, type_name};
use crate::{
    fpcore::{ast::Format, evaluate::Value},
    numeric::hexadecimal,
};

/// The whole program. An array is read after its sizes, element by element.
pub fn program(function: &Function) -> Result<String, Untranslatable> {
    let driver = driver(function, "sample")?;
    Ok(format!("{HEADER}\n{}\n{driver}\n{MAIN}", function.text))
}

const MAIN: &str = "\
int main(void)
{
    char *line = NULL;
    size_t room = 0;
    while (getline(&line, &room, stdin) > 1)
        sample(line);
    free(line);
    return 0;
}
";

/// A function of this name that reads one sample from a line, calls the function, and prints.
pub fn driver(function: &Function, name: &str) -> Result<String, Untranslatable> {
    let mut text = format!("static void {name}(char *next)\n{{\n");
    if function.parameters.is_empty() {
        text.push_str("    (void)next;\n");
    }
    for argument in &function.parameters {
        read(&mut text, argument)?;
    }
    call(&mut text, function)?;
    text.push_str("}\n");
    Ok(text)
}

/// The line from which the driver reads one sample.
pub fn input_line(function: &Function, sample: &[Value<f64>]) -> String {
    let mut words: Vec<String> = Vec::new();
    let mut sizes: Vec<&str> = Vec::new();
    let arrays = function
        .parameters
        .iter()
        .filter(|parameter| !parameter.is_size);
    for (parameter, value) in arrays.zip(sample) {
        for (size, length) in parameter.shape.iter().zip(value.shape()) {
            if size.parse::<usize>().is_err() && !sizes.contains(&size.as_str()) {
                sizes.push(size);
                words.push(length.to_string());
            }
        }
        words.extend(
            value
                .clone()
                .into_elements()
                .iter()
                .map(|x| match parameter.format {
                    Format::Integer => format!("{x}"),
                    _ => hexadecimal(*x),
                }),
        );
    }
    words.join(" ") + "\n"
}

fn read(text: &mut String, argument: &Argument) -> Result<(), Untranslatable> {
    let type_name = type_name(argument.format)?;
    let conversion = match argument.format {
        Format::Integer => "strtoll(next, &next, 10)",
        Format::Binary32 => "strtof(next, &next)",
        Format::Binary64 => "strtod(next, &next)",
        Format::Binary80 => "strtold(next, &next)",
        Format::Real => return Err(Untranslatable::NoFormat("real")),
    };
    let name = mains_name(&argument.name);
    if argument.shape.is_empty() {
        let _ = writeln!(text, "    {type_name} {name} = {conversion};");
    } else {
        let length = length(&argument.shape);
        let _ = write!(
            text,
            "    {type_name} {name}[{length}];\n    for (long k = 0; k < {length}; k++)\n        {name}[k] = {conversion};\n"
        );
    }
    Ok(())
}

/// Apart from the names that `main` uses itself.
fn mains_name(name: &str) -> String {
    format!("in_{name}")
}

fn length(shape: &[String]) -> String {
    let sizes = shape.iter().map(|size| match size.parse::<usize>() {
        Ok(_) => size.clone(),
        Err(_) => mains_name(size),
    });
    sizes.collect::<Vec<_>>().join(" * ")
}

fn call(text: &mut String, function: &Function) -> Result<(), Untranslatable> {
    let mut arguments: Vec<String> = function
        .parameters
        .iter()
        .map(|parameter| mains_name(&parameter.name))
        .collect();
    let name = &function.name;
    let _ = match &function.result {
        Outcome::Number(format) => {
            let arguments = arguments.join(", ");
            writeln!(
                text,
                "    printf(\"{}\\n\", {name}({arguments}));",
                conversion(*format)
            )
        }
        Outcome::Array(format, shape) => {
            arguments.push("result".to_owned());
            let (arguments, length, type_name) =
                (arguments.join(", "), length(shape), type_name(*format)?);
            write!(
                text,
                "    {type_name} result[{length}];\n    {name}({arguments});\n    for (long k = 0; k < {length}; k++)\n        printf(\"{}%c\", result[k], k + 1 < {length} ? ' ' : '\\n');\n",
                conversion(*format)
            )
        }
    };
    Ok(())
}

fn conversion(format: Format) -> &'static str {
    match format {
        Format::Integer => "%lld",
        Format::Binary80 => "%La",
        _ => "%a",
    }
}
