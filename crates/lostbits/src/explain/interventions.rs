//! The error budget and proofs of a report: which program is run with interventions, and what comes of it.

use std::{collections::BTreeMap, fs, path::Path};

use lostbits_abi::{explain::SpotKind, site::Site};

use super::{
    attempt::{Build, Prepared},
    blame,
    budget::{self, Budget},
    clock::{Clock, Purpose},
    escalate,
    findings::{Findings, Spot},
    intervene::{self, SpotKey},
    measuring::Explained,
    options::{ExplainSubject, Options},
    what_if::{self, WhatIf},
};
use crate::{failure::Failure, run::Input, summary::identity};

/// What runs with interventions showed, where they were asked for.
#[derive(Default)]
pub enum Interventions {
    #[default]
    NotAskedFor,
    Shown(Shown),
    /// Why there were none, as a sentence.
    Impossible(String),
}

pub struct Shown {
    /// Outputs and decisions by their keys.
    pub spots: BTreeMap<SpotKey, Site>,
    pub budget: Option<Budget>,
    pub what_if: Vec<WhatIf>,
}

/// The most runs that prove causes, unless the user says otherwise.
const RUNS: u32 = 40;

/// The error budget, by which causes are confirmed, and the interventions that the user asks for.
///
/// Residues measure errors to first order. Where they cannot (a NaN, an iteration far from linear), all is measured by
/// high-precision numbers if there is time.
pub fn measure(
    (prepared, explained, precise): (&Prepared, &Explained, Build),
    options: &Options,
    findings: &mut Findings,
    input: &Input,
    folder: &Path,
    clock: &Clock,
) -> Interventions {
    let wants_budget = options.prove != Some(0) && !findings.is_clean();
    if !wants_budget && options.what_if.is_empty() {
        return Interventions::NotAskedFor;
    }
    if let Some(job) = &options.job {
        return Interventions::Impossible(job.advice());
    }
    let wrong = findings.wrong_spots();
    let program = (prepared, explained);
    let measured = match Measured::of(program, options, &wrong, input, folder, clock) {
        Ok(measured) => measured,
        Err(why) => return Interventions::Impossible(why),
    };
    let is_undefined = |spot: &Spot| findings.is_undefined(spot);
    let needs_numbers = wants_budget && measured.lacks_outputs(&wrong, &is_undefined);
    let precisely = folder.join("precisely");
    let again = match needs_numbers && !escalate::was_built(options) {
        true => run_precisely(options, precise, input, &precisely, clock)
            .ok()
            .filter(|_| is_affordable(clock)),
        false => None,
    };
    let by_numbers = again.as_ref().and_then(|(prepared, explained)| {
        let program = (prepared, explained);
        Measured::of(program, options, &wrong, input, &precisely, clock).ok()
    });
    let Measured {
        program,
        all,
        of_every_output,
        spots,
    } = by_numbers.unwrap_or(measured);
    let suspects = program.suspects(findings);
    let runs = options.prove.unwrap_or(RUNS);
    let budget = wants_budget.then(|| budget::measure(&program, &all, &suspects, runs));
    if budget.as_ref().is_some_and(Budget::is_empty) && options.what_if.is_empty() {
        return Interventions::Impossible(clock.advice());
    }
    if let Some(budget) = &budget {
        let is_formula = matches!(options.subject, ExplainSubject::Formula { .. });
        blame::confirm(findings, budget, is_formula, &|key| {
            spots.get(&key).cloned()
        });
    }
    let changes = options.what_if.iter();
    let what_if =
        changes.filter_map(|change| what_if::intervene(&program, &of_every_output, change));
    Interventions::Shown(Shown {
        what_if: what_if.collect(),
        budget,
        spots,
    })
}

/// Whether enough runs like the last would end in time: where they would not, residues prove more.
fn is_affordable(clock: &Clock) -> bool {
    const LEAST_RUNS: u32 = 12;
    let left = clock.left();
    left.is_none_or(|left| clock.last() * LEAST_RUNS <= left)
}

/// A program that was run with all errors, and what it showed.
struct Measured<'a> {
    program: intervene::Program<'a>,
    /// The wrong results whose errors its runs measure.
    all: intervene::Effects,
    of_every_output: intervene::Effects,
    spots: BTreeMap<SpotKey, Site>,
}

impl<'a> Measured<'a> {
    fn of(
        (prepared, explained): (&'a Prepared, &Explained),
        options: &'a Options,
        wrong: &[Spot],
        input: &'a Input,
        folder: &Path,
        clock: &'a Clock,
    ) -> Result<Measured<'a>, String> {
        let program = (prepared, explained);
        let (program, mut all) =
            intervene::Program::new(program, options, wrong, input, folder, clock)?;
        let spots = program.spots(&all);
        let mut of_every_output = all.clone();
        intervene::remove_unreliable(&mut all, &spots, wrong, prepared.is_high_precision());
        of_every_output.extend(all.iter().map(|(key, effect)| (*key, *effect)));
        Ok(Measured {
            program,
            all,
            of_every_output,
            spots,
        })
    }

    /// Whether there is a wrong output whose error is not measured, and could be.
    fn lacks_outputs(&self, wrong: &[Spot], is_undefined: &dyn Fn(&Spot) -> bool) -> bool {
        let is_measured = |spot: &Spot| {
            let mut keys = self.all.keys();
            keys.any(|key| {
                let site = self.spots.get(key).map(identity);
                key.1 == spot.kind as u32 && site == Some(identity(&spot.site))
            })
        };
        let mut outputs = wrong.iter().filter(|spot| spot.kind == SpotKind::Output);
        outputs.any(|spot| !is_measured(spot) && !is_undefined(spot))
    }
}

/// Builds the program for high-precision numbers, and runs it with all errors.
fn run_precisely(
    options: &Options,
    build: Build,
    input: &Input,
    folder: &Path,
    clock: &Clock,
) -> Result<(Prepared, Explained), Failure> {
    fs::create_dir(folder).map_err(|error| Failure::NoTemporaryFolder { error })?;
    let prepared = Prepared::again(options, build, folder)?;
    let time = (clock, clock.left());
    let attempt = prepared.run_again(options, Purpose::Intervention, None, input, folder, time)?;
    let explained = Explained::by(&attempt, build.hides_constants);
    Ok((prepared, explained))
}
