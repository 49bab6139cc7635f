//! The command line of `lostbits explain`.

use std::{ffi::OsString, path::PathBuf};

use clap::{Args, ValueEnum};

use super::{clock::TimeBudget, options::bits, what_if::Change};
use crate::{
    arguments::{
        CompilerArguments, ExitArguments, JudgeArguments, LaunchArguments, OpenArguments,
        RecordArguments, ReportArguments, SeedArguments, TimeoutArguments,
    },
    destination::Destination,
    failure::Failure,
    inputs::RangeOption,
};

pub const HELP: &str = "\
Options may come anywhere before `--`; the program's arguments come after it. Sources (.c .cpp .f90
.rs) are compiled with the compiler options beside them; a program must be built with
--lostbits-mode=explain. The report goes to standard error, after the program's own output; as JSON
it is the last line. The report on an expression or FPCore file goes to standard output.

Exit codes: 0 every output was judged and none is wrong, 1 findings, 2 lostbits
could not do it, 3 nothing was found but some or all outputs could not be judged. If there are no
findings and the program fails, its own exit code is returned, or 128 + n if signal n ended it.

  lostbits explain prog.c -O2 -- input.dat
  lostbits explain --format json --report explain.json ./prog -- input.dat
  lostbits explain '(1 - cos(x)) / x^2' --range x=1e-9:1e-3
  lostbits explain '-b + sqrt(b*b - 4)' --range b=1e8:1e9 --seed 3
  lostbits explain bench.fpcore
  lostbits explain --library ./libm2.so --call 'f(2.5, 1e-7)'";

fn precision(text: &str) -> Result<u32, String> {
    let bits = text.parse().ok().filter(|bits| (64..=4096).contains(bits));
    bits.ok_or_else(|| "give a whole number of bits from 64 to 4096".to_owned())
}

#[derive(Args)]
pub struct ExplainArguments {
    #[command(flatten)]
    pub report: ReportArguments<ExplainFormat>,
    #[command(flatten)]
    pub open: OpenArguments,
    #[command(flatten)]
    pub record: RecordArguments,
    /// A printed output with fewer right digits than this is wrong [default: all that are printed, the last may be off by
    /// one]
    #[arg(long, value_name = "DIGITS", value_parser = clap::value_parser!(u32).range(1..=20))]
    pub min_digits: Option<u32>,
    /// An output that lost more bits than this is wrong, whatever is printed [default: 5, and only if it shows in what is
    /// printed]
    #[arg(long, value_name = "BITS", value_parser = bits, allow_hyphen_values = true)]
    pub min_output_bits: Option<f64>,
    /// An operation that loses more bits than this may be a root cause
    #[arg(long, value_name = "BITS", default_value_t = 5.0, value_parser = bits,
          allow_hyphen_values = true)]
    pub min_local_bits: f64,
    /// Depth of reported expressions
    #[arg(long, value_name = "LEVELS", default_value_t = 8,
          value_parser = clap::value_parser!(u32).range(1..=32))]
    pub depth: u32,
    /// Depth to which subexpressions are compared
    #[arg(long, value_name = "LEVELS", default_value_t = 5,
          value_parser = clap::value_parser!(u32).range(0..=32))]
    pub equality_depth: u32,
    /// Measure errors with this many bits throughout, instead of adaptively
    #[arg(long, value_name = "BITS", value_parser = precision)]
    pub precision: Option<u32>,
    /// Judge outputs that are consistent with 0 like others: residuals and self-checks that are the rounding noise of their
    /// operands
    #[arg(long)]
    pub zeros: bool,
    /// Run the program only once: it is explained at once, and no further runs decide what that leaves undecided
    #[arg(long)]
    pub once: bool,
    #[command(flatten)]
    pub exit: ExitArguments,
    #[command(flatten)]
    pub timeout: TimeoutArguments,
    #[command(flatten)]
    pub launch: LaunchArguments,
    /// Run the program again, started by this command, and show which outputs depend on it: 'mpirun -np 2', 'OMP_NUM_THREADS=4'
    /// (repeatable)
    #[arg(long, value_name = "COMMAND")]
    pub also: Vec<String>,
    /// Stop further runs when all runs together have used this much processor time, as in 90s, 5m or none [default: 10 seconds and 30
    /// times the program's own time, estimated as a 20th of the first run]
    #[arg(long, value_name = "TIME")]
    pub budget: Option<TimeBudget>,
    /// Prove causes by at most this many further runs, however long they take; 0 for none [default: 40, within the time
    /// budget]
    #[arg(long, value_name = "RUNS", num_args = 0..=1, require_equals = true, default_missing_value = "40")]
    pub prove: Option<u32>,
    /// Report everything: every cause with its expression and ranges, what was not confirmed, all wrong outputs
    #[arg(long)]
    pub all: bool,
    /// Show the outputs as they would be with these statements computed exactly, in long double or in float: file.c:12,
    /// file.c:10-14 or a function, and =exact, =long-double or =float (repeatable)
    #[arg(long, value_name = "PLACE=HOW")]
    pub what_if: Vec<Change>,
    #[command(flatten)]
    pub judge: JudgeArguments,
    /// Report only root causes in this function (repeatable)
    #[arg(long, value_name = "FUNCTION")]
    pub function: Vec<String>,
    /// Start measuring when this function is first entered
    #[arg(long, value_name = "FUNCTION")]
    pub start_at: Option<String>,
    /// Stop measuring when this function is entered
    #[arg(long, value_name = "FUNCTION")]
    pub stop_at: Option<String>,
    /// Library with the function of --call, built with --lostbits-mode=explain (repeatable)
    #[arg(long, value_name = "FILE", requires = "call")]
    pub library: Vec<PathBuf>,
    /// Call a function of the libraries once, as in 'f(2.5, 1e-7)'
    #[arg(
        long,
        value_name = "CALL",
        conflicts_with = "words",
        requires = "library"
    )]
    pub call: Option<String>,
    /// Range of a variable of an expression or FPCore file (repeatable)
    #[arg(long, value_name = "NAME=LOW:HIGH", value_parser = RangeOption::read, allow_hyphen_values = true)]
    pub range: Vec<RangeOption>,
    /// Number of inputs for an expression or FPCore file [default: 1000]
    #[arg(long, value_name = "NUMBER", value_parser = clap::value_parser!(u32).range(1..))]
    pub samples: Option<u32>,
    #[command(flatten)]
    pub seed: SeedArguments,
    #[command(flatten)]
    pub compiler: CompilerArguments,
    /// Sources with compiler options, a program, an expression, or an FPCore file; then `--` and the
    /// program's arguments
    #[arg(
        required_unless_present = "call",
        value_name = "SOURCE, PROGRAM OR EXPRESSION"
    )]
    pub words: Vec<OsString>,
}

#[derive(Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub enum ExplainFormat {
    #[default]
    Terminal,
    /// One page for a browser, to lostbits-report.html unless --report says otherwise
    Html,
    Json,
    /// SARIF 2.1.0, for code scanning
    Sarif,
    /// JUnit XML: a test case for each output
    Junit,
    Markdown,
    /// Annotations for GitHub Actions
    Github,
    /// The root causes as FPCore, for other tools
    Fpcore,
}

/// Where a page goes without `--report`.
const PAGE: &str = "lostbits-report.html";

impl ExplainFormat {
    /// The format for `--open`, which implies a page.
    pub fn opened(self, open: OpenArguments) -> Result<ExplainFormat, Failure> {
        match self {
            ExplainFormat::Terminal if open.open => Ok(ExplainFormat::Html),
            ExplainFormat::Html => Ok(self),
            _ if open.open => Err(Failure::OptionOutOfPlace {
                option: "--open",
                wanted: "--format html",
            }),
            _ => Ok(self),
        }
    }

    /// Where a report goes unless `--report` names a file. A page is of no use on a terminal; a runner reads annotations from
    /// standard output.
    pub fn destination(self, default: Destination) -> Destination {
        match self {
            ExplainFormat::Html => Destination::File(PAGE.into()),
            ExplainFormat::Github => Destination::Output,
            _ => default,
        }
    }
}
