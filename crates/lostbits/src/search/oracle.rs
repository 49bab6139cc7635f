//! Who says what would have been right.

use std::{
    io::{BufRead, BufReader, Write},
    process::{Child, ChildStdin, ChildStdout, Command, Stdio},
};

use rug::Float;

use super::{
    finding::{self, Confirmation, Finding},
    session::{Session, Suspect},
};
use crate::{failure::Failure, report::numbers::hexadecimal};

/// Says what is right for a suspect; none where it is no finding.
pub trait Oracle {
    fn check(
        &mut self,
        session: &mut Session,
        suspect: &Suspect,
        outputs: &[String],
    ) -> Result<Option<Finding>, Failure>;

    /// What is right for an input on which the function gives no number, where somebody knows a number.
    fn defined(
        &mut self,
        _session: &mut Session,
        _input: &[f64],
    ) -> Result<Option<String>, Failure> {
        Ok(None)
    }
}

/// Nobody: the estimate from the trace stands.
pub struct Nobody;

impl Oracle for Nobody {
    fn check(
        &mut self,
        session: &mut Session,
        suspect: &Suspect,
        outputs: &[String],
    ) -> Result<Option<Finding>, Failure> {
        finding::by_estimate(session, suspect, outputs)
    }
}

/// The same run over the reals.
pub struct Shadow;

impl Oracle for Shadow {
    fn check(
        &mut self,
        session: &mut Session,
        suspect: &Suspect,
        outputs: &[String],
    ) -> Result<Option<Finding>, Failure> {
        finding::by_shadow(session, suspect, outputs)
    }

    fn defined(&mut self, session: &mut Session, input: &[f64]) -> Result<Option<String>, Failure> {
        finding::defined_by_shadow(session, input)
    }
}

/// A process of the user's: a line of inputs as hex floats in (separated by spaces), a decimal number out
/// for each output (separated by spaces), `nan` where the function is not defined. It is told the call by
/// the environment variable LOSTBITS_CALL.
pub struct External {
    command: String,
    child: Child,
    to: ChildStdin,
    from: BufReader<ChildStdout>,
}

/// What the oracle's answers are read at.
const PRECISION: u32 = 512;

impl External {
    pub fn start(command: &str, call: &str) -> Result<External, Failure> {
        let failed = |error: std::io::Error| Failure::OracleFailed {
            command: command.to_owned(),
            reason: error.to_string(),
        };
        let mut child = Command::new("sh")
            .args(["-c", command])
            .env("LOSTBITS_CALL", call)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .map_err(failed)?;
        let (Some(to), Some(from)) = (child.stdin.take(), child.stdout.take()) else {
            return Err(failed(std::io::ErrorKind::BrokenPipe.into()));
        };
        Ok(External {
            command: command.to_owned(),
            child,
            to,
            from: BufReader::new(from),
        })
    }

    /// What is right, for each output.
    pub fn ask(&mut self, input: &[f64]) -> Result<Vec<Float>, Failure> {
        let words: Vec<String> = input.iter().map(|value| hexadecimal(*value)).collect();
        let line = words.join(" ") + "\n";
        let mut answer = String::new();
        let asked = self
            .to
            .write_all(line.as_bytes())
            .and_then(|()| self.to.flush())
            .and_then(|()| self.from.read_line(&mut answer));
        // Whether it is writing or reading that fails first is a matter of time.
        if !asked.is_ok_and(|read| read > 0) {
            return Err(self.failed("it ended before it answered".to_owned()));
        }
        let number =
            |word: &str| Float::parse(word).map(|parsed| Float::with_val(PRECISION, parsed));
        answer
            .split_whitespace()
            .map(number)
            .collect::<Result<_, _>>()
            .map_err(|_| {
                self.failed(format!(
                    "it answered `{}`, which is no number",
                    answer.trim()
                ))
            })
    }

    /// It gave as many numbers, but as many come out.
    pub fn miscounted(&self, given: usize, come_out: usize) -> Failure {
        self.failed(format!("it gave {given} numbers, {come_out} come out"))
    }

    fn failed(&self, reason: String) -> Failure {
        Failure::OracleFailed {
            command: self.command.clone(),
            reason,
        }
    }
}

impl Oracle for External {
    fn check(
        &mut self,
        session: &mut Session,
        suspect: &Suspect,
        outputs: &[String],
    ) -> Result<Option<Finding>, Failure> {
        let right = self.ask(&suspect.input)?;
        if right.len() != outputs.len() {
            return Err(self.miscounted(right.len(), outputs.len()));
        }
        finding::by_reference(session, suspect, outputs, &right, Confirmation::Oracle)
    }

    fn defined(&mut self, _: &mut Session, input: &[f64]) -> Result<Option<String>, Failure> {
        let right = self.ask(input)?;
        Ok(finding::first_number(&right))
    }
}

impl Drop for External {
    fn drop(&mut self) {
        // It is told by the end of its input; if it does not listen, it is ended.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
