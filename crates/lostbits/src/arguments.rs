//! Groups of arguments that several commands share, so that a word means the same in each of them.

use std::{ffi::OsString, path::PathBuf, time::Duration};

use clap::{Args, ValueEnum};
use lostbits_abi::judge::Judged;

use crate::{destination::Destination, failure::Failure, run::job::Job};

/// What every format of a report can do.
pub trait ReportFormat: ValueEnum + Default + Clone + Send + Sync + 'static {}

impl<F: ValueEnum + Default + Clone + Send + Sync + 'static> ReportFormat for F {}

/// How and where the report is written.
#[derive(Args)]
pub struct ReportArguments<F: ReportFormat> {
    /// Format of the report
    #[arg(long, value_enum, default_value_t)]
    pub format: F,
    /// Write the report to a file
    #[arg(long, value_name = "FILE")]
    pub report: Option<PathBuf>,
}

impl<F: ReportFormat> ReportArguments<F> {
    pub fn destination(&self, default: Destination) -> Destination {
        self.report.clone().map_or(default, Destination::File)
    }
}

/// What is done with a page.
#[derive(Args, Clone, Copy, Default)]
pub struct OpenArguments {
    /// Show the report in the browser (--format html)
    #[arg(long)]
    pub open: bool,
}

/// Where the run's record is saved.
#[derive(Args)]
pub struct RecordArguments {
    /// Save the run's record to a file; `lostbits report FILE` reports on it later
    #[arg(long, value_name = "FILE", alias = "output", short_alias = 'o')]
    pub record: Option<PathBuf>,
}

/// Which exit code findings have.
#[derive(Args, Clone, Copy, Default)]
pub struct ExitArguments {
    /// Exit code for findings; 0: the exit code is the program's own, whatever is found (for launchers such as mpirun)
    /// [default: 1; `run`: 0]
    #[arg(long, value_name = "CODE")]
    pub error_exitcode: Option<u8>,
}

/// What `--judge` takes.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum JudgeName {
    /// What the program prints and writes; always judged
    Outputs,
    /// Numbers that your own functions return
    Results,
    /// Numbers that an assertion compares
    Assertions,
}

/// What is judged besides what the program writes.
#[derive(Args)]
pub struct JudgeArguments {
    /// What counts as an output, when code is compiled [default: outputs; `build`, `test`, `check`, `baseline`: all]
    #[arg(long, value_enum, value_delimiter = ',', value_name = "WHAT")]
    judge: Vec<JudgeName>,
}

impl JudgeArguments {
    /// None if nothing was chosen.
    pub fn judged(&self) -> Option<Vec<Judged>> {
        let judged = |name: &JudgeName| match name {
            JudgeName::Outputs => Judged::Outputs,
            JudgeName::Results => Judged::Results,
            JudgeName::Assertions => Judged::Assertions,
        };
        (!self.judge.is_empty()).then(|| self.judge.iter().map(judged).collect())
    }
}

/// Which random numbers are drawn.
#[derive(Args)]
pub struct SeedArguments {
    /// Seed of the random inputs: the same seed draws the same inputs
    #[arg(long, value_name = "NUMBER")]
    pub seed: Option<u64>,
}

/// How long a program may run.
#[derive(Args)]
pub struct TimeoutArguments {
    /// End the program after this many seconds, and report on the run until then
    #[arg(long, value_name = "SECONDS", value_parser = positive)]
    pub timeout: Option<f64>,
}

impl TimeoutArguments {
    pub fn duration(&self) -> Option<Duration> {
        self.timeout
            .and_then(|seconds| Duration::try_from_secs_f64(seconds).ok())
    }
}

/// What starts the program.
#[derive(Args)]
pub struct LaunchArguments {
    /// Start the program with this command, such as 'mpirun -np 4': one report covers all processes
    #[arg(long, value_name = "COMMAND")]
    pub launch: Option<String>,
}

impl LaunchArguments {
    pub fn words(&self) -> Vec<OsString> {
        let words = self.launch.iter().flat_map(|text| text.split_whitespace());
        words.map(OsString::from).collect()
    }

    /// The job that a launcher has started, if this process is one of its ranks. `refused` are options and subjects that need further
    /// runs, or one process.
    pub fn job(&self, refused: &[(bool, &str)]) -> Result<Option<Job>, Failure> {
        if self.launch.is_some() {
            return Ok(None);
        }
        let job = Job::of_this_process()?;
        let refused = refused.iter().find(|(is_given, _)| *is_given);
        match (&job, refused) {
            (Some(job), Some((_, what))) => Err(job.refuse(what)),
            _ => Ok(job),
        }
    }
}

/// Options for compilers that lostbits does not know.
#[derive(Args)]
pub struct CompilerArguments {
    /// Pass an option to the compiler that lostbits does not recognise as one (repeatable)
    #[arg(long, value_name = "OPTION", allow_hyphen_values = true)]
    pub cc_option: Vec<OsString>,
}

impl CompilerArguments {
    /// The words of a subject with these options in front.
    pub fn before(&self, words: &[OsString]) -> Vec<OsString> {
        [&self.cc_option, words].concat()
    }
}

/// Parses a number above 0.
pub fn positive(text: &str) -> Result<f64, String> {
    let value: Option<f64> = text.parse().ok();
    value
        .filter(|value| *value > 0.0 && value.is_finite())
        .ok_or("give a number above 0".to_owned())
}

/// Parses a count above 0.
pub fn count(text: &str) -> Result<u64, String> {
    let value: Option<u64> = text.parse().ok();
    value
        .filter(|value| *value > 0)
        .ok_or("give a whole number above 0".to_owned())
}
