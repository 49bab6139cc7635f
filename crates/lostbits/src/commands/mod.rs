//! The commands: each validates its arguments, calls its analysis, and writes the report. Nothing else in the tool
//! knows both an analysis and its report.

mod doctor;
mod explain;
mod fix;
mod record;
mod run;
mod search;
mod sites;
mod watch;

pub use doctor::doctor;
pub use explain::explain;
pub use fix::fix;
pub use record::{RecordReportArguments, report, report_on};
pub use run::{RunArguments, run};
pub use search::search;
pub use sites::{SitesArguments, sites};
pub use watch::watch;

use std::process::{ExitCode, ExitStatus};

use crate::run::exit_code as code_of;

/// The exit code for findings.
const FINDINGS: u8 = 1;

/// A crash is passed on, because nothing is known about what the program would have done next; otherwise the findings
/// count. `status` is none for a program that the tool stopped.
fn exit_code(status: Option<ExitStatus>, is_clean: bool) -> ExitCode {
    ExitCode::from(match status.filter(|status| status.code().is_none()) {
        Some(crash) => code_of(crash),
        None if is_clean => 0,
        None => FINDINGS,
    })
}
