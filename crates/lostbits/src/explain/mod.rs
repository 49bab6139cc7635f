//! `lostbits explain`: the root causes of floating-point error in one run, after Herbgrind (PLDI 2018).
//!
//! Raw arguments become [`options`]; sources are compiled ([`crate::subject`]); the program runs and each
//! process leaves a record and an [`analysis`]; [`findings`] are read from both;
//! [`crate::report::explain`] says them. The instrumentation itself (mode `explain`) is the pass's and
//! the runtime's.

mod analysis;
mod expression;
mod findings;
mod kinds;
mod options;
mod saved;

use std::{path::Path, process::ExitStatus};

use lostbits_abi::{explain, mode::Mode};

use crate::{
    cli::{ExplainArguments, ReportFormat},
    failure::Failure,
    report::explain as report,
    run::{self, Outcome, Plan},
    sources::{current_folder, source_line},
    subject,
};
pub use analysis::{Analysis, decode};
pub use expression::{Expression, Node, Term, Values, Variable};
pub use findings::{Findings, Looks, Reached, RootCause, Spot};
pub use kinds::Kind;
use options::{Options, Written};
pub use options::{bits, gather};
pub use saved::{Saved, read};

/// What a run came to.
pub struct Verdict {
    pub clean: bool,
    pub status: ExitStatus,
}

/// Builds where it must, runs, and reports.
pub fn explain(arguments: ExplainArguments) -> Result<Verdict, Failure> {
    let options = Options::new(arguments)?;
    // Keeps the program and what it leaves until the report is made.
    let folder = run::temporary_folder()?;
    let program = subject::program(&options.subject, Mode::Explain, &Vec::new(), folder.path())?;
    let (outcome, analyses) = run_program(program, &options, folder.path())?;
    let findings = Findings::of(&outcome.processes, &analyses.analyses);
    let findings = decide_again(findings).only_in(&options.functions);
    let context = report::Context {
        ended: Some(outcome.status),
        unreadable: outcome.unreadable + analyses.unreadable,
        base: current_folder(),
    };
    let text = render(&findings, &context, options.format);
    options.report_to.write(&text)?;
    Ok(Verdict {
        clean: findings.is_clean(),
        status: outcome.status,
    })
}

/// Runs the program; the saved record holds the analyses too, behind the processes.
fn run_program(
    program: std::ffi::OsString,
    options: &Options,
    folder: &Path,
) -> Result<(Outcome, saved::Collected), Failure> {
    let analyses = folder.join("analyses");
    std::fs::create_dir(&analyses).map_err(|error| Failure::NoTemporaryFolder { error })?;
    let record = options
        .record
        .clone()
        .unwrap_or_else(|| folder.join("record"));
    let template = run::out_template(&analyses).to_string_lossy().into_owned();
    let plan = Plan::new(program, options.program_arguments.clone(), Some(record))?
        .with_variable(explain::OUT_ENV, template)
        .with_variable(
            explain::SETTINGS_ENV,
            Written(&options.settings).to_string(),
        );
    let outcome = plan.run()?;
    let collected = saved::collect(&analyses);
    saved::append(&outcome.record, &collected.bytes)?;
    Ok((outcome, collected))
}

/// What could not be decided is to be decided by a second run at a higher precision.
fn decide_again(findings: Findings) -> Findings {
    findings
}

/// The report of a saved run, and whether it was clean.
pub fn report_of(saved: &Saved, format: ReportFormat) -> (String, bool) {
    let findings = Findings::of(&saved.processes, &saved.analyses);
    let context = report::Context {
        base: current_folder(),
        ..report::Context::default()
    };
    let text = render(&findings, &context, format);
    (text, findings.is_clean())
}

fn render(findings: &Findings, context: &report::Context, format: ReportFormat) -> String {
    match format {
        ReportFormat::Terminal => report::terminal(findings, context, source_line),
        ReportFormat::Json => report::json(findings, context),
        ReportFormat::Fpcore => report::fpcore(findings),
    }
}
