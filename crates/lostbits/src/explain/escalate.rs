//! Escalation: further runs with more bits decide what the first run left undecided.
//!
//! The fast shadows bound their own error. Where the bound is too large for a verdict, nothing is blamed. Then explain
//! builds the program for high-precision numbers and re-runs it with 128 bits, 256 and so on, until two precisions agree
//! or 4096 bits are reached. Where they agree and still leave the same results in doubt, 4096 bits come next: such results
//! are mostly zero in exact arithmetic, and a few more bits decide nothing. The report is that of the last of these runs, if
//! it executed the same operations as often as the first run did.
//!
//! Two precisions agree if they blame the same operations, find as many executions of every spot wrong, consistent with 0 or
//! undecided, and give its worst execution the same exact value to [`DIGITS_THAT_AGREE`]. A high-precision number only estimates
//! its own error (`runtime-reals/src/own_error.rs`); the difference between two precisions *is* the error of the lower one. So
//! what differs between the last two precisions is undecided, and not reported. What the first run decided must not be
//! contradicted: its residues also hold numbers that are too small for any precision beside others.
//!
//! All runs share a time budget ([`super::clock`]). When it is used up, what the last two precisions agree on is decided.
//!
//! Further runs print nothing and read the same input ([`crate::run::Input`]). Every other effect of the program happens
//! again; `--once` forbids that.

use std::{
    collections::BTreeMap, fs, os::unix::process::ExitStatusExt, path::Path, time::Duration,
};

use lostbits_abi::{
    explain::{Exact, SpotKind},
    mode::Mode,
    record::ProcessRecord,
    site::{Site, What},
};

use super::{
    attempt::{Aim, Attempt, Build, Prepared},
    clock::{Clock, Purpose},
    findings::{Findings, Spot},
    options::{ExplainSubject, Options},
};
use crate::{failure::Failure, run::Input, subject::Code, summary::identity};

const FIRST_BITS: u32 = 128;
const MOST_BITS: u32 = 4096;

/// Whether further runs decided what the first run left undecided.
#[derive(Default)]
pub enum Escalation {
    #[default]
    NotNeeded,
    Decided,
    /// The time budget ended them after two precisions; what to do, as a sentence.
    CutShort(String),
    /// Why they could not, as a sentence.
    Impossible(String),
}

/// The run to report, and how it came to be that.
pub fn escalate(
    first: Attempt,
    hides_constants: bool,
    options: &Options,
    input: &Input,
    folder: &Path,
    clock: &Clock,
) -> Result<(Attempt, Escalation), Failure> {
    if !is_in_doubt(&first.findings) {
        return Ok((first, Escalation::NotNeeded));
    }
    let was_killed = first.outcome.status.code().is_none();
    let killed = || was_killed.then(|| WAS_KILLED.to_owned());
    if let Some(why) = refusal(options, &first.findings).or_else(killed) {
        return Ok((first, Escalation::Impossible(why)));
    }
    // The first run's findings stay, whatever happens to further runs.
    let build = Build {
        mode: Mode::ExplainReals,
        hides_constants,
        aim: Aim::Explain,
        trusts_residues: false,
    };
    let folder = folder.join("escalated");
    match decide(&first, build, options, input, &folder, clock) {
        Ok((last, how)) => Ok((adopt(last, first, options)?, how)),
        Err(why) => Ok((first, Escalation::Impossible(why))),
    }
}

/// The run that decides, or why there is none.
fn decide(
    first: &Attempt,
    build: Build,
    options: &Options,
    input: &Input,
    folder: &Path,
    clock: &Clock,
) -> Result<(Attempt, Escalation), String> {
    let mut runs = Runs::new(clock);
    if runs.is_hopeless() {
        return Err(out_of_time(clock));
    }
    fs::create_dir(folder).map_err(|error| not_run(&Failure::NoTemporaryFolder { error }))?;
    let prepared = Prepared::again(options, build, folder).map_err(|failure| match failure {
        Failure::ObjectOfOtherMode { .. } => PARTS_WERE_BUILT.to_owned(),
        other => not_run(&other),
    })?;
    let executions = executions(&first.outcome.processes);
    let mut run = |bits: u32| -> Result<Option<Attempt>, String> {
        let purpose = Purpose::MorePrecision { bits };
        let run = |limit| prepared.run_again(options, purpose, None, input, folder, (clock, limit));
        match runs.next(bits, run) {
            Ok(attempt) => check(attempt, first, &executions).map(Some),
            Err(Failure::OutOfTime) => Ok(None),
            Err(failure) => Err(not_run(&failure)),
        }
    };
    let is_alike = |one: &Attempt, other: &Attempt| {
        agree(&one.findings, &other.findings) && !contradict(&first.findings, &other.findings)
    };
    let Some(mut before) = run(FIRST_BITS)? else {
        return Err(out_of_time(clock));
    };
    let Some(mut last) = run(2 * FIRST_BITS)? else {
        return Err(out_of_time(clock));
    };
    let mut bits = 2 * FIRST_BITS;
    let mut is_cut_short = false;
    while bits < MOST_BITS {
        let agrees = is_alike(&before, &last);
        if agrees && !needs_more(&last.findings) {
            return Ok((last, Escalation::Decided));
        }
        // Twice the bits changed nothing, so a few more will not: what is in doubt is zero in exact arithmetic, or very small.
        let next = if agrees { MOST_BITS } else { 2 * bits };
        let Some(attempt) = run(next)? else {
            is_cut_short = true;
            break;
        };
        let is_jump = next > 2 * bits;
        (before, last, bits) = (last, attempt, next);
        // What only the most bits find needs confirmation as well.
        if is_jump && !is_alike(&before, &last) {
            match run(MOST_BITS / 2)? {
                Some(attempt) => before = attempt,
                None => is_cut_short = true,
            }
        }
    }
    let earlier = &before.findings.spots;
    last.findings
        .leave_undecided(|spot| in_doubt(earlier, spot));
    let how = match is_cut_short {
        true => Escalation::CutShort(out_of_time(clock)),
        false => Escalation::Decided,
    };
    Ok((last, how))
}

/// A run that took the same path as the first, or why it does not count.
fn check(
    attempt: Attempt,
    first: &Attempt,
    executions: &BTreeMap<Site, u64>,
) -> Result<Attempt, String> {
    if attempt.findings.modules_of_other_modes > first.findings.modules_of_other_modes {
        return Err(PARTS_WERE_BUILT.to_owned());
    }
    if let Some(signal) = attempt.outcome.status.signal() {
        return Err(format!(
            "they stay undecided: a second run, with more bits, was killed by signal {signal}: it needs more memory and time than the first; \
             check their limits (`ulimit -v`, `ulimit -t`)"
        ));
    }
    match self::executions(&attempt.outcome.processes) == *executions {
        true => Ok(attempt),
        false => Err(EXECUTES_OTHERS.to_owned()),
    }
}

/// Runs with rising precision, within the time budget.
struct Runs<'a> {
    clock: &'a Clock,
    /// What is kept for runs with interventions.
    reserve: Duration,
    /// The run with most bits so far, and how long it took.
    last: (u32, Duration),
}

impl Runs<'_> {
    fn new(clock: &Clock) -> Runs<'_> {
        Runs {
            clock,
            reserve: clock.left().unwrap_or_default() / 3,
            last: (FIRST_BITS, Duration::ZERO),
        }
    }

    fn left(&self) -> Option<Duration> {
        Some(self.clock.left()?.saturating_sub(self.reserve))
    }

    /// Whether the two precisions that have to agree would not end in time. High-precision numbers take longer than residues, so both
    /// take at least as long as the run that explained, and many times as long as one that only detected: a run that is cut
    /// off decides nothing.
    fn is_hopeless(&self) -> bool {
        /// Programs of `bench/time` take 37 to 92 times.
        const TIMES_DETECTION: u32 = 25;
        let first = self.clock.explaining().unwrap_or_default();
        let first = first.max(self.clock.detection() * TIMES_DETECTION);
        let both = first + first.mul_f64(2f64.sqrt());
        self.left()
            .is_some_and(|left| left.is_zero() || left < both)
    }

    /// Whether a run would not end in time. Twice the bits take between the same and twice the time, so this assumes the
    /// square root of the ratio.
    fn is_too_late(&self, bits: u32) -> bool {
        let (of, took) = self.last;
        let expected = took.mul_f64((f64::from(bits) / f64::from(of)).sqrt());
        self.left()
            .is_some_and(|left| left.is_zero() || left < expected)
    }

    fn next<T>(
        &mut self,
        bits: u32,
        run: impl FnOnce(Option<Duration>) -> Result<T, Failure>,
    ) -> Result<T, Failure> {
        if self.is_too_late(bits) {
            return Err(Failure::OutOfTime);
        }
        let result = run(self.left());
        self.last = (bits, self.clock.last());
        result
    }
}

fn out_of_time(clock: &Clock) -> String {
    format!("they stay undecided: {}", clock.advice())
}

fn not_run(failure: &Failure) -> String {
    format!("they stay undecided: a second run, with more bits, was not possible: {failure}")
}

const EXECUTES_OTHERS: &str =
    "they stay undecided: a second run, with more bits, did not execute the same operations";
const PARTS_WERE_BUILT: &str = "they stay undecided: parts of the program were built before and cannot be rebuilt with more bits: give \
     `lostbits explain` their sources, or build them with --lostbits-mode=explain-reals and add --precision 256";

/// Whether undecided verdicts could change the report: an undecided operation matters only where some output is wrong. What a
/// NaN should have been says where it comes from.
pub fn is_in_doubt(findings: &Findings) -> bool {
    let (_, operations) = findings.totals.undecided_operations;
    let spots = findings.totals.undecided_spots();
    spots > 0 || findings.totals.unknown_exact > 0 || (operations > 0 && !findings.is_clean())
}

/// Whether even more bits could change a report on which two precisions agree. Operations in doubt are those that leave nothing:
/// zeros of exact arithmetic. Whether they are causes is known if every wrong result has one.
fn needs_more(findings: &Findings) -> bool {
    let totals = &findings.totals;
    let is_spot = totals.undecided_spots() > 0 || totals.unknown_exact > 0;
    is_spot || (is_in_doubt(findings) && !findings.untraced.is_empty())
}

const WAS_KILLED: &str = "they stay undecided: a signal killed the program, so it is not run again";

/// Why there is no second run, whatever the first leaves undecided.
fn refusal(options: &Options, findings: &Findings) -> Option<String> {
    let why = if let Some(job) = &options.job {
        // What is wrong is not proved for the same reason.
        return Some(match findings.is_clean() {
            true => format!("they stay undecided: {}", job.advice()),
            false => "they stay undecided for the same reason".to_owned(),
        });
    } else if options.settings.precision != 0 {
        Some("more bits may decide them: raise --precision")
    } else if options.once {
        Some("further runs with more bits may decide them: remove --once")
    } else if was_built(options) {
        Some(
            "they stay undecided: a program that was built before cannot be run with more bits: give `lostbits explain` \
             the sources, or build it with --lostbits-mode=explain-reals and add --precision 256",
        )
    } else {
        None
    };
    why.map(str::to_owned)
}

/// Whether the subject was built before, so that it cannot be built otherwise.
pub fn was_built(options: &Options) -> bool {
    matches!(
        options.subject,
        ExplainSubject::Code(Code::Program(_)) | ExplainSubject::Call { .. }
    )
}

/// How often each operation was executed: two runs that agree in that took the same path.
pub fn executions(processes: &[ProcessRecord]) -> BTreeMap<Site, u64> {
    let mut all = BTreeMap::new();
    let modules = processes.iter().flat_map(|process| &process.modules);
    for (site, times, _) in modules.flat_map(|module| module.rows()) {
        if matches!(site.what, What::Operation(_)) && times > 0 {
            *all.entry(identity(site)).or_insert(0) += times;
        }
    }
    all
}

/// Root causes with the spots that they reach, and spots that are wrong without a root cause.
type Verdicts = (Vec<(Site, Vec<Site>)>, Vec<(Site, u32)>);

fn verdicts(findings: &Findings) -> Verdicts {
    let mut causes: Vec<(Site, Vec<Site>)> = findings
        .causes
        .iter()
        .map(|cause| {
            let spots = cause.outputs.iter().chain(&cause.decisions);
            let mut spots: Vec<Site> = spots.map(|reached| reached.spot.site.clone()).collect();
            spots.sort();
            (cause.site.clone(), spots)
        })
        .collect();
    causes.sort();
    let kind = |kind: SpotKind| kind as u32;
    let untraced = findings.untraced.iter();
    let mut untraced: Vec<(Site, u32)> = untraced
        .map(|spot| (spot.site.clone(), kind(spot.kind)))
        .collect();
    untraced.sort();
    (causes, untraced)
}

fn agree(before: &Findings, after: &Findings) -> bool {
    let spots = || before.spots.iter().zip(&after.spots);
    verdicts(before) == verdicts(after)
        && before.spots.len() == after.spots.len()
        && spots().all(|(before, after)| spots_agree(before, after))
}

/// Whether two precisions say the same about a spot.
fn spots_agree(before: &Spot, after: &Spot) -> bool {
    let others = |spot: &Spot| (spot.undecided, spot.zeros, spot.excused);
    others(before) == others(after) && errors_agree(before, after)
}

/// Whether two precisions find the same errors at a spot.
fn errors_agree(before: &Spot, after: &Spot) -> bool {
    let is_same = (&before.site, before.kind) == (&after.site, after.kind);
    // Executions that are equally bad to the last digit may take each other's place.
    let is_same_execution =
        before.values == after.values && before.worst_execution == after.worst_execution;
    let mut reals = before.reals.iter().zip(&after.reals);
    is_same
        && before.erroneous == after.erroneous
        && (!is_same_execution || reals.all(|(before, after)| exact_values_agree(before, after)))
}

/// How many erroneous executions of a spot are in doubt because fewer bits had not found them. The report shows the worst
/// execution, so all are if that one is.
fn in_doubt(earlier: &[Spot], after: &Spot) -> u64 {
    let is_same = |before: &&Spot| (&before.site, before.kind) == (&after.site, after.kind);
    let Some(before) = earlier.iter().find(is_same) else {
        return after.erroneous;
    };
    // More bits may decide more executions, never fewer.
    let decided = match before.erroneous < after.erroneous {
        true => before.undecided.saturating_sub(after.undecided),
        false => 0,
    };
    let difference = before.erroneous.abs_diff(after.erroneous);
    let in_doubt = difference.saturating_sub(decided).min(after.erroneous);
    let mut expected = Spot {
        erroneous: after.erroneous,
        ..before.clone()
    };
    // Fewer bits need not know what an infinity or NaN should have been to know that it is wrong.
    for (expected, exact) in expected.reals.iter_mut().zip(&after.reals) {
        if expected.nearest.is_nan() {
            *expected = *exact;
        }
    }
    let is_worst_known = in_doubt == 0 || before.worst_execution == after.worst_execution;
    match before.erroneous > 0 && is_worst_known && errors_agree(&expected, after) {
        true => in_doubt,
        false => after.erroneous,
    }
}

/// The relative difference of two exact values that agree.
const DIGITS_THAT_AGREE: f64 = 1e-9;

fn exact_values_agree(before: &Exact, after: &Exact) -> bool {
    let near = |x: f64, y: f64| {
        x == y
            || (x - y).abs() <= DIGITS_THAT_AGREE * x.abs().max(y.abs())
            || (x.is_nan() && y.is_nan())
    };
    near(before.nearest, after.nearest)
        && near(before.fraction, after.fraction)
        && before.exponent == after.exponent
}

/// Whether a spot is without fault now that the first run found wrong, with a known exact value.
fn contradict(first: &Findings, now: &Findings) -> bool {
    let mut decided = first
        .spots
        .iter()
        .filter(|spot| spot.erroneous > 0 && spot.undecided == 0 && spot.unknown_exact == 0);
    decided.any(|spot| {
        let mut others = now.spots.iter();
        let other = others.find(|other| (&other.site, other.kind) == (&spot.site, spot.kind));
        other.is_none_or(|other| other.erroneous + other.zeros + other.excused == 0)
    })
}

/// The last run replaces the first, except for how the program ended.
pub fn adopt(mut last: Attempt, first: Attempt, options: &Options) -> Result<Attempt, Failure> {
    if let Some(path) = &options.record {
        fs::copy(&last.outcome.record, path).map_err(|error| Failure::CannotWrite {
            path: path.clone(),
            error,
        })?;
    }
    last.outcome.status = first.outcome.status;
    Ok(last)
}
