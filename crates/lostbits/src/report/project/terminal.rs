//! The report on a project for the terminal.

use std::{collections::BTreeSet, fmt::Write};

use anstyle::{AnsiColor, Style};

use crate::{
    explain::Verdict,
    printable::printable,
    project::{Argument, Arguments, Finding, FunctionRow, Merged, State, functions},
    report::{
        SourceLine,
        explain::{self, Context},
        numbers::shortest,
        words::{count, number},
    },
    run,
};

const HEADING: Style = Style::new().bold();
const GOOD: Style = AnsiColor::Green.on_default().bold();
/// Rows of the table by function, and processes and suppressions that are named, unless everything is asked for.
const ROWS: usize = 12;
const NAMED: usize = 3;

/// The report, with colours. `all` names everything.
pub fn terminal(merged: &Merged, all: bool, source_line: SourceLine) -> String {
    let context = Context {
        ended: None,
        unreadable: merged.unreadable,
        base: merged.root.clone(),
        all,
        ..Context::default()
    };
    let others = merged.findings.len() - merged.counted().count();
    let mut text = String::new();
    // A run whose findings are all accepted is not called clean.
    match others > 0 && merged.run.is_clean() {
        true => {
            let _ = writeln!(text, "{GOOD}no new findings{GOOD:#}");
        }
        false => text = explain::terminal(&merged.run, &context, source_line),
    }
    write_seen(&mut text, merged, all);
    write_functions(&mut text, merged, all);
    write_others(&mut text, merged, all);
    write_idle(&mut text, merged);
    write_processes(&mut text, merged);
    text
}

/// Which test showed each finding, and the command that repeats it.
fn write_seen(text: &mut String, merged: &Merged, all: bool) {
    let counted: Vec<&Finding> = merged.counted().collect();
    if counted.is_empty() || merged.processes.is_empty() {
        return;
    }
    let _ = writeln!(text, "\n{HEADING}seen in{HEADING:#}");
    let shown = if all { usize::MAX } else { ROWS };
    let rows = distinct(counted.iter().map(|finding| seen_row(merged, finding)));
    for row in rows.iter().take(shown) {
        text.push_str(row);
    }
    let more = rows.len().saturating_sub(shown) as u64;
    if more > 0 {
        let _ = writeln!(text, "  and {} more (--all)", number(more));
    }
}

/// Operations of one line (real and imaginary parts, copies of an inlined function) have the same row: it is shown once.
fn distinct(rows: impl Iterator<Item = String>) -> Vec<String> {
    let mut seen = BTreeSet::new();
    rows.filter(|row| seen.insert(row.clone())).collect()
}

fn seen_row(merged: &Merged, finding: &Finding) -> String {
    let names: Vec<String> = finding
        .seen_in
        .iter()
        .take(NAMED)
        .map(|at| printable(&merged.processes[*at].name()).into_owned())
        .collect();
    let more = finding.seen_in.len().saturating_sub(NAMED) as u64;
    let names = match (names.is_empty(), more) {
        (true, _) => "only several processes together".to_owned(),
        (false, 0) => names.join(", "),
        (false, more) => format!("{} and {more} more", names.join(", ")),
    };
    let mut text = format!("  {}: {names}\n", place(merged, finding));
    if let State::Worse { before } = finding.state {
        let _ = writeln!(
            text,
            "    worse than in the baseline: {} bits lost, {} before",
            shortest((finding.bits() * 10.0).round() / 10.0),
            shortest(before)
        );
    }
    if let Some(command) = merged.reproduce(finding) {
        let _ = writeln!(text, "    repeat it: {}", printable(&command));
    }
    text
}

fn place(merged: &Merged, finding: &Finding) -> String {
    let site = finding.site();
    let file = printable(merged.shown_path(&site.file)).into_owned();
    match file.as_str() {
        "" => format!("(unknown line) {}", finding.kind()),
        file => format!("{file}:{} {}", site.line, finding.kind()),
    }
}

fn write_functions(text: &mut String, merged: &Merged, all: bool) {
    let rows = functions(&merged.run);
    if rows.is_empty() {
        return;
    }
    let shown = if all {
        rows.len()
    } else {
        ROWS.min(rows.len())
    };
    let header = [
        "function",
        "calls",
        "wrong",
        "worst result",
        "exact",
        "lost bits",
        "made itself",
        "called with",
    ];
    let mut table = vec![header.map(str::to_owned)];
    table.extend(rows[..shown].iter().map(row));
    let width = |column: usize| {
        let cells = table.iter().map(|row| row[column].chars().count());
        cells.max().unwrap_or(0)
    };
    let widths: Vec<usize> = (0..header.len()).map(width).collect();
    let _ = writeln!(text, "\n{HEADING}results of functions{HEADING:#}");
    for row in &table {
        let cells: Vec<String> = row
            .iter()
            .zip(&widths)
            .map(|(cell, width)| format!("{cell:width$}"))
            .collect();
        let _ = writeln!(text, "  {}", cells.join("  ").trim_end());
    }
    if rows.len() > shown {
        let more = (rows.len() - shown) as u64;
        let _ = writeln!(
            text,
            "  and {} (--all)",
            count(more, "more function", "more functions")
        );
    }
}

fn row(row: &FunctionRow) -> [String; 8] {
    let exact = match row.exact.is_nan() {
        true => "unknown".to_owned(),
        false => shortest(row.exact),
    };
    let (returned, exact, arguments) = match row.worst_bits > 0.0 {
        true => (shortest(row.returned), exact, called_with(&row.arguments)),
        false => Default::default(),
    };
    let own = match &row.own {
        Some(own) => bits(own.worst_bits),
        None => "unknown".to_owned(),
    };
    [
        printable(&row.function).into_owned(),
        number(row.calls),
        number(row.wrong),
        returned,
        exact,
        bits(row.worst_bits),
        own,
        arguments,
    ]
}

/// A NaN instead of a number lost more than there are.
fn bits(lost: f64) -> String {
    if lost >= f64::from(f64::MANTISSA_DIGITS) {
        return "all".to_owned();
    }
    shortest((lost * 10.0).round() / 10.0)
}

/// `x = 1e-8, y = 2 (error 3e-17)`.
fn called_with(arguments: &Arguments) -> String {
    let one = |argument: &Argument| {
        let name = match argument.name.as_str() {
            "" => String::new(),
            name => format!("{} = ", printable(name)),
        };
        let error = match argument.error {
            0.0 => String::new(),
            error => format!(" (error {error:.0e})"),
        };
        format!("{name}{}{error}", shortest(argument.value))
    };
    let shown = arguments.numbers.iter().map(one);
    let others = arguments.has_others.then(|| "…".to_owned());
    shown.chain(others).collect::<Vec<String>>().join(", ")
}

/// Findings that do not count, and why.
fn write_others(text: &mut String, merged: &Merged, all: bool) {
    let others: Vec<&Finding> = merged
        .findings
        .iter()
        .filter(|one| !one.state.counts())
        .collect();
    if others.is_empty() {
        return;
    }
    let _ = writeln!(
        text,
        "\n{} not counted:",
        count(others.len() as u64, "finding is", "findings are")
    );
    let shown = if all { usize::MAX } else { ROWS };
    for finding in others.iter().take(shown) {
        let why = match &finding.state {
            State::Ignored { reason } => format!("ignored: {}", printable(reason)),
            State::Accurate(right) => right.sentence(),
            _ => "in the baseline".to_owned(),
        };
        let _ = writeln!(text, "  {}: {why}", place(merged, finding));
    }
    let more = others.len().saturating_sub(shown) as u64;
    if more > 0 {
        let _ = writeln!(text, "  and {} (--all)", count(more, "more", "more"));
    }
}

/// Suppressions without effect.
fn write_idle(text: &mut String, merged: &Merged) {
    for one in &merged.suppressions {
        let place = match one.line {
            Some(line) => format!("{}:{line}", one.file),
            None => one.file.clone(),
        };
        let why = match one.has_expired {
            true => "has expired",
            false => "suppresses nothing: remove it",
        };
        let _ = writeln!(
            text,
            "{}: `{}` {why}",
            printable(&place),
            printable(&one.text)
        );
    }
}

/// What ran, and how the command ended.
fn write_processes(text: &mut String, merged: &Merged) {
    let _ = write!(
        text,
        "\n{} analysed",
        count(merged.processes.len() as u64, "process", "processes")
    );
    if let Some(ran) = &merged.ran {
        let words: Vec<String> = ran
            .command
            .iter()
            .map(|word| crate::printable::quoted(word))
            .collect();
        let command = words.join(" ");
        let _ = match run::exit_code(ran.status) {
            0 => write!(text, "; `{}` succeeded", printable(&command)),
            code => write!(
                text,
                "; `{}` failed with exit code {code}",
                printable(&command)
            ),
        };
    }
    text.push('\n');
    if let Verdict::NothingJudged(_) = merged.verdict() {
        text.push_str("nothing was judged: this says nothing about the accuracy of the program\n");
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn rows_are_shown_once_in_order() {
        let rows = ["b", "a", "b", "c", "a"].map(str::to_owned);
        assert_eq!(super::distinct(rows.into_iter()), ["b", "a", "c"]);
    }
}
