//! Tests in Rust: a file that `rustc --test` builds.

use std::fmt::Write;

use super::{Test, functions, name, tests};
use crate::{
    search::CallReport,
    target::test_call::{Checked, Scalar, TestArgument},
};

pub fn rust(reports: &[CallReport], significant: f64) -> String {
    // Rust has no long double.
    let tests = tests(reports, |scalar| scalar != Scalar::LongDouble);
    let functions = functions(&tests);
    let mut text = String::from(
        "// Inputs on which lostbits search found wrong results. Build with the library of the function:\n\
         //   rustc --edition 2021 --test test.rs -L . -l foo -o test && ./test\n\n\
         #[allow(dead_code)]\nextern \"C\" {\n",
    );
    for function in &functions {
        let parameters: Vec<String> = function
            .arguments
            .iter()
            .enumerate()
            .map(|(index, argument)| format!("a{index}: {}", parameter(argument)))
            .collect();
        let result = function
            .result
            .map_or(String::new(), |scalar| format!(" -> {}", spelled(scalar)));
        let _ = writeln!(
            text,
            "    #[link_name = \"{}\"]\n    fn {}({}){result};",
            function.symbol,
            name(&functions, function),
            parameters.join(", ")
        );
    }
    let _ = write!(
        text,
        "}}\n\n#[allow(dead_code)]\nfn check(call: &str, computed: f64, expected: f64) {{\n    \
         assert!(\n        (computed - expected).abs() <= {significant:e} * expected.abs(),\n        \
         \"{{call}}: computed {{computed:e}}, exact {{expected:e}}\"\n    );\n}}\n"
    );
    for (index, test) in tests.iter().enumerate() {
        text += &function(test, &name(&functions, test.call), index + 1);
    }
    text
}

fn function(test: &Test, subject: &str, number: usize) -> String {
    let mut text = format!("\n// {}\n#[test]\nfn input_{number}() {{\n", test.title);
    let mut arguments = Vec::new();
    for (index, argument) in test.call.arguments.iter().enumerate() {
        arguments.push(match argument {
            TestArgument::Number(scalar, bits) => value(*scalar, *bits),
            TestArgument::Array(element, bits) => {
                let numbers: Vec<String> = bits.iter().map(|bits| value(*element, *bits)).collect();
                let _ = writeln!(text, "    let mut input{index} = [{}];", numbers.join(", "));
                format!("input{index}.as_mut_ptr()")
            }
            TestArgument::Output(name, element, length) => {
                let _ = writeln!(
                    text,
                    "    let mut {name} = [0.0{}; {length}];",
                    spelled(*element)
                );
                format!("{name}.as_mut_ptr()")
            }
            TestArgument::Literal(scalar, literal) => {
                let digits = literal.trim_end_matches(['f', 'F', 'l', 'L', 'u', 'U']);
                format!("({digits}) as {}", spelled(*scalar))
            }
        });
    }
    let call = format!("unsafe {{ {subject}({}) }}", arguments.join(", "));
    let computed = match &test.call.checked {
        Checked::Result => call,
        Checked::Output(name, at) => {
            let _ = writeln!(text, "    {call};");
            format!("{name}[{at}]")
        }
    };
    let _ = writeln!(
        text,
        "    check(\"{}\", ({computed}) as f64, {:e});\n}}",
        test.title, test.expected
    );
    text
}

/// By its bits: exact, and no digits to check.
fn value(scalar: Scalar, bits: u64) -> String {
    match scalar {
        Scalar::Float => format!("(f64::from_bits({bits:#x}) as f32)"),
        _ => format!("f64::from_bits({bits:#x})"),
    }
}

fn parameter(argument: &TestArgument) -> String {
    match argument {
        TestArgument::Number(scalar, _) | TestArgument::Literal(scalar, _) => {
            spelled(*scalar).to_owned()
        }
        TestArgument::Array(element, _) | TestArgument::Output(_, element, _) => {
            format!("*mut {}", spelled(*element))
        }
    }
}

fn spelled(scalar: Scalar) -> &'static str {
    match scalar {
        Scalar::Float => "f32",
        Scalar::Double | Scalar::LongDouble => "f64",
        Scalar::Integer(1, true) => "i8",
        Scalar::Integer(1, false) => "u8",
        Scalar::Integer(2, true) => "i16",
        Scalar::Integer(2, false) => "u16",
        Scalar::Integer(4, true) => "i32",
        Scalar::Integer(4, false) => "u32",
        Scalar::Integer(_, true) => "i64",
        Scalar::Integer(_, false) => "u64",
    }
}
