//! `lostbits run`: runs an instrumented program and summarises its record.

use std::{ffi::OsString, process::ExitCode};

use clap::Args;

use super::{
    exit::{Conclusion, exit_code, of_program},
    record::{RecordReport, report_on},
};
use crate::{
    arguments::{ExitArguments, RecordArguments, TimeoutArguments},
    config,
    explain::{ExplainFormat, Saved, decode_analyses},
    failure::Failure,
    output::{self, Stream},
    printable::printable,
    report::words::{count, ending},
    run::{Outcome, Plan},
};

#[derive(Args)]
pub struct RunArguments {
    #[command(flatten)]
    record: RecordArguments,
    #[command(flatten)]
    timeout: TimeoutArguments,
    #[command(flatten)]
    exit: ExitArguments,
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
    let status = outcome.status;
    let (text, conclusion) = report_on_outcome(outcome)?;
    if !arguments.quiet {
        output::print(Stream::Errors, &text);
    }
    Ok(exit_code(
        conclusion,
        Some(status),
        of_program(arguments.exit),
    ))
}

fn report_on_outcome(outcome: Outcome) -> Result<(String, Conclusion), Failure> {
    let mut text = ending(outcome.status);
    let mut conclusion = Conclusion::Clean;
    let (analyses, unreadable) = decode_analyses(&outcome.analyses);
    let unreadable = outcome.unreadable + unreadable;
    if !outcome.processes.is_empty() {
        let saved = Saved {
            processes: outcome.processes,
            analyses,
        };
        let report = match report_on(&saved, ExplainFormat::Terminal) {
            // The program may be one of many, and its result counts, not what is known about it.
            Err(failure @ (Failure::NothingCompiled | Failure::NoAnalysis)) => RecordReport {
                text: failure.message() + "\n",
                conclusion: Conclusion::Undecided,
            },
            report => report?,
        };
        text += &report.text;
        text += &format!("record: {}\n", printable(&outcome.record.to_string_lossy()));
        conclusion = report.conclusion;
    }
    if unreadable > 0 {
        text += &format!(
            "cannot read the records of {}\n",
            count(unreadable as u64, "process", "processes")
        );
        conclusion = conclusion.at_least_undecided();
    }
    Ok((text, conclusion))
}
