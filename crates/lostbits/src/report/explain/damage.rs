//! The damage, which comes first in a report: which results are wrong, and by how much.

use std::collections::{BTreeMap, BTreeSet};

use lostbits_abi::explain::SpotKind;

use super::phrases;
use crate::{
    explain::{Findings, Spot, no_number},
    report::{
        numbers::{exactly, shortest},
        snippets::SourceView,
        words::{count, executions, number},
    },
};

/// `2 of 9 outputs are wrong; 1 comparison takes a different branch in exact arithmetic`.
pub fn headline(findings: &Findings, wrong: &[Spot]) -> String {
    let of = |kind: SpotKind| wrong.iter().filter(|spot| spot.kind == kind).count() as u64;
    let outputs = of(SpotKind::Output);
    let all = findings.totals.outputs.sites.max(outputs);
    let decisions = |found: u64, one: &str, many: &str, verb: [&str; 2], what: &str| {
        let verb = verb[usize::from(found != 1)];
        format!("{} {verb} {what}", count(found, one, many))
    };
    let parts = [
        (outputs > 0).then(|| match (outputs, all) {
            (1, 1) => "the output is wrong".to_owned(),
            (wrong, all) if wrong == all => format!("all {} outputs are wrong", number(all)),
            (1, all) => format!("1 of {} outputs is wrong", number(all)),
            (wrong, all) => format!("{} of {} outputs are wrong", number(wrong), number(all)),
        }),
        Some(of(SpotKind::Comparison))
            .filter(|found| *found > 0)
            .map(|found| {
                decisions(
                    found,
                    "comparison",
                    "comparisons",
                    ["takes", "take"],
                    "a different branch in exact arithmetic",
                )
            }),
        Some(of(SpotKind::Conversion))
            .filter(|found| *found > 0)
            .map(|found| {
                decisions(
                    found,
                    "conversion",
                    "conversions",
                    ["gives", "give"],
                    "a different integer in exact arithmetic",
                )
            }),
    ];
    let parts: Vec<String> = parts.into_iter().flatten().collect();
    parts.join("; ")
}

/// The lines on which several outputs are wrong that their numbers tell apart; parts of a stream have the same number.
pub fn crowded(wrong: &[Spot]) -> BTreeSet<(String, u32)> {
    let mut lines: BTreeMap<(String, u32), Vec<&str>> = BTreeMap::new();
    for spot in wrong.iter().filter(|spot| spot.kind == SpotKind::Output) {
        let line = (spot.site.file.clone(), spot.site.line);
        lines.entry(line).or_default().push(&spot.site.callee);
    }
    lines.retain(|_, callees| callees.len() > 1 && are_distinct(callees));
    lines.into_keys().collect()
}

fn are_distinct(texts: &[&str]) -> bool {
    texts.iter().collect::<BTreeSet<_>>().len() == texts.len()
}

/// A line for each wrong result, at most `most` of them, in columns.
pub fn table(wrong: &[Spot], view: &SourceView, most: usize) -> String {
    let are_printed = wrong.iter().all(|spot| spot.printed.is_some());
    let computed = if are_printed { "printed" } else { "computed" };
    let header = ["where", computed, "exact", "right digits"].map(str::to_owned);
    let rows: Vec<[String; 4]> = wrong
        .iter()
        .take(most)
        .map(|spot| row(spot, view))
        .collect();
    let shown: Vec<&[String; 4]> = std::iter::once(&header).chain(&rows).collect();
    let width = |column: usize| {
        let cells = shown.iter().map(|row| row[column].chars().count());
        cells.max().unwrap_or(0)
    };
    let widths: Vec<usize> = (0..3).map(width).collect();
    let mut text = String::new();
    for [place, computed, exact, digits] in shown {
        let line = format!(
            "  {place:0$}  {computed:1$}  {exact:2$}  {digits}",
            widths[0], widths[1], widths[2]
        );
        text += line.trim_end();
        text.push('\n');
    }
    let more = wrong.len().saturating_sub(rows.len()) as u64;
    if more > 0 {
        text += &format!("  and {} (--all)\n", count(more, "more", "more"));
    }
    text
}

/// The exact values of an output, or of the operands of a decision, as texts.
pub fn exact_values(spot: &Spot) -> [String; 2] {
    std::array::from_fn(|at| match &spot.reals[at] {
        real if real.nearest.is_nan() => no_number(spot.values[at]).to_owned(),
        real => exactly(real),
    })
}

fn row(spot: &Spot, view: &SourceView) -> [String; 4] {
    let boxed = spot
        .python
        .first()
        .filter(|_| spot.site.callee.starts_with("Py"));
    let place = match spot.site.file.as_str() {
        // The library that made the number Python's says nothing to the user.
        _ if boxed.is_some() => {
            boxed.map_or(String::new(), |call| view.python_line(&call.lines[0]))
        }
        "" => "(unknown line)".to_owned(),
        _ => view.result(&spot.site),
    };
    let often = match (spot.erroneous, spot.executions) {
        (1, 1) => String::new(),
        (wrong, all) => format!(" ({} of {})", number(wrong), executions(all)),
    };
    let [value, other] = spot.values.map(shortest);
    let [exact, other_exact] = exact_values(spot);
    match spot.kind {
        SpotKind::Output => match &spot.printed {
            Some(printed) => {
                let digits = format!("{} of {}{often}", printed.right, printed.of);
                [place, printed.text.clone(), printed.exact.clone(), digits]
            }
            None => {
                let digits = phrases::right_of_all(spot.worst_bits, spot.site.kind);
                [place, value, exact, format!("{digits}{often}")]
            }
        },
        SpotKind::Comparison => [
            place,
            format!("{value} with {other}"),
            format!("{exact} with {other_exact}"),
            format!("different branch{often}"),
        ],
        SpotKind::Conversion => [place, value, exact, format!("different integer{often}")],
    }
}
