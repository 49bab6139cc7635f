//! What symbolic execution came to, for people: coverage of checks, and what the worst input did.

use std::fmt::Write;

use crate::{
    report::words::count,
    search::symbolic::{Counts, Coverage, Diagnosis, SymbolicReport},
};

/// Events of the worst input that are shown.
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
    let mut text = "  what the worst input does:\n".to_owned();
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
            "loss" if *x == 0.0 || *y == 0.0 => "of nothing (an operand is zero)".to_owned(),
            "cancellation" if *result == 0.0 => "of all bits".to_owned(),
            _ => format!("of {bits} bits"),
        };
        let _ = writeln!(
            text,
            "    {file}:{line}, time {execution}: {verdict} {much}: {operation} of {x:?} and {y:?} is {result:?}"
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
            "  {}:{}:{} ({}): {} checked; lost bits {}; cancelled {}; accurate {}",
            site.file,
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
            "  outcomes of the first {}: of {} patterns {} were produced and {} are proved impossible",
            count(patterns.checks.into(), "check", "checks"),
            patterns.all,
            patterns.produced,
            patterns.impossible,
        );
    }
    if coverage.turns.all() > 0 {
        let _ = writeln!(text, "  decisions turned: {}", counts(coverage.turns));
    }
    let by = &coverage.tallies;
    let _ = writeln!(
        text,
        "  goals reached by mutation {}, by inversion {}, by the solver {} ({}: {} sat, {} unsat, {} without \
         an answer; {} not confirmed by a run)",
        by.goals_by_mutation,
        by.goals_by_inversion,
        by.goals_by_smt,
        count(by.questions, "question", "questions"),
        by.sat,
        by.unsat,
        by.unknown,
        by.refuted,
    );
    let _ = writeln!(text, "  concretised: {}", unseen(coverage));
    if let Some(trouble) = &coverage.trouble {
        let _ = writeln!(text, "  the solver was left out: {trouble}");
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

fn unseen(coverage: &Coverage) -> String {
    let mut text = count(coverage.concretised, "place", "places");
    text += " of a run";
    if coverage.dropped > 0 {
        let _ = write!(
            text,
            ", and {} operations for which there was no room",
            coverage.dropped
        );
    }
    if coverage.strays > 0 {
        let _ = write!(
            text,
            ", and {} operands that were lost sight of",
            coverage.strays
        );
    }
    text
}
