//! `lostbits explain`: the root causes of floating-point error in one run, after Herbgrind (PLDI 2018).
//!
//! Raw arguments become [`options`]; sources are compiled ([`crate::subject`]); the program runs and each
//! process leaves a record and an [`analysis`]; [`findings`] are read from both;
//! [`crate::report::explain`] says them. The instrumentation itself (mode `explain`) is the pass's and
//! the runtime's.

mod analysis;
mod call;
mod expression;
mod findings;
mod formula;
mod kinds;
mod options;
mod progress;
mod samples;
mod saved;

use std::{ffi::OsString, fs::File, path::Path, process::ExitStatus};

use lostbits_abi::{explain, mode::Mode};

use crate::{
    cli::{ExplainArguments, ReportFormat},
    failure::Failure,
    report::{SourceLine, explain as report},
    run::{self, Outcome, Plan},
    sources::{current_folder, source_line},
    subject::{self, Subject},
    toolchain::Compiler,
};
pub use analysis::{Analysis, decode};
pub use expression::{Expression, Node, Term, Values, Variable};
pub use findings::{Findings, Looks, Reached, RootCause, Spot};
pub use kinds::Kind;
use options::{Given, Options, Written};
pub use options::{bits, gather, range};
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
    let prepared = Prepared::new(&options, folder.path())?;
    let (mut outcome, analyses) = run_program(&prepared, &options, folder.path())?;
    check_start(&options, &analyses.analyses)?;
    if let Some(program) = &prepared.formula {
        program.relocate(&mut outcome.processes);
    }
    let findings = Findings::of(&outcome.processes, &analyses.analyses);
    let findings = decide_again(findings).only_in(&options.functions);
    let context = report::Context {
        ended: Some(outcome.status),
        unreadable: outcome.unreadable + analyses.unreadable,
        base: current_folder(),
    };
    let text = render(&findings, &context, options.format, &|file, line| {
        options.given.source_line(file, line)
    });
    options.report_to.write(&text)?;
    Ok(Verdict {
        clean: findings.is_clean(),
        status: outcome.status,
    })
}

/// A program that can be run.
struct Prepared {
    program: OsString,
    formula: Option<formula::Program>,
}

impl Prepared {
    fn new(options: &Options, folder: &Path) -> Result<Prepared, Failure> {
        let compiled = |subject: &Subject| {
            subject::program(subject, Mode::Explain, &options.compiling, folder)
        };
        let sources = |arguments| Subject::Sources {
            compiler: Compiler::C,
            arguments,
        };
        match &options.given {
            Given::Code(subject) => Ok(Prepared {
                program: compiled(subject)?,
                formula: None,
            }),
            Given::Call { call, libraries } => {
                libraries
                    .iter()
                    .try_for_each(|library| subject::check_mode(library, Mode::Explain))?;
                Ok(Prepared {
                    program: compiled(&sources(call.write(libraries, folder)?))?,
                    formula: None,
                })
            }
            Given::Formula {
                formula,
                ranges,
                samples,
                arguments,
            } => {
                let program = formula.program(ranges, *samples, folder)?;
                let mut words = vec![program.source.clone().into_os_string()];
                words.extend(FORMULA_OPTIONS.iter().map(OsString::from));
                words.extend(arguments.iter().cloned());
                Ok(Prepared {
                    program: compiled(&sources(words))?,
                    formula: Some(program),
                })
            }
        }
    }
}

/// A product and a sum are two operations, as they are written.
const FORMULA_OPTIONS: &[&str] = &["-O1", "-ffp-contract=off"];

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

/// Runs the program; the saved record holds the analyses too, behind the processes.
fn run_program(
    prepared: &Prepared,
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
    let arguments = options.program_arguments.clone();
    let mut plan = Plan::new(prepared.program.clone(), arguments, Some(record))?
        .with_variable(explain::OUT_ENV, template)
        .with_variable(
            explain::SETTINGS_ENV,
            Written(&options.settings).to_string(),
        )
        .showing(Box::new(progress::show));
    if let Some(formula) = &prepared.formula {
        let input = File::open(&formula.inputs);
        plan = plan.fed_silently(input.map_err(|error| Failure::NoTemporaryFolder { error })?);
    }
    let outcome = plan.run()?;
    let collected = saved::collect(&analyses);
    saved::append(&outcome.record, &collected.bytes)?;
    Ok((outcome, collected))
}

/// A function that was never entered is more likely a mistake than a clean program.
fn check_start(options: &Options, analyses: &[Analysis]) -> Result<(), Failure> {
    let waits = |one: &Analysis| one.settings.waiting != 0;
    match options.settings.waiting != 0 && analyses.iter().all(waits) {
        true => Err(Failure::NeverEntered),
        false => Ok(()),
    }
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
