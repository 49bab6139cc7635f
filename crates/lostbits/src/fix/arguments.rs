//! The arguments of `lostbits fix` as the user gives them.

use std::{ffi::OsString, path::PathBuf};

use clap::{Args, ValueEnum};

use super::wishes::{Precision, Purpose};
use crate::{
    arguments::{CompilerArguments, ReportArguments, SeedArguments, positive},
    inputs::RangeOption,
};

pub const HELP: &str = "\
Errors are measured on sampled inputs, wide ones (uniform over the numbers of the format) and everyday ones (1e-6 to 1e6,
whole numbers, nearly equal variables); the report says where a bound is proved. Ctrl-C gives the best repair so far.

Sources (.c .cpp .f90 .rs) are compiled, run and explained; the formulas of the causes are repaired, and the patched program
is compiled, run and explained again. The sources change only with --apply.

Exit codes: 0 repaired or already accurate, 1 inaccurate and no repair found, 2 lostbits could not do it.

  lostbits fix '(1 - cos(x)) / x^2' --range x=-1e-3:1e-3
  lostbits fix bench.fpcore --format fpcore
  lostbits fix prog.c -O2 -- input.dat
  lostbits fix prog.c:12 -O2 --apply -- input.dat
  lostbits fix stats.f90:28 --build 'make' --run './chain input.nml'
  lostbits fix --function foo foo.c";

#[derive(Args)]
pub struct FixArguments {
    #[command(flatten)]
    pub report: ReportArguments<FixFormat>,
    /// Range of an input [default: all finite numbers] (repeatable)
    #[arg(long, value_name = "NAME=LOW:HIGH", value_parser = RangeOption::read, allow_hyphen_values = true)]
    pub range: Vec<RangeOption>,
    /// Accepted error in ulps: an expression within it on all samples is left alone, and a repair must be within it
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub max_ulps: Option<u32>,
    /// What counts most
    #[arg(long = "for", value_name = "PURPOSE", value_enum, default_value_t)]
    pub purpose: Purpose,
    /// Arithmetic in which the repair computes
    #[arg(long, value_enum, default_value_t)]
    pub precision: Precision,
    /// Propose no branches
    #[arg(long)]
    pub no_branches: bool,
    #[command(flatten)]
    pub seed: SeedArguments,
    /// Stop searching for a repair of an expression after this many seconds, and report the best so far (the same seed may
    /// then find another one)
    #[arg(long, value_name = "SECONDS", value_parser = positive, alias = "timeout")]
    pub seconds: Option<f64>,
    /// Write the patch into the sources; the originals are kept beside them as FILE.orig
    #[arg(long)]
    pub apply: bool,
    /// Write the patch to a file, for `patch -p1`
    #[arg(long, value_name = "FILE")]
    pub patch: Option<PathBuf>,
    /// Repair the formulas of this function, without running a program
    #[arg(long, value_name = "FUNCTION")]
    pub function: Option<String>,
    /// The command that builds the project in the current folder; it runs in copies of the folder, with lostbits as the compilers
    #[arg(long, value_name = "COMMAND", requires = "run")]
    pub build: Option<String>,
    /// The program that --build makes, with its arguments
    #[arg(long, value_name = "COMMAND", requires = "build")]
    pub run: Option<String>,
    #[command(flatten)]
    pub compiler: CompilerArguments,
    /// An expression, an FPCore file, or sources with compiler options (`prog.c`, or `prog.c:12` for one line); then `--` and
    /// the program's arguments
    #[arg(required = true, value_name = "EXPRESSION, FILE OR SOURCE")]
    pub words: Vec<OsString>,
}

#[derive(Clone, Copy, Default, PartialEq, Eq, Debug, ValueEnum)]
pub enum FixFormat {
    #[default]
    Terminal,
    /// The repaired cores, for other FPBench tools
    Fpcore,
    /// A function for each
    C,
    Json,
}
