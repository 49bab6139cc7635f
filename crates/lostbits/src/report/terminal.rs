//! The summary of a run in plain words, for people.

use std::fmt::{self, Write};

use anstyle::{AnsiColor, Style};

use crate::summary::{Blindness, Difference, Summary};

use super::words::{count, demangle, number, place, value};

/// Sites and callees named before the rest is only counted.
const NAMED: usize = 10;

const HEADING: Style = Style::new().bold();
const ALARM: Style = AnsiColor::Red.on_default().bold();

/// The summary, with colours; print it through `anstream`, which takes them out where nobody sees
/// them.
pub fn summary(summary: &Summary) -> String {
    let mut text = String::new();
    write_summary(&mut text, summary).expect("a string takes all");
    text
}

fn write_summary(text: &mut String, summary: &Summary) -> fmt::Result {
    let modes: Vec<&str> = summary.modes.iter().copied().collect();
    writeln!(
        text,
        "{HEADING}mode {}{HEADING:#}: {}, {} of {} were executed, {} in all",
        modes.join(" and "),
        count(summary.processes as u64, "process", "processes"),
        number(summary.executed_sites as u64),
        count(
            summary.operation_sites as u64,
            "operation site",
            "operation sites"
        ),
        count(summary.executions, "operation", "operations"),
    )?;
    if summary.compares() {
        write_differences(text, summary)?;
    }
    write_blindness(text, summary)?;
    write_endings(text, summary)
}

fn write_differences(text: &mut String, summary: &Summary) -> fmt::Result {
    if summary.differences.is_empty() {
        return writeln!(text, "every shadow equalled the program's value");
    }
    writeln!(
        text,
        "{ALARM}{}{ALARM:#} at {} between the program and its shadow:",
        count(summary.difference_count(), "difference", "differences"),
        count(summary.differences.len() as u64, "site", "sites"),
    )?;
    for difference in summary.differences.iter().take(NAMED) {
        write_difference(text, difference)?;
    }
    let more = summary.differences.len().saturating_sub(NAMED) as u64;
    if more > 0 {
        writeln!(text, "  and at {}", count(more, "more site", "more sites"))?;
    }
    Ok(())
}

fn write_difference(text: &mut String, difference: &Difference) -> fmt::Result {
    let site = &difference.site;
    let totals = &difference.totals;
    let kind = site.kind.map_or("other format", |kind| kind.c_name());
    writeln!(
        text,
        "  {HEADING}{}{HEADING:#}: in {}: {} of {kind} differed {}",
        place(site),
        demangle(&site.function),
        super::sites::what(site),
        count(totals.differences, "time", "times"),
    )?;
    writeln!(
        text,
        "      first: program {}, shadow {}",
        value(totals.program_bits, site.kind),
        value(totals.shadow_bits, site.kind),
    )
}

fn write_blindness(text: &mut String, summary: &Summary) -> fmt::Result {
    let blind = &summary.blind;
    if blind.is_empty() && summary.modules_lost == 0 {
        return writeln!(text, "nothing went unseen");
    }
    writeln!(text, "not seen:")?;
    write_fresh(text, blind)?;
    for lost in &blind.lost {
        writeln!(
            text,
            "  {} lost to {}, at {}",
            count(lost.executions, "shadow was", "shadows were"),
            lost.reason.description(),
            count(lost.sites as u64, "place", "places"),
        )?;
    }
    if summary.modules_lost > 0 {
        let modules = count(summary.modules_lost, "module", "modules");
        writeln!(
            text,
            "  {modules} could not keep totals (no space for the record, or built by another lostbits)"
        )?;
    }
    Ok(())
}

fn write_fresh(text: &mut String, blind: &Blindness) -> fmt::Result {
    if !blind.returns.is_empty() {
        let total = blind.returns.iter().map(|entry| entry.1).sum();
        let results = count(total, "result came", "results came");
        writeln!(
            text,
            "  {results} without a shadow from uninstrumented calls: {}",
            names(&blind.returns)
        )?;
    }
    if !blind.arguments.is_empty() {
        let total = blind.arguments.iter().map(|entry| entry.1).sum();
        let arguments = count(total, "argument came", "arguments came");
        writeln!(
            text,
            "  {arguments} without a shadow from uninstrumented callers of {}",
            names(&blind.arguments)
        )?;
    }
    if blind.loads > 0 {
        let loads = count(blind.loads, "load", "loads");
        writeln!(
            text,
            "  {loads} found memory that no instrumented code had written"
        )?;
    }
    Ok(())
}

/// `sqrt (12), strtod (3) and 4 more`.
fn names(counts: &[(String, u64)]) -> String {
    let name = |symbol: &str| {
        if symbol.is_empty() {
            "a pointer".to_owned()
        } else {
            demangle(symbol)
        }
    };
    let named: Vec<String> = counts
        .iter()
        .take(NAMED)
        .map(|(symbol, times)| format!("{} ({})", name(symbol), number(*times)))
        .collect();
    let more = counts.len().saturating_sub(NAMED);
    let tail = if more > 0 {
        format!(" and {more} more")
    } else {
        String::new()
    };
    named.join(", ") + &tail
}

fn write_endings(text: &mut String, summary: &Summary) -> fmt::Result {
    if summary.cut_short == 0 {
        return Ok(());
    }
    writeln!(
        text,
        "{} without exit handlers (a signal, _exit, exec) or still ran; all counted until then is here",
        count(summary.cut_short as u64, "process ended", "processes ended"),
    )
}
