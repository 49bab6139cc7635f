//! What can be wrong with an expression or an FPCore, as the sentence the user reads.

use std::fmt;

use thiserror::Error;

use super::sexp::DEEPEST;

/// A location in a source; both count from 1, columns in characters.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, PartialOrd, Ord)]
pub struct Position {
    pub line: u32,
    pub column: u32,
}

impl fmt::Display for Position {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "line {}, column {}", self.line, self.column)
    }
}

/// A text that is not what it should be, and where.
#[derive(Clone, PartialEq, Debug, Error)]
#[error("{at}: {problem}")]
pub struct SyntaxError {
    pub at: Position,
    pub problem: Problem,
}

impl SyntaxError {
    /// The line at fault with a caret under the column.
    pub fn excerpt(&self, source: &str) -> String {
        let line = source
            .lines()
            .nth(self.at.line.saturating_sub(1) as usize)
            .unwrap_or("");
        let before = self.at.column.saturating_sub(1) as usize;
        let pad: String = line
            .chars()
            .chain(std::iter::repeat(' '))
            .take(before)
            .map(|c| if c == '\t' { '\t' } else { ' ' })
            .collect();
        format!("  {line}\n  {pad}^")
    }
}

#[derive(Clone, PartialEq, Debug, Error)]
pub enum Problem {
    #[error("`{0}` is never closed: add the missing bracket")]
    NeverClosed(char),
    #[error("`{0}` closes nothing: remove it, or add the opening bracket")]
    ClosesNothing(char),
    #[error("`{found}` cannot close `{open}`: brackets must come in pairs")]
    WrongBracket { open: char, found: char },
    #[error(
        "this is nested more than {DEEPEST} levels deep: compute the inner part by itself, or bind it with let"
    )]
    TooDeep,
    #[error("this string never ends: add the closing \"")]
    StringNeverEnds,
    #[error("unknown operator `{0}`: see fpbench.org/spec/fpcore-2.0 for the operators of FPCore")]
    UnknownOperator(String),
    #[error("unknown function `{0}`: use a name of C's <math.h>, such as sin, exp, log1p or pow")]
    UnknownFunction(String),
    #[error("`{name}` takes {wanted}, {given} given")]
    WrongNumber {
        name: String,
        wanted: String,
        given: usize,
    },
    #[error("the variable `{0}` is not bound: make it an argument, or bind it with let")]
    Unbound(String),
    #[error("`{0}` is not a number: write 1, -0.5, 1e-3, 1/3 or 0x1.8p-1")]
    NotANumber(String),
    #[error("the exponent of `{0}` is out of range: keep it between -20000 and 20000")]
    ExponentOutOfReach(String),
    #[error("this is not {form}: write `{pattern}`")]
    Malformed { form: String, pattern: &'static str },
    #[error("a property needs a value: `{0}` has none")]
    PropertyWithoutValue(String),
    #[error(
        "unknown precision `{0}`: C on this machine has binary32, binary64, binary80 and integer"
    )]
    UnknownPrecision(String),
    #[error("only rounding to nearest is supported, not `{0}`: leave :round out")]
    UnknownRounding(String),
    #[error("an FPCore is expected here: write (FPCore (x) …)")]
    NotACore,
    #[error("it contains no FPCore: write (FPCore (x) …)")]
    NoCore,
    #[error("a number is expected here, but this is a truth value")]
    TruthForNumber,
    #[error("a condition is expected here (a comparison, and, or, not), but this is a number")]
    NumberForTruth,
    #[error("an operand is missing here: write a number, a variable or a function call")]
    OperandMissing,
    #[error("unexpected `{0}`")]
    Unexpected(String),
    #[error("`{0}` is not closed: add the missing `)`")]
    ParenthesisOpen(char),
    #[error("the expression is empty: write one, such as (1 - cos(x)) / x^2")]
    Empty,
}

impl Problem {
    pub fn at(self, at: Position) -> SyntaxError {
        SyntaxError { at, problem: self }
    }
}
