//! Tests for pytest: the function is called in a shared library by ctypes.

use std::fmt::Write;

use super::{Test, functions, name, tests};
use crate::{
    report::numbers::hexadecimal,
    search::CallReport,
    target::test_call::{Checked, Scalar, TestArgument},
};

pub fn pytest(reports: &[CallReport], significant: f64) -> String {
    let tests = tests(reports, |_| true);
    let functions = functions(&tests);
    let mut text = String::from(
        "\"\"\"Inputs on which lostbits search found wrong results.\n\n\
         cc -O2 -shared -fPIC foo.c -lm -o libfoo.so && LIBRARY=./libfoo.so pytest test_found.py\n\"\"\"\n\n\
         import ctypes\nimport os\n\n\
         LIBRARY = ctypes.CDLL(os.path.abspath(os.environ.get(\"LIBRARY\", \"libfoo.so\")))\n",
    );
    for function in &functions {
        let name = name(&functions, function);
        let types: Vec<String> = function.arguments.iter().map(parameter).collect();
        let result = function.result.map_or("None", spelled);
        let _ = write!(
            text,
            "\n{name} = getattr(LIBRARY, \"{}\")\n{name}.restype = {result}\n{name}.argtypes = [{}]\n",
            function.symbol,
            types.join(", ")
        );
    }
    let _ = write!(
        text,
        "\n\ndef check(computed, expected):\n    assert abs(computed - expected) <= {significant:e} * abs(expected), (computed, expected)\n"
    );
    for (index, test) in tests.iter().enumerate() {
        text += &function(test, &name(&functions, test.call), index + 1);
    }
    text
}

fn function(test: &Test, subject: &str, number: usize) -> String {
    let mut text = format!("\n\ndef test_input_{number}():\n    # {}\n", test.title);
    let mut arguments = Vec::new();
    let exact = |bits: &u64| format!("float.fromhex(\"{}\")", hexadecimal(f64::from_bits(*bits)));
    for (index, argument) in test.call.arguments.iter().enumerate() {
        arguments.push(match argument {
            TestArgument::Number(_, bits) => exact(bits),
            TestArgument::Array(element, bits) => {
                let numbers: Vec<String> = bits.iter().map(exact).collect();
                let _ = writeln!(
                    text,
                    "    input{index} = ({} * {})({})",
                    spelled(*element),
                    bits.len(),
                    numbers.join(", ")
                );
                format!("input{index}")
            }
            TestArgument::Output(name, element, length) => {
                let _ = writeln!(text, "    {name} = ({} * {length})()", spelled(*element));
                name.clone()
            }
            TestArgument::Literal(_, literal) => literal
                .trim_end_matches(['f', 'F', 'l', 'L', 'u', 'U'])
                .to_owned(),
        });
    }
    let call = format!("{subject}({})", arguments.join(", "));
    let computed = match &test.call.checked {
        Checked::Result => call,
        Checked::Output(name, at) => {
            let _ = writeln!(text, "    {call}");
            format!("{name}[{at}]")
        }
    };
    let _ = writeln!(text, "    check({computed}, {:e})", test.expected);
    text
}

fn parameter(argument: &TestArgument) -> String {
    match argument {
        TestArgument::Number(scalar, _) | TestArgument::Literal(scalar, _) => {
            spelled(*scalar).to_owned()
        }
        TestArgument::Array(element, _) | TestArgument::Output(_, element, _) => {
            format!("ctypes.POINTER({})", spelled(*element))
        }
    }
}

fn spelled(scalar: Scalar) -> &'static str {
    match scalar {
        Scalar::Float => "ctypes.c_float",
        Scalar::Double => "ctypes.c_double",
        Scalar::LongDouble => "ctypes.c_longdouble",
        Scalar::Integer(1, true) => "ctypes.c_int8",
        Scalar::Integer(1, false) => "ctypes.c_uint8",
        Scalar::Integer(2, true) => "ctypes.c_int16",
        Scalar::Integer(2, false) => "ctypes.c_uint16",
        Scalar::Integer(4, true) => "ctypes.c_int32",
        Scalar::Integer(4, false) => "ctypes.c_uint32",
        Scalar::Integer(_, true) => "ctypes.c_int64",
        Scalar::Integer(_, false) => "ctypes.c_uint64",
    }
}
