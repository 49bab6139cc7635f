//! The command line's words, as the user gives them. The compilers' own (`cc`, `c++`, `fc`, `rustc`) are
//! listed for the help only: their arguments belong to the compiler and are never parsed here.

use std::{ffi::OsString, path::PathBuf};

use clap::{Args, Parser, Subcommand, ValueEnum};

use crate::watch::{DOUBLE, FLOAT, cancelled_of_double, cancelled_of_float, suppressed};

const AFTER_HELP: &str = "\
Compilers (every argument is the compiler's, save --lostbits-mode=off|same|carry|watch):
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

A signal USR1 to lostbits writes a report on what was seen so far.

Exit codes: 0 stable, 1 some decision is not to be trusted, 2 lostbits could not do it.

  lostbits watch prog.c -O2 -- 1.8408964152537146
  lostbits watch --tau-c 40 --format json --report watch.json ./prog -- input.dat";

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
    /// What to do when a decision is not to be trusted: report it in the end, or stop the program soon
    /// after it (rerun: not built yet)
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
