//! One run of the subject: built for a precision, run, and judged.

use std::{
    cell::Cell,
    ffi::OsString,
    fs::File,
    path::{Path, PathBuf},
    time::{Duration, Instant},
};

use lostbits_abi::{environment, explain, mode::Mode};

use super::{
    analysis::Analysis,
    clock::{Clock, Purpose},
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
    /// How long building took, until a run accounts for it.
    compiling: Cell<Duration>,
    aim: Aim,
    trusts_residues: bool,
    /// The bits of its runs with interventions.
    intervention_bits: u32,
}

/// Of programs that are built for high-precision numbers: residues have 106 bits, where they suffice.
const INTERVENTION_BITS: u32 = 256;

/// How a program is built.
#[derive(Clone, Copy)]
pub struct Build {
    pub mode: Mode,
    /// Floating-point constants are hidden from the optimiser.
    pub hides_constants: bool,
    pub aim: Aim,
    /// Bounds only say whether a residue is known; see [`super::confirmation`].
    pub trusts_residues: bool,
}

/// What runs of a program are for.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Aim {
    Explain,
    /// They only detect whether anything may be wrong; see [`super::detection`].
    Detect,
    /// They only follow errors, with interventions; see [`super::measuring`].
    Measure,
}

impl Aim {
    /// The variable by which compiler and runtime know it.
    fn variable(self) -> Option<&'static str> {
        match self {
            Aim::Explain => None,
            Aim::Detect => Some(explain::DETECT_ENV),
            Aim::Measure => Some(explain::MEASURE_ENV),
        }
    }
}

/// What one run has of its own.
#[derive(Default)]
struct Given {
    record: Option<PathBuf>,
    /// Of the environment.
    variable: Option<(&'static str, String)>,
    limit: Option<Duration>,
    /// What starts the program, if something else than the options say.
    launcher: Option<Vec<OsString>>,
}

impl Prepared {
    /// Whether errors are followed by numbers and not by residues.
    pub fn is_high_precision(&self) -> bool {
        self.intervention_bits != 0
    }

    pub fn new(options: &Options, build: Build, folder: &Path) -> Result<Prepared, Failure> {
        Prepared::timed(&options.subject, options, build, folder)
    }

    /// The same for a subject that was compiled before: what compilers warn of was shown.
    pub fn again(options: &Options, build: Build, folder: &Path) -> Result<Prepared, Failure> {
        match &options.subject {
            ExplainSubject::Code(code) => {
                let code = ExplainSubject::Code(code.without_warnings());
                Prepared::timed(&code, options, build, folder)
            }
            subject => Prepared::timed(subject, options, build, folder),
        }
    }

    fn timed(
        subject: &ExplainSubject,
        options: &Options,
        build: Build,
        folder: &Path,
    ) -> Result<Prepared, Failure> {
        let start = Instant::now();
        let prepared = Prepared::build(subject, options, build, folder)?;
        prepared.compiling.set(start.elapsed());
        Ok(prepared)
    }

    fn build(
        subject: &ExplainSubject,
        options: &Options,
        build: Build,
        folder: &Path,
    ) -> Result<Prepared, Failure> {
        let ready = |program, formula| Prepared {
            program,
            formula,
            compiling: Cell::default(),
            aim: build.aim,
            trusts_residues: build.trusts_residues,
            intervention_bits: match build.mode {
                Mode::ExplainReals => INTERVENTION_BITS,
                _ => 0,
            },
        };
        let mut settings = options.compiling.clone();
        let hides_constants = build.hides_constants.then_some(explain::HIDE_ENV);
        let trusts = build.trusts_residues.then_some(explain::CONFIRM_ENV);
        let flags = hides_constants
            .into_iter()
            .chain(build.aim.variable())
            .chain(trusts);
        settings.extend(flags.map(|name| (name, "1".to_owned())));
        let compiled = |code: &Code| subject::program(code, build.mode, &settings, folder);
        let sources = |arguments| Code::Sources {
            compiler: Compiler::C,
            arguments,
        };
        match subject {
            ExplainSubject::Code(code) => Ok(ready(compiled(code)?, None)),
            ExplainSubject::Call { call, libraries } => {
                libraries
                    .iter()
                    .try_for_each(|library| subject::check_mode(library, build.mode))?;
                let program = compiled(&sources(call.write(libraries, folder)?))?;
                Ok(ready(program, None))
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
                Ok(ready(compiled(&sources(words))?, Some(program)))
            }
        }
    }

    /// The user's run.
    pub fn run(
        &self,
        options: &Options,
        purpose: Purpose,
        input: &Input,
        folder: &Path,
        clock: &Clock,
    ) -> Result<Attempt, Failure> {
        let bits = options.settings.precision;
        let given = Given {
            record: options.record.clone(),
            ..Given::default()
        };
        let run = || {
            self.attempt(options, bits, given, folder, |plan| match options.quiet {
                true => quiet(plan, input),
                false => Ok(plan.reading(input)),
            })
        };
        clock.time(purpose, self.compiling.take(), run, |_| None)
    }

    /// A further run, perhaps with a variable of the environment. Its output is discarded, and it is killed if it takes longer
    /// than `limit`.
    pub fn run_again(
        &self,
        options: &Options,
        purpose: Purpose,
        variable: Option<(&'static str, String)>,
        input: &Input,
        folder: &Path,
        (clock, limit): (&Clock, Option<Duration>),
    ) -> Result<Attempt, Failure> {
        let bits = match purpose {
            Purpose::MorePrecision { bits } => bits,
            Purpose::Intervention => self.intervention_bits,
            Purpose::Measurement => 0,
            Purpose::Detection
            | Purpose::Confirmation
            | Purpose::First
            | Purpose::Explanation
            | Purpose::ConstantFolding
            | Purpose::Steering
            | Purpose::Variant => options.settings.precision,
        };
        if limit.is_some_and(|limit| limit.is_zero()) {
            return Err(Failure::OutOfTime);
        }
        let run = || {
            let given = Given {
                variable,
                limit,
                ..Given::default()
            };
            self.attempt(options, bits, given, folder, |plan| quiet(plan, input))
        };
        let cut_off = |result: &_| limit.filter(|_| matches!(result, Err(Failure::OutOfTime)));
        clock.time(purpose, self.compiling.take(), run, cut_off)
    }

    /// A further run that another command starts.
    pub fn run_started_by(
        &self,
        options: &Options,
        launcher: &[OsString],
        variable: Option<(&'static str, String)>,
        input: &Input,
        folder: &Path,
        clock: &Clock,
    ) -> Result<Attempt, Failure> {
        let bits = options.settings.precision;
        let given = Given {
            variable,
            launcher: Some(launcher.to_vec()),
            ..Given::default()
        };
        let run = || self.attempt(options, bits, given, folder, |plan| quiet(plan, input));
        clock.time(Purpose::Variant, self.compiling.take(), run, |_| None)
    }

    fn attempt(
        &self,
        options: &Options,
        bits: u32,
        given: Given,
        folder: &Path,
        feed: impl FnOnce(Plan) -> Result<Plan, Failure>,
    ) -> Result<Attempt, Failure> {
        let no_folder = |error| Failure::NoTemporaryFolder { error };
        let record = given
            .record
            .unwrap_or_else(|| folder.join(format!("record-{bits}")));
        let mut settings = options.settings;
        settings.precision = bits;
        // Escalation compares two precisions.
        settings.confirmed = u32::from(bits != 0 && options.settings.precision == 0);
        let arguments = options.program_arguments.clone();
        let mut plan = Plan::new(self.program.clone(), arguments, Some(record))?
            .with_variable(explain::SETTINGS_ENV, settings.encode())
            .with_timeout(options.timeout)
            .with_launcher(given.launcher.as_ref().unwrap_or(&options.launcher))?
            .of_job(options.job.as_ref())
            .with_limit(given.limit)
            .showing(Box::new(progress::show));
        if let Some(name) = self.aim.variable() {
            plan = plan.with_variable(name, "1".to_owned());
        }
        if self.trusts_residues {
            plan = plan.with_variable(explain::CONFIRM_ENV, "0".to_owned());
        }
        if let Some((name, value)) = given.variable {
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
