//! The part of the report on the run in high precision: which decisions went otherwise, and both outputs
//! side by side.

use std::fmt::{self, Write};

use anstyle::{AnsiColor, Style};

use super::phrases;
use crate::{
    report::{
        drawing::Page,
        words::{count, ending, inside, place, times},
    },
    watch::{
        findings::{Decision, Findings},
        rerun::{Changed, Comparison, Rerun, Row, Verdict},
    },
};

/// Lines of output shown of each stream, lines around a difference, and the widest column.
const LINES: usize = 40;
const AROUND: usize = 1;
const WIDEST: usize = 60;
/// Decisions shown that were not foreseen.
const UNFORESEEN: usize = 10;

const CHANGED: Style = AnsiColor::Yellow.on_default().bold();
const GOOD: Style = AnsiColor::Green.on_default().bold();

/// What is known about a decision from a second run.
pub fn verdict(decision: &Decision, rerun: Option<&Rerun>) -> String {
    let Some(rerun) = rerun else {
        return "unconfirmed: --rerun shows whether it decides otherwise in higher precision"
            .to_owned();
    };
    let bits = rerun.precision;
    match rerun.verdict(decision) {
        Verdict::Otherwise(often) => {
            format!(
                "confirmed: with {bits} bits it decides otherwise, {}",
                times(often)
            )
        }
        Verdict::Same => format!("with {bits} bits it decides the same"),
        Verdict::NotReached => {
            format!("unconfirmed: the run with {bits} bits did not come here")
        }
    }
}

pub fn write(text: &mut String, findings: &Findings, rerun: &Rerun, page: &Page) -> fmt::Result {
    let bits = rerun.precision;
    let confirmed = |decision: &&Decision| matches!(rerun.verdict(decision), Verdict::Otherwise(_));
    let number = findings.unstable.iter().filter(confirmed).count() as u64;
    match rerun.agrees(findings) {
        true => writeln!(
            text,
            "{GOOD}stable after all{GOOD:#}: with {bits} bits the program decides the same everywhere"
        )?,
        false => writeln!(
            text,
            "run again with {bits} bits: {} confirmed",
            match number {
                0 => "none of these decisions is".to_owned(),
                _ => count(number, "of these decisions is", "of these decisions are"),
            }
        )?,
    }
    write_unforeseen(text, rerun, page)?;
    write_outputs(text, rerun)?;
    if !rerun.ended.success() {
        write!(text, "with {bits} bits, {}", ending(rerun.ended))?;
    }
    Ok(())
}

fn write_unforeseen(text: &mut String, rerun: &Rerun, page: &Page) -> fmt::Result {
    let all: Vec<&Changed> = rerun.unforeseen().collect();
    if all.is_empty() {
        return Ok(());
    }
    writeln!(
        text,
        "decided otherwise too, without having been flagged in the first run:"
    )?;
    for changed in all.iter().take(UNFORESEEN) {
        let mut site = changed.site.clone();
        site.file = page.shown_path(&site.file);
        writeln!(
            text,
            "  {}: {}{}, {}",
            place(&site),
            phrases::subject(changed.op),
            inside(&site),
            times(changed.times)
        )?;
    }
    let more = all.len().saturating_sub(UNFORESEEN) as u64;
    if more > 0 {
        writeln!(text, "  and {}", count(more, "more place", "more places"))?;
    }
    Ok(())
}

fn write_outputs(text: &mut String, rerun: &Rerun) -> fmt::Result {
    if rerun.outputs.iter().all(Comparison::is_same) {
        return writeln!(text, "both runs print the same");
    }
    for (name, comparison) in ["output", "errors"].into_iter().zip(&rerun.outputs) {
        if !comparison.is_same() {
            write_side_by_side(text, name, comparison, rerun.precision)?;
        }
    }
    writeln!(
        text,
        "the result is what the run with {} bits prints",
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
        .map(|at| cells(&comparison.rows[*at]).left.chars().count());
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

/// Differences with what is around them; where there is room, what is only rounded otherwise too.
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
    let line: String = line.replace('\t', "    ");
    match line.chars().count() > WIDEST {
        true => line.chars().take(WIDEST - 1).chain(['…']).collect(),
        false => line,
    }
}
