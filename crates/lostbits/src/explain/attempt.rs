//! One run of the subject: built for a precision, run, and judged.

use std::{
    ffi::OsString,
    fs::File,
    path::{Path, PathBuf},
};

use lostbits_abi::{environment, explain, mode::Mode};

use super::{
    analysis::Analysis,
    findings::Findings,
    options::{self, ExplainSubject, Options},
    progress,
    samples::Program,
    saved::decode_analyses,
};
use crate::{
    failure::Failure,
    run::{Input, Outcome, Plan},
    subject::{self, Code},
    toolchain::Compiler,
};

pub struct Attempt {
    pub outcome: Outcome,
    pub analyses: Vec<Analysis>,
    /// Records and analyses that could not be read.
    pub unreadable: usize,
    pub findings: Findings,
}

/// A program that can be run.
pub struct Prepared {
    pub program: OsString,
    formula: Option<Program>,
}

/// How a program is built.
#[derive(Clone, Copy)]
pub struct Build {
    pub mode: Mode,
    /// Floating-point constants are hidden from the optimiser.
    pub hides_constants: bool,
}

impl Prepared {
    pub fn new(options: &Options, build: Build, folder: &Path) -> Result<Prepared, Failure> {
        let mut settings = options.compiling.clone();
        settings.extend(
            build
                .hides_constants
                .then(|| (explain::HIDE_ENV, "1".to_owned())),
        );
        let compiled = |code: &Code| subject::program(code, build.mode, &settings, folder);
        let sources = |arguments| Code::Sources {
            compiler: Compiler::C,
            arguments,
        };
        match &options.subject {
            ExplainSubject::Code(code) => Ok(Prepared {
                program: compiled(code)?,
                formula: None,
            }),
            ExplainSubject::Call { call, libraries } => {
                libraries
                    .iter()
                    .try_for_each(|library| subject::check_mode(library, build.mode))?;
                Ok(Prepared {
                    program: compiled(&sources(call.write(libraries, folder)?))?,
                    formula: None,
                })
            }
            ExplainSubject::Formula {
                formula,
                ranges,
                samples,
                seed,
                arguments,
            } => {
                let program = Program::write(formula, ranges, *samples, *seed, folder)?;
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

    /// The user's run.
    pub fn run(&self, options: &Options, input: &Input, folder: &Path) -> Result<Attempt, Failure> {
        let bits = options.settings.precision;
        let record = options.record.clone();
        self.attempt(options, bits, record, None, folder, |plan| {
            Ok(plan.reading(input))
        })
    }

    /// A further run with a variable of the environment; its output is discarded.
    pub fn run_with(
        &self,
        options: &Options,
        variable: (&'static str, String),
        input: &Input,
        folder: &Path,
    ) -> Result<Attempt, Failure> {
        self.attempt(options, 0, None, Some(variable), folder, |plan| {
            quiet(plan, input)
        })
    }

    /// The same with `bits` bits; its output is discarded.
    pub fn run_again(
        &self,
        options: &Options,
        bits: u32,
        input: &Input,
        folder: &Path,
    ) -> Result<Attempt, Failure> {
        self.attempt(options, bits, None, None, folder, |plan| quiet(plan, input))
    }

    fn attempt(
        &self,
        options: &Options,
        bits: u32,
        record: Option<PathBuf>,
        variable: Option<(&'static str, String)>,
        folder: &Path,
        feed: impl FnOnce(Plan) -> Result<Plan, Failure>,
    ) -> Result<Attempt, Failure> {
        let no_folder = |error| Failure::NoTemporaryFolder { error };
        let record = record.unwrap_or_else(|| folder.join(format!("record-{bits}")));
        let mut settings = options.settings;
        settings.precision = bits;
        // Escalation compares two precisions.
        settings.confirmed = u32::from(bits != 0 && options.settings.precision == 0);
        let arguments = options.program_arguments.clone();
        let mut plan = Plan::new(self.program.clone(), arguments, Some(record))?
            .with_variable(explain::SETTINGS_ENV, settings.encode())
            .with_timeout(options.timeout)
            .showing(Box::new(progress::show));
        if let Some((name, value)) = variable {
            plan = plan.with_variable(name, value);
        }
        if bits != 0 {
            plan = plan.with_variable(environment::PRECISION, bits.to_string());
        }
        plan = match &self.formula {
            Some(formula) => plan.with_quiet_stdin(File::open(&formula.inputs).map_err(no_folder)?),
            None => feed(plan)?,
        };
        let mut outcome = plan.run()?;
        let (analyses, unreadable) = decode_analyses(&outcome.analyses);
        if let (Some(program), ExplainSubject::Formula { formula, .. }) =
            (&self.formula, &options.subject)
        {
            program.relocate(formula, &mut outcome.processes);
        }
        let findings = Findings::of(&outcome.processes, &analyses);
        Ok(Attempt {
            unreadable: unreadable + outcome.unreadable,
            outcome,
            analyses,
            findings,
        })
    }
}

/// A further run prints nothing and reads what the first read.
fn quiet(plan: Plan, input: &Input) -> Result<Plan, Failure> {
    match input {
        // A user at a terminal is not asked twice: a program that does read takes another path, which is noticed.
        Input::Device => Ok(plan.discard_output().with_quiet_stdin(nothing()?)),
        Input::File(_) | Input::Pipe(_) => Ok(plan.discard_output().reading(input)),
    }
}

fn nothing() -> Result<File, Failure> {
    File::open("/dev/null").map_err(|error| Failure::NoTemporaryFolder { error })
}

/// The mode that the user's run is built for.
pub fn first_mode(options: &Options) -> Mode {
    options::mode(Some(options.settings.precision).filter(|bits| *bits != 0))
}

/// A product and a sum are two operations, as they are written.
const FORMULA_OPTIONS: &[&str] = &["-O1", "-ffp-contract=off"];
