//! A report as plain data, between the analyses and the formats for browsers, CI and merge requests.
//!
//! An analysis turns its findings into a [`Document`]; [`super::formats`] turns a document into bytes. So a format knows no
//! analysis, and a test needs no run. Texts are as they are: each format escapes what it must.

use std::ops::Range;

pub use crate::explain::Plot;

/// What a run, or several, came to.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Document {
    /// The damage in a few words: `1 of 2 outputs is wrong`.
    pub headline: String,
    pub state: State,
    /// Why nothing was decided, and what would decide it.
    pub undecided_because: Option<String>,
    /// The command that shows the same again, if it is known.
    pub reproduce: Option<String>,
    /// Worst first.
    pub results: Vec<WrongResult>,
    pub findings: Vec<Finding>,
    /// What each statement makes of the errors.
    pub budget: Vec<Share>,
    /// Parts of the sources around everything that is reported.
    pub sources: Vec<Source>,
    pub plots: Vec<Plot>,
    /// All outputs and decisions, wrong or not.
    pub judged: Vec<Judged>,
    /// What was checked and what was not, a sentence each.
    pub notes: Vec<String>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum State {
    #[default]
    Clean,
    Findings,
    Undecided,
}

/// A location in the sources. An empty file, a line 0 and a column 0 are unknown.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place {
    /// Relative to the project where it lies in it.
    pub file: String,
    pub line: u32,
    /// In bytes, counted from 1.
    pub column: u32,
    pub function: String,
}

impl Place {
    /// `file:line`.
    pub fn short(&self) -> String {
        match (self.file.as_str(), self.line) {
            ("", _) => "(unknown line)".to_owned(),
            (file, 0) => file.to_owned(),
            (file, line) => format!("{file}:{line}"),
        }
    }
}

/// A wrong output or decision, at its worst.
#[derive(Clone, Debug, PartialEq)]
pub struct WrongResult {
    pub place: Place,
    /// `output`, `comparison`, `conversion`.
    pub what: &'static str,
    /// What was printed or computed, and what exact arithmetic gives.
    pub computed: String,
    pub exact: String,
    /// `2 of 6`, `different branch`.
    pub right: String,
    /// Right digits of all digits, if digits are what is wrong.
    pub digits: Option<(u32, u32)>,
    /// Wrong executions, and all.
    pub executions: (u64, u64),
}

/// A cause, or a wrong result without one.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Finding {
    /// The identifier of its [`super::rules::Rule`].
    pub kind: &'static str,
    /// Whether runs with interventions proved it.
    pub is_proved: bool,
    pub title: String,
    pub place: Place,
    /// What happens at the operation, with the numbers of the worst execution.
    pub label: String,
    /// Named facts: the proof, where the error enters, when it happens.
    pub facts: Vec<Fact>,
    pub expression: Option<String>,
    /// The command that looks for a better formula.
    pub fix: Option<String>,
    /// From where the error enters, over the cause, to the output.
    pub path: Vec<Step>,
    /// The same for the same finding in another revision of the program.
    pub fingerprint: String,
    pub standing: Standing,
    /// The tests or processes that show it, and the command that repeats the first of them.
    pub seen_in: Vec<String>,
    pub reproduce: Option<String>,
}

/// What the project says about a finding.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Standing {
    #[default]
    New,
    /// The baseline has it.
    Known,
    /// The baseline has it, and it loses more bits now.
    Worse,
    /// Ignored for this reason.
    Ignored(String),
}

impl Finding {
    /// Whether it makes a check fail.
    pub fn counts(&self) -> bool {
        matches!(self.standing, Standing::New | Standing::Worse)
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fact {
    pub name: &'static str,
    pub text: String,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Step {
    pub place: Place,
    pub text: String,
}

/// The share of the error that a statement makes.
#[derive(Clone, Debug, PartialEq)]
pub struct Share {
    pub place: Place,
    pub last_line: u32,
    /// Between 0 and 1.
    pub share: f64,
    /// What passes through it, where that was measured.
    pub passes: Option<f64>,
    /// The result of whose error this is the share.
    pub of: Option<Place>,
    /// None if the source cannot be read.
    pub code: Option<Code>,
}

/// A line of source, and the part of it that is meant, in bytes.
#[derive(Clone, Debug, PartialEq)]
pub struct Code {
    pub line: String,
    pub part: Range<usize>,
}

/// Consecutive lines of a file.
#[derive(Clone, Debug, PartialEq)]
pub struct Source {
    pub file: String,
    pub lines: Vec<Line>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Line {
    pub number: u32,
    pub text: String,
    pub marks: Vec<Mark>,
}

/// A guilty part of a line.
#[derive(Clone, Debug, PartialEq)]
pub struct Mark {
    /// In bytes of the text.
    pub from: usize,
    pub to: usize,
    /// The index of its finding; none for a wrong result.
    pub finding: Option<usize>,
    pub label: String,
}

/// An output or decision.
#[derive(Clone, Debug, PartialEq)]
pub struct Judged {
    pub place: Place,
    pub what: &'static str,
    pub outcome: Outcome,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    Right,
    /// As a sentence.
    Wrong(String),
    Undecided,
}
