//! `lostbits explain`: the root causes of floating-point error in one run, after Herbgrind (PLDI 2018).
//!
//! Raw [`arguments`] become [`options`]; sources are compiled ([`crate::subject`]); the program runs and each
//! process leaves a record and an [`analysis`]; [`findings`] are read from both ([`attempt`]). Outputs that the compiler
//! computed itself are recomputed ([`constant_folding`]), and further runs with more bits decide what the first left
//! undecided ([`escalate`]). The instrumentation itself (mode `explain`) is the pass's and the runtime's.

mod analysis;
mod arguments;
mod attempt;
mod blame;
mod budget;
pub(crate) mod call;
mod clock;
mod constant_folding;
mod detection;
mod escalate;
mod expression;
mod findings;
mod gathered;
mod intervene;
mod interventions;
mod kinds;
mod line_parts;
mod measuring;
mod options;
mod outside;
mod plots;
mod printed;
mod progress;
mod prototype;
mod python;
mod rounding;
mod samples;
mod saved;
mod steer;
mod variants;
mod verdict;
mod what_if;
mod wraps;

use std::{path::Path, process::ExitStatus};

use lostbits_abi::{mode::Mode, record::ProcessRecord};

use crate::{
    destination::check_writable,
    failure::Failure,
    run::{self, Input},
    sources::source_line,
};
pub use analysis::Analysis;
pub use arguments::{ExplainArguments, ExplainFormat, HELP};
use attempt::{Aim, Attempt, Build, Prepared, first_mode};
pub use blame::{Evidence, Mended, Proof, Source};
pub use budget::{Budget, Contribution, SHARE_OF_A_CAUSE};
use clock::Clock;
pub use clock::{Pass, Purpose, TimeBudget};
pub use constant_folding::Folding;
pub use escalate::Escalation;
pub use expression::{Expression, Node, Term, Values, Variable};
pub use findings::{Constant, Findings, Reached, RootCause, Spot, SpotCounts};
pub use intervene::SpotKey;
pub use interventions::{Interventions, Shown};
pub use kinds::Kind;
use measuring::Explained;
pub use options::{ExplainSubject, Options};
pub use plots::{Plot, plots};
pub use printed::{Printed, no_number};
pub use python::{PythonCall, PythonLine};
pub use saved::{Saved, decode_analyses, read};
pub use steer::Steering;
pub use variants::{Variants, Varied};
pub use verdict::{Nothing, Verdict, is_cut_short, only_decides};
pub use what_if::{Change, Computed, Outcome, WhatIf};

/// What a run came to.
pub struct Explanation {
    pub findings: Findings,
    pub status: ExitStatus,
    /// Records and analyses that could not be read.
    pub unreadable: usize,
    pub escalation: Escalation,
    pub folding: Folding,
    /// Functions that `lostbits.toml` wraps and the program does not call.
    pub not_called: Vec<String>,
    pub steering: Steering,
    pub interventions: Interventions,
    /// What runs that were started in other ways showed.
    pub variants: Variants,
    /// Every run of the program, in order.
    pub passes: Vec<Pass>,
}

/// Builds where it must, runs as often as it must, and returns what was found.
pub fn explain(options: &Options) -> Result<Explanation, Failure> {
    check_record(options)?;
    // Keeps the program and what it leaves until everything is read.
    let folder = run::temporary_folder_within(run::Reach::of_launcher(&options.launcher))?;
    let folder = folder.path();
    let input = match constant_folding::refusal(options) {
        None => Input::of_the_tool(),
        Some(_) => Input::Device,
    };
    let build = Build {
        mode: first_mode(options),
        hides_constants: false,
        aim: Aim::Explain,
    };
    let clock = Clock::new(options.budget);
    let detected = detection::is_useful(options)
        .then(|| detection::detect(options, &input, folder, &clock))
        .transpose()
        .map_err(wraps::with_references)?;
    if let Some((_, detected)) = &detected {
        check_functions(options, &detected.outcome.processes)?;
    }
    // What only prints is run in the build that costs least.
    let mut printing = None;
    let (prepared, first) = match detected {
        None => {
            let prepared = Prepared::new(options, build, folder).map_err(wraps::with_references)?;
            let first = prepared.run(options, Purpose::First, &input, folder, &clock)?;
            (prepared, first)
        }
        Some((_, detected)) if detection::is_clean(&detected) => {
            return only_detected(detected, options, Escalation::NotNeeded, clock);
        }
        Some(nothing) if detection::computed_nothing(&nothing.1) => nothing,
        Some((detecting, detected)) => {
            match detection::explain(&detected, build, options, &input, folder, &clock) {
                Ok((prepared, explained)) => {
                    printing = Some(detecting);
                    (prepared, escalate::adopt(explained, detected, options)?)
                }
                Err(why) => {
                    return only_detected(detected, options, Escalation::Impossible(why), clock);
                }
            }
        }
    };
    check_start(options, &first.analyses)?;
    check_functions(options, &first.outcome.processes)?;
    let mut unfolded = constant_folding::recompute(first, options, &input, folder, &clock)?;
    let doubtful = &mut unfolded.attempt.findings;
    let printing = steer::Printing {
        program: printing.as_ref().unwrap_or(&prepared),
        hides_constants: unfolded.hides_constants,
    };
    steer::settle(doubtful, printing, options, &input, folder, &clock);
    let explained = Explained::by(&unfolded.attempt, unfolded.hides_constants);
    let (last, escalation) = escalate::escalate(
        unfolded.attempt,
        unfolded.hides_constants,
        options,
        &input,
        folder,
        &clock,
    )?;
    let mut last = last;
    let prepared = unfolded.prepared.as_ref().unwrap_or(&prepared);
    let steering = match options.once {
        true => Steering::NotNeeded,
        false => steer::steer(
            &mut last.findings,
            printing,
            options,
            &input,
            folder,
            &clock,
        ),
    };
    let build = Build {
        mode: Mode::ExplainReals,
        hides_constants: unfolded.hides_constants,
        aim: Aim::Explain,
    };
    let interventions = interventions::measure(
        (prepared, &explained, build),
        options,
        &mut last.findings,
        &input,
        folder,
        &clock,
    );
    let variants = variants::compare(prepared, options, &input, folder, &clock);
    let not_called = match options.subject {
        ExplainSubject::Code(_) => wraps::not_called(&last.outcome.processes)?,
        _ => Vec::new(),
    };
    Ok(Explanation {
        findings: last.findings.only_in(&options.functions),
        status: last.outcome.status,
        unreadable: last.unreadable,
        escalation,
        folding: unfolded.folding,
        not_called,
        steering,
        interventions,
        variants,
        passes: clock.into_passes(),
    })
}

/// What a run that only detects shows: that all is right, or what may be wrong.
fn only_detected(
    mut detected: Attempt,
    options: &Options,
    escalation: Escalation,
    clock: Clock,
) -> Result<Explanation, Failure> {
    if !matches!(escalation, Escalation::NotNeeded) {
        detected.findings.totals.doubt_outputs();
    }
    Ok(Explanation {
        status: detected.outcome.status,
        unreadable: detected.unreadable,
        escalation,
        folding: Folding::None,
        not_called: wraps::not_called(&detected.outcome.processes)?,
        steering: Steering::NotNeeded,
        interventions: Interventions::NotAskedFor,
        variants: Variants::default(),
        passes: clock.into_passes(),
        findings: detected.findings.only_in(&options.functions),
    })
}

/// A record that cannot be saved is refused before anything runs.
fn check_record(options: &Options) -> Result<(), Failure> {
    let Some(path) = &options.record else {
        return Ok(());
    };
    check_writable(path).map_err(|error| Failure::CannotWrite {
        path: path.clone(),
        error,
    })
}

impl ExplainSubject {
    /// A line of what the user gave; an expression is its own first line.
    pub fn source_line(&self, file: &Path, line: u32) -> Option<String> {
        match self {
            ExplainSubject::Formula { formula, .. } => formula.line(file, line),
            _ => None,
        }
        .or_else(|| source_line(file, line))
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
