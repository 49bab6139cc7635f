//! Decisions that may be wrong, as a document for browsers, CI and merge requests.

use std::path::Path;

use lostbits_abi::site::Site;

use super::{Context, Verdict, phrases, terminal};
use crate::{
    demangle::demangle,
    report::{
        document::{
            Document, Fact, Finding, Judged, Line, Mark, Outcome, Place, Source, State, Step,
        },
        snippets::{SourceLine, shown_path},
        underline::underline,
    },
    watch::findings::{Decision, Findings},
};

/// Lines of source shown before and after a decision.
const AROUND: u32 = 3;

pub fn document(findings: &Findings, context: &Context, source_line: SourceLine) -> Document {
    let notes = terminal::closing(findings, context, source_line);
    let verdict = context.verdict(findings);
    let state = match verdict {
        Verdict::Stable => State::Clean,
        Verdict::Unstable => State::Findings,
        Verdict::Incomplete | Verdict::NothingJudged => State::Undecided,
    };
    let headline = notes.first().cloned().unwrap_or_default();
    let decisions = findings.unstable.iter().enumerate();
    Document {
        undecided_because: (state == State::Undecided).then(|| headline.clone()),
        headline,
        state,
        findings: findings
            .unstable
            .iter()
            .map(|decision| finding(decision, &context.base))
            .collect(),
        sources: decisions
            .filter_map(|(at, decision)| source(at, decision, &context.base, source_line))
            .collect(),
        judged: findings
            .unstable
            .iter()
            .map(|decision| Judged {
                place: place(&decision.site, &context.base),
                what: "decision",
                outcome: Outcome::Wrong(phrases::headline(decision)),
            })
            .collect(),
        notes,
        ..Document::default()
    }
}

fn place(site: &Site, base: &Path) -> Place {
    Place {
        file: shown_path(base, &site.file),
        line: site.line,
        column: site.column,
        function: demangle(&site.function),
    }
}

fn finding(decision: &Decision, base: &Path) -> Finding {
    let label = label(decision);
    let mut path: Vec<Step> = decision
        .origins
        .iter()
        .map(|origin| Step {
            place: place(&origin.site, base),
            text: format!(
                "the error is amplified here: {}",
                phrases::growth_in_words(origin)
            ),
        })
        .collect();
    path.push(Step {
        place: place(&decision.site, base),
        text: label.clone(),
    });
    let operands = phrases::operands(
        &decision.site,
        decision.op,
        decision.operands,
        decision.times,
    );
    let at = place(&decision.site, base);
    Finding {
        kind: "unstable-decision",
        title: phrases::headline(decision),
        // Without the text of the line this distinguishes less than fingerprints of `explain`, and moves with nothing.
        fingerprint: format!("{}/{}/{}", at.file, at.function, decision.op.name()),
        place: at,
        label,
        facts: operands
            .map(|text| Fact {
                name: "operands",
                text,
            })
            .into_iter()
            .collect(),
        path,
        ..Finding::default()
    }
}

fn label(decision: &Decision) -> String {
    match decision.inflated {
        true => "depends on an amplified error".to_owned(),
        false => phrases::closeness(decision).unwrap_or_default(),
    }
}

fn source(at: usize, decision: &Decision, base: &Path, read: SourceLine) -> Option<Source> {
    let site = &decision.site;
    let around = site.line.saturating_sub(AROUND).max(1)..=site.line.saturating_add(AROUND);
    let lines: Vec<Line> = around
        .filter_map(|number| {
            let text = read(Path::new(&site.file), number)?;
            let range = underline(&text, site.column);
            let mark = Mark {
                from: range.start,
                to: range.end,
                finding: Some(at),
                label: label(decision),
            };
            Some(Line {
                number,
                text,
                marks: Some(mark)
                    .filter(|_| number == site.line)
                    .into_iter()
                    .collect(),
            })
        })
        .collect();
    (!lines.is_empty()).then(|| Source {
        file: shown_path(base, &site.file),
        lines,
    })
}
