//! The command line's words, as the user gives them. The compilers' own (`cc`, `c++`, `fc`, `rustc`) are
//! listed for the help only: their arguments belong to the compiler and are never parsed here.

use std::{ffi::OsString, path::PathBuf};

use clap::{Args, Parser, Subcommand, ValueEnum};

use crate::watch::{DOUBLE, FLOAT, cancelled_of_double, cancelled_of_float, suppressed};

const AFTER_HELP: &str = "\
Compilers (every argument is the compiler's, save --lostbits-mode=off|same|carry|watch|search):
  lostbits cc …      clang-22        lostbits c++ …    clang++-22
  lostbits fc …      flang-22        lostbits rustc …  rustc, also as RUSTC_WRAPPER=lostbits-rustc

First steps:
  lostbits cc -O2 -g prog.c -lm -o prog && lostbits run ./prog
  lostbits watch prog.c -O2 -- arguments…

Exit codes: 0 nothing found, 1 findings, 2 lostbits could not do it. Compilers and `run` pass on
the exit code of what they ran.";

const WATCH_HELP: &str = "\
Options of watch stand before the source or program. Sources (.c .cpp .f90 .rs) are compiled
with the options around them, up to `--`; a program must be built with --lostbits-mode=watch.
The report goes to standard error, so that the program's output stays its own; as JSON it is
the last line there.

Exit codes: 0 stable, 1 some decision is not to be trusted, 2 lostbits could not do it.

  lostbits watch prog.c -O2 -- 1.8408964152537146
  lostbits watch --tau-c 40 --format json --report watch.json ./prog -- input.dat";

const SEARCH_HELP: &str = "\
In a call, a name varies (x), v[3] are three numbers that vary, &y is written by the function, and
anything else is a constant of C. Options for the compiler of a source stand behind `--`.

Exit codes: 0 nothing found, 1 findings, 2 lostbits could not do it.

  lostbits search foo.c --function foo
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
    /// What to do when a decision is not to be trusted (stop and rerun: not built yet)
    #[arg(long, value_enum, default_value_t, value_name = "WHAT")]
    pub on_unstable: OnUnstable,
    /// Run again in high precision when a decision is not to be trusted (not built yet)
    #[arg(long)]
    pub rerun: bool,
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
    /// A function to call first, as `f` or 'f(1)'; may be repeated
    #[arg(long, value_name = "CALL")]
    pub init: Vec<String>,
    /// Where a parameter is searched [default: everywhere]; may be repeated
    #[arg(long, value_name = "NAME=LOW:HIGH", allow_hyphen_values = true)]
    pub range: Vec<String>,
    /// How inputs are chosen
    #[arg(long, value_enum, default_value_t)]
    pub strategy: Strategy,
    /// Runs of each function [default: what the strategy wants]
    #[arg(long, value_name = "N")]
    pub runs: Option<u64>,
    /// Seconds for each function (then the same seed may find other things)
    #[arg(long, value_name = "S")]
    pub seconds: Option<f64>,
    /// Another seed tries other inputs
    #[arg(long, value_name = "K", default_value_t = 1)]
    pub seed: u64,
    /// Who says what is right: none, shadow (the same run over the reals), or a command that reads a
    /// line of hex floats and answers with decimals
    #[arg(long, value_name = "WHO", default_value = "shadow")]
    pub oracle: String,
    /// The relative error from which on a result is wrong
    #[arg(long, value_name = "ERROR", default_value_t = 1e-3)]
    pub significant: f64,
    /// Findings of a function, at most
    #[arg(long, value_name = "K", default_value_t = 12)]
    pub top: usize,
    /// Seconds of processor time that one run may take
    #[arg(long, value_name = "S", default_value_t = 1.0)]
    pub patience: f64,
    /// Functions that are searched at once
    #[arg(short, long, value_name = "N", default_value_t = 1)]
    pub jobs: usize,
    /// How the report is written
    #[arg(long, value_enum, default_value_t)]
    pub format: SearchFormat,
    /// Keep what is done in a file, and go on from there
    #[arg(long, value_name = "FILE")]
    pub resume: Option<PathBuf>,
    /// Write the processor time of each call to a file (for benches)
    #[arg(long, value_name = "FILE", hide = true)]
    pub times: Option<PathBuf>,
    /// A C or C++ source
    #[arg(value_name = "SOURCE")]
    pub subject: Vec<OsString>,
    /// Options for the compiler
    #[arg(last = true, value_name = "OPTIONS")]
    pub options: Vec<OsString>,
}

#[derive(Clone, Copy, Default, PartialEq, Eq, Debug, ValueEnum)]
pub enum Strategy {
    /// roots, then atomic with what is left where nothing was found
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
    /// How the report of a watched run is written
    #[arg(long, value_enum, default_value_t)]
    pub format: Format,
    /// A record that `lostbits run` or `lostbits watch` saved
    pub record: PathBuf,
}
