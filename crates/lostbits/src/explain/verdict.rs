//! The verdict on a run: what the headline, the exit code and JSON say. A run is clean only if every output was judged.

use std::process::ExitStatus;

use super::findings::Findings;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Verdict {
    /// Every output and decision was judged, and none is wrong.
    Clean,
    Findings,
    /// Nothing wrong was found, but some outputs or decisions could not be judged.
    Undecided,
    /// No output was judged at all.
    NothingJudged(Nothing),
}

/// Why there was nothing to judge.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Nothing {
    /// The program executed no floating-point operation and no output.
    Executed,
    Output,
    /// All outputs are compile-time constants.
    OnlyConstants,
    /// There were outputs, but none held a number that instrumented code knows.
    NoNumberInOutputs,
}

impl Verdict {
    /// The verdict on what was found in a run; `ended` is none for a saved record.
    pub fn of(findings: &Findings, ended: Option<ExitStatus>, unreadable: usize) -> Verdict {
        if !findings.is_clean() {
            return Verdict::Findings;
        }
        if let Some(nothing) = nothing(findings) {
            return Verdict::NothingJudged(nothing);
        }
        match is_cut_short(findings, ended) || unreadable > 0 || is_incomplete(findings) {
            true => Verdict::Undecided,
            false => Verdict::Clean,
        }
    }

    /// As JSON has it.
    pub fn name(self) -> &'static str {
        match self {
            Verdict::Clean => "clean",
            Verdict::Findings => "findings",
            Verdict::Undecided => "undecided",
            Verdict::NothingJudged(_) => "nothing judged",
        }
    }
}

/// Whether the program may have had more to compute.
pub fn is_cut_short(findings: &Findings, ended: Option<ExitStatus>) -> bool {
    match ended {
        Some(status) => status.code().is_none(),
        None => findings.summary.ends_unknown > 0,
    }
}

fn nothing(findings: &Findings) -> Option<Nothing> {
    let outputs = &findings.totals.outputs;
    match outputs.sites {
        _ if findings.has_only_constants() => Some(Nothing::OnlyConstants),
        _ if outputs.judged > 0 => None,
        0 if findings.summary.executions == 0 => Some(Nothing::Executed),
        0 if only_decides(findings) => None,
        0 => Some(Nothing::Output),
        _ => Some(Nothing::NoNumberInOutputs),
    }
}

/// Whether the program prints no numbers and decides something: what it prints are texts and integers, which depend on its
/// decisions alone. Numbers that left it otherwise may be wrong.
pub fn only_decides(findings: &Findings) -> bool {
    let totals = &findings.totals;
    totals.outputs.sites == 0
        && totals.comparisons.executions + totals.conversions.executions > 0
        && findings.outside.is_empty()
}

/// Whether an output or a decision was not judged. An undecided operation alone changes no verdict: it is a possible cause, and
/// there is no error.
fn is_incomplete(findings: &Findings) -> bool {
    let totals = &findings.totals;
    totals.undecided_spots() > 0
        || totals.entries_lost > 0
        || totals.processes_without_analysis > 0
        || !findings.untracked_messages.is_empty()
}
