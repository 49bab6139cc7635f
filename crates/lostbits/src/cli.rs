//! The command line's words, as the user gives them. The compilers' own (`cc`, `c++`, `fc`, `rustc`) are
//! listed for the help only: their arguments belong to the compiler and are never parsed here.

use std::{ffi::OsString, path::PathBuf};

use clap::{Args, Parser, Subcommand, ValueEnum};

use crate::explain;
use crate::search::symbolic::SymbolicArguments;
use crate::watch::{
    DOUBLE, FLOAT, bits_of_rerun, cancelled_of_double, cancelled_of_float, suppressed,
};

const AFTER_HELP: &str = "\
Compilers (every argument is the compiler's, save --lostbits-mode=off|same|carry|watch|explain|search):
  lostbits cc …      clang-22        lostbits c++ …    clang++-22
  lostbits fc …      flang-22        lostbits rustc …  rustc, also as RUSTC_WRAPPER=lostbits-rustc

First steps:
  lostbits cc -O2 -g prog.c -lm -o prog && lostbits run ./prog
  lostbits watch prog.c -O2 -- arguments…
  lostbits explain prog.c -O2 -- arguments…

Exit codes: 0 nothing found, 1 findings, 2 lostbits could not do it. Compilers and `run` pass on
the exit code of what they ran.";

const WATCH_HELP: &str = "\
Options of watch stand before the source or program. Sources (.c .cpp .f90 .rs) are compiled
with the options around them, up to `--`; a program must be built with --lostbits-mode=watch.
The report goes to standard error, so that the program's output stays its own; as JSON it is
the last line there.

A signal USR1 to lostbits writes a report on what was seen so far.

With --rerun the program's output is held back until it is known which run gives it; the exit
code is 0 if the run in high precision takes every decision in the same way.

Exit codes: 0 stable, 1 some decision is not to be trusted, 2 lostbits could not do it.

  lostbits watch prog.c -O2 -- 1.8408964152537146
  lostbits watch --rerun prog.c -O2 -- 1.8408964152537146
  lostbits watch --tau-c 40 --format json --report watch.json ./prog -- input.dat";

const EXPLAIN_HELP: &str = "\
Sources (.c .cpp .f90 .rs) are compiled with the options around them, up to `--`; a program must
be built with --lostbits-mode=explain, and options of explain stand before it. The report goes to
standard error, so that the program's output stays its own; as JSON it is the last line there. Of
expressions and FPCore it goes to standard output.

Exit codes: 0 no output lost too many bits, 1 root causes were found, 2 lostbits could not do it;
128 + n if signal n ended the program.

  lostbits explain prog.c -O2 -- input.dat
  lostbits explain --format json --report explain.json ./prog -- input.dat
  lostbits explain '(1 - cos(x)) / x^2' --range x=1e-9:1e-3
  lostbits explain bench.fpcore
  lostbits explain --library ./libm2.so --call 'f(2.5, 1e-7)'";

const SEARCH_HELP: &str = "\
In a call, a name varies (x), v[3] are three numbers that vary, &y is written by the function, and
anything else is a constant of C. Options for the compiler of a source stand behind `--`.

Exit codes: 0 nothing found, 1 findings, 2 lostbits could not do it.

  lostbits search foo.c --function foo
  lostbits search '(1 - cos(x)) / x^2'
  lostbits search --library libgsl.so --call 'gsl_sf_airy_Ai(x, 0)' --init gsl_set_error_handler_off
  lostbits search --library libgsl.so --calls calls.txt -j2 --format tsv > found.tsv";

#[derive(Parser)]
#[command(name = "lostbits", version, about, after_help = AFTER_HELP, subcommand_required = true)]
pub struct Line {
    #[command(subcommand)]
    pub command: Command,
}

#[derive(Subcommand)]
pub enum Command {
    /// Run an instrumented program, save its record and print a summary
    Run(RunArguments),
    /// Compile and run a program, and say which of its decisions are not to be trusted
    #[command(after_help = WATCH_HELP)]
    Watch(WatchArguments),
    /// Compile and run a program, and say where its outputs lose their bits
    #[command(after_help = EXPLAIN_HELP)]
    Explain(ExplainArguments),

    /// Find the inputs on which a function goes wrong
    #[command(after_help = SEARCH_HELP)]
    Search(Box<SearchArguments>),
    /// List the instrumented operations of a program, object, library or archive
    Sites(SitesArguments),
    /// Print the summary of a saved run record
    Report(ReportArguments),
    /// Show which compilers and parts were found, and how to get what is missing
    Doctor,
}

#[derive(Args)]
pub struct RunArguments {
    /// Where to save the record [default: the program's name with .lostbits]
    #[arg(short, long, value_name = "RECORD")]
    pub output: Option<PathBuf>,
    /// Print no summary
    #[arg(short, long)]
    pub quiet: bool,
    /// The program and its arguments
    #[arg(
        required = true,
        trailing_var_arg = true,
        allow_hyphen_values = true,
        value_name = "PROGRAM"
    )]
    pub program: Vec<OsString>,
}

#[derive(Args)]
pub struct WatchArguments {
    /// More cancelled bits of a double than this inflate an error
    #[arg(long, value_name = "BITS", default_value_t = DOUBLE.cancelled,
          value_parser = cancelled_of_double, allow_hyphen_values = true)]
    pub tau_c: u32,
    /// A double that is larger by more bits than this suppresses the other operand's error
    #[arg(long, value_name = "BITS", default_value_t = DOUBLE.suppressed,
          value_parser = suppressed, allow_hyphen_values = true)]
    pub tau_s: u32,
    /// The same as --tau-c for float
    #[arg(long, value_name = "BITS", default_value_t = FLOAT.cancelled,
          value_parser = cancelled_of_float, allow_hyphen_values = true)]
    pub tau_c_float: u32,
    /// The same as --tau-s for float
    #[arg(long, value_name = "BITS", default_value_t = FLOAT.suppressed,
          value_parser = suppressed, allow_hyphen_values = true)]
    pub tau_s_float: u32,
    /// How the report is written
    #[arg(long, value_enum, default_value_t)]
    pub format: Format,
    /// Write the report to a file instead of standard error
    #[arg(long, value_name = "FILE")]
    pub report: Option<PathBuf>,
    /// Save the record too; `lostbits report` prints its report again
    #[arg(short, long, value_name = "RECORD")]
    pub output: Option<PathBuf>,
    /// What to do when a decision is not to be trusted: report it in the end, stop the program soon after
    /// it, or run it again in high precision (as --rerun)
    #[arg(long, value_enum, default_value_t, value_name = "WHAT")]
    pub on_unstable: OnUnstable,
    /// Record by which operations errors came to the decisions (slower; sources are compiled for it, a program
    /// must be built with LOSTBITS_WATCH_WAYS=1)
    #[arg(long)]
    pub way: bool,
    /// When a decision is not to be trusted, run again in high precision: what differs, and the result
    #[arg(long)]
    pub rerun: bool,
    /// Bits of the numbers of that run [default: 128]
    #[arg(long, value_name = "BITS", value_parser = bits_of_rerun, allow_hyphen_values = true)]
    pub precision: Option<u32>,
    /// The program for that run, built with --lostbits-mode=reals [default: the program's name with .reals]
    #[arg(long, value_name = "PROGRAM")]
    pub rerun_with: Option<OsString>,
    /// Sources with compiler options, or a program; then `--` and the program's arguments
    #[arg(
        required = true,
        trailing_var_arg = true,
        allow_hyphen_values = true,
        value_name = "SOURCE OR PROGRAM"
    )]
    pub words: Vec<OsString>,
}

#[derive(Args)]
pub struct ExplainArguments {
    /// How the report is written
    #[arg(long, value_enum, default_value_t)]
    pub format: ReportFormat,
    /// Write the report to a file instead of standard error
    #[arg(long, value_name = "FILE")]
    pub report: Option<PathBuf>,
    /// Save the record too; `lostbits report` prints its report again
    #[arg(short, long, value_name = "RECORD")]
    pub output: Option<PathBuf>,
    /// Outputs that lost more bits than this are wrong
    #[arg(long, value_name = "BITS", default_value_t = 5.0, value_parser = explain::bits,
          allow_hyphen_values = true)]
    pub min_output_bits: f64,
    /// Operations that lose more bits than this may be root causes
    #[arg(long, value_name = "BITS", default_value_t = 5.0, value_parser = explain::bits,
          allow_hyphen_values = true)]
    pub min_local_bits: f64,
    /// How deep expressions go
    #[arg(long, value_name = "LEVELS", default_value_t = 8,
          value_parser = clap::value_parser!(u32).range(1..=32))]
    pub depth: u32,
    /// To which depth it is looked whether subexpressions are equal
    #[arg(long, value_name = "LEVELS", default_value_t = 5,
          value_parser = clap::value_parser!(u32).range(0..=32))]
    pub equality_depth: u32,
    /// Measure errors with so many bits throughout, instead of adaptively
    #[arg(long, value_name = "BITS", value_parser = clap::value_parser!(u32).range(64..=4096))]
    pub precision: Option<u32>,
    /// Run the program once only: what that leaves undecided is not decided by further runs
    #[arg(long)]
    pub once: bool,
    /// Report only root causes in this function (may be given several times)
    #[arg(long, value_name = "FUNCTION")]
    pub function: Vec<String>,
    /// Look at nothing before this function is entered first
    #[arg(long, value_name = "FUNCTION")]
    pub start_at: Option<String>,
    /// Look at nothing from where this function is entered
    #[arg(long, value_name = "FUNCTION")]
    pub stop_at: Option<String>,
    /// An instrumented library for --call (may be given several times)
    #[arg(long, value_name = "LIBRARY", requires = "call")]
    pub library: Vec<PathBuf>,
    /// Call a function of the libraries once: 'f(2.5, 1e-7)'
    #[arg(
        long,
        value_name = "CALL",
        conflicts_with = "words",
        requires = "library"
    )]
    pub call: Option<String>,
    /// Where a variable of an expression or FPCore lies (may be given several times)
    #[arg(long, value_name = "x=FROM:TO", value_parser = explain::range, allow_hyphen_values = true)]
    pub range: Vec<(String, [f64; 2])>,
    /// For how many inputs an expression or FPCore is computed [default: 1000]
    #[arg(long, value_name = "NUMBER", value_parser = clap::value_parser!(u32).range(1..))]
    pub samples: Option<u32>,
    /// Sources with compiler options, a program, an expression, or an FPCore file; then `--` and a
    /// program's arguments
    #[arg(
        required_unless_present = "call",
        trailing_var_arg = true,
        allow_hyphen_values = true,
        value_name = "SOURCE, PROGRAM OR EXPRESSION"
    )]
    pub words: Vec<OsString>,
}

#[derive(Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub enum ReportFormat {
    #[default]
    Terminal,
    Json,
    /// The root causes as FPCore, for other tools
    Fpcore,
}

#[derive(Args)]
pub struct SearchArguments {
    /// The function of a source that is to be searched
    #[arg(long, value_name = "NAME")]
    pub function: Option<String>,
    /// A shared library that was built with --lostbits-mode=search
    #[arg(long, value_name = "FILE")]
    pub library: Option<PathBuf>,
    /// How to call the function: 'f(x, 0)'; may be repeated
    #[arg(long, value_name = "CALL")]
    pub call: Vec<String>,
    /// A file with a call in each line
    #[arg(long, value_name = "FILE")]
    pub calls: Option<PathBuf>,
    /// A file that declares calls with their arrays and matrices (TOML)
    #[arg(long, value_name = "FILE", conflicts_with_all = ["function", "calls", "call"])]
    pub spec: Option<PathBuf>,
    /// A function to call first, as `f` or 'f(1)'; may be repeated
    #[arg(long, value_name = "CALL")]
    pub init: Vec<String>,
    /// Where a parameter is searched [default: everywhere]; may be repeated
    #[arg(long, value_name = "NAME=LOW:HIGH", allow_hyphen_values = true)]
    pub range: Vec<String>,
    /// The format of the numbers that vary, if it is narrower than the parameters'
    #[arg(long, value_enum, value_name = "TYPE")]
    pub input_type: Option<InputType>,
    /// How inputs are chosen
    #[arg(long, value_enum, default_value_t)]
    pub strategy: Strategy,
    /// Runs of each function [default: what the strategy wants]
    #[arg(long, value_name = "N", value_parser = counted)]
    pub runs: Option<u64>,
    /// Seconds for each function (then the same seed may find other things)
    #[arg(long, value_name = "S", value_parser = positive)]
    pub seconds: Option<f64>,
    /// Another seed tries other inputs
    #[arg(long, value_name = "K", default_value_t = 1)]
    pub seed: u64,
    /// Who says what is right: none, shadow (the same run over the reals), or a command that reads a
    /// line of hex floats and answers with decimals
    #[arg(long, value_name = "WHO", default_value = "shadow")]
    pub oracle: String,
    /// The relative error from which on a result is wrong
    #[arg(long, value_name = "ERROR", default_value_t = 1e-3, value_parser = positive)]
    pub significant: f64,
    /// Findings of a function, at most
    #[arg(long, value_name = "K", default_value_t = 12)]
    pub top: usize,
    /// Seconds of processor time that one run may take
    #[arg(long, value_name = "S", default_value_t = 1.0, value_parser = positive)]
    pub patience: f64,
    /// Functions that are searched at once
    #[arg(short, long, value_name = "N", default_value_t = 1)]
    pub jobs: usize,
    /// Tell the root cause of the worst finding, by `lostbits explain`
    #[arg(long)]
    pub explain: bool,
    /// The library once more, built with --lostbits-mode=explain, for --explain
    #[arg(long, value_name = "FILE")]
    pub explain_library: Option<PathBuf>,
    /// How a call says that it failed, beside giving no number; may be repeated
    #[arg(long, value_enum, value_name = "HOW")]
    pub raises: Vec<Raises>,
    /// How the report is written
    #[arg(long, value_enum, default_value_t)]
    pub format: SearchFormat,
    /// Keep what is done in a file, and go on from there
    #[arg(long, value_name = "FILE")]
    pub resume: Option<PathBuf>,
    /// Write the processor time of each call to a file (for benches)
    #[arg(long, value_name = "FILE", hide = true)]
    pub times: Option<PathBuf>,
    #[command(flatten)]
    pub symbolic: SymbolicArguments,
    /// A source in C, C++, Fortran or Rust, an expression, or an FPCore file
    #[arg(value_name = "SOURCE OR EXPRESSION")]
    pub subject: Vec<OsString>,
    /// Options for the compiler
    #[arg(last = true, value_name = "OPTIONS")]
    pub options: Vec<OsString>,
}

#[derive(Clone, Copy, Default, PartialEq, Eq, Debug, ValueEnum)]
pub enum Strategy {
    /// roots, then lsga for several parameters; symbolic for more than four
    #[default]
    Auto,
    /// Zeros of operations' results, bracketed and closed in upon
    Roots,
    /// Atomu's evolution of condition numbers (POPL 2020)
    Atomic,
    /// LSGA's evolution of exponents (ICSE 2015)
    Lsga,
    /// A standard genetic algorithm
    Genetic,
    /// Uniform bit patterns
    Random,
    /// FPGen's symbolic execution (ICSE 2020) and a pool guided by true errors; for arrays and matrices
    Symbolic,
    /// Symbolic execution for paths only, without checks (what FPGen was compared with)
    Paths,
    /// The pool guided by true errors, without symbolic execution
    Pool,
    /// Uniform numbers, judged by their true error
    Even,
    /// S3FP's halving of ranges (PPoPP 2014), judged by the true error
    Halving,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum InputType {
    Float,
    Double,
}

/// Reads a number above 0.
fn positive(text: &str) -> Result<f64, String> {
    let value: Option<f64> = text.parse().ok();
    value
        .filter(|value| *value > 0.0 && value.is_finite())
        .ok_or("give a number above 0".to_owned())
}

/// Reads a count above 0.
fn counted(text: &str) -> Result<u64, String> {
    let value: Option<u64> = text.parse().ok();
    value
        .filter(|value| *value > 0)
        .ok_or("give a whole number above 0".to_owned())
}

/// How a call may fail.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum Raises {
    /// Its integer result is not 0
    Status,
    /// It leaves EDOM or ERANGE in errno
    Errno,
}

#[derive(Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub enum SearchFormat {
    #[default]
    Terminal,
    Json,
    Tsv,
    /// A regression test to paste
    C,
}

#[derive(Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub enum Format {
    #[default]
    Terminal,
    Json,
}

#[derive(Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub enum OnUnstable {
    #[default]
    Report,
    Stop,
    Rerun,
}

#[derive(Args)]
pub struct SitesArguments {
    /// List loads, arguments, returns and lost shadows too
    #[arg(long)]
    pub all: bool,
    /// A program, object, shared library or archive
    pub file: PathBuf,
}

#[derive(Args)]
pub struct ReportArguments {
    /// How the report of a watched or explained run is written
    #[arg(long, value_enum, default_value_t)]
    pub format: ReportFormat,
    /// A record that `lostbits run`, `watch` or `explain` saved
    pub record: PathBuf,
}

impl ReportFormat {
    /// Decisions have no FPCore.
    pub fn for_watch(self) -> Option<Format> {
        match self {
            ReportFormat::Terminal => Some(Format::Terminal),
            ReportFormat::Json => Some(Format::Json),
            ReportFormat::Fpcore => None,
        }
    }
}
