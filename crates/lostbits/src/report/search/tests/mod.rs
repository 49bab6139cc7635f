//! Regression tests that fail as long as a function is wrong on an input that was found, and pass once it is mended.
//!
//! Each is a whole program (or a file for pytest) that declares the function, calls it with the numbers that were
//! found, and compares with the exact result. Its first lines say how it is built and run. Findings without an exact
//! result make no test.

mod c;
mod fortran;
mod pytest;
mod rust;

pub use c::{c, cpp};
pub use fortran::fortran;
pub use pytest::pytest;
pub use rust::rust;

use crate::{
    printable::printable,
    search::CallReport,
    target::test_call::{Scalar, TestCall},
};

/// One comparison.
pub struct Test<'a> {
    /// `f(x) at 0.5`.
    pub title: String,
    pub call: &'a TestCall,
    pub expected: f64,
}

/// The findings that can be tested.
fn tests<'a>(reports: &'a [CallReport], can: fn(Scalar) -> bool) -> Vec<Test<'a>> {
    let mut tests = Vec::new();
    for report in reports {
        for (finding, call) in report.findings.iter().zip(&report.tests) {
            let expected = finding.reference.parse::<f64>().ok();
            let (Some(call), Some(expected)) = (call, expected.filter(|one| one.is_finite()))
            else {
                continue;
            };
            if !call.scalars().into_iter().all(can) {
                continue;
            }
            let inputs: Vec<String> = finding.input.iter().map(|x| format!("{x:?}")).collect();
            let text = format!("{} at {}", report.call, inputs.join(", "));
            let text = printable(&text).replace(['"', '\\', '\''], " ");
            tests.push(Test {
                title: text,
                call,
                expected,
            });
        }
    }
    tests
}

/// The functions that the tests call, each once, with a name for it.
fn functions<'a>(tests: &[Test<'a>]) -> Vec<&'a TestCall> {
    let mut functions: Vec<&TestCall> = Vec::new();
    for test in tests {
        if !functions
            .iter()
            .any(|known| known.symbol == test.call.symbol)
        {
            functions.push(test.call);
        }
    }
    functions
}

/// The name by which a test calls a symbol, which need not be an identifier.
fn name(functions: &[&TestCall], call: &TestCall) -> String {
    let at = functions
        .iter()
        .position(|known| known.symbol == call.symbol);
    format!("subject{}", at.unwrap_or(0) + 1)
}

impl TestCall {
    fn scalars(&self) -> Vec<Scalar> {
        use crate::target::test_call::TestArgument::*;
        let arguments = self.arguments.iter().map(|argument| match argument {
            Number(scalar, _) | Array(scalar, _) | Output(_, scalar, _) | Literal(scalar, _) => {
                *scalar
            }
        });
        arguments.chain(self.result).collect()
    }
}
