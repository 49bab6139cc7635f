//! `lostbits report`: reports on a saved record.

use std::{path::PathBuf, process::ExitCode};

use clap::Args;
use lostbits_abi::record::ProcessRecord;

use super::{
    exit::{Conclusion, exit_code},
    explain, page, watch,
};
use crate::{
    arguments::{ExitArguments, OpenArguments, ReportArguments},
    destination::Destination,
    explain::{ExplainFormat, Findings, Saved, read},
    failure::Failure,
    report,
    summary::Summary,
    watch::findings,
};

#[derive(Args)]
pub struct RecordReportArguments {
    #[command(flatten)]
    report: ReportArguments<ExplainFormat>,
    #[command(flatten)]
    open: OpenArguments,
    #[command(flatten)]
    exit: ExitArguments,
    /// Records that `lostbits run`, `watch` or `explain` saved, or that programs wrote themselves (LOSTBITS_OUT)
    #[arg(required = true, value_name = "RECORD")]
    saved: Vec<PathBuf>,
}

/// The report on a record, and what it comes to.
pub struct RecordReport {
    pub text: String,
    pub conclusion: Conclusion,
}

pub fn report(arguments: RecordReportArguments) -> Result<ExitCode, Failure> {
    let format = arguments.report.format.opened(arguments.open)?;
    let default = format.destination(Destination::Output);
    let destination = arguments.report.destination(default);
    destination.check()?;
    let saved = read(&arguments.saved)?;
    let report = report_on(&saved, format)?;
    destination.write(&report.text)?;
    if format == ExplainFormat::Html {
        page::show(&destination, arguments.open.open);
    }
    Ok(exit_code(report.conclusion, None, arguments.exit))
}

/// The report of the mode that the saved run is of.
pub fn report_on(saved: &Saved, format: ExplainFormat) -> Result<RecordReport, Failure> {
    if Findings::speaks_of(&saved.processes) {
        explain::report_of(saved, format)
    } else if findings::Findings::speaks_of(&saved.processes) {
        watch::report_of(&saved.processes, format)
    } else {
        Ok(summary(&saved.processes))
    }
}

/// The summary of a record of any other mode.
fn summary(processes: &[ProcessRecord]) -> RecordReport {
    let summary = Summary::of(processes);
    RecordReport {
        text: report::terminal::summary(&summary),
        conclusion: match summary.differences.is_empty() {
            true => Conclusion::Clean,
            false => Conclusion::Findings,
        },
    }
}
