//! The findings of `lostbits explain`, and of whole projects, as a document for browsers, CI and merge requests.

use std::{
    collections::{BTreeMap, BTreeSet},
    path::Path,
};

use lostbits_abi::{explain::SpotKind, site::Site};

use super::{Context, causes, damage, infix, phrases, terminal, verdict};
use crate::{
    demangle::demangle,
    explain::{Evidence, Interventions, Reached, RootCause, Spot, Verdict},
    project::{self, Merged, Source as FoundSource},
    report::{
        document::{
            Code, Document, Fact, Finding, Judged, Line, Mark, Outcome, Place, Share, Source,
            Standing, State, Step, WrongResult,
        },
        numbers::shortest,
        snippets::{SourceLine, SourceView},
        underline::underline,
    },
};

/// Lines of source shown before and after a line that is reported.
const AROUND: u32 = 4;
/// Statements that make less than this are not worth a bar.
const NEGLIGIBLE: f64 = 0.005;

pub fn document(merged: &Merged, context: &Context, source_line: SourceLine) -> Document {
    let findings = &merged.run;
    let wrong = findings.wrong_spots();
    let view = SourceView {
        base: &merged.root,
        source_line,
        crowded: damage::crowded(&wrong),
        command: context.command.as_ref(),
    };
    let state = match context.verdict(findings) {
        Verdict::Clean => State::Clean,
        Verdict::Findings => State::Findings,
        Verdict::Undecided | Verdict::NothingJudged(_) => State::Undecided,
    };
    let mut document = Document {
        headline: match state {
            State::Findings => damage::headline(findings, &wrong),
            State::Clean => "no output is wrong".to_owned(),
            State::Undecided => "undecided: not everything could be judged".to_owned(),
        },
        state,
        undecided_because: verdict::reason(findings, context),
        reproduce: context.reproduce.clone(),
        results: wrong.iter().map(|spot| result(spot, &view)).collect(),
        findings: merged
            .findings
            .iter()
            .map(|one| finding(one, merged, &view))
            .collect(),
        budget: budget(context, &view),
        sources: Vec::new(),
        plots: context.plots.clone(),
        judged: findings
            .spots
            .iter()
            .map(|spot| judged(spot, &wrong, &view))
            .collect(),
        notes: terminal::end(findings, context),
    };
    document.sources = sources(merged, &document, &view);
    document
}

impl SourceView<'_> {
    fn place(&self, site: &Site) -> Place {
        Place {
            file: self.shown_path(&site.file),
            line: site.line,
            column: site.column,
            function: demangle(&site.function),
        }
    }
}

fn what(kind: SpotKind) -> &'static str {
    match kind {
        SpotKind::Output => "output",
        SpotKind::Comparison => "comparison",
        SpotKind::Conversion => "conversion",
    }
}

fn result(spot: &Spot, view: &SourceView) -> WrongResult {
    let [value, other] = spot.values.map(shortest);
    let [exact, other_exact] = damage::exact_values(spot);
    let (computed, exact, right, digits) = match (spot.kind, &spot.printed) {
        (SpotKind::Output, Some(printed)) => (
            printed.text.clone(),
            printed.exact.clone(),
            format!("{} of {}", printed.right, printed.of),
            Some((printed.right, printed.of)),
        ),
        (SpotKind::Output, None) => {
            let digits = phrases::digits(spot.worst_bits, spot.site.kind);
            let right = phrases::right_of_all(spot.worst_bits, spot.site.kind);
            (value, exact, right, Some(digits))
        }
        (SpotKind::Comparison, _) => (
            format!("{value} with {other}"),
            format!("{exact} with {other_exact}"),
            "different branch".to_owned(),
            None,
        ),
        (SpotKind::Conversion, _) => (value, exact, "different integer".to_owned(), None),
    };
    WrongResult {
        place: view.place(&spot.site),
        what: what(spot.kind),
        computed,
        exact,
        right,
        digits,
        executions: (spot.erroneous, spot.executions),
    }
}

fn judged(spot: &Spot, wrong: &[Spot], view: &SourceView) -> Judged {
    let is_same = |other: &&Spot| other.kind == spot.kind && other.site == spot.site;
    let outcome = match wrong.iter().find(is_same) {
        Some(wrong) => Outcome::Wrong(phrases::spot_label(
            wrong,
            wrong.erroneous,
            wrong.worst_bits,
        )),
        None if spot.undecided > 0 => Outcome::Undecided,
        None => Outcome::Right,
    };
    Judged {
        place: view.place(&spot.site),
        what: what(spot.kind),
        outcome,
    }
}

fn finding(one: &project::Finding, merged: &Merged, view: &SourceView) -> Finding {
    let standing = match &one.state {
        project::State::New => Standing::New,
        project::State::Known => Standing::Known,
        project::State::Worse { .. } => Standing::Worse,
        project::State::Accurate(right) => Standing::Ignored(right.sentence()),
        project::State::Ignored { reason } => Standing::Ignored(reason.clone()),
    };
    let seen = one
        .seen_in
        .iter()
        .filter_map(|at| merged.processes.get(*at));
    let common = Finding {
        kind: one.kind(),
        place: view.place(one.site()),
        fingerprint: one.fingerprint.to_string(),
        standing,
        seen_in: seen.map(|process| process.name()).collect(),
        reproduce: merged.reproduce(one),
        ..Finding::default()
    };
    match &one.source {
        FoundSource::Cause(cause) => Finding {
            is_proved: matches!(cause.evidence, Evidence::Proved(_)),
            title: view.title(cause),
            label: causes::label(cause),
            facts: view.facts(cause),
            expression: cause.expression.as_ref().map(infix),
            fix: view.fix(cause),
            path: path(cause, view),
            ..common
        },
        FoundSource::Wrong(spot) => Finding {
            title: phrases::untraced(spot),
            label: phrases::spot_label(spot, spot.erroneous, spot.worst_bits),
            facts: vec![Fact {
                name: "note",
                text: causes::UNTRACED.to_owned(),
            }],
            path: vec![step(
                view.place(&spot.site),
                phrases::spot_label(spot, spot.erroneous, spot.worst_bits),
            )],
            ..common
        },
    }
}

fn step(place: Place, text: String) -> Step {
    Step { place, text }
}

/// Where the error enters, the cause, what amplifies it, and the results that it reaches.
fn path(cause: &RootCause, view: &SourceView) -> Vec<Step> {
    let mut steps = Vec::new();
    let proof = match &cause.evidence {
        Evidence::Proved(proof) => Some(proof),
        Evidence::Suspected => None,
    };
    for source in proof.iter().flat_map(|proof| &proof.sources) {
        let place = Place {
            file: view.shown_path(&source.file),
            line: source.line,
            column: 0,
            function: demangle(&source.function),
        };
        let share = source.share * 100.0;
        steps.push(step(
            place,
            format!("{share:.0} % of the error enters here"),
        ));
    }
    steps.push(step(view.place(&cause.site), causes::label(cause)));
    for amplifier in proof.iter().flat_map(|proof| &proof.amplified_by).take(1) {
        let text = format!("the error is amplified here: {}", phrases::label(amplifier));
        steps.push(step(view.place(&amplifier.site), text));
    }
    let reached = cause.outputs.iter().chain(&cause.decisions);
    for Reached {
        spot,
        times,
        worst_bits,
    } in reached
    {
        let text = phrases::spot_label(spot, *times, *worst_bits);
        steps.push(step(view.place(&spot.site), text));
    }
    steps
}

fn budget(context: &Context, view: &SourceView) -> Vec<Share> {
    let Interventions::Shown(shown) = &context.interventions else {
        return Vec::new();
    };
    let contributions = shown.budget.iter().flat_map(|budget| &budget.contributions);
    let worth = contributions
        .filter(|one| one.share >= NEGLIGIBLE || one.passes.is_some_and(|part| part >= NEGLIGIBLE));
    worth
        .map(|one| {
            let statement = &one.statements[0];
            let largest = one.of.iter().max_by(|a, b| a.1.total_cmp(&b.1));
            let line = (view.source_line)(Path::new(&statement.file), statement.line);
            Share {
                code: line.map(|line| Code {
                    part: underline(&line, statement.column().unwrap_or(0)),
                    line,
                }),
                place: Place {
                    file: view.shown_path(&statement.file),
                    line: statement.line,
                    column: statement.column().unwrap_or(0),
                    function: demangle(&statement.function),
                },
                last_line: one.statements.last().map_or(0, |last| last.line),
                share: one.share,
                passes: one.passes,
                of: largest
                    .and_then(|(key, _)| shown.spots.get(key))
                    .map(|site| view.place(site)),
            }
        })
        .collect()
}

/// The lines around everything that is reported, file by file, with marks.
fn sources(merged: &Merged, document: &Document, view: &SourceView) -> Vec<Source> {
    /// Column, finding and text.
    type Marks = Vec<(u32, Option<usize>, String)>;
    let mut marks: BTreeMap<(String, u32), Marks> = BTreeMap::new();
    let mut add = |site: &Site, index: Option<usize>, label: String| {
        if !site.file.is_empty() && site.line > 0 {
            let at = marks.entry((site.file.clone(), site.line)).or_default();
            if !at.iter().any(|(column, _, _)| *column == site.column) {
                at.push((site.column, index, label));
            }
        }
    };
    for (index, (found, shown)) in merged.findings.iter().zip(&document.findings).enumerate() {
        add(found.site(), Some(index), shown.label.clone());
    }
    for spot in merged.run.wrong_spots() {
        let label = phrases::spot_label(&spot, spot.erroneous, spot.worst_bits);
        add(&spot.site, None, label);
    }
    let mut lines: BTreeMap<&str, BTreeSet<u32>> = BTreeMap::new();
    for (file, line) in marks.keys() {
        let around = line.saturating_sub(AROUND).max(1)..=line.saturating_add(AROUND);
        lines.entry(file).or_default().extend(around);
    }
    let mut sources: Vec<Source> = Vec::new();
    for (file, numbers) in lines {
        let mut last = None;
        for number in numbers {
            let Some(text) = (view.source_line)(Path::new(file), number) else {
                continue;
            };
            if last.is_none_or(|last: u32| last + 1 != number) {
                sources.push(Source {
                    file: view.shown_path(file),
                    lines: Vec::new(),
                });
            }
            last = Some(number);
            let found = marks.get(&(file.to_owned(), number));
            let marks = found.into_iter().flatten().map(|(column, index, label)| {
                let range = underline(&text, *column);
                Mark {
                    from: range.start,
                    to: range.end,
                    finding: *index,
                    label: label.clone(),
                }
            });
            let mut marks: Vec<Mark> = marks.collect();
            marks.sort_by_key(|mark| mark.from);
            if let Some(source) = sources.last_mut() {
                source.lines.push(Line {
                    number,
                    text: text.clone(),
                    marks,
                });
            }
        }
    }
    sources
}
