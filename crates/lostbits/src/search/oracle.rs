//! References that results are judged by.

use std::{
    io::{BufRead, BufReader, Write},
    process::{Child, ChildStdin, ChildStdout, Command, Stdio},
};

use lostbits_abi::environment;
use rug::Float;

use super::{
    finding::{self, Confirmation, Defined, Finding},
    session::{Session, Suspect},
};
use crate::{failure::Failure, numeric::hexadecimal};

/// Judges suspects.
pub trait Oracle {
    fn check(
        &mut self,
        session: &mut Session,
        suspect: &Suspect,
        outputs: &[String],
    ) -> Result<Option<Finding>, Failure>;

    /// The right value of the first output at an input, if the oracle knows it.
    fn reference(&mut self, _: &mut Session, _: &[f64]) -> Result<Option<Float>, Failure> {
        Ok(None)
    }

    /// The right result for an input on which the function's is not finite, if the oracle knows one.
    fn defined(
        &mut self,
        _session: &mut Session,
        _input: &[f64],
    ) -> Result<Option<Defined>, Failure> {
        Ok(None)
    }
}

/// No reference: the estimate from the trace is reported as it is.
pub struct NoOracle;

impl Oracle for NoOracle {
    fn check(
        &mut self,
        session: &mut Session,
        suspect: &Suspect,
        outputs: &[String],
    ) -> Result<Option<Finding>, Failure> {
        finding::by_estimate(session, suspect, outputs)
    }
}

/// The same run in exact arithmetic.
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

    fn reference(
        &mut self,
        session: &mut Session,
        input: &[f64],
    ) -> Result<Option<Float>, Failure> {
        let (value, _) = finding::shadow_output(session, input, 0)?;
        Ok(Some(value))
    }

    fn defined(
        &mut self,
        session: &mut Session,
        input: &[f64],
    ) -> Result<Option<Defined>, Failure> {
        finding::defined_by_shadow(session, input)
    }
}

/// A process of the user's: a line of inputs as hex floats in (separated by spaces), a decimal number out
/// for each output (separated by spaces), `nan` where the function is not defined. It gets the call by
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
            .env(environment::CALL, call)
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

    /// The right value of each output.
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
            return Err(self.failed("it ended without an answer".to_owned()));
        }
        let number =
            |word: &str| Float::parse(word).map(|parsed| Float::with_val(PRECISION, parsed));
        answer
            .split_whitespace()
            .map(number)
            .collect::<Result<_, _>>()
            .map_err(|_| {
                self.failed(format!(
                    "it answered `{}`, which is not a number",
                    answer.trim()
                ))
            })
    }

    /// It returned another number of values than the call.
    pub fn miscounted(&self, returned: usize, expected: usize) -> Failure {
        let s = if returned == 1 { "" } else { "s" };
        self.failed(format!(
            "it returned {returned} value{s}, expected {expected}"
        ))
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

    fn reference(&mut self, _: &mut Session, input: &[f64]) -> Result<Option<Float>, Failure> {
        Ok(self.ask(input)?.into_iter().next())
    }

    fn defined(
        &mut self,
        session: &mut Session,
        input: &[f64],
    ) -> Result<Option<Defined>, Failure> {
        let right = self.ask(input)?;
        Ok(Defined::by_reference(&right, session.most))
    }
}

impl Drop for External {
    fn drop(&mut self) {
        // Closing its input asks it to end; if it does not, it is killed.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
