//! The command line's words, as the user gives them. The compilers' own (`cc`, `c++`, `fc`, `rustc`) are
//! listed for the help only: their arguments belong to the compiler and are never parsed here.

use std::{ffi::OsString, path::PathBuf};

use clap::{Args, Parser, Subcommand};

const AFTER_HELP: &str = "\
Compilers (every argument is the compiler's, save --lostbits-mode=off|same|carry):
  lostbits cc …      clang-22        lostbits c++ …    clang++-22
  lostbits fc …      flang-22        lostbits rustc …  rustc, also as RUSTC_WRAPPER=lostbits-rustc

First steps:
  lostbits cc -O2 -g prog.c -lm -o prog && lostbits run ./prog

Exit codes: 0 nothing found, 1 findings, 2 lostbits could not do it. Compilers and `run` pass on
the exit code of what they ran.";

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
pub struct SitesArguments {
    /// List loads, arguments, returns and lost shadows too
    #[arg(long)]
    pub all: bool,
    /// A program, object, shared library or archive
    pub file: PathBuf,
}

#[derive(Args)]
pub struct ReportArguments {
    /// A record that `lostbits run` saved
    pub record: PathBuf,
}
