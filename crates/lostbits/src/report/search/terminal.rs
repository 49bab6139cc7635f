//! The report for the terminal: each finding with the line to blame, and a sketch of the error along the
//! input.

use std::path::Path;

use annotate_snippets::{AnnotationKind, Element, Group, Level, Origin, Renderer, Snippet};

use super::{map::plot, symbolic::symbolic};
use crate::{
    printable::{printable, printable_source},
    report::{
        numbers::hexadecimal,
        snippets::{SourceLine, note},
        underline::underline,
        words::{count, number},
    },
    search::{CallReport, Confirmation, Finding, Guilty, Sketch, Tried},
};

/// What is unconfirmed is listed if the user asks for it, else counted.
pub fn terminal(reports: &[CallReport], unconfirmed: bool, source_line: SourceLine) -> String {
    let mut text = String::new();
    for report in reports {
        for finding in &report.findings {
            text += &Renderer::styled().render(&groups(report, finding, source_line));
            text += "\n\n";
        }
        for sketch in &report.sketches {
            text += &drawn(sketch);
        }
        text += &report.map.as_ref().map_or_else(String::new, plot);
        if let Some(explanation) = &report.explanation {
            text += &format!("root cause of the first finding:\n\n{explanation}\n");
        }
        if unconfirmed && !report.unconfirmed.is_empty() {
            text += "unconfirmed: only the same run in high precision says so\n\n";
            for finding in &report.unconfirmed {
                text += &Renderer::styled().render(&groups(report, finding, source_line));
                text += "\n\n";
            }
        }
        text += &closing(report, unconfirmed);
        text += &report.symbolic.as_ref().map_or_else(String::new, symbolic);
    }
    text
}

fn groups(report: &CallReport, finding: &Finding, source_line: SourceLine) -> Vec<Group<'static>> {
    let title = format!(
        "{} is wrong: {} (relative error {})",
        printable(&report.call),
        correct_digits(finding.error.get()),
        size(finding.error.get())
    );
    let mut elements = Vec::new();
    if let Some(guilty) = &finding.guilty {
        elements.extend(location(guilty, source_line));
    }
    for (name, value) in report.parameters.iter().zip(&finding.input) {
        elements.push(note(format!(
            "{} = {value:?} = {}",
            printable(name),
            hexadecimal(*value)
        )));
    }
    elements.push(note(outcome(finding)));
    if let Some(measured) = finding.measured {
        elements.push(note(format!(
            "|r - r0| / max(FLT_MIN, |r0|) = {}",
            size(measured.floored.get())
        )));
    }
    elements.push(note(confirmed(finding, report.meaning.as_deref())));
    if finding.jumps && finding.scatter.is_none() {
        elements.push(note(
            "the exact result jumps here too, as at a pole: no result is right".to_owned(),
        ));
    }
    vec![Level::WARNING.primary_title(title).elements(elements)]
}

/// `computed 0.0, exact 0.5`, with the name of the output if the function has several.
fn outcome(finding: &Finding) -> String {
    let named = match finding.output.as_str() {
        "result" => String::new(),
        name => format!("{}: ", printable(name)),
    };
    let exact = match finding.reference.as_str() {
        "" => String::new(),
        exact => format!(", exact {}", printable(exact)),
    };
    format!("{named}computed {:?}{exact}", finding.computed)
}

/// The line to blame with the operation underlined, or as much of its location as is known.
fn location(guilty: &Guilty, source_line: SourceLine) -> Vec<Element<'static>> {
    let factor = f64::from(guilty.log_condition).exp2();
    let amplifies = match factor.is_finite() && factor < 1e300 {
        true => format!("by {factor:.1e}"),
        false => "without bound".to_owned(),
    };
    let label = match guilty.result.is_infinite() {
        true => format!("{} overflows", guilty.operation),
        false => format!("{} amplifies errors {amplifies}", guilty.operation),
    };
    let operands = match guilty.y == guilty.x {
        true => format!("operand: {:?}", guilty.x),
        false => format!("operands: {:?} and {:?}", guilty.x, guilty.y),
    };
    let operands = note(format!(
        "{operands}; {} before the result",
        count(guilty.steps.into(), "operation", "operations")
    ));
    if guilty.file.is_empty() {
        let unknown = "the source line is unknown: compile with -g, or with less optimisation";
        return vec![note(label), note(unknown.to_owned()), operands];
    }
    let path = printable(&guilty.file).into_owned();
    match source_line(Path::new(&guilty.file), guilty.line) {
        Some(line) if !line.trim().is_empty() => {
            let line = printable_source(&line);
            let span = underline(&line, guilty.column);
            let annotation = AnnotationKind::Primary.span(span).label(label);
            let snippet = Snippet::source(line).line_start(guilty.line as usize);
            vec![snippet.path(path).annotation(annotation).into(), operands]
        }
        _ => {
            let origin = Origin::path(path).line(guilty.line as usize);
            vec![
                origin.char_column(guilty.column as usize).into(),
                note(label),
                operands,
            ]
        }
    }
}

fn confirmed(finding: &Finding, meaning: Option<&str>) -> String {
    let scatter = finding.scatter.map_or(String::new(), |scatter| {
        format!(
            "results at the nearest inputs scatter by {}",
            size(scatter.get())
        )
    });
    match (finding.confirmed_by, finding.scatter) {
        (Confirmation::Oracle, _) => "confirmed by the oracle".to_owned(),
        (Confirmation::Function, _) => format!(
            "confirmed by {}, evaluated with proved error",
            printable(meaning.unwrap_or("the mathematical function"))
        ),
        (Confirmation::Consistency, _) => {
            "confirmed without a reference: results of neighbouring inputs jump where exact arithmetic has no jump"
                .to_owned()
        }
        (Confirmation::Proved, _) => "confirmed by the exact value of the expression".to_owned(),
        (Confirmation::Shadow, None) if finding.measured.is_some() => {
            "confirmed by the same run in high precision, at two precisions".to_owned()
        }
        (Confirmation::Shadow, None) => {
            "confirmed only by the same run in high precision, which takes tables and truncated series as exact"
                .to_owned()
        }
        (Confirmation::Shadow, Some(_)) => {
            format!("confirmed by the same run in high precision; {scatter}")
        }
        (Confirmation::Arithmetic, None) => {
            "confirmed by the same run in high precision: it means the same in exact arithmetic".to_owned()
        }
        (Confirmation::Arithmetic, Some(_)) => {
            format!("confirmed by the same run in high precision; {scatter}")
        }
        (Confirmation::Rerun, _) => format!("confirmed by other runs: {scatter}"),
        (Confirmation::Estimate, _) => {
            "unconfirmed: estimated from the rounding errors of the run (--oracle shadow checks it)".to_owned()
        }
    }
}

fn size(error: f64) -> String {
    match error {
        error if error.is_infinite() => "infinite".to_owned(),
        error if (0.01..1000.0).contains(&error) => format!("{error:.3}"),
        error => format!("{error:.2e}"),
    }
}

/// How many of a double's decimal digits are correct.
fn correct_digits(error: f64) -> String {
    const ALL: f64 = 15.0;
    match (-error.log10()).floor().clamp(0.0, ALL) as u32 {
        0 => "no correct digits".to_owned(),
        1 => format!("1 of {ALL} digits is correct"),
        correct => format!("{correct} of {ALL} digits are correct"),
    }
}

/// A column for each stretch of inputs: the higher, the more of the 53 bits are wrong.
fn drawn(sketch: &Sketch) -> String {
    const BARS: [char; 9] = [' ', '▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];
    let bar = |error: &f64| {
        let wrong = (53.0 + error.log2()).clamp(0.0, 53.0) / 53.0;
        BARS[(wrong * 8.0).round() as usize]
    };
    let bars: String = sketch
        .errors
        .iter()
        .map(|error| bar(&error.get()))
        .collect();
    format!(
        "  error |{bars}|\n         {:>at$}\n  {} from {:?} to {:?}; ^ marks the first finding\n\n",
        "^",
        printable(&sketch.parameter),
        sketch.low,
        sketch.high,
        at = sketch.at + 1,
    )
}

fn closing(report: &CallReport, unconfirmed: bool) -> String {
    let found = match report.findings.len() as u64 {
        0 => "no wrong result".to_owned(),
        found => count(found, "wrong result", "wrong results"),
    };
    let mut details = Vec::new();
    if report.outside > 0 {
        details.push(format!("{} without a number", number(report.outside)));
    }
    for (how, times) in &report.ended {
        details.push(format!("{} ended by {how}", number(*times)));
    }
    let details = match details.is_empty() {
        true => String::new(),
        false => format!(" ({})", details.join(", ")),
    };
    let mut text = format!(
        "{}: {found} in {}{details}\n",
        printable(&report.call),
        count(report.runs, "run", "runs")
    );
    if !unconfirmed && !report.unconfirmed.is_empty() {
        let suspected = count(
            report.unconfirmed.len() as u64,
            "suspected input is",
            "suspected inputs are",
        );
        text += &format!("  {suspected} not confirmed: --unconfirmed lists them\n");
    }
    text += &report.tried.as_ref().map_or_else(String::new, tried);
    if let Some(remark) = &report.remark {
        text += &format!("  {}\n", printable(remark));
    }
    for undefined in &report.undefined {
        let input: Vec<String> = undefined.input.iter().map(|x| format!("{x:?}")).collect();
        text += &format!(
            "  at {}: computed no number, exact {}\n",
            input.join(", "),
            printable(&undefined.reference)
        );
    }
    text
}

/// What was tried, where nothing is found.
fn tried(tried: &Tried) -> String {
    let amplify = |count: u64| match count {
        1 => "1 operation that can amplify errors was executed".to_owned(),
        count => format!(
            "{} operations that can amplify errors were executed",
            number(count)
        ),
    };
    let mut text = format!("  {}", amplify(tried.operations as u64));
    match tried.far.len() {
        0 if tried.operations == 0 => {}
        0 => text += ", each next to where it loses everything",
        _ => text += "; these never came near where they lose everything:",
    }
    text += "\n";
    for far in &tried.far {
        let file = far.file.rsplit('/').next().unwrap_or(&far.file);
        text += &format!(
            "    {}:{}:{} {} amplified errors by {:.1} at most\n",
            printable(file),
            far.line,
            far.column,
            far.operation,
            far.amplified
        );
    }
    text
}
