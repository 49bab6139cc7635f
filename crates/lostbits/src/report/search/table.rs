//! The report of `--all`: a line for each function, the worst first, then what is not searched and why.

use super::map::plot;
use crate::{
    printable::printable,
    report::words::{count, number},
    search::{CallReport, Domain, Finding, Skipped},
};

/// The columns.
pub const HEADING: [&str; 6] = [
    "function",
    "digits",
    "ulps",
    "worst input",
    "cause",
    "finite results for",
];

pub fn table(reports: &[CallReport], skipped: &[Skipped]) -> String {
    let ranked = ranked(reports);
    let mut rows = vec![HEADING.map(str::to_owned)];
    rows.extend(ranked.iter().map(|report| row(report)));
    aligned(&rows) + &closing(reports) + &maps(&ranked) + &left_out(skipped)
}

/// The worst first.
pub fn ranked(reports: &[CallReport]) -> Vec<&CallReport> {
    let mut ranked: Vec<&CallReport> = reports.iter().collect();
    ranked.sort_by(|a, b| {
        severity(b)
            .total_cmp(&severity(a))
            .then_with(|| a.call.cmp(&b.call))
    });
    ranked
}

/// Functions with a wrong number first, then those with a missing one.
fn severity(report: &CallReport) -> f64 {
    match report.findings.first() {
        Some(worst) => worst.error.get(),
        None if !report.undefined.is_empty() => 0.0,
        None => -1.0,
    }
}

/// What is in the columns for one function.
pub fn row(report: &CallReport) -> [String; 6] {
    let function = printable(&report.call).into_owned();
    let domain: Vec<String> = report.domain.iter().map(interval).collect();
    let domain = match domain.is_empty() {
        true => "unknown: some calls do not return".to_owned(),
        false => domain.join(", "),
    };
    let precision = report.precision.unwrap_or(53);
    match (report.findings.first(), report.undefined.first()) {
        (Some(worst), _) => [
            function,
            digits(worst.error.get(), precision),
            ulps(worst, precision),
            assigned(&report.parameters, &worst.input),
            cause(worst),
            domain,
        ],
        (None, Some(missing)) => [
            function,
            "no number".to_owned(),
            "-".to_owned(),
            assigned(&report.parameters, &missing.input),
            "-".to_owned(),
            domain,
        ],
        (None, None) => {
            let tried = format!("nothing wrong in {} runs", number(report.runs));
            [function, "-".into(), "-".into(), tried, "-".into(), domain]
        }
    }
}

fn interval(domain: &Domain) -> String {
    format!(
        "{} in [{}, {}]",
        printable(&domain.parameter),
        short(domain.low),
        short(domain.high)
    )
}

/// An end of a domain; the last digits say nothing to a reader.
fn short(value: f64) -> String {
    match value.abs() {
        size if size == 0.0 || (1e-3..1e6).contains(&size) => {
            let text = format!("{value:.4}");
            text.trim_end_matches('0').trim_end_matches('.').to_owned()
        }
        _ => format!("{value:.3e}"),
    }
}

fn assigned(names: &[String], input: &[f64]) -> String {
    let each = names.iter().zip(input);
    let each: Vec<String> = each
        .map(|(name, value)| format!("{} = {value:?}", printable(name)))
        .collect();
    each.join(", ")
}

/// Decimal digits that are right, of those that the format has.
fn digits(error: f64, precision: u32) -> String {
    let all = (f64::from(precision - 1) * f64::log10(2.0)).floor();
    let right = (-error.log10()).floor().clamp(0.0, all) as u32;
    format!("{right} of {all}")
}

/// The distance from the right result in units of its last place.
fn ulps(finding: &Finding, precision: u32) -> String {
    match finding.reference.parse::<f64>() {
        Ok(exact) if exact.is_normal() => {
            let exponent = exact.abs().log2().floor();
            let distance = finding.error.get() * (exact.abs().log2() - exponent).exp2();
            format!("{:.1e}", distance * f64::from(precision - 1).exp2())
        }
        _ => "-".to_owned(),
    }
}

fn cause(finding: &Finding) -> String {
    match &finding.guilty {
        Some(guilty) if !guilty.file.is_empty() => {
            let file = guilty.file.rsplit('/').next().unwrap_or(&guilty.file);
            format!("{}:{} {}", printable(file), guilty.line, guilty.operation)
        }
        Some(guilty) => guilty.operation.clone(),
        None => "not one operation".to_owned(),
    }
}

fn aligned(rows: &[[String; 6]]) -> String {
    let width = |column: usize| {
        let widths = rows.iter().map(|row| row[column].chars().count());
        widths.max().unwrap_or(0)
    };
    let widths: Vec<usize> = (0..6).map(width).collect();
    let line = |row: &[String; 6]| {
        let cells = row.iter().zip(&widths);
        let cells: Vec<String> = cells
            .map(|(cell, width)| format!("{cell:width$}"))
            .collect();
        cells.join("  ").trim_end().to_owned() + "\n"
    };
    rows.iter().map(line).collect()
}

fn closing(reports: &[CallReport]) -> String {
    let wrong = reports.iter().filter(|report| !report.findings.is_empty());
    let missing = |report: &&CallReport| report.findings.is_empty() && !report.undefined.is_empty();
    let suspected =
        |report: &&CallReport| report.findings.is_empty() && !report.unconfirmed.is_empty();
    let mut text = format!(
        "\n{} searched: {} wrong",
        count(reports.len() as u64, "function", "functions"),
        number(wrong.count() as u64)
    );
    match reports.iter().filter(missing).count() as u64 {
        0 => {}
        some => text += &format!(", {} without a number where there is one", number(some)),
    }
    match reports.iter().filter(suspected).count() as u64 {
        0 => {}
        some => {
            text += &format!(
                ", {} suspected only (--call 'f(x)' --unconfirmed)",
                number(some)
            )
        }
    }
    text += "\n";
    if reports.iter().any(|report| !report.findings.is_empty()) {
        text += "details of a function: --call 'f(x)' as in the first column, in place of --all\n";
    }
    text
}

/// The error maps of functions of one input, with `--map`.
fn maps(ranked: &[&CallReport]) -> String {
    let maps = ranked.iter().filter_map(|report| {
        let map = report.map.as_ref()?;
        Some(format!("\n{}\n{}", printable(&report.call), plot(map)))
    });
    maps.collect()
}

/// Functions by the reason why they are not searched.
fn left_out(skipped: &[Skipped]) -> String {
    if skipped.is_empty() {
        return String::new();
    }
    let all = count(skipped.len() as u64, "function", "functions");
    let mut text = format!("\n{all} not searched:\n");
    for group in skipped.chunk_by(|a, b| a.reason == b.reason) {
        let names: Vec<_> = group.iter().map(|one| printable(&one.function)).collect();
        text += &format!("  {}: {}\n", names.join(", "), printable(&group[0].reason));
    }
    text
}
