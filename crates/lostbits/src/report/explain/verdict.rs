//! The headline: what the run came to, what could not be judged and why, and what would decide it.

use std::{
    cmp::Reverse,
    collections::BTreeMap,
    fmt::{self, Write},
};

use anstyle::{AnsiColor, Style};
use lostbits_abi::numbers::MOST_BITS;

use super::{Context, folding, phrases};
use crate::{
    explain::{
        Escalation, Findings, Folding, Nothing, SpotCounts, Verdict, is_cut_short, only_decides,
    },
    report::{
        snippets::shown_path,
        words::{count, number},
    },
};

const GOOD: Style = AnsiColor::Green.on_default().bold();
pub const ALARM: Style = AnsiColor::Yellow.on_default().bold();

pub fn write(text: &mut String, findings: &Findings, context: &Context) -> fmt::Result {
    let checked = checked(findings);
    match context.verdict(findings) {
        // The damage comes first in the report.
        Verdict::Findings => writeln!(text, "{checked}"),
        Verdict::NothingJudged(nothing) => writeln!(
            text,
            "{ALARM}nothing to judge{ALARM:#}: {} ({checked}); {}",
            why_nothing(nothing, findings, context),
            what_to_do(nothing)
        ),
        Verdict::Undecided => writeln!(
            text,
            "{ALARM}undecided{ALARM:#}: {}{} ({checked})",
            not_judged(findings, context).join(", "),
            in_the_others(findings)
        ),
        Verdict::Clean if findings.totals.hidden_outputs > 0 => writeln!(
            text,
            "{GOOD}no output is wrong in its printed digits{GOOD:#} ({checked})"
        ),
        Verdict::Clean if only_decides(findings) => writeln!(
            text,
            "{GOOD}no decision is another in exact arithmetic{GOOD:#} ({checked})\n\
             no output of floating-point numbers was found: results that leave the program otherwise are judged if it \
             passes them to lostbits_output(x) from lostbits.h"
        ),
        Verdict::Clean => writeln!(
            text,
            "{GOOD}no output is wrong by more than {}{GOOD:#} ({checked})",
            phrases::bits(findings.settings.min_output_bits)
        ),
    }?;
    write_without_effect(text, findings)?;
    write_hidden(text, findings)?;
    write_zeros(text, findings)?;
    write_excused(text, findings)
}

/// Residuals and self-checks.
fn write_zeros(text: &mut String, findings: &Findings) -> fmt::Result {
    let totals = &findings.totals;
    let [largest, operands] = totals.largest_zero;
    match totals.zeros {
        0 => Ok(()),
        zeros => writeln!(
            text,
            "{} consistent with 0: at most {:.1e}, the rounding noise of operands of {:.1e} (--zeros judges them like others)",
            match zeros {
                1 => "1 output is".to_owned(),
                _ => count(zeros, "output", "outputs") + " are",
            },
            largest.abs(),
            operands
        ),
    }
}

fn write_without_effect(text: &mut String, findings: &Findings) -> fmt::Result {
    let are = |decisions| match decisions {
        1 => "1 decision is".to_owned(),
        _ => count(decisions, "decision", "decisions") + " are",
    };
    let judgement = match (
        findings.different_without_effect(),
        findings.totals.without_effect,
    ) {
        (0, 0) => return Ok(()),
        (0, close) => format!("{} too close to judge", are(close)),
        (different, 0) => format!("{} different in exact arithmetic", are(different)),
        (different, close) => format!(
            "{} different in exact arithmetic, {} too close to judge",
            are(different),
            number(close)
        ),
    };
    writeln!(
        text,
        "{judgement}; with exact decisions the program prints the same"
    )
}

fn write_excused(text: &mut String, findings: &Findings) -> fmt::Result {
    match findings.totals.excused {
        0 => Ok(()),
        excused => writeln!(
            text,
            "not reported: {} that asked about rounding itself (machine epsilons, error bounds)",
            count(excused, "decision", "decisions"),
        ),
    }
}

/// Outputs that are right only because few digits are printed.
fn write_hidden(text: &mut String, findings: &Findings) -> fmt::Result {
    match findings.totals.hidden_outputs {
        0 => Ok(()),
        hidden => {
            let (whose, them) = if hidden == 1 {
                ("its", "it")
            } else {
                ("their", "them")
            };
            writeln!(
                text,
                "{} more than {} in {whose} last printed digit or behind it (--min-output-bits counts {them})",
                count(hidden, "output lost", "outputs lost"),
                phrases::bits(findings.settings.min_output_bits)
            )
        }
    }
}

/// What was found in outputs that were judged, if there were any.
fn in_the_others(findings: &Findings) -> &'static str {
    let outputs = &findings.totals.outputs;
    match outputs.judged > outputs.undecided {
        true => "; no error was found in what was judged",
        false => "",
    }
}

/// Why the run is neither clean nor has findings, with what to do; none if it is or has.
pub fn reason(findings: &Findings, context: &Context) -> Option<String> {
    match context.verdict(findings) {
        Verdict::Clean | Verdict::Findings => None,
        Verdict::NothingJudged(nothing) => Some(format!(
            "{}; {}",
            why_nothing(nothing, findings, context),
            what_to_do(nothing)
        )),
        Verdict::Undecided => {
            let parts = not_judged(findings, context).join(", ");
            Some(match what_would_decide(findings, context) {
                Some(how) => format!("{parts}; {how}"),
                None => parts,
            })
        }
    }
}

fn why_nothing(nothing: Nothing, findings: &Findings, context: &Context) -> String {
    match nothing {
        Nothing::Executed => "the program executed no floating-point operation that lostbits compiled, and no output of \
                              numbers"
            .to_owned(),
        Nothing::Output => "no output was found".to_owned(),
        Nothing::OnlyConstants => {
            let constants = match context.folding {
                Folding::None | Folding::Recomputed(_) => "constants of the source",
                Folding::Unknown(_) | Folding::NotRecorded => "compile-time constants",
            };
            let locations = folding::locations(findings, &context.base);
            format!("no output was computed, all are {constants} at {locations}")
        }
        Nothing::NoNumberInOutputs => "no output holds a number that the program computed".to_owned(),
    }
}

fn what_to_do(nothing: Nothing) -> &'static str {
    match nothing {
        Nothing::Executed => "check the program's arguments, and compile all of it with lostbits",
        Nothing::Output | Nothing::NoNumberInOutputs => {
            "pass results to lostbits_output(x) from lostbits.h"
        }
        Nothing::OnlyConstants => "read the inputs at run time",
    }
}

/// What was not judged, each part as a clause.
fn not_judged(findings: &Findings, context: &Context) -> Vec<String> {
    let totals = &findings.totals;
    let spots = [
        (totals.outputs, "output", "outputs"),
        (totals.comparisons, "comparison", "comparisons"),
        (totals.conversions, "conversion", "conversions"),
    ];
    let spots = spots
        .into_iter()
        .filter(|(counts, _, _)| counts.undecided > 0);
    let mut parts: Vec<String> = spots
        .map(|(counts, one, many)| {
            let all = counts.executions.max(counts.judged);
            format!(
                "{} of {} could not be judged",
                number(counts.undecided),
                count(all, one, many)
            )
        })
        .collect();
    let counted = [
        (
            totals.processes_without_analysis,
            "process left no analysis",
            "processes left no analysis",
        ),
        (
            totals.entries_lost,
            "operation or output was not kept (no space)",
            "operations or outputs were not kept (no space)",
        ),
        (
            context.unreadable as u64,
            "record or analysis cannot be read",
            "records or analyses cannot be read",
        ),
    ];
    let counted = counted.into_iter().filter(|(value, _, _)| *value > 0);
    parts.extend(counted.map(|(value, one, many)| count(value, one, many)));
    if !findings.untracked_messages.is_empty() {
        parts.push(format!(
            "results that depend on messages of {} were not judged (untracked; docs/hpc.md lists the tracked functions)",
            findings.untracked_messages.join(", ")
        ));
    }
    if is_cut_short(findings, context.ended) {
        parts.push(match context.ended {
            Some(_) => "the program was killed before its end".to_owned(),
            None => {
                "the program ended without running its exit handlers, so more may have been to come"
                    .to_owned()
            }
        });
    }
    parts
}

/// The next step for outputs and decisions that are undecided.
fn what_would_decide(findings: &Findings, context: &Context) -> Option<String> {
    if findings.totals.undecided_spots() == 0 {
        return None;
    }
    let bits = findings.settings.precision;
    Some(match (&context.escalation, bits) {
        (Escalation::Impossible(why) | Escalation::CutShort(why), _) => why.clone(),
        (Escalation::Decided, bits) => format!(
            "{bits} bits did not decide them either: their exact values may be 0 or lie on a threshold, which \
             --min-output-bits moves"
        ),
        (Escalation::NotNeeded, 0) => {
            "more bits may decide them: give `lostbits explain` the sources, or build the program \
             with --lostbits-mode=explain-reals and run `lostbits explain --precision 256`"
                .to_owned()
        }
        (Escalation::NotNeeded, bits) => format!(
            "more bits may decide them: run `lostbits explain --precision {}`",
            (2 * bits).min(MOST_BITS as u32)
        ),
    })
}

/// What was undecided, and with how many bits errors were measured.
pub fn write_undecided(text: &mut String, findings: &Findings, context: &Context) -> fmt::Result {
    let totals = &findings.totals;
    let (sites, executions) = totals.undecided_operations;
    let parts = [
        (totals.outputs.undecided, "output", "outputs"),
        (totals.comparisons.undecided, "comparison", "comparisons"),
        (totals.conversions.undecided, "conversion", "conversions"),
    ];
    let parts: Vec<String> = parts
        .into_iter()
        .filter(|(times, _, _)| *times > 0)
        .map(|(times, one, many)| count(times, one, many))
        .collect();
    let mut parts = match parts.is_empty() {
        true => parts,
        false => vec![format!("{}{}", parts.join(", "), places(findings, context))],
    };
    // An operation that could not be judged may be a cause; where nothing is wrong there is none.
    if executions > 0 && !findings.is_clean() {
        parts.push(format!(
            "{} at {}",
            count(executions, "operation", "operations"),
            count(sites, "location", "locations")
        ));
    }
    if !parts.is_empty() {
        writeln!(
            text,
            "undecided at this precision (not reported): {}",
            parts.join(", ")
        )?;
    }
    match (&context.escalation, findings.settings.precision) {
        (Escalation::Decided | Escalation::CutShort(_), bits) => writeln!(
            text,
            "some results needed more precision; the program was run again with up to {bits} bits"
        )?,
        (Escalation::NotNeeded, bits @ 1..) => {
            writeln!(text, "errors were measured with {bits} bits")?
        }
        (Escalation::NotNeeded, 0) | (Escalation::Impossible(_), _) => {}
    }
    let operations_only = match &context.escalation {
        Escalation::Impossible(why) | Escalation::CutShort(why) => Some(why.clone()),
        Escalation::NotNeeded | Escalation::Decided => None,
    };
    match what_would_decide(findings, context).or(operations_only) {
        Some(how) => writeln!(text, "{how}"),
        None => Ok(()),
    }
}

/// Most undecided outputs and decisions that are named.
const NAMED: usize = 3;

/// The lines of the outputs and decisions that are undecided, most often undecided first.
fn places(findings: &Findings, context: &Context) -> String {
    let mut undecided: BTreeMap<String, u64> = BTreeMap::new();
    for spot in &findings.spots {
        if spot.undecided > 0 && !spot.site.file.is_empty() {
            let file = shown_path(&context.base, &spot.site.file);
            *undecided
                .entry(format!("{file}:{}", spot.site.line))
                .or_default() += spot.undecided;
        }
    }
    let mut lines: Vec<(String, u64)> = undecided.into_iter().collect();
    lines.sort_by_key(|(_, times)| Reverse(*times));
    let more = lines.len().saturating_sub(NAMED);
    lines.truncate(NAMED);
    let mut named: Vec<String> = lines.into_iter().map(|(line, _)| line).collect();
    if more > 0 {
        named.push(count(more as u64, "more line", "more lines"));
    }
    match named.is_empty() {
        true => String::new(),
        false => format!(" ({})", named.join(", ")),
    }
}

/// What was checked; comparisons and conversions only if there were any.
fn checked(findings: &Findings) -> String {
    let totals = &findings.totals;
    let outputs = counted(totals.outputs, "output", "outputs") + &folding::among_outputs(findings);
    let others = [
        (totals.comparisons, "comparison", "comparisons"),
        (totals.conversions, "conversion", "conversions"),
    ];
    let others = others
        .into_iter()
        .filter(|(checked, _, _)| checked.executions > 0)
        .map(|(checked, one, many)| counted(checked, one, many));
    let all: Vec<String> = std::iter::once(outputs).chain(others).collect();
    format!("checked: {}", all.join(", "))
}

fn counted(counts: SpotCounts, one: &str, many: &str) -> String {
    match counts.executions == counts.sites {
        true => count(counts.executions, one, many),
        false => format!(
            "{} at {}",
            count(counts.executions, one, many),
            count(counts.sites, "location", "locations")
        ),
    }
}
