//! The report for people: each finding with the guilty line, and how the error goes along the input.

use std::path::Path;

use annotate_snippets::{AnnotationKind, Element, Group, Level, Origin, Renderer, Snippet};

use super::symbolic::symbolic;
use crate::{
    report::{marks::mark, numbers::hexadecimal, words::count},
    search::{CallReport, Confirmation, Finding, Guilty, Sketch},
};

/// Reads a line of a file, counted from 1.
type SourceLine<'a> = &'a dyn Fn(&Path, u32) -> Option<String>;

pub fn terminal(reports: &[CallReport], source_line: SourceLine) -> String {
    let mut text = String::new();
    for report in reports {
        for finding in &report.findings {
            text += &Renderer::styled().render(&groups(report, finding, source_line));
            text += "\n\n";
        }
        for sketch in &report.sketches {
            text += &drawn(sketch);
        }
        if let Some(explanation) = &report.explanation {
            text += &format!("the first of them, explained:\n\n{explanation}\n");
        }
        text += &closing(report);
        text += &report.symbolic.as_ref().map_or_else(String::new, symbolic);
    }
    text
}

fn groups(report: &CallReport, finding: &Finding, source_line: SourceLine) -> Vec<Group<'static>> {
    let title = format!(
        "{} is wrong: relative error {}",
        report.call,
        size(finding.error)
    );
    let mut elements = Vec::new();
    if let Some(guilty) = &finding.guilty {
        elements.extend(place(guilty, source_line));
    }
    for (name, value) in report.parameters.iter().zip(&finding.input) {
        elements.push(note(format!(
            "{name} = {value:?} = {}",
            hexadecimal(*value)
        )));
    }
    let should = match finding.reference.as_str() {
        "" => String::new(),
        reference => format!(", should be {reference}"),
    };
    let named = match finding.output.as_str() {
        "result" => String::new(),
        name => format!("{name} is "),
    };
    elements.push(note(format!(
        "computed: {named}{:?}{should}",
        finding.computed
    )));
    if let Some(measured) = finding.measured {
        elements.push(note(format!(
            "|r - r0| / max(FLT_MIN, |r0|) = {}",
            size(measured.floored)
        )));
    }
    elements.push(note(format!(
        "{} of 53 bits are wrong; {}",
        bits(finding.error),
        confirmed(finding)
    )));
    if finding.jumps && finding.scatter.is_none() {
        elements.push(note(
            "over the real numbers the results of the nearest inputs jump, too: at a pole there is no right result"
                .to_owned(),
        ));
    }
    vec![Level::WARNING.primary_title(title).elements(elements)]
}

/// The guilty line with a mark, or as much of the place as is known.
fn place(guilty: &Guilty, source_line: SourceLine) -> Vec<Element<'static>> {
    let times = f64::from(guilty.log_condition).exp2();
    let amplifies = match times.is_finite() && times < 1e300 {
        true => format!("{times:.1e} times"),
        false => "without bound".to_owned(),
    };
    let label = match guilty.result.is_infinite() {
        true => format!("{} overflows", guilty.operation),
        false => format!("{} amplifies errors {amplifies}", guilty.operation),
    };
    let operands = match guilty.y == guilty.x {
        true => format!("its operand is {:?}", guilty.x),
        false => format!("its operands are {:?} and {:?}", guilty.x, guilty.y),
    };
    let operands = note(format!(
        "{operands}; {} to the result",
        count(guilty.steps.into(), "step", "steps")
    ));
    if guilty.file.is_empty() {
        return vec![
            note(format!("{label} (in which line is not known)")),
            operands,
        ];
    }
    let path = guilty.file.clone();
    match source_line(Path::new(&guilty.file), guilty.line) {
        Some(line) if !line.trim().is_empty() => {
            let span = mark(&line, guilty.column);
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

fn note(text: String) -> Element<'static> {
    Level::NOTE.message(text).into()
}

fn confirmed(finding: &Finding) -> String {
    let scatter = finding.scatter.map_or(String::new(), |scatter| {
        format!(
            "running again: results of the nearest inputs scatter by {}",
            size(scatter)
        )
    });
    match (finding.confirmed_by, finding.scatter) {
        (Confirmation::Oracle, _) => "confirmed by the oracle".to_owned(),
        (Confirmation::Proved, _) => {
            "confirmed by the expression's value over the real numbers".to_owned()
        }
        (Confirmation::Shadow, None) if finding.measured.is_some() => {
            "confirmed by the same run over the real numbers, at two precisions".to_owned()
        }
        (Confirmation::Shadow, None) => {
            "confirmed by the same run over the real numbers only, which takes tables and series as they are"
                .to_owned()
        }
        (Confirmation::Shadow, Some(_)) => {
            format!("confirmed by the same run over the real numbers, and by {scatter}")
        }
        (Confirmation::Rerun, _) => format!("confirmed by {scatter}"),
        (Confirmation::Estimate, _) => {
            "unconfirmed: estimated from the run's own rounding errors".to_owned()
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

fn bits(error: f64) -> String {
    let wrong = (53.0 + error.log2()).clamp(0.0, 53.0);
    format!("{wrong:.0}")
}

/// A column for each stretch: the higher, the more of the 53 bits are wrong.
fn drawn(sketch: &Sketch) -> String {
    const BARS: [char; 9] = [' ', '▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];
    let bar = |error: &f64| {
        let wrong = (53.0 + error.log2()).clamp(0.0, 53.0) / 53.0;
        BARS[(wrong * 8.0).round() as usize]
    };
    let bars: String = sketch.errors.iter().map(bar).collect();
    format!(
        "  error |{bars}|\n         {:>at$}\n  {} from {:?} to {:?}; ^ is the first finding\n\n",
        "^",
        sketch.parameter,
        sketch.low,
        sketch.high,
        at = sketch.at + 1,
    )
}

fn closing(report: &CallReport) -> String {
    let found = match report.findings.len() as u64 {
        0 => "nothing found".to_owned(),
        found => count(found, "finding", "findings"),
    };
    let mut text = format!(
        "{}: {found} in {}",
        report.call,
        count(report.runs, "run", "runs")
    );
    if report.outside > 0 {
        text += &format!(", {} without a number for a result", report.outside);
    }
    for (how, times) in &report.ended {
        text += &format!(", {times} ended by {how}");
    }
    text += "\n";
    for undefined in &report.undefined {
        let input: Vec<String> = undefined.input.iter().map(|x| format!("{x:?}")).collect();
        text += &format!(
            "  no number at {}, should be {}\n",
            input.join(", "),
            undefined.reference
        );
    }
    text
}
