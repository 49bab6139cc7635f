//! `lostbits watch`: reports decisions of a run that may be wrong, after Bao and Zhang (OOPSLA 2013).
//!
//! Raw arguments become [`options`]; sources are compiled into a folder of their own ([`crate::subject`]); the
//! program runs and leaves a record; [`findings`] are read from it. The instrumentation itself (mode `watch`) is the pass's.
//!
//! While the program runs, its record can be read ([`Observer`]): for SIGUSR1, and to stop it early.
//!
//! A finding says that an amplified error reached the decision; only a run in high precision ([`rerun`]) shows whether
//! exact arithmetic takes a different branch.

mod annotations;
mod arguments;
pub mod error_paths;
pub mod findings;
mod options;
pub mod rerun;

use std::{path::Path, process::ExitStatus};

use lostbits_abi::{environment, mode::Mode, record::ProcessRecord};

pub use crate::cancellation::{
    Amplification, amplification, amplification_of_values, nearness, real,
};
use crate::{
    failure::Failure,
    run::{Comparison, Held, Input, Next, Observer, Plan},
    subject,
};
pub use annotations::Annotations;
pub use arguments::{HELP, WatchArguments, WatchFormat};
use findings::Findings;
pub use options::{FormatThresholds, Options, Thresholds};
use rerun::{Rerun, Version};

/// What a run came to.
pub struct Watched {
    pub findings: Findings,
    pub status: ExitStatus,
    /// Records that could not be read.
    pub unreadable: usize,
    /// The run in high precision, if there was one, or why it failed.
    pub rerun: Result<Option<Rerun>, Failure>,
}

/// Builds where it must, runs, and returns what was found. `snapshot` gets what was found so far when the user asks
/// for it (SIGUSR1).
pub fn watch(options: &Options, snapshot: &dyn Fn(&Findings)) -> Result<Watched, Failure> {
    let mut annotations = Annotations::read()?;
    // Keeps the program and the record, if the user wants none, until everything is read.
    let folder =
        crate::run::temporary_folder_within(crate::run::Reach::of_launcher(&options.launcher))?;
    let settings: subject::Settings = match options.error_paths {
        true => vec![(environment::WATCH_PATHS, "1".to_owned())],
        false => Vec::new(),
    };
    let program = subject::program(&options.code, Mode::Watch, &settings, folder.path())?;
    let record = options.record.clone();
    let record = record.unwrap_or_else(|| folder.path().join("record"));
    let mut plan = Plan::new(program, options.program_arguments.clone(), Some(record))?
        .with_variable(environment::WATCH_THRESHOLDS, options.thresholds.encode())
        .with_timeout(options.timeout)
        .with_launcher(&options.launcher)?
        .of_job(options.job.as_ref());
    let streams = match &options.rerun {
        Some(version) => Some((version, Streams::new(folder.path())?)),
        None => None,
    };
    if let Some((_, streams)) = &streams {
        plan = plan.held(&streams.first, &streams.input)?;
    }
    let mut observe = |processes: &[ProcessRecord], asked: bool| {
        let mut findings = Findings::of(processes);
        annotations.apply(&mut findings);
        if asked {
            snapshot(&findings);
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
    let rerun = streams
        .filter(|_| !findings.is_stable())
        .map(|(version, streams)| streams.run_again(version, options, &findings));
    Ok(Watched {
        rerun: rerun.transpose(),
        findings,
        status: outcome.status,
        unreadable: outcome.unreadable,
    })
}

/// What two runs need: the same input, and outputs that are held back until it is known which is the result.
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

    /// Prints the output of the run whose result is the right one.
    fn run_again(
        self,
        version: &Version,
        options: &Options,
        findings: &Findings,
    ) -> Result<Rerun, Failure> {
        match version.run(options, &self.input, &self.second, &self.folder) {
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
