//! The report for the terminal: each root cause with its line, the way compilers show warnings.

use std::{
    collections::BTreeSet,
    fmt::{self, Write},
};

use annotate_snippets::{Group, Level, Renderer};
use anstyle::{AnsiColor, Style};
use lostbits_abi::{explain::SpotKind, kind::FpKind, site::Caller};

use super::{Context, folding, infix, interventions, phrases};
use crate::{
    explain::{Escalation, Findings, Folding, Looks, Reached, RootCause, Spot},
    printable::printable,
    report::{
        snippets::{SourceLine, SourceView, note},
        untracked::{self, Untracked},
        words::{count, ending, executions, function_name},
    },
};

/// Root causes that are shown, and callers and spots of each; the rest is only counted.
const CAUSES: usize = 20;
const CALLERS: usize = 3;
const SPOTS: usize = 3;

const REASSOCIATED: &str = "compiled with reassociation (-ffast-math): the last digits may differ from those of the \
    program without instrumentation; this report is about the numbers that the instrumented program printed\n\n";

const GOOD: Style = AnsiColor::Green.on_default().bold();
const ALARM: Style = AnsiColor::Yellow.on_default().bold();

/// The report, with colours; print it through `anstream`, which removes them where they are not
/// wanted.
pub fn terminal(findings: &Findings, context: &Context, source_line: SourceLine) -> String {
    let view = SourceView {
        base: &context.base,
        source_line,
    };
    let causes = findings.causes.iter();
    let causes = causes.map(|cause| view.root_cause(cause, findings.settings.min_local_bits));
    let untraced = findings.untraced.iter().map(|spot| view.untraced(spot));
    let mut text = String::new();
    if findings.is_reassociated {
        text += REASSOCIATED;
    }
    for groups in causes.chain(untraced).take(CAUSES) {
        text += &Renderer::styled().render(&groups);
        text += "\n\n";
    }
    write_end(&mut text, findings, context).expect("writing to a string cannot fail");
    text
}

impl SourceView<'_> {
    fn root_cause(&self, cause: &RootCause, threshold: f64) -> Vec<Group<'static>> {
        let title = Level::WARNING.primary_title(phrases::headline(cause));
        let group = title.elements(self.location(&cause.site, phrases::label(cause)));
        let notes = notes(cause, threshold).into_iter().map(note);
        let mut groups = vec![group.elements(notes)];
        groups.extend(self.callers(&cause.inlined_from));
        groups.extend(self.reached(&cause.outputs));
        groups.extend(self.reached(&cause.decisions));
        groups
    }

    /// The program's lines whose calls were inlined down to a line of another file.
    fn callers(&self, callers: &BTreeSet<Caller>) -> Vec<Group<'static>> {
        let title = || Level::NOTE.secondary_title("inlined from here");
        let shown = callers.iter().take(CALLERS);
        let mut groups: Vec<Group> = shown
            .map(|caller| title().element(self.caller(caller)))
            .collect();
        let more = callers.len().saturating_sub(CALLERS) as u64;
        if more > 0 {
            let text = format!("and from {}", count(more, "more call", "more calls"));
            groups.push(Group::with_title(Level::NOTE.secondary_title(text)));
        }
        groups
    }

    fn reached(&self, spots: &[Reached]) -> Vec<Group<'static>> {
        let mut groups: Vec<Group> = spots
            .iter()
            .take(SPOTS)
            .map(|reached| {
                let label = phrases::spot_label(&reached.spot, reached.times, reached.worst_bits);
                let title = format!("the error reaches this {}", phrases::spot(&reached.spot));
                Level::NOTE
                    .secondary_title(title)
                    .elements(self.location(&reached.spot.site, label))
            })
            .collect();
        let more = spots.len().saturating_sub(SPOTS) as u64;
        if let (true, Some(first)) = (more > 0, spots.first()) {
            let noun = phrases::spots(first.spot.kind, more);
            let text = format!("and {more} more {noun}");
            groups.push(Group::with_title(Level::NOTE.secondary_title(text)));
        }
        groups
    }

    /// A wrong spot without a root cause.
    fn untraced(&self, spot: &Spot) -> Vec<Group<'static>> {
        let label = phrases::spot_label(spot, spot.erroneous, spot.worst_bits);
        let group = Level::WARNING.primary_title(phrases::untraced(spot));
        let why = "no instrumented operation lost enough bits by itself; if the value comes from code that lostbits \
                   did not compile, compile that code with lostbits too";
        vec![
            group
                .elements(self.location(&spot.site, label))
                .element(note(why.to_owned())),
        ]
    }
}

/// The damage first; the expression before it, because it introduces the variables.
fn notes(cause: &RootCause, threshold: f64) -> Vec<String> {
    let mut notes = Vec::new();
    if let Some(expression) = &cause.expression {
        notes.push(format!("expression: {}", printable(&infix(expression))));
    }
    notes.extend(phrases::worst(cause));
    notes.extend(phrases::how_often(cause, threshold));
    if let Some(expression) = &cause.expression {
        let varied = expression.variables.iter();
        notes.extend(varied.map(phrases::ranges));
    }
    notes.extend(phrases::sampled(cause));
    if cause.undecided > 0 {
        notes.push(format!(
            "{} undecided at this precision",
            executions(cause.undecided)
        ));
    }
    notes
}

fn write_end(text: &mut String, findings: &Findings, context: &Context) -> fmt::Result {
    let all = findings.causes.len() + findings.untraced.len();
    let more = all.saturating_sub(CAUSES) as u64;
    if more > 0 {
        let more = count(more, "more finding", "more findings");
        writeln!(text, "and {more} (--format json lists all)")?;
    }
    interventions::write(text, context)?;
    write_verdict(text, findings, context)?;
    folding::write(text, findings, &context.folding, &context.base)?;
    write_undecided(text, findings)?;
    write_precision(text, findings.settings.precision, &context.escalation)?;
    let untracked = Untracked {
        other_modules: findings.modules_of_other_modes,
        unreadable: context.unreadable,
        more: not_kept(findings)
            .into_iter()
            .chain(wrapped_in_vain(context))
            .chain(uninstrumented(findings))
            .collect(),
    };
    untracked::write(text, &findings.summary, &untracked)?;
    text.push_str(&context.ended.map(ending).unwrap_or_default());
    Ok(())
}

fn write_verdict(text: &mut String, findings: &Findings, context: &Context) -> fmt::Result {
    let totals = &findings.totals;
    let checked = checked(findings);
    if !findings.is_clean() {
        return writeln!(
            text,
            "{ALARM}{}{ALARM:#}; {} ({checked})",
            found(findings),
            worst_output(findings)
        );
    }
    if totals.outputs.places == 0 {
        return writeln!(
            text,
            "{ALARM}no output was found{ALARM:#}, so there is nothing to judge ({checked}); pass results to \
             lostbits_output(x) from lostbits.h"
        );
    }
    if folding::is_everything(findings) {
        let locations = folding::locations(findings, &context.base);
        let constants = match context.folding {
            Folding::None | Folding::Recomputed(_) => "constants of the source",
            Folding::Unknown(_) | Folding::NotRecorded => "compile-time constants",
        };
        return writeln!(
            text,
            "{ALARM}no output was computed{ALARM:#}, so there is nothing to judge: all are {constants} at {locations} \
             ({checked})"
        );
    }
    let outputs = match totals.outputs.undecided {
        0 => "no output is",
        _ => "no output that could be decided is",
    };
    writeln!(
        text,
        "{GOOD}{outputs} wrong by more than {}{GOOD:#} ({checked})",
        phrases::bits(findings.settings.min_output_bits)
    )
}

/// What was checked; comparisons and conversions only if there were any.
fn checked(findings: &Findings) -> String {
    let totals = &findings.totals;
    let outputs = looks(totals.outputs, "output", "outputs") + &folding::among_outputs(findings);
    let others = [
        (totals.comparisons, "comparison", "comparisons"),
        (totals.conversions, "conversion", "conversions"),
    ];
    let others = others
        .into_iter()
        .filter(|(checked, _, _)| checked.times > 0)
        .map(|(checked, one, many)| looks(checked, one, many));
    let all: Vec<String> = std::iter::once(outputs).chain(others).collect();
    format!("checked: {}", all.join(", "))
}

fn worst_output(findings: &Findings) -> String {
    let outputs = &findings.totals.outputs;
    let threshold = findings.settings.min_output_bits;
    match outputs.places {
        0 => "no output was found".to_owned(),
        _ if outputs.worst_bits <= threshold => {
            format!(
                "no output is wrong by more than {}",
                phrases::bits(threshold)
            )
        }
        _ => format!(
            "worst output: {}",
            phrases::correct_digits(outputs.worst_bits, worst_kind(findings))
        ),
    }
}

/// The type of the worst output that is reported.
fn worst_kind(findings: &Findings) -> Option<FpKind> {
    let causes = findings.causes.iter().flat_map(|cause| &cause.outputs);
    let spots = causes
        .map(|reached| &reached.spot)
        .chain(&findings.untraced);
    let outputs = spots.filter(|spot| spot.kind == SpotKind::Output);
    let worst = outputs.max_by(|a, b| a.worst_bits.total_cmp(&b.worst_bits));
    worst.and_then(|spot| spot.site.kind)
}

fn found(findings: &Findings) -> String {
    let causes = count(findings.causes.len() as u64, "root cause", "root causes");
    match findings.untraced.len() as u64 {
        0 => causes,
        untraced => {
            let errors = count(untraced, "error", "errors");
            format!("{causes}, {errors} without a known cause")
        }
    }
}

fn looks(looks: Looks, one: &str, many: &str) -> String {
    match looks.times == looks.places {
        true => count(looks.times, one, many),
        false => format!(
            "{} at {}",
            count(looks.times, one, many),
            count(looks.places, "location", "locations")
        ),
    }
}

fn write_undecided(text: &mut String, findings: &Findings) -> fmt::Result {
    let totals = &findings.totals;
    let (sites, executions) = totals.undecided_operations;
    let parts = [
        (totals.outputs.undecided, "output", "outputs"),
        (totals.comparisons.undecided, "comparison", "comparisons"),
        (totals.conversions.undecided, "conversion", "conversions"),
    ];
    let mut parts: Vec<String> = parts
        .into_iter()
        .filter(|(times, _, _)| *times > 0)
        .map(|(times, one, many)| count(times, one, many))
        .collect();
    if executions > 0 {
        parts.push(format!(
            "{} at {}",
            count(executions, "operation", "operations"),
            count(sites, "location", "locations")
        ));
    }
    if parts.is_empty() {
        return Ok(());
    }
    writeln!(
        text,
        "undecided at this precision (not reported): {}",
        parts.join(", ")
    )
}

fn write_precision(text: &mut String, bits: u32, escalation: &Escalation) -> fmt::Result {
    match (escalation, bits) {
        (Escalation::Impossible(why), _) => writeln!(text, "{why}"),
        (Escalation::Decided, bits) => writeln!(
            text,
            "some results needed more precision; the program was run again with up to {bits} bits"
        ),
        (Escalation::NotNeeded, 0) => Ok(()),
        (Escalation::NotNeeded, bits) => writeln!(text, "errors were measured with {bits} bits"),
    }
}

/// Functions that `lostbits.toml` wraps and nothing calls.
fn wrapped_in_vain(context: &Context) -> Option<String> {
    let names: Vec<String> = context
        .not_called
        .iter()
        .map(|name| format!("`{}`", printable(name)))
        .collect();
    (!names.is_empty()).then(|| {
        format!(
            "{} from lostbits.toml, which no instrumented code calls: check the name",
            names.join(", ")
        )
    })
}

/// Functions whose results count as exact.
fn uninstrumented(findings: &Findings) -> Option<String> {
    const SHOWN: usize = 5;
    let names = findings.outside.iter().take(SHOWN);
    let mut names: Vec<String> = names
        .map(|name| format!("`{}`", function_name(name)))
        .collect();
    let more = findings.outside.len().saturating_sub(SHOWN);
    if more > 0 {
        names.push(format!("{more} more"));
    }
    (!names.is_empty()).then(|| {
        format!(
            "errors made in {} (not compiled by lostbits; results count as exact)",
            names.join(", ")
        )
    })
}

/// What the runtime had to drop.
fn not_kept(findings: &Findings) -> Vec<String> {
    let totals = &findings.totals;
    let counted = [
        (
            totals.influences_lost,
            "influence of an operation on a result (no space)",
            "influences of operations on results (no space)",
        ),
        (
            totals.entries_lost,
            "operation or output (no space)",
            "operations or outputs (no space)",
        ),
        (
            totals.events_lost,
            "execution in a signal handler or thread (another event was being recorded)",
            "executions in signal handlers or threads (another event was being recorded)",
        ),
        (
            totals.after_underflow,
            "output after an underflow (--precision 128 tracks it)",
            "outputs after an underflow (--precision 128 tracks them)",
        ),
        (
            totals.processes_without_analysis,
            "process that left no analysis",
            "processes that left no analysis",
        ),
    ];
    counted
        .into_iter()
        .filter(|(value, _, _)| *value > 0)
        .map(|(value, one, many)| count(value, one, many))
        .collect()
}
