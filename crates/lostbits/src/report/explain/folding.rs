//! What the report says about outputs that are constants in the compiled program.

use std::{
    fmt::{self, Write},
    path::Path,
};

use lostbits_abi::site::Site;

use crate::{
    explain::{Findings, Folding},
    report::{
        snippets::SourceView,
        words::{count, number},
    },
};

/// Locations that are shown; the rest is only counted.
const SHOWN: usize = 3;

fn times(findings: &Findings) -> u64 {
    findings
        .constants
        .iter()
        .map(|one| one.times)
        .fold(0, u64::saturating_add)
}

/// For the list of what was checked, after the number of outputs.
pub fn among_outputs(findings: &Findings) -> String {
    match times(findings) {
        0 => String::new(),
        1 => " (1 of them a compile-time constant)".to_owned(),
        many => format!(" ({} of them compile-time constants)", number(many)),
    }
}

/// Where the constants are, for a sentence.
pub fn locations(findings: &Findings, base: &Path) -> String {
    let sites: Vec<&Site> = findings.constants.iter().map(|one| &one.site).collect();
    shown(&sites, base)
}

pub fn write(
    text: &mut String,
    findings: &Findings,
    folding: &Folding,
    base: &Path,
) -> fmt::Result {
    let constants = times(findings);
    let locations = locations(findings, base);
    let doubt = match constants {
        0 if findings.summary.executions > 0 => "the compiler computed a part of the arithmetic itself; errors that it made were \
            not checked"
            .to_owned(),
        0 => "the compiled program computes nothing; values that the compiler computed were not checked"
            .to_owned(),
        _ => format!(
            "{} ({locations}); errors that the compiler made in computing them were not checked",
            count(
                constants,
                "output is a compile-time constant",
                "outputs are compile-time constants"
            )
        ),
    };
    match folding {
        Folding::None => Ok(()),
        Folding::NotRecorded if constants == 0 => Ok(()),
        Folding::NotRecorded => writeln!(text, "{doubt}"),
        Folding::Unknown(why) => writeln!(text, "{doubt}: {why}"),
        Folding::Recomputed(sites) => {
            let what = match sites.len() {
                0 => "parts of the computation".to_owned(),
                _ => format!(
                    "the outputs at {}",
                    shown(&sites.iter().collect::<Vec<_>>(), base)
                ),
            };
            writeln!(
                text,
                "the compiler had folded {what} to constants; this report describes a second run, compiled with \
                 constants hidden from the optimiser"
            )
        }
    }
}

/// `a.c:3, a.c:7 and 2 more locations`.
fn shown(sites: &[&Site], base: &Path) -> String {
    let view = SourceView {
        base,
        source_line: &|_, _| None,
        crowded: Default::default(),
        command: None,
    };
    let mut locations: Vec<String> = sites
        .iter()
        .map(|site| match site.file.as_str() {
            "" => "unknown line".to_owned(),
            file => format!("{}:{}", view.shown_path(file), site.line),
        })
        .collect();
    locations.dedup();
    let more = locations.len().saturating_sub(SHOWN) as u64;
    locations.truncate(SHOWN);
    let shown = locations.join(", ");
    match more {
        0 => shown,
        _ => format!(
            "{shown} and {}",
            count(more, "more location", "more locations")
        ),
    }
}
