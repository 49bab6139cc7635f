//! `lostbits run`: runs an instrumented program and summarises its record.

use std::{ffi::OsString, process::ExitCode};

use clap::Args;
use lostbits_abi::record::ProcessRecord;

use super::{record::summary, watch::report_of};
use crate::{
    arguments::{RecordArguments, TimeoutArguments},
    config,
    failure::Failure,
    output::{self, Stream},
    printable::printable,
    report::words::{count, ending},
    run::{self, Outcome, Plan},
    watch::{WatchFormat, findings::Findings},
};

#[derive(Args)]
pub struct RunArguments {
    #[command(flatten)]
    record: RecordArguments,
    #[command(flatten)]
    timeout: TimeoutArguments,
    /// Print no summary
    #[arg(short, long)]
    quiet: bool,
    /// The program and its arguments
    #[arg(
        required = true,
        trailing_var_arg = true,
        allow_hyphen_values = true,
        value_name = "PROGRAM"
    )]
    program: Vec<OsString>,
}

pub fn run(arguments: RunArguments) -> Result<ExitCode, Failure> {
    // A summary may need it; a broken file is refused before the program runs.
    config::current()?;
    let mut words = arguments.program.into_iter();
    let program = words.next().unwrap_or_default();
    let plan = Plan::new(program, words.collect(), arguments.record.record)?
        .with_timeout(arguments.timeout.duration());
    if !plan.is_instrumented() && !arguments.quiet {
        let program = plan.program().to_string_lossy();
        output::note(format_args!(
            "{} was not built by lostbits; only instrumented code that it loads or starts is tracked",
            printable(&program)
        ));
    }
    let outcome = plan.run()?;
    if !arguments.quiet {
        output::print(Stream::Errors, &outcome_text(&outcome)?);
    }
    Ok(ExitCode::from(run::exit_code(outcome.status)))
}

fn outcome_text(outcome: &Outcome) -> Result<String, Failure> {
    let mut text = ending(outcome.status);
    if !outcome.processes.is_empty() {
        text += &summary_text(&outcome.processes)?;
        text += &format!("record: {}\n", printable(&outcome.record.to_string_lossy()));
    }
    if outcome.unreadable > 0 {
        text += &format!(
            "cannot read the records of {}\n",
            count(outcome.unreadable as u64, "process", "processes")
        );
    }
    Ok(text)
}

fn summary_text(processes: &[ProcessRecord]) -> Result<String, Failure> {
    if Findings::speaks_of(processes) {
        Ok(report_of(processes, WatchFormat::Terminal)?.text)
    } else {
        Ok(summary(processes).text)
    }
}
