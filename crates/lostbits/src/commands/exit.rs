//! Exit codes of the commands that run programs or report on runs.

use std::process::{ExitCode, ExitStatus};

use crate::{arguments::ExitArguments, run};

/// For findings, unless `--error-exitcode` chooses another.
pub const FINDINGS: u8 = 1;
/// Nothing was found, but not everything was judged.
const UNDECIDED: u8 = 3;

/// What a report comes to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Conclusion {
    Clean,
    Findings,
    Undecided,
}

impl Conclusion {
    /// The conclusion if a part of the run is unknown.
    pub fn at_least_undecided(self) -> Conclusion {
        match self {
            Conclusion::Findings => Conclusion::Findings,
            Conclusion::Clean | Conclusion::Undecided => Conclusion::Undecided,
        }
    }
}

/// Unless told otherwise, the exit code is the program's own.
pub fn of_program(arguments: ExitArguments) -> ExitArguments {
    ExitArguments {
        error_exitcode: arguments.error_exitcode.or(Some(0)),
    }
}

/// The exit code for a conclusion. `status` is how the program ended; none for a saved record, and for a program that the tool
/// stopped. Without findings a failure of the program counts more than the conclusion: nothing is known about what the
/// program would have done next.
pub fn exit_code(
    conclusion: Conclusion,
    status: Option<ExitStatus>,
    arguments: ExitArguments,
) -> ExitCode {
    let findings = arguments.error_exitcode.unwrap_or(FINDINGS);
    let of_program = status.map_or(0, run::exit_code);
    ExitCode::from(match (findings, conclusion, of_program) {
        (0, _, code) => code,
        (code, Conclusion::Findings, _) => code,
        (_, _, code @ 1..) => code,
        (_, Conclusion::Undecided, 0) => UNDECIDED,
        (_, Conclusion::Clean, 0) => 0,
    })
}
