//! The report for people: each decision with its line, as compilers show their warnings.

use std::{
    collections::BTreeMap,
    fmt::{self, Write},
};

use annotate_snippets::{Group, Level, Renderer};
use anstyle::{AnsiColor, Style};

use super::{Context, phrases, rerun};
use crate::{
    report::{
        drawing::{Page, SourceLine, note},
        unseen::{self, Unseen},
        words::{count, ending, inside, times},
    },
    watch::findings::{Decision, Findings, Inflation},
};

/// Decisions shown before the rest is only counted, and origins shown of each.
const DECISIONS: usize = 20;
const ORIGINS: usize = 3;
/// Steps shown of an error's way.
const STEPS: usize = 8;

const GOOD: Style = AnsiColor::Green.on_default().bold();
const ALARM: Style = AnsiColor::Yellow.on_default().bold();

/// The report, with colours; print it through `anstream`, which takes them out where nobody sees
/// them.
pub fn terminal(findings: &Findings, context: &Context, source_line: SourceLine) -> String {
    let page = Page {
        base: &context.base,
        source_line,
    };
    let mut text = String::new();
    for decision in findings.unstable.iter().take(DECISIONS) {
        let verdict = rerun::verdict(decision, context.rerun.as_ref());
        text += &Renderer::styled().render(&page.decision(decision, verdict));
        text += "\n\n";
    }
    write_closing(&mut text, findings, context, &page).expect("a string takes all");
    text
}

impl Page<'_> {
    fn decision(&self, decision: &Decision, verdict: String) -> Vec<Group<'static>> {
        let site = &decision.site;
        let closeness = phrases::closeness(decision);
        let (label, also) = match decision.inflated {
            true => (
                "decides on an inflated error".to_owned(),
                closeness.filter(|_| phrases::is_close(decision)),
            ),
            false => (closeness.unwrap_or_default(), None),
        };
        let operands = phrases::operands(site, decision.op, decision.operands, decision.times);
        let title = Level::WARNING.primary_title(phrases::headline(decision));
        let notes = [operands, also, Some(verdict)];
        let group = title.elements(self.place(site, label));
        let mut groups = vec![group.elements(notes.into_iter().flatten().map(note))];
        groups.extend(self.origins(decision));
        groups.extend(self.way(decision));
        groups
    }

    fn origins(&self, decision: &Decision) -> Vec<Group<'static>> {
        let origins = &decision.origins;
        let mut groups: Vec<Group> = origins
            .iter()
            .take(ORIGINS)
            .enumerate()
            .map(|(index, origin)| self.origin(origin, index, origins.len()))
            .collect();
        let more = origins.len().saturating_sub(ORIGINS) as u64;
        if more > 0 {
            let text = format!("or at one of {}", count(more, "more place", "more places"));
            groups.push(Group::with_title(Level::NOTE.secondary_title(text)));
        }
        if decision.inflated && origins.is_empty() {
            let text = "where the error was inflated is not in the record";
            groups.push(Group::with_title(Level::NOTE.secondary_title(text)));
        }
        groups
    }

    /// What lies between the origin and the decision; nothing if there is nothing between them.
    fn way(&self, decision: &Decision) -> Option<Group<'static>> {
        let [origin, between @ .., _] = &decision.way[..] else {
            return None;
        };
        let from = match (origin.site.file.as_str(), origin.site.line) {
            ("", _) | (_, 0) => String::new(),
            (_, line) => format!(" from line {line}"),
        };
        let more = between.len().saturating_sub(STEPS) as u64;
        let mut title = format!("it came{from} to the decision through");
        if more > 0 {
            title += &format!(
                " (and {})",
                count(more, "more operation", "more operations")
            );
        }
        let group = Level::NOTE.secondary_title(title);
        let shown = between.iter().take(STEPS);
        let steps = shown.flat_map(|step| self.place(&step.site, step.op.name().to_owned()));
        (!between.is_empty()).then(|| group.elements(steps))
    }

    fn origin(&self, origin: &Inflation, index: usize, all: usize) -> Group<'static> {
        let began = match (index, all) {
            (0, 1) => "the error was inflated here",
            (0, _) => "the error was inflated at one of these places: here",
            _ => "or here",
        };
        let site = &origin.site;
        let times = times(origin.times);
        let title = format!("{began}{}, {times}", inside(site));
        let label = phrases::growth_in_words(origin);
        let group = Level::NOTE
            .secondary_title(title)
            .elements(self.place(site, label));
        let operands = phrases::operands(site, origin.op, origin.operands, origin.times);
        group.elements(operands.map(note))
    }
}

fn write_closing(
    text: &mut String,
    findings: &Findings,
    context: &Context,
    page: &Page,
) -> fmt::Result {
    let more = findings.unstable.len().saturating_sub(DECISIONS) as u64;
    if more > 0 {
        writeln!(
            text,
            "and {}",
            count(more, "more decision", "more decisions")
        )?;
    }
    let agrees = context
        .rerun
        .as_ref()
        .is_some_and(|rerun| rerun.agrees(findings));
    write_verdict(text, findings, agrees)?;
    if let Some(rerun) = &context.rerun {
        rerun::write(text, findings, rerun, page)?;
    }
    write_suppressed(text, findings)?;
    let unseen = Unseen {
        other_modules: findings.modules_of_other_modes,
        unreadable: context.unreadable,
        more: Vec::new(),
    };
    unseen::write(text, &findings.summary, &unseen)?;
    text.push_str(&context.ended.map(ending).unwrap_or_default());
    Ok(())
}

fn write_verdict(text: &mut String, findings: &Findings, refuted: bool) -> fmt::Result {
    if findings.is_stable() {
        let inflations = match findings.inflations as u64 {
            0 => "no error was inflated".to_owned(),
            sites => format!(
                "errors were inflated at {}, none reached a decision",
                count(sites, "place", "places")
            ),
        };
        return writeln!(
            text,
            "{GOOD}stable{GOOD:#}: no decision depended on an inflated error ({inflations})"
        );
    }
    let all = findings
        .unstable
        .iter()
        .map(|decision| decision.times)
        .sum();
    let decisions = count(
        findings.unstable.len() as u64,
        "place where a decision is",
        "places where decisions are",
    );
    let verdict = match refuted {
        true => "flagged",
        false => "unstable",
    };
    writeln!(
        text,
        "{ALARM}{verdict}{ALARM:#}: {decisions} not to be trusted, {} in this run",
        times(all),
    )
}

fn write_suppressed(text: &mut String, findings: &Findings) -> fmt::Result {
    if findings.suppressed.is_empty() {
        return Ok(());
    }
    let mut by_reason: BTreeMap<&str, (u64, u64)> = BTreeMap::new();
    for entry in &findings.suppressed {
        let (places, times) = by_reason.entry(&entry.reason).or_default();
        *places += 1;
        *times = times.saturating_add(entry.times);
    }
    let words: Vec<String> = by_reason
        .into_iter()
        .map(|(reason, (places, times))| {
            let decisions = count(places, "decision", "decisions");
            format!("{decisions}, {}, {reason}", self::times(times))
        })
        .collect();
    writeln!(text, "suppressed: {}", words.join("; "))
}
