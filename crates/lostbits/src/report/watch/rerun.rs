//! The part of the report on the run in high precision: which decisions differ, and both outputs side by
//! side.

use std::fmt::{self, Write};

use anstyle::{AnsiColor, Style};

use super::phrases;
use crate::{
    printable::printable,
    report::{
        snippets::SourceView,
        words::{count, ending, executions, in_function, location},
    },
    run::{Comparison, Row},
    watch::{
        findings::{Decision, Findings},
        rerun::{Changed, Rerun, Verdict},
    },
};

/// Lines of output shown of each stream, lines around a difference, and the widest column.
const LINES: usize = 40;
const AROUND: usize = 1;
const WIDEST: usize = 60;
/// Decisions shown that the first run did not flag.
const UNFLAGGED: usize = 10;

const CHANGED: Style = AnsiColor::Yellow.on_default().bold();
const GOOD: Style = AnsiColor::Green.on_default().bold();

/// What a second run says about a decision.
pub fn verdict(decision: &Decision, rerun: Option<&Rerun>) -> String {
    let Some(rerun) = rerun else {
        return "unconfirmed: add --rerun to check it in high precision".to_owned();
    };
    let bits = rerun.precision;
    match rerun.verdict(decision) {
        Verdict::Otherwise(times) => format!(
            "confirmed: {} with {bits} bits ({})",
            phrases::differs(decision.op),
            executions(times)
        ),
        Verdict::Same => format!("refuted: the decision is the same with {bits} bits"),
        Verdict::NotReached => format!("unconfirmed: the run with {bits} bits did not reach it"),
    }
}

pub fn write(
    text: &mut String,
    findings: &Findings,
    rerun: &Rerun,
    view: &SourceView,
    is_cleared: bool,
) -> fmt::Result {
    let bits = rerun.precision;
    let confirmed = |decision: &&Decision| matches!(rerun.verdict(decision), Verdict::Otherwise(_));
    let number = findings.unstable.iter().filter(confirmed).count() as u64;
    match is_cleared {
        true => writeln!(
            text,
            "{GOOD}stable after all{GOOD:#}: every decision is the same with {bits} bits"
        )?,
        false => writeln!(
            text,
            "rerun with {bits} bits: {number} of {} confirmed",
            count(findings.unstable.len() as u64, "decision", "decisions")
        )?,
    }
    write_unflagged(text, rerun, view)?;
    write_outputs(text, rerun)?;
    if !rerun.ended.success() {
        write!(text, "with {bits} bits, {}", ending(rerun.ended))?;
    }
    Ok(())
}

fn write_unflagged(text: &mut String, rerun: &Rerun, view: &SourceView) -> fmt::Result {
    let all: Vec<&Changed> = rerun.unforeseen().collect();
    if all.is_empty() {
        return Ok(());
    }
    writeln!(
        text,
        "these decisions also differ with {} bits, but the first run did not flag them (a lower --tau-c may):",
        rerun.precision
    )?;
    for changed in all.iter().take(UNFLAGGED) {
        let mut site = changed.site.clone();
        site.file = view.shown_path(&site.file);
        writeln!(
            text,
            "  {}: {}{} ({})",
            location(&site),
            phrases::subject(changed.op),
            in_function(&site),
            executions(changed.times)
        )?;
    }
    let more = all.len().saturating_sub(UNFLAGGED) as u64;
    if more > 0 {
        let more = count(more, "more location", "more locations");
        writeln!(text, "  and {more} (--format json lists all)")?;
    }
    Ok(())
}

fn write_outputs(text: &mut String, rerun: &Rerun) -> fmt::Result {
    if rerun.outputs.iter().all(Comparison::is_same) {
        return writeln!(text, "both runs print the same");
    }
    for (name, comparison) in ["stdout", "stderr"].into_iter().zip(&rerun.outputs) {
        if !comparison.is_same() {
            write_side_by_side(text, name, comparison, rerun.precision)?;
        }
    }
    writeln!(
        text,
        "the output shown is that of the run with {} bits",
        rerun.precision
    )
}

/// Cells and the mark between them.
struct Cells<'a> {
    left: &'a str,
    mark: &'static str,
    right: &'a str,
}

fn cells(row: &Row) -> Cells<'_> {
    let (left, mark, right) = match row {
        Row::Same(line) => (line.as_str(), "|", line.as_str()),
        Row::Close([left, right]) => (left.as_str(), "≈", right.as_str()),
        Row::Differs([left, right]) => (left.as_str(), "≠", right.as_str()),
        Row::OnlyFirst(left) => (left.as_str(), "<", ""),
        Row::OnlySecond(right) => ("", ">", right.as_str()),
    };
    Cells { left, mark, right }
}

fn write_side_by_side(
    text: &mut String,
    name: &str,
    comparison: &Comparison,
    bits: u32,
) -> fmt::Result {
    let shown = shown_rows(&comparison.rows);
    let heading = [format!("{name} of this run"), format!("with {bits} bits")];
    let widths = shown
        .iter()
        .map(|at| cut(cells(&comparison.rows[*at]).left).chars().count());
    let width = widths
        .chain([heading[0].len()])
        .max()
        .unwrap_or(0)
        .min(WIDEST);
    writeln!(text, "  {:<width$} | {}", heading[0], heading[1])?;
    let mut last = None;
    for at in &shown {
        if at.checked_sub(1) != last && *at > 0 {
            writeln!(text, "  {:<width$} |", "…")?;
        }
        last = Some(*at);
        let Cells { left, mark, right } = cells(&comparison.rows[*at]);
        let (left, right) = (cut(left), cut(right));
        let style = if mark == "≠" || mark == "<" || mark == ">" {
            CHANGED
        } else {
            Style::new()
        };
        let line = format!("  {left:<width$} {style}{mark}{style:#} {right}");
        writeln!(text, "{}", line.trim_end())?;
    }
    let hidden = comparison.rows.len() - shown.len();
    if hidden > 0 {
        writeln!(
            text,
            "  ({} not shown)",
            count(hidden as u64, "line", "lines")
        )?;
    }
    Ok(())
}

/// Lines that differ with the lines around them; where there is room, lines that only round differently too.
fn shown_rows(rows: &[Row]) -> Vec<usize> {
    let around = |wanted: &dyn Fn(&Row) -> bool| -> Vec<usize> {
        let near = |at: &usize| {
            let from = at.saturating_sub(AROUND);
            let to = (at + AROUND + 1).min(rows.len());
            rows[from..to].iter().any(wanted)
        };
        (0..rows.len()).filter(near).take(LINES).collect()
    };
    let differs = |row: &Row| !matches!(row, Row::Same(_) | Row::Close(_));
    let shown = around(&differs);
    let with_close = around(&|row| !matches!(row, Row::Same(_)));
    match rows.len() <= LINES {
        true => (0..rows.len()).collect(),
        false if shown.is_empty() || with_close.len() < LINES => with_close,
        false => shown,
    }
}

fn cut(line: &str) -> String {
    let line = line.replace('\t', "    ");
    let line = printable(&line).into_owned();
    match line.chars().count() > WIDEST {
        true => line.chars().take(WIDEST - 1).chain(['…']).collect(),
        false => line,
    }
}
