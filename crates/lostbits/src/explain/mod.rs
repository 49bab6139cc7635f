//! `lostbits explain`: the root causes of floating-point error in one run, after Herbgrind (PLDI 2018).
//!
//! Raw arguments become [`options`]; sources are compiled ([`crate::subject`]); the program runs and each
//! process leaves a record and an [`analysis`]; [`findings`] are read from both ([`attempt`]); what they leave
//! undecided is decided by further runs ([`again`]), and what the compiler computed itself is looked at ([`unfolded`]);
//! [`crate::report::explain`] says them. The instrumentation itself (mode `explain`) is the pass's and
//! the runtime's.

mod again;
mod analysis;
mod attempt;
mod call;
mod expression;
mod findings;
mod formula;
mod gathered;
mod kinds;
mod options;
mod outside;
mod progress;
mod prototype;
mod rounding;
mod samples;
mod saved;
mod unfolded;
mod wraps;

use std::{path::Path, process::ExitStatus};

use lostbits_abi::record::ProcessRecord;

use crate::{
    cli::{ExplainArguments, ReportFormat},
    failure::Failure,
    report::{SourceLine, check_writable, explain as report},
    run::{self, Input},
    sources::{current_folder, source_line},
};
pub use analysis::{Analysis, decode};
use attempt::{Prepared, first_mode};
pub use expression::{Expression, Node, Term, Values, Variable};
pub use findings::{Constant, Findings, Looks, Reached, RootCause, Spot};
pub use kinds::Kind;
use options::{Given, Options};
pub use options::{bits, gather, range};
pub use saved::{Saved, read};

/// What a run came to.
pub struct Verdict {
    pub clean: bool,
    pub status: ExitStatus,
}

/// Builds where it must, runs, and reports.
pub fn explain(arguments: ExplainArguments) -> Result<Verdict, Failure> {
    let mut options = Options::new(arguments)?;
    check_files(&options)?;
    // Keeps the program and what it leaves until the report is made.
    let folder = run::temporary_folder()?;
    let input = match unfolded::is_out_of_question(&options) {
        None => Input::of_the_tool(),
        Some(_) => Input::Device,
    };
    let prepared = Prepared::new(&options, first_mode(&options), folder.path())
        .map_err(wraps::with_references)?;
    let first = prepared.run(&options, &input, folder.path())?;
    check_start(&options, &first.analyses.analyses)?;
    check_functions(&options, &first.outcome.processes)?;
    let (first, folding) = unfolded::look(first, &mut options, &input, folder.path())?;
    let (last, again) = again::decide(first, &options, &input, folder.path())?;
    let findings = last.findings.only_in(&options.functions);
    let context = report::Context {
        ended: Some(last.outcome.status),
        unreadable: last.outcome.unreadable + last.analyses.unreadable,
        base: current_folder(),
        again,
        folding,
        not_called: match options.given {
            Given::Code(_) => wraps::not_called(&last.outcome.processes),
            _ => Vec::new(),
        },
    };
    let text = render(&findings, &context, options.format, &|file, line| {
        options.given.source_line(file, line)
    });
    options.report_to.write(&text)?;
    Ok(Verdict {
        clean: findings.is_clean(),
        status: last.outcome.status,
    })
}

/// What is to be written at the end can be.
fn check_files(options: &Options) -> Result<(), Failure> {
    options.report_to.check()?;
    let Some(path) = &options.record else {
        return Ok(());
    };
    check_writable(path).map_err(|error| Failure::CannotWrite {
        path: path.clone(),
        error,
    })
}

impl Given {
    /// A line of what the user gave; an expression is its own first line.
    fn source_line(&self, file: &Path, line: u32) -> Option<String> {
        match self {
            Given::Formula { formula, .. } if file == Path::new(&formula.title) => {
                let index = usize::try_from(line.checked_sub(1)?).ok()?;
                formula.source.lines().nth(index).map(str::to_owned)
            }
            _ => source_line(file, line),
        }
    }
}

/// A function that was never entered is more likely a mistake than a clean program.
fn check_start(options: &Options, analyses: &[Analysis]) -> Result<(), Failure> {
    let waits = |one: &Analysis| one.settings.waiting != 0;
    match options.settings.waiting != 0 && analyses.iter().all(waits) {
        true => Err(Failure::NeverEntered),
        false => Ok(()),
    }
}

/// A name that no function has would hide every finding.
fn check_functions(options: &Options, processes: &[ProcessRecord]) -> Result<(), Failure> {
    let modules = || processes.iter().flat_map(|process| &process.modules);
    let sites = || modules().flat_map(|module| &module.table.sites);
    let mut names = options.functions.iter();
    match names.find(|name| !sites().any(|site| findings::is_called(site, name))) {
        Some(name) => Err(Failure::NothingInFunction { name: name.clone() }),
        None => Ok(()),
    }
}

/// The report of a saved run, and whether it was clean.
pub fn report_of(saved: &Saved, format: ReportFormat) -> (String, bool) {
    let findings = Findings::of(&saved.processes, &saved.analyses);
    let context = report::Context {
        base: current_folder(),
        ..report::Context::default()
    };
    let text = render(&findings, &context, format, &source_line);
    (text, findings.is_clean())
}

fn render(
    findings: &Findings,
    context: &report::Context,
    format: ReportFormat,
    source_line: SourceLine,
) -> String {
    match format {
        ReportFormat::Terminal => report::terminal(findings, context, source_line),
        ReportFormat::Json => report::json(findings, context),
        ReportFormat::Fpcore => report::fpcore(findings),
    }
}
