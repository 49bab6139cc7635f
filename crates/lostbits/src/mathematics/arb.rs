//! Arb as an optional reference: it has the special functions that MPFR lacks, and proves its error bounds.
//!
//! It runs in a Python process with python-flint (`pip install python-flint`), if there is one. `flint3-sys` was the
//! alternative: it compiles FLINT for minutes with every build of lostbits, needs a C toolchain and GMP's and MPFR's
//! headers, and a question that never ends would end the search. A process can be killed, and where it is missing,
//! the search says so and falls back to what needs no reference.

use std::{
    io::{BufRead, BufReader, Write},
    process::{Child, ChildStdin, ChildStdout, Command, Stdio},
    sync::Mutex,
};

use rug::{Float, Integer};
use serde_json::{Value, json};

use super::{Truth, expression::Expression};
use crate::{fpcore::ast, numeric::hexadecimal};

const SCRIPT: &str = include_str!("arb.py");
/// The Python to use instead of `python3`.
pub const PYTHON: &str = "LOSTBITS_PYTHON";
/// Processes that may die of questions before no more are asked.
const MOST_DEATHS: u32 = 40;

/// One process for all functions of a search, started by the first question.
#[derive(Default)]
pub struct Arb(Mutex<State>);

#[derive(Default)]
struct State {
    process: Option<Process>,
    is_missing: bool,
    deaths: u32,
}

struct Process {
    child: Child,
    to: ChildStdin,
    from: BufReader<ChildStdout>,
}

impl Arb {
    /// Whether no process could be started.
    pub fn is_missing(&self) -> bool {
        self.lock().is_missing
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(|poison| poison.into_inner())
    }

    pub fn evaluate(&self, expression: &Expression, inputs: &[f64]) -> Truth {
        let mut state = self.lock();
        if state.is_missing || state.deaths > MOST_DEATHS {
            return Truth::Unknown;
        }
        if state.process.is_none() {
            state.process = Process::start();
            state.is_missing = state.process.is_none() && state.deaths == 0;
        }
        let Some(process) = &mut state.process else {
            return Truth::Unknown;
        };
        let mut question = vec![written(expression)];
        question.extend(inputs.iter().map(|input| json!(hexadecimal(*input))));
        match process.ask(&Value::from(question).to_string()) {
            Some(answer) => read(&answer),
            None => {
                state.process = None;
                state.deaths += 1;
                Truth::Unknown
            }
        }
    }
}

impl Process {
    fn start() -> Option<Process> {
        let python = std::env::var_os(PYTHON).unwrap_or_else(|| "python3".into());
        let mut child = Command::new(python)
            .args(["-c", SCRIPT])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .ok()?;
        let (to, from) = (child.stdin.take()?, child.stdout.take()?);
        let from = BufReader::new(from);
        let mut process = Process { child, to, from };
        (process.line()? == "ready").then_some(process)
    }

    fn line(&mut self) -> Option<String> {
        let mut line = String::new();
        let read = self.from.read_line(&mut line).ok()?;
        (read > 0).then(|| line.trim().to_owned())
    }

    /// None if it died, as it does when a question takes too long.
    fn ask(&mut self, question: &str) -> Option<String> {
        writeln!(self.to, "{question}").ok()?;
        self.to.flush().ok()?;
        self.line()
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn written(expression: &Expression) -> Value {
    let call = |kind: &str, name: &str, operands: &[Expression]| {
        let mut list = vec![json!(kind), json!(name)];
        list.extend(operands.iter().map(written));
        Value::from(list)
    };
    match expression {
        Expression::Number(number) => json!([
            "number",
            number.numer().to_string(),
            number.denom().to_string()
        ]),
        Expression::Pi => json!(["pi"]),
        Expression::Input(index) => json!(["input", index]),
        Expression::Operation(op, operands) => call("operation", ast::operator(*op), operands),
        Expression::Special(special, operands) => call("special", special.name, operands),
    }
}

/// `mantissa/exponent` is mantissa · 2^exponent.
fn read(answer: &str) -> Truth {
    if answer == "undefined" {
        return Truth::Undefined;
    }
    let number = || {
        let (mantissa, exponent) = answer.split_once('/')?;
        let mantissa: Integer = mantissa.parse().ok()?;
        let exponent: i32 = exponent.parse().ok()?;
        let value = Float::with_val(mantissa.significant_bits().max(64), mantissa);
        Some(value << exponent)
    };
    number().map_or(Truth::Unknown, Truth::Value)
}
