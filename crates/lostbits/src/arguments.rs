//! Groups of arguments that several commands share, so that a word means the same in each of them.

use std::{env, ffi::OsString, path::PathBuf, time::Duration};

use clap::{Args, ValueEnum};
use lostbits_abi::judge::Judged;

use crate::{destination::Destination, failure::Failure};

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
    /// Refuses to analyse one rank of a job that a launcher has started: the others would not take part in further runs.
    pub fn words(&self) -> Result<Vec<OsString>, Failure> {
        if let (None, Some(ranks)) = (&self.launch, ranks_of_the_job(|name| env::var(name).ok())) {
            return Err(Failure::OneOfManyRanks { ranks });
        }
        let words = self.launch.iter().flat_map(|text| text.split_whitespace());
        Ok(words.map(OsString::from).collect())
    }
}

/// How many processes a launcher of MPI started beside this one, with it, if there are several.
fn ranks_of_the_job(variable: impl Fn(&str) -> Option<String>) -> Option<u32> {
    // Open MPI; MPICH and its relatives; Slurm's srun.
    const VARIABLES: [&str; 3] = ["OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "SLURM_STEP_NUM_TASKS"];
    let ranks = VARIABLES
        .iter()
        .filter_map(|name| variable(name)?.parse().ok());
    ranks.max().filter(|ranks| *ranks > 1)
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_job_of_several_ranks_is_recognised() {
        let ranks = |set: &'static str, value: &'static str| {
            ranks_of_the_job(move |name| (name == set).then(|| value.to_owned()))
        };
        assert_eq!(ranks("OMPI_COMM_WORLD_SIZE", "4"), Some(4));
        assert_eq!(ranks("PMI_SIZE", "2"), Some(2));
        assert_eq!(ranks("PMI_SIZE", "1"), None);
        assert_eq!(ranks("HOME", "4"), None);
    }
}
