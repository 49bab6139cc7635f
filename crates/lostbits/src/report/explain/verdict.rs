//! The headline: what the run came to, what could not be judged and why, and what would decide it.

use std::fmt::{self, Write};

use anstyle::{AnsiColor, Style};
use lostbits_abi::{explain::SpotKind, kind::FpKind, numbers::MOST_BITS};

use super::{Context, folding, phrases};
use crate::{
    explain::{Escalation, Findings, Folding, Looks, Nothing, Verdict, is_cut_short},
    report::words::{count, number},
};

const GOOD: Style = AnsiColor::Green.on_default().bold();
const ALARM: Style = AnsiColor::Yellow.on_default().bold();

pub fn write(text: &mut String, findings: &Findings, context: &Context) -> fmt::Result {
    let checked = checked(findings);
    match context.verdict(findings) {
        Verdict::Findings => writeln!(
            text,
            "{ALARM}{}{ALARM:#}; {} ({checked})",
            found(findings),
            worst_output(findings)
        ),
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
        Verdict::Clean => writeln!(
            text,
            "{GOOD}no output is wrong by more than {}{GOOD:#} ({checked})",
            phrases::bits(findings.settings.min_output_bits)
        ),
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
        .filter(|(looks, _, _)| looks.undecided > 0);
    let mut parts: Vec<String> = spots
        .map(|(looks, one, many)| {
            let all = looks.times.max(looks.judged);
            format!(
                "{} of {} could not be judged",
                number(looks.undecided),
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
        (Escalation::Impossible(why), _) => why.clone(),
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
    let mut parts: Vec<String> = parts
        .into_iter()
        .filter(|(times, _, _)| *times > 0)
        .map(|(times, one, many)| count(times, one, many))
        .collect();
    if executions > 0 {
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
        (Escalation::Decided, bits) => writeln!(
            text,
            "some results needed more precision; the program was run again with up to {bits} bits"
        )?,
        (Escalation::NotNeeded, bits @ 1..) => {
            writeln!(text, "errors were measured with {bits} bits")?
        }
        (Escalation::NotNeeded, 0) | (Escalation::Impossible(_), _) => {}
    }
    let operations_only = match &context.escalation {
        Escalation::Impossible(why) => Some(why.clone()),
        Escalation::NotNeeded | Escalation::Decided => None,
    };
    match what_would_decide(findings, context).or(operations_only) {
        Some(how) => writeln!(text, "{how}"),
        None => Ok(()),
    }
}

/// What was checked; comparisons and conversions only if there were any.
fn checked(findings: &Findings) -> String {
    let totals = &findings.totals;
    let outputs = looks(totals.outputs, "output", "outputs") + &folding::among_outputs(findings);
    let others = [
        (totals.comparisons, "comparison", "comparisons"),
        (totals.conversions, "conversion", "conversions"),
    ];
    let others = others
        .into_iter()
        .filter(|(checked, _, _)| checked.times > 0)
        .map(|(checked, one, many)| looks(checked, one, many));
    let all: Vec<String> = std::iter::once(outputs).chain(others).collect();
    format!("checked: {}", all.join(", "))
}

fn worst_output(findings: &Findings) -> String {
    let outputs = &findings.totals.outputs;
    let threshold = findings.settings.min_output_bits;
    match outputs.places {
        0 => "no output was found".to_owned(),
        _ if outputs.worst_bits <= threshold => {
            let subject = match outputs.undecided {
                0 => "no output",
                _ => "no output that could be judged",
            };
            format!(
                "{subject} is wrong by more than {}",
                phrases::bits(threshold)
            )
        }
        _ => format!(
            "worst output: {}",
            phrases::correct_digits(outputs.worst_bits, worst_kind(findings))
        ),
    }
}

/// The type of the worst output that is reported.
fn worst_kind(findings: &Findings) -> Option<FpKind> {
    let causes = findings.causes.iter().flat_map(|cause| &cause.outputs);
    let spots = causes
        .map(|reached| &reached.spot)
        .chain(&findings.untraced);
    let outputs = spots.filter(|spot| spot.kind == SpotKind::Output);
    let worst = outputs.max_by(|a, b| a.worst_bits.total_cmp(&b.worst_bits));
    worst.and_then(|spot| spot.site.kind)
}

fn found(findings: &Findings) -> String {
    let causes = count(findings.causes.len() as u64, "root cause", "root causes");
    match findings.untraced.len() as u64 {
        0 => causes,
        untraced => {
            let errors = count(untraced, "error", "errors");
            format!("{causes}, {errors} without a known cause")
        }
    }
}

fn looks(looks: Looks, one: &str, many: &str) -> String {
    match looks.times == looks.places {
        true => count(looks.times, one, many),
        false => format!(
            "{} at {}",
            count(looks.times, one, many),
            count(looks.places, "location", "locations")
        ),
    }
}
