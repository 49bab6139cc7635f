//! What symbolic execution covered, and what happens at the worst input.

use std::fmt::Write;

use crate::{
    printable::printable,
    report::words::count,
    search::symbolic::{Counts, Coverage, Diagnosis, SymbolicReport},
};

/// Events of the worst input that are shown; the rest is only counted.
const SHOWN: usize = 12;

pub fn symbolic(report: &SymbolicReport) -> String {
    let mut text = diagnosis(&report.diagnosis);
    text += &coverage(&report.coverage);
    text
}

fn diagnosis(events: &[Diagnosis]) -> String {
    if events.is_empty() {
        return String::new();
    }
    let mut text = "  losses and cancellations at the worst input:\n".to_owned();
    for event in events.iter().take(SHOWN) {
        let Diagnosis {
            file,
            line,
            execution,
            bits,
            x,
            y,
            result,
            operation,
            verdict,
        } = event;
        let much = match verdict.as_str() {
            "loss" if *x == 0.0 || *y == 0.0 => "of 0 bits (an operand is zero)".to_owned(),
            "cancellation" if *result == 0.0 => "of all bits".to_owned(),
            _ => format!("of {bits} bits"),
        };
        let _ = writeln!(
            text,
            "    {}:{line}, execution {execution}: {verdict} {much}: {operation} of {x:?} and {y:?} is {result:?}",
            printable(file)
        );
    }
    if events.len() > SHOWN {
        let _ = writeln!(text, "    and {} more", events.len() - SHOWN);
    }
    text
}

fn coverage(coverage: &Coverage) -> String {
    let mut text = String::new();
    for site in &coverage.sites {
        let _ = writeln!(
            text,
            "  {}:{}:{} ({}): {} checked; loss {}; cancellation {}; accurate {}",
            printable(&site.file),
            site.line,
            site.column,
            site.operation,
            count(site.reached, "execution", "executions"),
            counts(site.lost),
            counts(site.cancelled),
            counts(site.accurate),
        );
    }
    let patterns = &coverage.patterns;
    if patterns.all > 0 {
        let _ = writeln!(
            text,
            "  outcomes of the first {}: {} of {} patterns produced, {} proved impossible",
            count(patterns.checks.into(), "check", "checks"),
            patterns.produced,
            patterns.all,
            patterns.impossible,
        );
    }
    if coverage.turns.all() > 0 {
        let _ = writeln!(text, "  branches covered: {}", counts(coverage.turns));
    }
    let by = &coverage.tallies;
    let _ = writeln!(
        text,
        "  goals reached: {} by mutation, {} by inversion, {} by the solver ({}: {} sat, {} unsat, {} unknown; \
         {} not confirmed by a run)",
        by.goals_by_mutation,
        by.goals_by_inversion,
        by.goals_by_smt,
        count(by.questions, "query", "queries"),
        by.sat,
        by.unsat,
        by.unknown,
        by.refuted,
    );
    let untracked = untracked(coverage);
    if !untracked.is_empty() {
        let _ = writeln!(text, "  not tracked in a run: {}", untracked.join(", "));
    }
    if let Some(trouble) = &coverage.trouble {
        let _ = writeln!(text, "  the solver was not used: {}", printable(trouble));
    }
    text
}

fn counts(counts: Counts) -> String {
    let mut text = format!("{} of {}", counts.covered, counts.all());
    for (number, what) in [
        (counts.impossible, "impossible"),
        (counts.given_up, "given up"),
    ] {
        if number > 0 {
            let _ = write!(text, ", {number} {what}");
        }
    }
    text
}

/// What the solver cannot vary, at most in one run.
fn untracked(coverage: &Coverage) -> Vec<String> {
    let counted = [
        (
            coverage.concretised,
            "concretised value",
            "concretised values",
        ),
        (
            coverage.dropped,
            "operation (no space)",
            "operations (no space)",
        ),
        (coverage.strays, "untracked operand", "untracked operands"),
    ];
    let counted = counted.into_iter().filter(|(value, _, _)| *value > 0);
    counted
        .map(|(value, one, many)| count(value, one, many))
        .collect()
}
