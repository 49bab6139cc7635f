//! One run of what is to be explained: built for a precision, run, and judged.

use std::{
    ffi::OsString,
    fs::{self, File},
    path::{Path, PathBuf},
};

use lostbits_abi::{explain, mode::Mode};

use super::{
    findings::Findings,
    formula,
    options::{self, Given, Options, Written},
    progress, saved,
};
use crate::{
    failure::Failure,
    run::{self, Input, Outcome, Plan},
    subject::{self, Subject},
    toolchain::Compiler,
};

/// As mode `reals` reads it.
const PRECISION_VARIABLE: &str = "LOSTBITS_PRECISION";

pub struct Attempt {
    pub outcome: Outcome,
    pub analyses: saved::Collected,
    pub findings: Findings,
}

/// A program that can be run.
pub struct Prepared {
    pub program: OsString,
    formula: Option<formula::Program>,
}

impl Prepared {
    pub fn new(options: &Options, mode: Mode, folder: &Path) -> Result<Prepared, Failure> {
        let compiled =
            |subject: &Subject| subject::program(subject, mode, &options.compiling, folder);
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
                    .try_for_each(|library| subject::check_mode(library, mode))?;
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

    /// The user's run.
    pub fn run(&self, options: &Options, input: &Input, folder: &Path) -> Result<Attempt, Failure> {
        let bits = options.settings.precision;
        let record = options.record.clone();
        self.attempt(
            options,
            bits,
            record,
            folder,
            |plan| Ok(plan.reading(input)),
        )
    }

    /// The same with so many bits; nobody hears of it.
    pub fn run_again(
        &self,
        options: &Options,
        bits: u32,
        input: &Input,
        folder: &Path,
    ) -> Result<Attempt, Failure> {
        self.attempt(options, bits, None, folder, |plan| match input {
            // Nobody at a terminal is asked twice: if the program does read, it goes another way, which is
            // noticed.
            Input::Device => Ok(plan.unheard().fed_silently(nothing()?)),
            Input::File(_) | Input::Pipe(_) => Ok(plan.unheard().reading(input)),
        })
    }

    /// The saved record holds the analyses too, behind the processes.
    fn attempt(
        &self,
        options: &Options,
        bits: u32,
        record: Option<PathBuf>,
        folder: &Path,
        feed: impl FnOnce(Plan) -> Result<Plan, Failure>,
    ) -> Result<Attempt, Failure> {
        let no_folder = |error| Failure::NoTemporaryFolder { error };
        let analyses = folder.join(format!("analyses-{bits}"));
        fs::create_dir(&analyses).map_err(no_folder)?;
        let record = record.unwrap_or_else(|| folder.join(format!("record-{bits}")));
        let template = run::out_template(&analyses).to_string_lossy().into_owned();
        let mut settings = options.settings;
        settings.precision = bits;
        let arguments = options.program_arguments.clone();
        let mut plan = Plan::new(self.program.clone(), arguments, Some(record))?
            .with_variable(explain::OUT_ENV, template)
            .with_variable(explain::SETTINGS_ENV, Written(&settings).to_string())
            .showing(Box::new(progress::show));
        if bits != 0 {
            plan = plan.with_variable(PRECISION_VARIABLE, bits.to_string());
        }
        plan = match &self.formula {
            Some(formula) => plan.fed_silently(File::open(&formula.inputs).map_err(no_folder)?),
            None => feed(plan)?,
        };
        let mut outcome = plan.run()?;
        let analyses = saved::collect(&analyses);
        saved::append(&outcome.record, &analyses.bytes)?;
        if let Some(program) = &self.formula {
            program.relocate(&mut outcome.processes);
        }
        let findings = Findings::of(&outcome.processes, &analyses.analyses);
        Ok(Attempt {
            outcome,
            analyses,
            findings,
        })
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
