//! The command line of `lostbits search`.

use std::{ffi::OsString, path::PathBuf};

use clap::{Args, ValueEnum};
use serde::{Deserialize, Serialize};

use super::{shard::Shard, symbolic::SymbolicArguments};
use crate::{
    arguments::{CompilerArguments, ReportArguments, SeedArguments, count, positive},
    inputs::RangeOption,
};

pub const HELP: &str = "\
Options may come anywhere; sources are compiled with the compiler options beside them. In a call, a
name is an input that varies (x), v[3] is an array of three such inputs, &y is an output that the
function writes, and anything else is a constant of C. The report goes to standard output.

Exit codes: 0 nothing found, 1 findings, 2 lostbits could not do it.

  lostbits search foo.c -O3 --function foo
  lostbits search '(1 - cos(x)) / x^2'
  lostbits search bessel.c --call 'bj0(x)' --means 'besselj(0, x)'
  lostbits search --library libgsl.so --call 'gsl_sf_airy_Ai(x, 0)' --init gsl_set_error_handler_off
  lostbits search --library libfoo.so --all
  cargo lostbits search
  lostbits search --library libgsl.so --calls calls.txt -j2 --format tsv > found.tsv";

#[derive(Args)]
pub struct SearchArguments {
    /// Function of the sources to search
    #[arg(long, value_name = "NAME")]
    pub function: Option<String>,
    /// Search every function that the library or the sources export
    #[arg(long, conflicts_with_all = ["function", "call", "calls", "spec", "means", "shard"])]
    pub all: bool,
    /// Shared library with the function, built with --lostbits-mode=search
    #[arg(long, value_name = "FILE")]
    pub library: Option<PathBuf>,
    /// Folder of a Rust crate, whose public functions are searched (`cargo lostbits search` is short for it)
    #[arg(long = "crate", value_name = "FOLDER", conflicts_with_all = ["library", "spec", "explain"])]
    pub crate_folder: Option<PathBuf>,
    /// How to call the function, as in 'f(x, 0)' (repeatable)
    #[arg(long, value_name = "CALL")]
    pub call: Vec<String>,
    /// File with one call on each line
    #[arg(long, value_name = "FILE")]
    pub calls: Option<PathBuf>,
    /// File that declares calls with arrays and matrices (TOML)
    #[arg(long, value_name = "FILE", conflicts_with_all = ["function", "calls", "call"])]
    pub spec: Option<PathBuf>,
    /// Function to call first, as in `f` or 'f(1)' (repeatable)
    #[arg(long, value_name = "CALL")]
    pub init: Vec<String>,
    /// Range of an input [default: all finite numbers] (repeatable)
    #[arg(long, value_name = "NAME=LOW:HIGH", value_parser = RangeOption::read, allow_hyphen_values = true)]
    pub range: Vec<RangeOption>,
    /// Format of the inputs, if it is narrower than the parameters'
    #[arg(long, value_enum, value_name = "TYPE")]
    pub input_type: Option<InputType>,
    /// How inputs are chosen
    #[arg(long, value_enum, default_value_t)]
    pub strategy: Strategy,
    /// Calls of each function [default: depends on the strategy]
    #[arg(long, value_name = "N", value_parser = count)]
    pub runs: Option<u64>,
    /// Stop searching a function after this many seconds (the same seed may then find other inputs)
    #[arg(long, value_name = "SECONDS", value_parser = positive, alias = "seconds")]
    pub timeout: Option<f64>,
    #[command(flatten)]
    pub seed: SeedArguments,
    /// Reference used to judge results: auto (the mathematical function, else consistency checks), shadow (the same
    /// run in high precision), none, or a command that reads a line of hex floats and answers with decimals
    #[arg(long, value_name = "REFERENCE", default_value = "auto")]
    pub oracle: String,
    /// The mathematical function that the call computes, as in 'besselj(0, x)' [default: known by its name]
    #[arg(long, value_name = "EXPRESSION")]
    pub means: Option<String>,
    /// Map the error in ulps over the whole range of the input
    #[arg(long)]
    pub map: bool,
    /// List also what only the same run in high precision says, in a section of its own
    #[arg(long)]
    pub unconfirmed: bool,
    /// A result with at least this relative error is wrong
    #[arg(long, value_name = "ERROR", default_value_t = 1e-3, value_parser = positive)]
    pub significant: f64,
    /// Report at most this many findings of a function
    #[arg(long, value_name = "N", default_value_t = 12)]
    pub top: usize,
    /// Processor seconds that one call may take
    #[arg(long, value_name = "SECONDS", default_value_t = 1.0, value_parser = positive)]
    pub patience: f64,
    /// Number of functions searched in parallel
    #[arg(short, long, value_name = "N", default_value_t = 1)]
    pub jobs: usize,
    /// Report the root cause of the worst finding, found by `lostbits explain`
    #[arg(long)]
    pub explain: bool,
    /// The same library built with --lostbits-mode=explain, for --explain
    #[arg(long, value_name = "FILE")]
    pub explain_library: Option<PathBuf>,
    /// How a call reports failure, besides a NaN or infinity (repeatable)
    #[arg(long, value_enum, value_name = "HOW")]
    pub raises: Vec<Raises>,
    #[command(flatten)]
    pub report: ReportArguments<SearchFormat>,
    /// Save finished functions to a file, and continue from it
    #[arg(long, value_name = "FILE")]
    pub resume: Option<PathBuf>,
    /// Search only the Kth of N parts of the calls, for `lostbits merge`
    #[arg(long, value_name = "K/N", requires = "resume")]
    pub shard: Option<Shard>,
    /// Write the processor time of each call to a file (for benches)
    #[arg(long, value_name = "FILE", hide = true)]
    pub times: Option<PathBuf>,
    #[command(flatten)]
    pub symbolic: SymbolicArguments,
    /// Sources with compiler options, an expression, or an FPCore file
    #[arg(value_name = "SOURCE OR EXPRESSION")]
    pub subject: Vec<OsString>,
    #[command(flatten)]
    pub compiler: CompilerArguments,
}

#[derive(Clone, Copy, Default, PartialEq, Eq, Debug, ValueEnum)]
pub enum Strategy {
    /// roots, then lsga for several parameters; symbolic for more than four
    #[default]
    Auto,
    /// Zeros of operations' results, bracketed and narrowed down
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
    /// Symbolic execution of paths only, without checks (the baseline of FPGen)
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

/// How a call may fail.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum Raises {
    /// Its integer result is not 0
    Status,
    /// It leaves EDOM or ERANGE in errno
    Errno,
}

#[derive(Clone, Copy, Default, PartialEq, Eq, Debug, ValueEnum, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum SearchFormat {
    #[default]
    Terminal,
    /// One page for a browser with a plot for each function, to lostbits-search.html unless --report says otherwise
    Html,
    Json,
    Tsv,
    /// The error map of --map as a table
    Csv,
    /// A regression test in C
    C,
    /// A regression test in C++
    Cpp,
    /// A regression test in Rust
    Rust,
    /// A regression test in Fortran
    Fortran,
    /// A regression test for pytest
    Pytest,
}
