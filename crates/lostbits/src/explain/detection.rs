//! The first pass of a program that is compiled for it: a build that only detects whether anything may be wrong.
//!
//! It computes the same residues and bounds, judged by the same code, but has no trace and reports no operations
//! (`pass/src/modes/explain/detection.rs`), so it takes less than half of the time. If every output and decision is surely right, that is
//! the report. If not, the program is built and run once more, to be explained; that run prints nothing, reads the same input, and counts
//! only if every operation was executed as often. `--once` forbids it, so explain then explains at once.

use std::{fs, os::unix::process::ExitStatusExt, path::Path};

use lostbits_abi::{explain::TRACE_FROM_ENV, mode::Mode, ops::Outcome, site::What};

use super::{
    attempt::{Aim, Attempt, Build, Prepared, first_mode},
    clock::{Clock, Purpose},
    escalate,
    options::{ExplainSubject, Options},
    verdict::Verdict,
};
use crate::{
    failure::Failure,
    run::{self, Input},
    subject::Code,
};

/// Whether the user's run only detects at first.
pub fn is_useful(options: &Options) -> bool {
    let is_compiled = matches!(options.subject, ExplainSubject::Code(Code::Sources { .. }));
    // A saved record, changes to be tried and a run that is cut off are explained at once; the other ranks of a launcher's
    // job may be other programs.
    let wants_more = options.record.is_some()
        || !options.what_if.is_empty()
        || !options.also.is_empty()
        || options.timeout.is_some()
        || !options.launcher.is_empty();
    is_compiled
        && first_mode(options) == Mode::Explain
        && !options.once
        && !options.quiet
        && options.settings.waiting == 0
        && !wants_more
}

/// The user's run, and its program.
pub fn detect(
    options: &Options,
    input: &Input,
    folder: &Path,
    clock: &Clock,
) -> Result<(Prepared, Attempt), Failure> {
    let folder = folder.join("detecting");
    fs::create_dir(&folder).map_err(|error| Failure::NoTemporaryFolder { error })?;
    let build = Build {
        mode: Mode::Explain,
        hides_constants: false,
        aim: Aim::Detect,
        trusts_residues: false,
    };
    let prepared = Prepared::new(options, build, &folder)?;
    let detected = prepared.run(options, Purpose::Detection, input, &folder, clock)?;
    Ok((prepared, detected))
}

/// About the node that begins the last eighth of a run, where results are often made and checked: operations with a number as
/// result write one.
fn near_the_end(detected: &Attempt) -> u64 {
    let modules = detected
        .outcome
        .processes
        .iter()
        .flat_map(|one| &one.modules);
    let rows = modules.flat_map(|module| module.rows());
    let makes_number =
        |what: What| matches!(what, What::Operation(op) if op.info().outcome == Outcome::Real);
    let executions = rows
        .filter(|(site, _, _)| makes_number(site.what))
        .map(|(_, executions, _)| executions);
    executions.sum::<u64>() / 8 * 7
}

/// Whether the program executed no operation, so that there is nothing to explain.
pub fn computed_nothing(attempt: &Attempt) -> bool {
    attempt.findings.summary.executions == 0
        && attempt.findings.is_clean()
        && !escalate::is_in_doubt(&attempt.findings)
}

/// Whether everything was judged, and nothing is wrong.
pub fn is_clean(attempt: &Attempt) -> bool {
    let findings = &attempt.findings;
    let status = Some(attempt.outcome.status);
    Verdict::of(findings, status, attempt.unreadable) == Verdict::Clean
        && !escalate::is_in_doubt(findings)
        && findings.constants.is_empty()
        && !findings.is_partly_folded
        && findings.totals.after_underflow == 0
}

/// The program that explains and its run, or why there is none.
pub fn explain(
    detected: &Attempt,
    build: Build,
    options: &Options,
    input: &Input,
    folder: &Path,
    clock: &Clock,
) -> Result<(Prepared, Attempt), String> {
    if was_stopped(detected) {
        return Err(WAS_STOPPED.to_owned());
    }
    let impossible = |failure: Failure| match failure {
        Failure::OutOfTime => format!("they stay undecided: {}", clock.advice()),
        other => {
            format!("they stay undecided: a second run, to explain them, was not possible: {other}")
        }
    };
    if run::was_ended() {
        return Err(impossible(Failure::OutOfTime));
    }
    let prepared = Prepared::again(options, build, folder).map_err(impossible)?;
    let time = (clock, clock.limit_of_explanation());
    let trace_from = Some((TRACE_FROM_ENV, near_the_end(detected).to_string()));
    let explained = prepared
        .run_again(
            options,
            Purpose::Explanation,
            trace_from,
            input,
            folder,
            time,
        )
        .map_err(impossible)?;
    if run::was_ended() {
        return Err(impossible(Failure::OutOfTime));
    }
    let ended = |attempt: &Attempt| attempt.outcome.status;
    if let Some(signal) = ended(&explained)
        .signal()
        .filter(|_| ended(&explained) != ended(detected))
    {
        return Err(format!(
            "they stay undecided: a second run, to explain them, was killed by signal {signal}; {ONCE}"
        ));
    }
    let executions = |attempt: &Attempt| escalate::executions(&attempt.outcome.processes);
    match executions(&explained) == executions(detected) && ended(&explained) == ended(detected) {
        true => Ok((prepared, explained)),
        false => Err(format!(
            "they stay undecided: a second run, to explain them, did not execute the same operations; {ONCE}"
        )),
    }
}

/// Whether the user ended the program. One that crashed or was terminated is run again: it may do that by itself.
fn was_stopped(attempt: &Attempt) -> bool {
    let of_users = [libc::SIGINT, libc::SIGQUIT, libc::SIGHUP, libc::SIGKILL];
    let signal = attempt.outcome.status.signal();
    signal.is_some_and(|signal| of_users.contains(&signal))
}

const WAS_STOPPED: &str = "they stay undecided: a signal ended the program, so it is not run again; \
    --once explains it in its only run";
const ONCE: &str = "--once explains the program in its only run";
