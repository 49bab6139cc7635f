//! `lostbits watch`: says whether the decisions of a run can be trusted, after Bao and Zhang (OOPSLA
//! 2013).
//!
//! Raw arguments become [`options`]; sources are compiled into a folder of their own ([`crate::subject`]); the
//! program runs and leaves a record; [`findings`] are read from it; [`crate::report::watch`] says them.
//! The instrumentation itself (mode `watch`) is the pass's.
//!
//! While the program runs, its record can be looked at ([`Observer`]): for SIGUSR1, and to stop it early.
//!
//! Not built yet: the run again in high precision. So every finding is unconfirmed: an inflated error
//! reached the decision, whether it would have been another is not known.

mod annotations;
mod cancellation;
pub mod findings;
mod options;

use lostbits_abi::{mode::Mode, record::ProcessRecord, symbols::WATCH_LIMITS_ENV};

use crate::{
    cli::{Format, WatchArguments},
    failure::Failure,
    report::watch as report,
    run::{Next, Observer, Plan},
    sources::source_line,
    subject,
};
pub use annotations::Annotations;
pub use cancellation::{Amplification, amplification, amplification_of_values, nearness, real};
use findings::Findings;
use options::Options;
pub use options::{
    DOUBLE, FLOAT, FormatThresholds, Thresholds, cancelled_of_double, cancelled_of_float,
    suppressed,
};

/// Builds where it must, runs, and reports; whether the run was stable.
pub fn watch(arguments: WatchArguments) -> Result<bool, Failure> {
    let options = Options::new(arguments)?;
    let mut annotations = Annotations::read()?;
    // Keeps the program and the record, if the user wants none, until the report is made.
    let folder = crate::run::temporary_folder()?;
    let program = subject::program(&options.subject, Mode::Watch, &Vec::new(), folder.path())?;
    let record = options
        .record
        .unwrap_or_else(|| folder.path().join("record"));
    let plan = Plan::new(program, options.program_arguments, Some(record))?
        .with_variable(WATCH_LIMITS_ENV, options.thresholds.to_string());
    let mut context = report::Context {
        thresholds: Some(options.thresholds),
        base: crate::sources::current_folder(),
        ..report::Context::default()
    };
    let mut observe = |processes: &[ProcessRecord], asked: bool| {
        let mut findings = Findings::of(processes);
        annotations.apply(&mut findings);
        if asked {
            // A snapshot that cannot be written is no reason to end the program.
            let text = render(&findings, &context, options.format);
            let _ = options.report_to.write(&text);
        }
        match options.stops && !findings.is_stable() {
            true => Next::Stop,
            false => Next::GoOn,
        }
    };
    let observer = Observer {
        looks_by_itself: options.stops,
        look: &mut observe,
    };
    let outcome = plan.run_observed(observer)?;
    let mut findings = Findings::of(&outcome.processes);
    annotations.apply(&mut findings);
    context.ended = Some(outcome.status);
    context.unreadable = outcome.unreadable;
    let text = render(&findings, &context, options.format);
    options.report_to.write(&text)?;
    Ok(findings.is_stable())
}

/// The report of a record, and whether the run was stable.
pub fn report_of(processes: &[ProcessRecord], format: Format) -> (String, bool) {
    let mut findings = Findings::of(processes);
    // A file of annotations that cannot be read says nothing about a record.
    Annotations::read().unwrap_or_default().apply(&mut findings);
    let context = report::Context {
        base: crate::sources::current_folder(),
        ..report::Context::default()
    };
    let text = render(&findings, &context, format);
    (text, findings.is_stable())
}

fn render(findings: &Findings, context: &report::Context, format: Format) -> String {
    match format {
        Format::Terminal => report::terminal(findings, context, &source_line),
        Format::Json => report::json(findings, context),
    }
}
