//! The summary of a run for the terminal.

use std::fmt::{self, Write};

use anstyle::{AnsiColor, Style};

use crate::summary::{Blindness, Difference, Summary};

use super::words::{count, function_name, in_function, location, number, value};

/// Sites and functions that are named; the rest is only counted.
const NAMED: usize = 10;

const HEADING: Style = Style::new().bold();
const ALARM: Style = AnsiColor::Red.on_default().bold();

/// The summary, with colours; print it through `anstream`, which removes them where they are not
/// wanted.
pub fn summary(summary: &Summary) -> String {
    let mut text = String::new();
    write_summary(&mut text, summary).expect("writing to a string cannot fail");
    text
}

fn write_summary(text: &mut String, summary: &Summary) -> fmt::Result {
    let modes: Vec<&str> = summary.modes.iter().copied().collect();
    writeln!(
        text,
        "{HEADING}mode {}{HEADING:#}: {} executed {} of {}, {} in total",
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
    write_untracked(text, summary)?;
    write_endings(text, summary)
}

fn write_differences(text: &mut String, summary: &Summary) -> fmt::Result {
    if summary.differences.is_empty() {
        return writeln!(text, "every shadow equals the program's value");
    }
    writeln!(
        text,
        "{ALARM}{}{ALARM:#} from the program's value at {}:",
        count(
            summary.difference_count(),
            "shadow differs",
            "shadows differ"
        ),
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
        "  {HEADING}{}{HEADING:#}: {} ({kind}){}: {}",
        location(site),
        super::sites::what(site),
        in_function(site),
        count(totals.differences, "difference", "differences"),
    )?;
    writeln!(
        text,
        "      first: program {}, shadow {}",
        value(totals.program_bits, site.kind),
        value(totals.shadow_bits, site.kind),
    )
}

fn write_untracked(text: &mut String, summary: &Summary) -> fmt::Result {
    let blind = &summary.blind;
    if blind.is_empty() && summary.modules_lost == 0 {
        return Ok(());
    }
    writeln!(text, "not tracked:")?;
    write_without_shadow(text, blind)?;
    for lost in &blind.lost {
        writeln!(
            text,
            "  {} lost at {}: {}",
            count(lost.executions, "shadow", "shadows"),
            count(lost.sites as u64, "site", "sites"),
            lost.reason.description(),
        )?;
    }
    if summary.modules_lost > 0 {
        let modules = count(summary.modules_lost, "module", "modules");
        writeln!(
            text,
            "  {modules} without totals (no space for the record, or built by another version of lostbits)"
        )?;
    }
    Ok(())
}

fn write_without_shadow(text: &mut String, blind: &Blindness) -> fmt::Result {
    if !blind.returns.is_empty() {
        let total = blind
            .returns
            .iter()
            .map(|entry| entry.1)
            .fold(0, u64::saturating_add);
        writeln!(
            text,
            "  {} of uninstrumented functions: {}",
            count(total, "result", "results"),
            names(&blind.returns)
        )?;
    }
    if !blind.arguments.is_empty() {
        let total = blind
            .arguments
            .iter()
            .map(|entry| entry.1)
            .fold(0, u64::saturating_add);
        writeln!(
            text,
            "  {} from uninstrumented callers of {}",
            count(total, "argument", "arguments"),
            names(&blind.arguments)
        )?;
    }
    if blind.loads > 0 {
        writeln!(
            text,
            "  {} from memory that no instrumented code wrote",
            count(blind.loads, "load", "loads")
        )?;
    }
    Ok(())
}

/// `sqrt (12), strtod (3) and 4 more`.
fn names(counts: &[(String, u64)]) -> String {
    let name = |symbol: &str| {
        if symbol.is_empty() {
            "a function pointer".to_owned()
        } else {
            function_name(symbol)
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
        "{} without running exit handlers (signal, _exit or exec) or still runs; the totals cover what ran before",
        count(summary.cut_short as u64, "process ended", "processes ended"),
    )
}
