//! The commands: each validates its arguments, calls its analysis, and writes the report. Nothing else in the tool
//! knows both an analysis and its report.

mod campaign;
mod doctor;
mod exit;
mod explain;
mod fix;
mod generate;
mod ignored;
mod merge;
mod page;
mod project;
mod record;
mod run;
mod search;
mod sites;
mod watch;

pub use campaign::campaign;
pub use doctor::doctor;
pub use explain::explain;
pub use fix::fix;
pub use generate::{GenerateArguments, generate};
pub use merge::{MergeArguments, merge};
pub use project::{
    BUILD_HELP, BuildArguments, ConfiguredArguments, TEST_HELP, TestArguments, baseline, build,
    check, test,
};
pub use record::{RecordReportArguments, report, report_on};
pub use run::{RunArguments, run};
pub use search::search;
pub use sites::{SitesArguments, sites};
pub use watch::watch;
