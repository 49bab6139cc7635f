//! The command line of `lostbits watch`.

use std::ffi::OsString;

use clap::{Args, ValueEnum};

use super::options::{
    DOUBLE, FLOAT, bits_of_rerun, cancelled_of_double, cancelled_of_float, suppressed,
};
use crate::arguments::{
    CompilerArguments, ExitArguments, LaunchArguments, RecordArguments, ReportArguments,
    TimeoutArguments,
};

pub const HELP: &str = "\
Options may come anywhere before `--`; the program's arguments come after it. Sources (.c .cpp .f90
.rs) are compiled with the compiler options beside them; a program must be built with
--lostbits-mode=watch. The report goes to standard error, after the program's own output; as JSON it
is the last line.

The signal USR1 to lostbits writes a report on the run so far.

With --rerun the program's output is held back until it is known which run's output is right; the
exit code is 0 if the run in high precision takes every decision in the same way.

Exit codes: 0 stable, 1 some decision may be wrong, 2 lostbits could not do it, 3 no decision was
executed, or some could not be judged. If there are no findings and the program fails, its own exit
code is returned, or 128 + n if signal n ended it.

  lostbits watch prog.c -O2 -- 1.8408964152537146
  lostbits watch prog.c -O2 --rerun -- 1.8408964152537146
  lostbits watch --tau-c 40 --format json --report watch.json ./prog -- input.dat";

#[derive(Args)]
pub struct WatchArguments {
    /// An operation that cancels more bits of a double than this amplifies its error
    #[arg(long, value_name = "BITS", default_value_t = DOUBLE.cancelled,
          value_parser = cancelled_of_double, allow_hyphen_values = true)]
    pub tau_c: u32,
    /// A double that is larger by more bits than this suppresses the other operand's error
    #[arg(long, value_name = "BITS", default_value_t = DOUBLE.suppressed,
          value_parser = suppressed, allow_hyphen_values = true)]
    pub tau_s: u32,
    /// --tau-c for float
    #[arg(long, value_name = "BITS", default_value_t = FLOAT.cancelled,
          value_parser = cancelled_of_float, allow_hyphen_values = true)]
    pub tau_c_float: u32,
    /// --tau-s for float
    #[arg(long, value_name = "BITS", default_value_t = FLOAT.suppressed,
          value_parser = suppressed, allow_hyphen_values = true)]
    pub tau_s_float: u32,
    #[command(flatten)]
    pub report: ReportArguments<WatchFormat>,
    #[command(flatten)]
    pub record: RecordArguments,
    /// What to do when a decision may be wrong: report it at the end, stop the program soon after it, or
    /// re-run the program in high precision (as --rerun)
    #[arg(long, value_enum, default_value_t, value_name = "ACTION")]
    pub on_unstable: OnUnstable,
    /// Record the error path: the operations by which errors reached a decision (slower; a program must be
    /// built with LOSTBITS_WATCH_PATHS=1)
    #[arg(long, alias = "way")]
    pub error_path: bool,
    /// When a decision may be wrong, re-run the program in high precision and report what differs
    #[arg(long)]
    pub rerun: bool,
    /// Bits of the numbers of the re-run [default: 128]
    #[arg(long, value_name = "BITS", value_parser = bits_of_rerun, allow_hyphen_values = true)]
    pub precision: Option<u32>,
    /// Program for the re-run, built with --lostbits-mode=reals [default: the program's name with .reals]
    #[arg(long, value_name = "PROGRAM")]
    pub rerun_with: Option<OsString>,
    #[command(flatten)]
    pub exit: ExitArguments,
    #[command(flatten)]
    pub timeout: TimeoutArguments,
    #[command(flatten)]
    pub launch: LaunchArguments,
    #[command(flatten)]
    pub compiler: CompilerArguments,
    /// Sources with compiler options, or a program; then `--` and the program's arguments
    #[arg(required = true, value_name = "SOURCE OR PROGRAM")]
    pub words: Vec<OsString>,
}

#[derive(Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub enum WatchFormat {
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
