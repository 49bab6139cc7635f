//! `lostbits watch`: says whether the decisions of a run can be trusted, after Bao and Zhang (OOPSLA
//! 2013).
//!
//! Raw arguments become [`options`]; sources are compiled into a folder of their own ([`crate::subject`]); the
//! program runs and leaves a record; [`findings`] are read from it; [`crate::report::watch`] says them.
//! The instrumentation itself (mode `watch`) is the pass's.
//!
//! While the program runs, its record can be looked at ([`Observer`]): for SIGUSR1, and to stop it early.
//!
//! A finding says that an inflated error reached the decision; whether it would have been another is known
//! only after a run in high precision ([`rerun`]).

mod annotations;
mod cancellation;
pub mod findings;
mod options;
pub mod rerun;
pub mod ways;

use std::{ffi::OsString, path::Path};

use lostbits_abi::{mode::Mode, record::ProcessRecord, symbols::WATCH_LIMITS_ENV};

use crate::{
    cli::{Format, WatchArguments},
    failure::Failure,
    report::watch as report,
    run::{Held, Input, Next, Observer, Plan},
    sources::source_line,
    subject,
};
pub use annotations::Annotations;
pub use cancellation::{Amplification, amplification, amplification_of_values, nearness, real};
use findings::Findings;
use options::Options;
pub use options::{
    DOUBLE, FLOAT, FormatThresholds, Thresholds, bits_of_rerun, cancelled_of_double,
    cancelled_of_float, suppressed,
};
use rerun::{Comparison, Rerun, Version};

/// Builds where it must, runs, and reports; whether the run was stable.
pub fn watch(arguments: WatchArguments) -> Result<bool, Failure> {
    let options = Options::new(arguments)?;
    options.report_to.check()?;
    let mut annotations = Annotations::read()?;
    // Keeps the program and the record, if the user wants none, until the report is made.
    let folder = crate::run::temporary_folder()?;
    let settings: subject::Settings = match options.ways {
        true => vec![(ways::WATCH_WAYS_ENV, "1".to_owned())],
        false => Vec::new(),
    };
    let program = subject::program(&options.subject, Mode::Watch, &settings, folder.path())?;
    let record = options
        .record
        .unwrap_or_else(|| folder.path().join("record"));
    let mut plan = Plan::new(program, options.program_arguments.clone(), Some(record))?
        .with_variable(WATCH_LIMITS_ENV, options.thresholds.to_string());
    let streams = match &options.rerun {
        Some(_) => Some(Streams::new(folder.path())?),
        None => None,
    };
    if let Some(streams) = &streams {
        plan = plan.held(&streams.first, &streams.input)?;
    }
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
    let mut problem = None;
    if let (Some(version), Some(streams)) = (&options.rerun, streams) {
        let unstable = !findings.is_stable();
        let arguments = options.program_arguments;
        let again = unstable.then(|| streams.run_again(version, arguments, &findings));
        match again.transpose() {
            Ok(rerun) => context.rerun = rerun,
            Err(failure) => problem = Some(failure),
        }
    }
    let text = render(&findings, &context, options.format);
    options.report_to.write(&text)?;
    let is_stable = match &context.rerun {
        Some(rerun) => rerun.agrees(&findings),
        None => findings.is_stable(),
    };
    problem.map_or(Ok(is_stable), Err)
}

/// What two runs need: the same input, and outputs that are seen when it is known which is the result.
struct Streams {
    input: Input,
    first: Held,
    second: Held,
    folder: std::path::PathBuf,
}

impl Streams {
    fn new(folder: &Path) -> Result<Streams, Failure> {
        let folder = folder.join("rerun");
        Ok(Streams {
            input: Input::of_the_tool(),
            first: Held::new(folder.join("first"))?,
            second: Held::new(folder.join("second"))?,
            folder,
        })
    }

    /// Whichever run gave the result, its output is handed on here.
    fn run_again(
        self,
        version: &Version,
        arguments: Vec<OsString>,
        findings: &Findings,
    ) -> Result<Rerun, Failure> {
        match version.run(arguments, &self.input, &self.second, &self.folder) {
            Err(failure) => {
                self.second.discard();
                Err(failure)
            }
            Ok(run) => {
                let [first, second] = [self.first.contents(), self.second.contents()];
                let outputs = [0, 1].map(|at| Comparison::of([&first[at], &second[at]]));
                self.first.discard();
                Ok(Rerun::new(version.precision, run, findings, outputs))
            }
        }
    }
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
