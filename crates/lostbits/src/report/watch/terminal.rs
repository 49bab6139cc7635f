//! The report for the terminal: each decision with its line, the way compilers show warnings.

use std::{
    collections::BTreeMap,
    fmt::{self, Write},
};

use annotate_snippets::{Group, Level, Renderer};
use anstyle::{AnsiColor, Style};

use super::{Context, Verdict, phrases, rerun};
use crate::{
    printable::printable,
    report::{
        snippets::{SourceLine, SourceView, note},
        untracked::{self, Untracked},
        words::{count, ending, executions, in_function},
    },
    watch::findings::{Decision, Findings, Inflation},
};

/// Decisions that are shown, and origins of each; the rest is only counted.
const DECISIONS: usize = 20;
const ORIGINS: usize = 3;
/// Operations shown of an error path.
const STEPS: usize = 8;

const GOOD: Style = AnsiColor::Green.on_default().bold();
const ALARM: Style = AnsiColor::Yellow.on_default().bold();

/// The report, with colours; print it through `anstream`, which removes them where they are not
/// wanted.
pub fn terminal(findings: &Findings, context: &Context, source_line: SourceLine) -> String {
    let view = SourceView {
        base: &context.base,
        source_line,
        crowded: Default::default(),
        command: None,
    };
    let mut text = String::new();
    for decision in findings.unstable.iter().take(DECISIONS) {
        let verdict = rerun::verdict(decision, context.rerun.as_ref());
        text += &Renderer::styled().render(&view.decision(decision, verdict));
        text += "\n\n";
    }
    write_closing(&mut text, findings, context, &view).expect("writing to a string cannot fail");
    text
}

impl SourceView<'_> {
    fn decision(&self, decision: &Decision, verdict: String) -> Vec<Group<'static>> {
        let site = &decision.site;
        let closeness = phrases::closeness(decision);
        let (label, also) = match decision.inflated {
            true => (
                "depends on an amplified error".to_owned(),
                closeness.filter(|_| phrases::is_close(decision)),
            ),
            false => (closeness.unwrap_or_default(), None),
        };
        let operands = phrases::operands(site, decision.op, decision.operands, decision.times);
        let title = Level::WARNING.primary_title(phrases::headline(decision));
        let notes = [Some(verdict), operands, also];
        let group = title.elements(self.location(site, label));
        let mut groups = vec![group.elements(notes.into_iter().flatten().map(note))];
        groups.extend(self.origins(decision));
        groups.extend(self.error_path(decision));
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
            let text = format!("or at {}", count(more, "more location", "more locations"));
            groups.push(Group::with_title(Level::NOTE.secondary_title(text)));
        }
        if decision.inflated && origins.is_empty() {
            let text = "the record does not say where the error was amplified";
            groups.push(Group::with_title(Level::NOTE.secondary_title(text)));
        }
        groups
    }

    /// The operations between the origin and the decision; nothing if there are none.
    fn error_path(&self, decision: &Decision) -> Option<Group<'static>> {
        let [origin, between @ .., _] = &decision.error_path[..] else {
            return None;
        };
        let from = match (origin.site.file.as_str(), origin.site.line) {
            ("", _) | (_, 0) => String::new(),
            (_, line) => format!(" from line {line}"),
        };
        let more = match between.len().saturating_sub(STEPS) as u64 {
            0 => String::new(),
            more => format!(
                " ({} not shown)",
                count(more, "more operation", "more operations")
            ),
        };
        let title = format!("error path{from} to the decision{more}");
        let group = Level::NOTE.secondary_title(title);
        let shown = between.iter().take(STEPS);
        let steps = shown.flat_map(|step| self.location(&step.site, step.op.name().to_owned()));
        (!between.is_empty()).then(|| group.elements(steps))
    }

    fn origin(&self, origin: &Inflation, index: usize, all: usize) -> Group<'static> {
        let here = match (index, all) {
            (0, 1) => "the error is amplified here",
            (0, _) => "the error is amplified here or at one of the next locations",
            _ => "or here",
        };
        let site = &origin.site;
        let times = executions(origin.times);
        let title = format!("{here}{} ({times})", in_function(site));
        let label = phrases::growth_in_words(origin);
        let group = Level::NOTE
            .secondary_title(title)
            .elements(self.location(site, label));
        let operands = phrases::operands(site, origin.op, origin.operands, origin.times);
        group.elements(operands.map(note))
    }
}

/// What was checked and what was not, line by line, the verdict first.
pub fn closing(findings: &Findings, context: &Context, source_line: SourceLine) -> Vec<String> {
    let view = SourceView {
        base: &context.base,
        source_line,
        crowded: Default::default(),
        command: None,
    };
    let mut text = String::new();
    write_closing(&mut text, findings, context, &view).expect("writing to a string cannot fail");
    let plain = anstream::adapter::strip_str(&text).to_string();
    plain.lines().map(str::to_owned).collect()
}

fn write_closing(
    text: &mut String,
    findings: &Findings,
    context: &Context,
    view: &SourceView,
) -> fmt::Result {
    let more = findings.unstable.len().saturating_sub(DECISIONS) as u64;
    if more > 0 {
        let more = count(more, "more decision", "more decisions");
        writeln!(text, "and {more} (--format json lists all)")?;
    }
    let is_cleared = context.is_cleared(findings);
    write_verdict(text, findings, context, is_cleared)?;
    if let Some(rerun) = &context.rerun {
        rerun::write(text, findings, rerun, view, is_cleared)?;
    }
    write_suppressed(text, findings)?;
    let untracked = Untracked {
        other_modules: findings.modules_of_other_modes,
        unreadable: context.unreadable,
        more: Vec::new(),
    };
    untracked::write(text, &findings.summary, &untracked)?;
    text.push_str(&context.ended.map(ending).unwrap_or_default());
    Ok(())
}

fn write_verdict(
    text: &mut String,
    findings: &Findings,
    context: &Context,
    refuted: bool,
) -> fmt::Result {
    if findings.is_stable() {
        let amplified = match findings.inflations as u64 {
            0 => String::new(),
            sites => format!(
                " ({}, but none reaches a decision)",
                count(
                    sites,
                    "operation amplifies errors",
                    "operations amplify errors"
                )
            ),
        };
        return match context.verdict(findings) {
            Verdict::Incomplete => writeln!(
                text,
                "{ALARM}incomplete{ALARM:#}: no decision depended on an amplified error before the program ended{amplified}"
            ),
            Verdict::NothingJudged => writeln!(
                text,
                "{ALARM}nothing to judge{ALARM:#}: the program executed no comparison, conversion or rounding of \
                 floating-point numbers in code that lostbits compiled{amplified}"
            ),
            Verdict::Stable | Verdict::Unstable => writeln!(
                text,
                "{GOOD}stable{GOOD:#}: no decision depends on an amplified error{amplified}"
            ),
        };
    }
    let times = findings
        .unstable
        .iter()
        .map(|decision| decision.times)
        .fold(0, u64::saturating_add);
    let decisions = count(findings.unstable.len() as u64, "decision", "decisions");
    let times = executions(times);
    match refuted {
        true => writeln!(text, "{ALARM}flagged{ALARM:#}: {decisions} ({times})"),
        false => writeln!(
            text,
            "{ALARM}unstable{ALARM:#}: {decisions} may be wrong ({times})"
        ),
    }
}

fn write_suppressed(text: &mut String, findings: &Findings) -> fmt::Result {
    if findings.suppressed.is_empty() {
        return Ok(());
    }
    let mut by_reason: BTreeMap<&str, (u64, u64)> = BTreeMap::new();
    for entry in &findings.suppressed {
        let (sites, times) = by_reason.entry(&entry.reason).or_default();
        *sites += 1;
        *times = times.saturating_add(entry.times);
    }
    let words: Vec<String> = by_reason
        .into_iter()
        .map(|(reason, (sites, times))| {
            let decisions = count(sites, "decision", "decisions");
            format!("{decisions} ({}): {}", executions(times), printable(reason))
        })
        .collect();
    writeln!(text, "suppressed: {}", words.join("; "))
}
