//! The report as one page for a browser: a table of the functions, the worst first, and for each a plot of its error over its inputs.
//!
//! Like the page of `explain` it loads nothing, and works without a script.

use lostbits_abi::VERSION;

use super::table::{self, HEADING};
use crate::{
    report::{
        document::Plot,
        formats::{STYLE, escaped, plot},
        words::count,
    },
    search::{CallReport, ErrorMap, Finding, Sketch, Skipped},
};

pub fn html(reports: &[CallReport], skipped: &[Skipped]) -> String {
    let ranked = table::ranked(reports);
    let wrong = reports.iter().filter(|report| !report.findings.is_empty());
    let wrong = wrong.count() as u64;
    let (state, title) = match wrong {
        0 => ("clean", "No wrong result found".to_owned()),
        some => (
            "found",
            format!(
                "{} with wrong results",
                count(some, "function", "functions")
            ),
        ),
    };
    let sections: Vec<String> = ranked.iter().enumerate().map(section).collect();
    format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<meta http-equiv=\"Content-Security-Policy\" \
         content=\"default-src 'none'; style-src 'unsafe-inline'\">\n<meta name=\"viewport\" content=\"width=device-width, \
         initial-scale=1\">\n<meta name=\"color-scheme\" content=\"light dark\">\n<meta name=\"generator\" content=\"lostbits \
         {VERSION}\">\n<title>{title}: lostbits</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n<header class=\"{state}\">\n<p \
         class=\"brand\">lostbits search</p>\n<h1>{title}</h1>\n</header>\n<main>\n{}{}{}</main>\n<footer>lostbits \
         {VERSION}</footer>\n</body>\n</html>\n",
        overview(&ranked),
        sections.concat(),
        left_out(skipped),
    )
}

/// A line for each function, which leads to its section.
fn overview(ranked: &[&CallReport]) -> String {
    let heading: Vec<String> = HEADING
        .iter()
        .map(|name| format!("<th>{name}</th>"))
        .collect();
    let line = |(index, report): (usize, &&CallReport)| {
        let cells = table::row(report);
        let cells = cells.iter().enumerate().map(|(column, cell)| {
            let cell = escaped(cell);
            match column {
                0 => format!("<td><a href=\"#f{index}\"><code>{cell}</code></a></td>"),
                _ => format!("<td>{cell}</td>"),
            }
        });
        format!("<tr>{}</tr>\n", cells.collect::<String>())
    };
    let lines: Vec<String> = ranked.iter().enumerate().map(line).collect();
    format!(
        "<section class=\"wide\">\n<h2>{}</h2>\n<table>\n<thead><tr>{}</tr></thead>\n<tbody>\n{}</tbody>\n</table>\n</section>\n",
        count(ranked.len() as u64, "function", "functions"),
        heading.concat(),
        lines.concat()
    )
}

fn section((index, report): (usize, &&CallReport)) -> String {
    let mut text = format!(
        "<section id=\"f{index}\">\n<h2><code>{}</code></h2>\n",
        escaped(&report.call)
    );
    if let Some(meaning) = &report.meaning {
        text += &format!("<p>compared with <code>{}</code></p>\n", escaped(meaning));
    }
    let precision = f64::from(report.precision.unwrap_or(53));
    let plots = match &report.map {
        Some(map) if !map.is_empty() => mapped(map, &report.call, precision).into_iter().collect(),
        _ => report
            .sketches
            .iter()
            .filter_map(|one| sketched(one, &report.call, precision))
            .collect::<Vec<_>>(),
    };
    for (svg, caption) in plots {
        text += &format!("<figure>{svg}<figcaption>{caption}</figcaption></figure>\n");
    }
    for interval in report.map.iter().flat_map(|map| &map.wrong) {
        text += &format!(
            "<p class=\"label\">significant errors in [{:e}, {:e}], relative error up to {:.1e}</p>\n",
            interval.low,
            interval.high,
            interval.relative.get()
        );
    }
    for finding in &report.findings {
        text += &article(report, finding);
    }
    if let Some(remark) = &report.remark {
        text += &format!("<p>{}</p>\n", escaped(remark));
    }
    text + "</section>\n"
}

/// The worst and the typical error of each stretch.
fn mapped(map: &ErrorMap, formula: &str, precision: f64) -> Option<(String, String)> {
    let mut points = Vec::new();
    for stretch in map.stretches.iter().filter(|stretch| stretch.judged > 0) {
        let bits = |ulps: f64| (ulps.max(0.0) + 1.0).log2().min(precision);
        points.push([stretch.worst_input, bits(stretch.worst)]);
        let middle = match stretch.low.signum() == stretch.high.signum() {
            true => stretch.low.signum() * (stretch.low.abs().sqrt() * stretch.high.abs().sqrt()),
            false => 0.0,
        };
        points.push([middle, bits(stretch.typical)]);
    }
    let caption = "bits of error (the logarithm of ulps), against the reference: the worst and the typical input of each stretch";
    drawn(points, formula, &map.parameter, precision, caption)
}

/// The error as the trace estimates it.
fn sketched(sketch: &Sketch, formula: &str, precision: f64) -> Option<(String, String)> {
    let width = sketch.errors.len().max(1) as f64;
    let at = |index: usize| {
        let part = (index as f64 + 0.5) / width;
        sketch.low * (1.0 - part) + sketch.high * part
    };
    let bits = |error: f64| (error.log2() + precision).clamp(0.0, precision);
    let errors = sketch.errors.iter().enumerate();
    let points = errors.map(|(index, error)| [at(index), bits(error.get())]);
    let caption = "bits of error, estimated from the rounding errors of the runs; the other inputs are those of the first finding";
    drawn(
        points.collect(),
        formula,
        &sketch.parameter,
        precision,
        caption,
    )
}

fn drawn(
    points: Vec<[f64; 2]>,
    formula: &str,
    variable: &str,
    most: f64,
    caption: &str,
) -> Option<(String, String)> {
    const THRESHOLD: f64 = 5.0;
    let svg = plot(&Plot {
        formula: formula.to_owned(),
        variable: variable.to_owned(),
        points,
        threshold: THRESHOLD,
        most,
    })?;
    Some((svg, escaped(caption)))
}

fn article(report: &CallReport, finding: &Finding) -> String {
    let inputs = report.parameters.iter().zip(&finding.input);
    let inputs: Vec<String> = inputs
        .map(|(name, value)| format!("{name} = {value:?}"))
        .collect();
    let exact = match finding.reference.as_str() {
        "" => "unknown",
        exact => exact,
    };
    let at = match &finding.guilty {
        Some(guilty) if !guilty.file.is_empty() => format!(
            "<dt>operation</dt><dd>{} in {}:{}</dd>",
            escaped(&guilty.operation),
            escaped(&guilty.file),
            guilty.line
        ),
        _ => String::new(),
    };
    format!(
        "<article><h3>{}</h3><dl><dt>computed</dt><dd class=\"number\">{:?}</dd><dt>exact</dt><dd \
         class=\"number\">{}</dd><dt>relative error</dt><dd>{:.2e}</dd>{at}</dl></article>\n",
        escaped(&inputs.join(", ")),
        finding.computed,
        escaped(exact),
        finding.error.get()
    )
}

fn left_out(skipped: &[Skipped]) -> String {
    if skipped.is_empty() {
        return String::new();
    }
    let line = |one: &Skipped| {
        format!(
            "<li><code>{}</code> {}</li>\n",
            escaped(&one.function),
            escaped(&one.reason)
        )
    };
    let lines: Vec<String> = skipped.iter().map(line).collect();
    format!(
        "<section>\n<h2>Not searched</h2>\n<ul>\n{}</ul>\n</section>\n",
        lines.concat()
    )
}
