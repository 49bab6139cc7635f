//! Tests in C, and in C++ with the linker's name of the function.

use std::fmt::Write;

use super::{Test, functions, name, tests};
use crate::{
    report::numbers::hexadecimal,
    search::CallReport,
    target::test_call::{Checked, Scalar, TestArgument},
};

pub fn c(reports: &[CallReport], significant: f64) -> String {
    let how = "cc -O2 test.c foo.c -lm -o test && ./test";
    written(reports, significant, how, "extern")
}

pub fn cpp(reports: &[CallReport], significant: f64) -> String {
    let how = "c++ -O2 test.cpp foo.cpp -o test && ./test";
    written(reports, significant, how, "extern \"C\"")
}

fn written(reports: &[CallReport], significant: f64, how: &str, linkage: &str) -> String {
    let tests = tests(reports, |_| true);
    let functions = functions(&tests);
    let mut text = format!(
        "/* Inputs on which lostbits search found wrong results. Build with the function's own source or library:\n   {how} */\n\
         #include <math.h>\n#include <stdio.h>\n\n"
    );
    for function in &functions {
        let types: Vec<String> = function.arguments.iter().map(parameter).collect();
        let types = if types.is_empty() {
            "void".to_owned()
        } else {
            types.join(", ")
        };
        let result = function.result.map_or("void", spelled);
        let _ = writeln!(
            text,
            "{linkage} {result} {}({types}) __asm__(\"{}\");",
            name(&functions, function),
            function.symbol
        );
    }
    let _ = write!(
        text,
        "\nstatic int wrong;\n\n\
         static void check(const char *call, double computed, double expected) {{\n  \
         if (fabs(computed - expected) <= {significant:e} * fabs(expected)) return;\n  \
         printf(\"%s: computed %.17g, exact %.17g\\n\", call, computed, expected);\n  wrong = 1;\n}}\n\n\
         int main(void) {{\n"
    );
    for test in &tests {
        text += &block(test, &name(&functions, test.call));
    }
    text + "  return wrong;\n}\n"
}

fn block(test: &Test, function: &str) -> String {
    let mut text = String::from("  {\n");
    let mut arguments = Vec::new();
    for (index, argument) in test.call.arguments.iter().enumerate() {
        arguments.push(match argument {
            TestArgument::Number(_, bits) => hexadecimal(f64::from_bits(*bits)),
            TestArgument::Array(element, bits) => {
                let numbers = bits.iter().map(|bits| hexadecimal(f64::from_bits(*bits)));
                let numbers: Vec<String> = numbers.collect();
                let _ = writeln!(
                    text,
                    "    {} input{index}[] = {{{}}};",
                    spelled(*element),
                    numbers.join(", ")
                );
                format!("input{index}")
            }
            TestArgument::Output(name, element, length) => {
                let _ = writeln!(text, "    {} {name}[{length}] = {{0}};", spelled(*element));
                name.clone()
            }
            TestArgument::Literal(_, literal) => literal.clone(),
        });
    }
    let call = format!("{function}({})", arguments.join(", "));
    let _ = match &test.call.checked {
        Checked::Result => writeln!(text, "    double computed = (double){call};"),
        Checked::Output(name, at) => {
            writeln!(
                text,
                "    {call};\n    double computed = (double){name}[{at}];"
            )
        }
    };
    let _ = writeln!(
        text,
        "    check(\"{}\", computed, {:e});\n  }}",
        test.title, test.expected
    );
    text
}

fn parameter(argument: &TestArgument) -> String {
    match argument {
        TestArgument::Number(scalar, _) | TestArgument::Literal(scalar, _) => {
            spelled(*scalar).to_owned()
        }
        TestArgument::Array(element, _) | TestArgument::Output(_, element, _) => {
            format!("{} *", spelled(*element))
        }
    }
}

fn spelled(scalar: Scalar) -> &'static str {
    match scalar {
        Scalar::Float => "float",
        Scalar::Double => "double",
        Scalar::LongDouble => "long double",
        Scalar::Integer(1, true) => "signed char",
        Scalar::Integer(1, false) => "unsigned char",
        Scalar::Integer(2, true) => "short",
        Scalar::Integer(2, false) => "unsigned short",
        Scalar::Integer(4, true) => "int",
        Scalar::Integer(4, false) => "unsigned",
        Scalar::Integer(_, true) => "long",
        Scalar::Integer(_, false) => "unsigned long",
    }
}
