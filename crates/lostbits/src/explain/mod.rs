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
mod confirmation;
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
use constant_folding::Unfolded;
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
        trusts_residues: false,
    };
    let clock = Clock::new(options.budget);
    let detected = detection::is_useful(options)
        .then(|| detection::detect(options, &input, folder, &clock))
        .transpose()
        .map_err(wraps::with_references)?;
    if let Some((_, detected)) = &detected {
        check_functions(options, &detected.outcome.processes)?;
    }
    let begun = match detected {
        None => {
            let prepared = Prepared::new(options, build, folder).map_err(wraps::with_references)?;
            let first = prepared.run(options, Purpose::First, &input, folder, &clock)?;
            check_start(options, &first.analyses)?;
            Begun::by(prepared, first, options, &input, folder, &clock)?
        }
        Some((prepared, nothing)) if detection::computed_nothing(&nothing) => {
            Begun::by(prepared, nothing, options, &input, folder, &clock)?
        }
        Some(detected) => {
            match explain_detected(detected, build, options, &input, folder, &clock)? {
                AfterDetection::Begun(begun) => *begun,
                AfterDetection::Ended(detected, how) => {
                    return only_detected(*detected, options, how, clock);
                }
            }
        }
    };
    let Begun {
        prepared,
        printing,
        mut unfolded,
    } = begun;
    check_functions(options, &unfolded.attempt.outcome.processes)?;
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
        trusts_residues: false,
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

/// The program and its run that explains, before anything that is in doubt is settled.
struct Begun {
    prepared: Prepared,
    /// What only prints is run in the build that costs least, if there is another.
    printing: Option<Prepared>,
    unfolded: Unfolded,
}

impl Begun {
    fn by(
        prepared: Prepared,
        first: Attempt,
        options: &Options,
        input: &Input,
        folder: &Path,
        clock: &Clock,
    ) -> Result<Begun, Failure> {
        Ok(Begun {
            prepared,
            printing: None,
            unfolded: constant_folding::recompute(first, options, input, folder, clock, false)?,
        })
    }
}

/// What follows a run that only detects.
enum AfterDetection {
    Begun(Box<Begun>),
    /// This run is the report.
    Ended(Box<Attempt>, Escalation),
}

/// Explains what detection is not sure of, unless runs with perturbed residues show that it is right.
fn explain_detected(
    (detecting, detected): (Prepared, Attempt),
    build: Build,
    options: &Options,
    input: &Input,
    folder: &Path,
    clock: &Clock,
) -> Result<AfterDetection, Failure> {
    let ended = |run, how| Ok(AfterDetection::Ended(Box::new(run), how));
    if detection::is_clean(&detected) {
        return ended(detected, Escalation::NotNeeded);
    }
    let is_folded = constant_folding::may_compute_more(&detected);
    let confirmed = match confirmation::confirm(&detected, options, input, folder, clock) {
        Some(run) if !is_folded && detection::is_clean(&run) => {
            return ended(run, Escalation::NotNeeded);
        }
        confirmed => confirmed,
    };
    // What the compiler had computed is explained at once: a run without it would only be repeated.
    let mut trusts_residues = confirmed.is_some();
    let mut unfolded =
        constant_folding::recompute(detected, options, input, folder, clock, trusts_residues)?;
    let prepared = match unfolded.prepared.take() {
        Some(prepared) => prepared,
        None => {
            // The program that was confirmed may compute more.
            trusts_residues &= !is_folded;
            let build = Build {
                trusts_residues,
                ..build
            };
            match detection::explain(&unfolded.attempt, build, options, input, folder, clock) {
                Ok((prepared, explained)) => {
                    unfolded.attempt = escalate::adopt(explained, unfolded.attempt, options)?;
                    prepared
                }
                Err(why) => return ended(unfolded.attempt, Escalation::Impossible(why)),
            }
        }
    };
    if let Some(confirmed) = confirmed.filter(|_| trusts_residues) {
        confirmation::check(&mut unfolded.attempt.findings, &confirmed.findings);
    }
    Ok(AfterDetection::Begun(Box::new(Begun {
        prepared,
        printing: Some(detecting),
        unfolded,
    })))
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
    if options.job.as_ref().is_some_and(|job| !job.leads()) {
        return Ok(());
    }
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
