//! The arguments of `lostbits explain`, checked.

use std::{ffi::OsString, path::PathBuf, time::Duration};

use lostbits_abi::{
    environment,
    explain::{ROUND_TO_FLOAT_ENV, START_ENV, STOP_ENV, Settings},
    mode::Mode,
};

use super::{
    arguments::{ExplainArguments, ExplainFormat},
    call::Call,
    clock::TimeBudget,
    what_if::{Change, Computed},
};
use crate::{
    destination::Destination,
    failure::Failure,
    inputs::{Formula, NamedRange, SEED},
    run::job::Job,
    subject::{self, Code, Subject},
};

pub struct Options {
    pub subject: ExplainSubject,
    pub program_arguments: Vec<OsString>,
    pub settings: Settings,
    /// No further run decides what the first leaves undecided.
    pub once: bool,
    /// The most further runs for the error budget; none given: as many as a short time allows.
    pub prove: Option<u32>,
    /// Everything is reported.
    pub all: bool,
    pub what_if: Vec<Change>,
    /// Environment variables for the pass.
    pub compiling: Vec<(&'static str, String)>,
    /// Only root causes in these; empty for all.
    pub functions: Vec<String>,
    pub format: ExplainFormat,
    /// Whether the page is opened.
    pub open: bool,
    pub report_to: Destination,
    pub record: Option<PathBuf>,
    pub timeout: Option<Duration>,
    /// The command that starts the program, if another than the program itself.
    pub launcher: Vec<OsString>,
    /// The job that is run, if its launcher started lostbits once for each rank.
    pub job: Option<Job>,
    /// Other commands that start the program, to compare its results.
    pub also: Vec<Vec<OsString>>,
    /// What the program prints is discarded.
    pub quiet: bool,
    pub budget: TimeBudget,
}

/// What is to be explained.
pub enum ExplainSubject {
    Code(Code),
    Formula {
        formula: Formula,
        ranges: Vec<NamedRange>,
        samples: usize,
        seed: u64,
        /// The compiler's.
        arguments: Vec<OsString>,
    },
    Call {
        call: Call,
        libraries: Vec<PathBuf>,
    },
}

/// Inputs for which an expression or core is computed.
const SAMPLES: u32 = 1000;

impl Options {
    pub fn new(arguments: ExplainArguments) -> Result<Options, Failure> {
        let compiling = compiling(&arguments);
        let settings = Settings {
            min_local_bits: arguments.min_local_bits,
            min_output_bits: arguments
                .min_output_bits
                .unwrap_or(Settings::DEFAULT.min_output_bits),
            min_digits: arguments.min_digits.unwrap_or(0),
            counts_unprinted_bits: arguments.min_output_bits.is_some().into(),
            depth: arguments.depth,
            equality_depth: arguments.equality_depth,
            precision: arguments.precision.unwrap_or(0),
            waiting: arguments.start_at.is_some().into(),
            zeros: arguments.zeros.into(),
            confirmed: 0,
        };
        let format = arguments.report.format.opened(arguments.open)?;
        let mode = mode(arguments.precision);
        let (subject, program_arguments) = subject(&arguments, mode)?;
        let default = match subject {
            // No program prints anything else there.
            ExplainSubject::Formula { .. } => Destination::Output,
            ExplainSubject::Code(_) | ExplainSubject::Call { .. } => Destination::Errors,
        };
        refuse_for_programs(&subject, &compiling)?;
        let is_built = matches!(subject, ExplainSubject::Code(Code::Program(_)));
        let job = arguments.launch.job(&[
            (!is_built, "the program is not built yet"),
            (
                !arguments.what_if.is_empty(),
                "--what-if needs further runs",
            ),
            (!arguments.also.is_empty(), "--also needs further runs"),
            (
                arguments.prove.is_some_and(|runs| runs > 0),
                "--prove needs further runs",
            ),
        ])?;
        Ok(Options {
            subject,
            program_arguments,
            settings,
            once: arguments.once || job.is_some(),
            prove: arguments.prove,
            all: arguments.all,
            what_if: arguments.what_if,
            compiling,
            functions: arguments.function,
            report_to: arguments.report.destination(format.destination(default)),
            format,
            open: arguments.open.open,
            record: arguments.record.record,
            timeout: arguments.timeout.duration(),
            launcher: arguments.launch.words(),
            job,
            also: arguments.also.iter().map(|text| started_by(text)).collect(),
            quiet: false,
            budget: arguments.budget.unwrap_or_default(),
        })
    }
}

/// The words of a command; settings of the environment in front of it, or alone, are `env`'s.
fn started_by(text: &str) -> Vec<OsString> {
    let words = text.split_whitespace();
    let sets = words.clone().next().is_some_and(|word| word.contains('='));
    let env = sets.then_some("env");
    env.into_iter().chain(words).map(OsString::from).collect()
}

/// The mode that measures with these bits throughout; adaptively, if none are given.
pub fn mode(precision: Option<u32>) -> Mode {
    match precision {
        Some(_) => Mode::ExplainReals,
        None => Mode::Explain,
    }
}

fn compiling(arguments: &ExplainArguments) -> Vec<(&'static str, String)> {
    let judged = arguments.judge.judged().map(|judged| {
        let names = judged.iter().map(|one| one.name());
        names.collect::<Vec<_>>().join(",")
    });
    let mut changes = arguments.what_if.iter();
    let rounds = changes.any(|change| change.computed == Computed::InFloat);
    let settings = [
        (START_ENV, arguments.start_at.clone()),
        (STOP_ENV, arguments.stop_at.clone()),
        (environment::JUDGE, judged),
        (ROUND_TO_FLOAT_ENV, rounds.then(|| "1".to_owned())),
    ];
    settings
        .into_iter()
        .filter_map(|(name, value)| Some((name, value?)))
        .collect()
}

/// The pass decides where measuring starts and stops, so a program that is already built cannot change it.
fn refuse_for_programs(
    subject: &ExplainSubject,
    compiling: &[(&'static str, String)],
) -> Result<(), Failure> {
    let is_compiled = !matches!(subject, ExplainSubject::Code(Code::Program(_)));
    match compiling.first() {
        Some((ROUND_TO_FLOAT_ENV, _)) if !is_compiled => Err(Failure::RoundingNeedsSources),
        Some((variable, _)) if !is_compiled => Err(Failure::DecidedAtCompileTime {
            option: match *variable {
                START_ENV => "--start-at",
                STOP_ENV => "--stop-at",
                _ => "--judge",
            },
            variable,
        }),
        _ => Ok(()),
    }
}

fn subject(
    arguments: &ExplainArguments,
    mode: Mode,
) -> Result<(ExplainSubject, Vec<OsString>), Failure> {
    if let Some(call) = &arguments.call {
        refuse_sampling(arguments)?;
        let subject = ExplainSubject::Call {
            call: Call::read(call)?,
            libraries: arguments.library.clone(),
        };
        return Ok((subject, Vec::new()));
    }
    let words = arguments.compiler.before(&arguments.words);
    let has_variables = !arguments.range.is_empty();
    let (subject, program_arguments) = subject::split(&words, has_variables, mode)?;
    let subject = match subject {
        Subject::Code(code) => {
            refuse_sampling(arguments)?;
            ExplainSubject::Code(code)
        }
        Subject::Expression { text, options } => {
            formula(Formula::expression(&text)?, options, arguments)?
        }
        Subject::Fpcore { path, options } => formula(Formula::file(&path)?, options, arguments)?,
    };
    Ok((subject, program_arguments))
}

fn formula(
    formula: Formula,
    options: Vec<OsString>,
    arguments: &ExplainArguments,
) -> Result<ExplainSubject, Failure> {
    let ranges = formula.assigned(&arguments.range)?;
    Ok(ExplainSubject::Formula {
        formula,
        ranges,
        samples: arguments.samples.unwrap_or(SAMPLES) as usize,
        seed: arguments.seed.seed.unwrap_or(SEED),
        arguments: options,
    })
}

fn refuse_sampling(arguments: &ExplainArguments) -> Result<(), Failure> {
    let given = [
        ("--range", !arguments.range.is_empty()),
        ("--samples", arguments.samples.is_some()),
        ("--seed", arguments.seed.seed.is_some()),
    ];
    let Some((option, _)) = given.into_iter().find(|(_, is_given)| *is_given) else {
        return Ok(());
    };
    Err(Failure::OptionOutOfPlace {
        option,
        wanted: "an expression or an FPCore file",
    })
}

/// Reads `--min-output-bits` and `--min-local-bits`.
pub fn bits(text: &str) -> Result<f64, String> {
    const MOST: f64 = 64.0;
    let value: Option<f64> = text.parse().ok();
    value
        .filter(|value| (0.0..=MOST).contains(value))
        .ok_or(format!("give a number of bits from 0 to {MOST}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thresholds_are_checked() {
        assert_eq!(bits("5.5"), Ok(5.5));
        for bad in ["-1", "65", "NaN", "many", ""] {
            assert!(bits(bad).is_err(), "{bad}");
        }
    }
}
