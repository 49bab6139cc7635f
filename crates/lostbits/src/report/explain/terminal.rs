//! The report for people: each root cause with its line, as compilers show their warnings.

use std::{
    collections::BTreeSet,
    fmt::{self, Write},
};

use annotate_snippets::{Group, Level, Renderer};
use anstyle::{AnsiColor, Style};
use lostbits_abi::site::Caller;

use super::{Again, Context, Folding, folding, infix, phrases};
use crate::{
    explain::{Findings, Looks, Reached, RootCause, Spot},
    report::{
        drawing::{Page, SourceLine, note},
        unseen::{self, Unseen},
        words::{count, ending},
    },
};

/// Root causes shown before the rest is only counted, and callers and spots shown of each.
const CAUSES: usize = 20;
const CALLERS: usize = 3;
const SPOTS: usize = 3;

const GOOD: Style = AnsiColor::Green.on_default().bold();
const ALARM: Style = AnsiColor::Yellow.on_default().bold();

/// The report, with colours; print it through `anstream`, which takes them out where nobody sees
/// them.
pub fn terminal(findings: &Findings, context: &Context, source_line: SourceLine) -> String {
    let page = Page {
        base: &context.base,
        source_line,
    };
    let causes = findings.causes.iter();
    let causes = causes.map(|cause| page.root_cause(cause, findings.settings.min_local_bits));
    let untraced = findings.untraced.iter().map(|spot| page.untraced(spot));
    let mut text = String::new();
    for groups in causes.chain(untraced).take(CAUSES) {
        text += &Renderer::styled().render(&groups);
        text += "\n\n";
    }
    write_end(&mut text, findings, context).expect("a string takes all");
    text
}

impl Page<'_> {
    fn root_cause(&self, cause: &RootCause, threshold: f64) -> Vec<Group<'static>> {
        let title = Level::WARNING.primary_title(phrases::headline(cause));
        let group = title.elements(self.place(&cause.site, phrases::label(cause)));
        let notes = notes(cause, threshold).into_iter().map(note);
        let mut groups = vec![group.elements(notes)];
        groups.extend(self.callers(&cause.inlined_from));
        groups.extend(self.reached(&cause.outputs));
        groups.extend(self.reached(&cause.decisions));
        groups
    }

    /// The program's lines that led to a line of another file.
    fn callers(&self, callers: &BTreeSet<Caller>) -> Vec<Group<'static>> {
        let title = || Level::NOTE.secondary_title("inlined from here");
        let shown = callers.iter().take(CALLERS);
        let mut groups: Vec<Group> = shown
            .map(|caller| title().element(self.caller(caller)))
            .collect();
        let more = callers.len().saturating_sub(CALLERS) as u64;
        if more > 0 {
            let text = format!("and from {}", count(more, "other place", "other places"));
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
                let title = format!("it reaches this {}", phrases::spot(&reached.spot));
                Level::NOTE
                    .secondary_title(title)
                    .elements(self.place(&reached.spot.site, label))
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

    /// A spot that was wrong, and nobody knows why.
    fn untraced(&self, spot: &Spot) -> Vec<Group<'static>> {
        let title = format!(
            "this {} is wrong, and the cause was not traced",
            phrases::spot(spot)
        );
        let label = phrases::spot_label(spot, spot.erroneous, spot.worst_bits);
        let group = Level::WARNING.primary_title(title);
        let why = "no operation that was seen lost so many bits by itself: the error may have come \
                   in with a value from code that lostbits did not compile";
        vec![
            group
                .elements(self.place(&spot.site, label))
                .element(note(why.to_owned())),
        ]
    }
}

fn notes(cause: &RootCause, threshold: f64) -> Vec<String> {
    let mut notes = Vec::new();
    if let Some(expression) = &cause.expression {
        notes.push(format!("it computes {}", infix(expression)));
    }
    notes.push(phrases::how_often(cause, threshold));
    if let Some(expression) = &cause.expression {
        let varied = expression.variables.iter();
        notes.extend(varied.map(phrases::ranges));
    }
    notes.extend(phrases::looked_at(cause));
    notes.extend(phrases::worst(cause));
    if cause.undecided > 0 {
        let times = count(cause.undecided, "execution", "executions");
        notes.push(format!("{times} could not be decided at this precision"));
    }
    notes
}

fn write_end(text: &mut String, findings: &Findings, context: &Context) -> fmt::Result {
    let all = findings.causes.len() + findings.untraced.len();
    let more = all.saturating_sub(CAUSES) as u64;
    if more > 0 {
        writeln!(text, "and {}", count(more, "more finding", "more findings"))?;
    }
    write_verdict(text, findings, context)?;
    folding::write(text, findings, &context.folding, &context.base)?;
    write_undecided(text, findings)?;
    write_precision(text, findings.settings.precision, &context.again)?;
    let unseen = Unseen {
        other_modules: findings.modules_of_other_modes,
        unreadable: context.unreadable,
        more: not_kept(findings)
            .into_iter()
            .chain(wraps(context))
            .chain(outside(findings))
            .collect(),
    };
    unseen::write(text, &findings.summary, &unseen)?;
    text.push_str(&context.ended.map(ending).unwrap_or_default());
    Ok(())
}

fn write_verdict(text: &mut String, findings: &Findings, context: &Context) -> fmt::Result {
    let totals = &findings.totals;
    let threshold = phrases::bits(findings.settings.min_output_bits);
    let looked = format!(
        "{}{}, {}, {}",
        looks(totals.outputs, "output", "outputs"),
        folding::among_outputs(findings),
        looks(totals.comparisons, "comparison", "comparisons"),
        looks(totals.conversions, "conversion", "conversions")
    );
    if !findings.is_clean() {
        return writeln!(
            text,
            "{ALARM}{}{ALARM:#}; {} (looked at: {looked})",
            found(findings),
            worst_output(findings)
        );
    }
    if totals.outputs.places == 0 {
        return writeln!(
            text,
            "{ALARM}no output was seen{ALARM:#}, so none can be judged (looked at: {looked}); give \
             values to lostbits_output(x) of lostbits.h"
        );
    }
    if folding::is_everything(findings) {
        let places = folding::places(findings, &context.base);
        let whose = match context.folding {
            Folding::None | Folding::LookedAt(_) => "of the source",
            Folding::Unknown(_) | Folding::NotTold => "when compiled",
        };
        return writeln!(
            text,
            "{ALARM}no output was computed{ALARM:#}, so none can be judged: all are constants {whose} ({places}; looked \
             at: {looked})"
        );
    }
    let which = match totals.outputs.undecided {
        0 => "no output lost",
        _ => "no output that could be decided lost",
    };
    writeln!(
        text,
        "{GOOD}{which} more than {threshold}{GOOD:#} (looked at: {looked})"
    )
}

fn worst_output(findings: &Findings) -> String {
    let outputs = &findings.totals.outputs;
    let threshold = findings.settings.min_output_bits;
    match outputs.places {
        0 => "no output was seen".to_owned(),
        _ if outputs.worst_bits <= threshold => {
            format!("no output lost more than {}", phrases::bits(threshold))
        }
        _ => format!(
            "the worst output lost {}",
            phrases::bits(outputs.worst_bits)
        ),
    }
}

fn found(findings: &Findings) -> String {
    let causes = count(findings.causes.len() as u64, "root cause", "root causes");
    match findings.untraced.len() as u64 {
        0 => causes,
        untraced => {
            let spots = count(untraced, "error", "errors");
            format!("{causes}, and {spots} whose cause was not traced")
        }
    }
}

fn looks(looks: Looks, one: &str, many: &str) -> String {
    match looks.times == looks.places {
        true => count(looks.times, one, many),
        false => format!(
            "{} at {}",
            count(looks.times, one, many),
            count(looks.places, "place", "places")
        ),
    }
}

fn write_undecided(text: &mut String, findings: &Findings) -> fmt::Result {
    let totals = &findings.totals;
    let (places, executions) = totals.undecided_operations;
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
            count(places, "place", "places")
        ));
    }
    if parts.is_empty() {
        return Ok(());
    }
    writeln!(
        text,
        "not decided at this precision, and nobody blamed: {}",
        parts.join(", ")
    )
}

fn write_precision(text: &mut String, bits: u32, again: &Again) -> fmt::Result {
    match (again, bits) {
        (Again::No(why), _) => writeln!(text, "{why}"),
        (Again::Decided, bits) => writeln!(
            text,
            "what the first run could not decide was looked at again with up to {bits} bits, of which this tells"
        ),
        (Again::NotNeeded, 0) => Ok(()),
        (Again::NotNeeded, bits) => {
            writeln!(text, "errors were measured with {bits} bits throughout")
        }
    }
}

/// Functions that were to be one operation and are not.
fn wraps(context: &Context) -> Option<String> {
    let names: Vec<String> = context
        .not_called
        .iter()
        .map(|name| format!("`{name}`"))
        .collect();
    let names = names.join(", ");
    (!names.is_empty()).then(|| {
        format!("{names} of lostbits.toml, which nothing calls in the code that lostbits compiled (is the name right?)")
    })
}

/// Functions whose results count as exact.
fn outside(findings: &Findings) -> Option<String> {
    const SHOWN: usize = 5;
    let names = findings.outside.iter().take(SHOWN);
    let mut names: Vec<String> = names.map(|name| format!("`{name}`")).collect();
    let more = findings.outside.len().saturating_sub(SHOWN);
    if more > 0 {
        names.push(format!("{more} more"));
    }
    let names = names.join(", ");
    (!names.is_empty()).then(|| {
        format!("what {names} made of their arguments (not compiled by lostbits: their results count as exact)")
    })
}

fn not_kept(findings: &Findings) -> Vec<String> {
    let totals = &findings.totals;
    let counted = [
        (
            totals.influences_lost,
            "influence that could not be kept",
            "influences that could not be kept",
        ),
        (
            totals.entries_lost,
            "operation or output for which there was no space",
            "operations or outputs for which there was no space",
        ),
        (
            totals.events_lost,
            "execution in a signal handler or thread that came while another was being looked at",
            "executions in signal handlers or threads that came while another was being looked at",
        ),
        (
            totals.after_underflow,
            "output next to nothing after an underflow, whose error is not known beyond the last operations (--precision 128 knows it)",
            "outputs next to nothing after an underflow, whose error is not known beyond the last operations (--precision 128 knows it)",
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
