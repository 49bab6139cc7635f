//! Tests in Fortran: a program that declares the function with `bind(c)`, whatever it is written in.

use std::fmt::Write;

use super::{Test, functions, name, tests};
use crate::{
    search::CallReport,
    target::test_call::{Checked, Scalar, TestArgument, TestCall},
};

pub fn fortran(reports: &[CallReport], significant: f64) -> String {
    let tests = tests(reports, |scalar| scalar != Scalar::LongDouble);
    let functions = functions(&tests);
    let mut text = String::from(
        "! Inputs on which lostbits search found wrong results. Build with the function's own source or library:\n\
         !   flang -O2 test.f90 foo.f90 -o test && ./test\n\
         program found\n  use, intrinsic :: iso_c_binding\n  implicit none\n  interface\n",
    );
    for function in &functions {
        text += &interface(function, &name(&functions, function));
    }
    text += "  end interface\n  logical :: wrong\n  wrong = .false.\n";
    for test in &tests {
        text += &block(test, &name(&functions, test.call));
    }
    let _ = write!(
        text,
        "  if (wrong) error stop 1\ncontains\n  subroutine check(call, computed, expected)\n    \
         character(*), intent(in) :: call\n    real(c_double), intent(in) :: computed, expected\n    \
         if (abs(computed - expected) <= {} * abs(expected)) return\n    \
         print *, call, ': computed', computed, ', exact', expected\n    wrong = .true.\n  end subroutine\nend program\n",
        real(significant)
    );
    text
}

fn interface(function: &TestCall, name: &str) -> String {
    let names: Vec<String> = (0..function.arguments.len())
        .map(|index| format!("a{index}"))
        .collect();
    let (kind, result) = match function.result {
        Some(_) => ("function", " result(r)"),
        None => ("subroutine", ""),
    };
    let mut text = format!(
        "    {kind} {name}({}) bind(c, name='{}'){result}\n      import\n",
        names.join(", "),
        function.symbol
    );
    for (argument, name) in function.arguments.iter().zip(&names) {
        let _ = match argument {
            TestArgument::Number(scalar, _) | TestArgument::Literal(scalar, _) => {
                writeln!(text, "      {}, value :: {name}", spelled(*scalar))
            }
            TestArgument::Array(element, _) | TestArgument::Output(_, element, _) => {
                writeln!(text, "      {} :: {name}(*)", spelled(*element))
            }
        };
    }
    if let Some(result) = function.result {
        let _ = writeln!(text, "      {} :: r", spelled(result));
    }
    text + &format!("    end {kind}\n")
}

fn block(test: &Test, subject: &str) -> String {
    let mut declared = String::new();
    let mut text = String::new();
    let mut arguments = Vec::new();
    for (index, argument) in test.call.arguments.iter().enumerate() {
        arguments.push(match argument {
            TestArgument::Number(scalar, bits) => value(*scalar, *bits),
            TestArgument::Array(element, bits) => {
                let _ = writeln!(
                    declared,
                    "    {} :: input{index}({})",
                    spelled(*element),
                    bits.len()
                );
                for (at, bits) in bits.iter().enumerate() {
                    let _ = writeln!(
                        text,
                        "    input{index}({}) = {}",
                        at + 1,
                        value(*element, *bits)
                    );
                }
                format!("input{index}")
            }
            TestArgument::Output(name, element, length) => {
                let _ = writeln!(
                    declared,
                    "    {} :: out_{name}({length})",
                    spelled(*element)
                );
                format!("out_{name}")
            }
            TestArgument::Literal(scalar, literal) => {
                let digits = literal.trim_end_matches(['f', 'F', 'l', 'L', 'u', 'U']);
                match scalar {
                    Scalar::Integer(..) => format!("int({digits}, {})", kind(*scalar)),
                    _ => format!("real({digits}, {})", kind(*scalar)),
                }
            }
        });
    }
    let joined = arguments.join(", &\n      ");
    let computed = match (&test.call.checked, test.call.result) {
        (Checked::Result, _) => format!("{subject}({joined})"),
        (Checked::Output(name, at), None) => {
            let _ = writeln!(text, "    call {subject}({joined})");
            format!("out_{name}({})", at + 1)
        }
        (Checked::Output(name, at), Some(result)) => {
            let _ = writeln!(declared, "    {} :: status", spelled(result));
            let _ = writeln!(text, "    status = {subject}({joined})");
            format!("out_{name}({})", at + 1)
        }
    };
    format!(
        "  block\n{declared}{text}    call check('{}', &\n      real({computed}, c_double), &\n      {})\n  end block\n",
        short(&test.title),
        real(test.expected)
    )
}

/// A line of Fortran has at most 132 characters.
fn short(title: &str) -> String {
    title.chars().take(80).collect()
}

/// By its bits: exact.
fn value(scalar: Scalar, bits: u64) -> String {
    let double = format!("transfer(int(z'{bits:016x}', c_int64_t), 0.0_c_double)");
    match scalar {
        Scalar::Float => format!("real({double}, c_float)"),
        _ => double,
    }
}

fn real(value: f64) -> String {
    format!("{value:e}_c_double")
}

fn kind(scalar: Scalar) -> &'static str {
    match scalar {
        Scalar::Float => "c_float",
        Scalar::Double | Scalar::LongDouble => "c_double",
        Scalar::Integer(1, _) => "c_int8_t",
        Scalar::Integer(2, _) => "c_int16_t",
        Scalar::Integer(4, _) => "c_int32_t",
        Scalar::Integer(..) => "c_int64_t",
    }
}

fn spelled(scalar: Scalar) -> String {
    match scalar {
        Scalar::Integer(..) => format!("integer({})", kind(scalar)),
        _ => format!("real({})", kind(scalar)),
    }
}
