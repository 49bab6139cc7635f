//! The arguments of `lostbits watch`, checked.

use std::{
    ffi::OsString,
    path::{Path, PathBuf},
    time::Duration,
};

use lostbits_abi::{kind::FpKind, mode::Mode};

use crate::{
    destination::Destination,
    failure::Failure,
    run::job::Job,
    subject::{self, Code, Subject},
    toolchain::{is_executable, on_path},
};

use super::{
    arguments::{OnUnstable, WatchArguments, WatchFormat},
    rerun::{self, Version},
};

pub struct Options {
    pub code: Code,
    pub program_arguments: Vec<OsString>,
    pub thresholds: Thresholds,
    pub format: WatchFormat,
    pub report_to: Destination,
    pub record: Option<PathBuf>,
    pub timeout: Option<Duration>,
    /// The command that starts the program, if another than the program itself.
    pub launcher: Vec<OsString>,
    /// The job that is run, if its launcher started lostbits once for each rank.
    pub job: Option<Job>,
    /// End the program at the first decision that may be wrong.
    pub stops: bool,
    /// Record error paths.
    pub error_paths: bool,
    /// What to re-run in high precision, if anything.
    pub rerun: Option<Version>,
}

pub use lostbits_abi::watch::{FormatThresholds, Thresholds};

pub const DOUBLE: FormatThresholds = Thresholds::DEFAULT.double;
pub const FLOAT: FormatThresholds = Thresholds::DEFAULT.float;

impl Options {
    pub fn new(arguments: WatchArguments) -> Result<Options, Failure> {
        let reruns = reruns(&arguments)?;
        let words = arguments.compiler.before(&arguments.words);
        let (subject, program_arguments) = subject::split(&words, false, Mode::Watch)?;
        let code = code(subject)?;
        let job = arguments.launch.job(&[
            (
                !matches!(code, Code::Program(_)),
                "the program is not built yet",
            ),
            (reruns, "--rerun needs a further run"),
        ])?;
        let rerun = match reruns {
            true => Some(version(&code, arguments.rerun_with, arguments.precision)?),
            false => None,
        };
        Ok(Options {
            code,
            program_arguments,
            thresholds: Thresholds {
                double: FormatThresholds {
                    cancelled: arguments.tau_c,
                    suppressed: arguments.tau_s,
                },
                float: FormatThresholds {
                    cancelled: arguments.tau_c_float,
                    suppressed: arguments.tau_s_float,
                },
                ..Thresholds::DEFAULT
            },
            format: arguments.report.format,
            report_to: arguments.report.destination(Destination::Errors),
            record: arguments.record.record,
            timeout: arguments.timeout.duration(),
            launcher: arguments.launch.words(),
            job,
            stops: arguments.on_unstable == OnUnstable::Stop,
            error_paths: arguments.error_path,
            rerun,
        })
    }
}

fn code(subject: Subject) -> Result<Code, Failure> {
    let given = match subject {
        Subject::Code(code) => return Ok(code),
        Subject::Expression { text, .. } => text,
        Subject::Fpcore { path, .. } => path.display().to_string(),
    };
    Err(Failure::NoProgramToWatch { given })
}

/// Whether there is to be a second run; options that only make sense with one are refused without.
fn reruns(arguments: &WatchArguments) -> Result<bool, Failure> {
    let reruns = arguments.rerun || arguments.on_unstable == OnUnstable::Rerun;
    if arguments.rerun && arguments.on_unstable == OnUnstable::Stop {
        return Err(Failure::StopsAndReruns);
    }
    let only_then = [
        ("--precision", arguments.precision.is_some()),
        ("--rerun-with", arguments.rerun_with.is_some()),
    ];
    match only_then.into_iter().find(|(_, given)| *given && !reruns) {
        Some((option, _)) => Err(Failure::OnlyWithRerun { option }),
        None => Ok(reruns),
    }
}

/// The same sources, or the other version of a program: as named, or beside it.
fn version(
    code: &Code,
    named: Option<OsString>,
    precision: Option<u32>,
) -> Result<Version, Failure> {
    let code = match (named, code) {
        (Some(named), _) => Code::Program(named),
        (None, Code::Sources { .. }) => code.clone(),
        (None, Code::Program(name)) => {
            let program = on_path(name).unwrap_or_else(|| name.into());
            let mut wanted = program.clone().into_os_string();
            wanted.push(".reals");
            if program.exists() && !is_executable(Path::new(&wanted)) {
                let wanted = wanted.into();
                return Err(Failure::NothingToRerun { program, wanted });
            }
            Code::Program(wanted)
        }
    };
    let version = Version {
        code,
        precision: precision.unwrap_or(rerun::PRECISION),
    };
    version.check()?;
    Ok(version)
}

/// Reads `--precision`.
pub fn bits_of_rerun(text: &str) -> Result<u32, String> {
    let (least, largest) = (*rerun::PRECISIONS.start(), *rerun::PRECISIONS.end());
    in_range(text, least, largest).ok_or(format!(
        "give a whole number of bits from {least} to {largest}"
    ))
}

/// Reads `--tau-c` for double.
pub fn cancelled_of_double(text: &str) -> Result<u32, String> {
    cancelled(text, FpKind::Double)
}

pub fn cancelled_of_float(text: &str) -> Result<u32, String> {
    cancelled(text, FpKind::Float)
}

/// More bits than a format has cannot cancel.
fn cancelled(text: &str, kind: FpKind) -> Result<u32, String> {
    let largest = kind.precision() - 1;
    in_range(text, 1, largest).ok_or(format!(
        "of the {} bits of a {}, give a whole number from 1 to {largest}",
        kind.precision(),
        kind.c_name()
    ))
}

/// Reads `--tau-s` and `--tau-s-float`.
pub fn suppressed(text: &str) -> Result<u32, String> {
    const LARGEST: u32 = 127;
    in_range(text, 0, LARGEST).ok_or(format!("give a whole number of bits from 0 to {LARGEST}"))
}

fn in_range(text: &str, least: u32, largest: u32) -> Option<u32> {
    let value = text.parse().ok()?;
    (least..=largest).contains(&value).then_some(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thresholds_are_checked() {
        assert_eq!(cancelled_of_double("52"), Ok(52));
        for bad in ["0", "53", "-1", "4.5", "many", ""] {
            let sentence = cancelled_of_double(bad).unwrap_err();
            assert!(sentence.contains("from 1 to 52"), "{bad}: {sentence}");
        }
        assert!(cancelled_of_float("24").is_err());
        assert_eq!(suppressed("0"), Ok(0));
        assert!(suppressed("-4").is_err());
    }
}
