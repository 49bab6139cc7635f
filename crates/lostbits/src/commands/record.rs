//! `lostbits report`: reports on a saved record.

use std::{path::PathBuf, process::ExitCode};

use clap::Args;
use lostbits_abi::record::ProcessRecord;

use super::{
    exit::{Conclusion, exit_code},
    explain, watch,
};
use crate::{
    arguments::{ExitArguments, ReportArguments},
    destination::Destination,
    explain::{ExplainFormat, Findings, Saved, read},
    failure::Failure,
    report,
    summary::Summary,
    watch::{WatchFormat, findings},
};

#[derive(Args)]
pub struct RecordReportArguments {
    #[command(flatten)]
    report: ReportArguments<ExplainFormat>,
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
    let destination = arguments.report.destination(Destination::Output);
    destination.check()?;
    let saved = read(&arguments.saved)?;
    let report = report_on(&saved, arguments.report.format)?;
    destination.write(&report.text)?;
    Ok(exit_code(report.conclusion, None, arguments.exit))
}

/// The report of the mode that the saved run is of.
pub fn report_on(saved: &Saved, format: ExplainFormat) -> Result<RecordReport, Failure> {
    if Findings::speaks_of(&saved.processes) {
        explain::report_of(saved, format)
    } else if findings::Findings::speaks_of(&saved.processes) {
        watch::report_of(&saved.processes, for_decisions(format)?)
    } else {
        Ok(summary(&saved.processes))
    }
}

/// Decisions have no FPCore.
fn for_decisions(format: ExplainFormat) -> Result<WatchFormat, Failure> {
    match format {
        ExplainFormat::Terminal => Ok(WatchFormat::Terminal),
        ExplainFormat::Json => Ok(WatchFormat::Json),
        ExplainFormat::Fpcore => Err(Failure::NoFpcoreOfDecisions),
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
