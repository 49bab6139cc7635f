//! The report for the terminal: each root cause with its line, the way compilers show warnings.

use std::{collections::BTreeSet, fmt};

use annotate_snippets::{Group, Level, Renderer};
use lostbits_abi::site::Caller;

use super::{
    Context, causes, damage, folding, infix, interventions, phrases, steering, variants,
    verdict::{self, ALARM},
};
use crate::{
    explain::{Findings, Reached, RootCause},
    printable::printable,
    report::{
        snippets::{SourceLine, SourceView, note},
        untracked::{self, Untracked},
        words::{count, ending, executions, function_name},
    },
};

/// Callers and spots of a cause that are shown with everything else; the rest is only counted.
const CALLERS: usize = 3;
const SPOTS: usize = 3;

const REASSOCIATED: &str = "compiled with reassociation (-ffast-math): the last digits may differ from those of the \
    program without instrumentation; this report is about the numbers that the instrumented program printed\n\n";

/// Lines of a report, unless everything is asked for.
const LINES: usize = 40;
/// Causes shown in it, and rows of the table of wrong results.
const MAIN_CAUSES: usize = 3;
const LEAST_ROWS: usize = 3;
const ROWS: usize = 12;

/// The report, with colours; print it through `anstream`, which removes them where they are not
/// wanted. The damage comes first, then the causes, then what was not judged.
pub fn terminal(findings: &Findings, context: &Context, source_line: SourceLine) -> String {
    let view = SourceView {
        base: &context.base,
        source_line,
        crowded: damage::crowded(&findings.wrong_spots()),
        command: context.command.as_ref(),
    };
    let mut end = String::new();
    match context.all {
        true => write_all(&mut end, findings, &view),
        false => write_main(&mut end, findings, &view),
    }
    write_end(&mut end, findings, context).expect("writing to a string cannot fail");
    if context.all && !findings.harmless.is_empty() {
        end +=
            "\ndecisions that are different in exact arithmetic, and change nothing printed:\n\n";
        end += &damage::table(&findings.harmless, &view, usize::MAX);
    }
    let start = match findings.is_reassociated {
        true => REASSOCIATED,
        false => "",
    };
    let wrong = findings.wrong_spots();
    if wrong.is_empty() {
        return start.to_owned() + &end;
    }
    let headline = damage::headline(findings, &wrong);
    let others = end.lines().count() + 4 + steering::lines(context).len();
    let rows = match context.all {
        true => usize::MAX,
        false => LINES.saturating_sub(others).clamp(LEAST_ROWS, ROWS),
    };
    let table = damage::table(&wrong, &view, rows);
    let steering: String = steering::lines(context)
        .iter()
        .map(|line| format!("  {line}\n"))
        .collect();
    let gap = if steering.is_empty() { "" } else { "\n" };
    format!("{start}{ALARM}{headline}{ALARM:#}\n\n{table}{gap}{steering}\n{end}")
}

/// The causes that matter most, in a few lines each.
fn write_main(text: &mut String, findings: &Findings, view: &SourceView) {
    let causes = findings.causes.iter();
    let mut shown: Vec<String> = causes
        .map(|cause| view.cause(cause))
        .chain(
            findings
                .untraced
                .iter()
                .map(|spot| causes::untraced(view, spot)),
        )
        .take(MAIN_CAUSES)
        .map(|groups| Renderer::styled().render(&groups) + "\n\n")
        .collect();
    let all = findings.causes.len() + findings.untraced.len();
    // A terminal's height: the last cause gives way before the table of wrong results does.
    let lines = |shown: &[String]| -> usize { shown.iter().map(|one| one.lines().count()).sum() };
    while shown.len() > 1 && lines(&shown) + LEAST_ROWS + 7 > LINES {
        shown.pop();
    }
    text.extend(shown.iter().map(String::as_str));
    let more = (all - shown.len()) as u64;
    let unconfirmed = findings.unconfirmed.len() as u64;
    let parts = [
        (more > 0).then(|| count(more, "more cause", "more causes")),
        (unconfirmed > 0).then(|| {
            format!(
                "{} lost bits and made less than a fifth of any result's error",
                count(unconfirmed, "more operation", "more operations")
            )
        }),
    ];
    let parts: Vec<String> = parts.into_iter().flatten().collect();
    if !parts.is_empty() {
        *text += &format!("{} (--all)\n", parts.join("; "));
    }
}

/// Everything that is known of every cause.
fn write_all(text: &mut String, findings: &Findings, view: &SourceView) {
    let threshold = findings.settings.min_local_bits;
    let causes = findings.causes.iter();
    let causes = causes.map(|cause| view.root_cause(cause, threshold));
    let untraced = findings
        .untraced
        .iter()
        .map(|spot| causes::untraced(view, spot));
    for groups in causes.chain(untraced) {
        *text += &Renderer::styled().render(&groups);
        *text += "\n\n";
    }
    if !findings.unconfirmed.is_empty() {
        *text += "not confirmed: these lost bits, and made less than a fifth of any wrong result's error\n";
        for cause in &findings.unconfirmed {
            let place = format!("{}:{}", view.shown_path(&cause.site.file), cause.site.line);
            *text += &format!("  {place}  {}\n", phrases::headline(cause));
        }
    }
}

impl SourceView<'_> {
    fn root_cause(&self, cause: &RootCause, threshold: f64) -> Vec<Group<'static>> {
        let mut groups = self.cause(cause);
        let notes = notes(cause, threshold).into_iter().map(note);
        if let Some(group) = groups.pop() {
            groups.push(group.elements(notes));
        }
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

/// What was checked and what was not, line by line.
pub fn end(findings: &Findings, context: &Context) -> Vec<String> {
    let mut text: String = steering::lines(context).join("\n");
    text.push_str(if text.is_empty() { "" } else { "\n" });
    write_end(&mut text, findings, context).expect("writing to a string cannot fail");
    let plain = anstream::adapter::strip_str(&text).to_string();
    plain.lines().map(str::to_owned).collect()
}

fn write_end(text: &mut String, findings: &Findings, context: &Context) -> fmt::Result {
    interventions::write(text, context)?;
    variants::write(text, context)?;
    verdict::write(text, findings, context)?;
    folding::write(text, findings, &context.folding, &context.base)?;
    verdict::write_undecided(text, findings, context)?;
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
