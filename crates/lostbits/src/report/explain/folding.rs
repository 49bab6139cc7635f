//! What is said of outputs that were constants in the compiled program.

use std::{
    fmt::{self, Write},
    path::Path,
};

use lostbits_abi::site::Site;

use crate::{
    explain::Findings,
    report::{
        drawing::Page,
        words::{count, number},
    },
};

/// What is known of how constants came about.
#[derive(Default)]
pub enum Folding {
    /// There are none, or they are constants in the source as the compiler's front end reads it.
    None,
    /// They may have been computed by the compiler; why nobody looked.
    Unknown(&'static str),
    /// The compiler had computed these, and this is the report of a program that computes them itself. There are none
    /// where it had computed what is no output.
    LookedAt(Vec<Site>),
    /// A saved record does not tell.
    #[default]
    NotTold,
}

/// Places shown before the rest is only counted.
const PLACES: usize = 3;

/// Whether there are outputs and all of them are constants.
pub fn is_everything(findings: &Findings) -> bool {
    let outputs = findings.totals.outputs.times;
    outputs > 0 && times(findings) >= outputs
}

fn times(findings: &Findings) -> u64 {
    findings.constants.iter().map(|one| one.times).sum()
}

/// For the list of what was looked at, behind the number of outputs.
pub fn among_outputs(findings: &Findings) -> String {
    match times(findings) {
        0 => String::new(),
        1 => " (1 of them a constant when compiled)".to_owned(),
        many => format!(" ({} of them constants when compiled)", number(many)),
    }
}

/// Where the constants are, for a sentence.
pub fn places(findings: &Findings, base: &Path) -> String {
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
    let outputs = count(constants, "output was a constant", "outputs were constants");
    let places = places(findings, base);
    let doubt = match constants {
        0 => "the compiled program computes nothing; what the compiler computed itself is not seen"
            .to_owned(),
        _ => format!(
            "{outputs} when compiled ({places}); if the compiler computed that itself, it was not seen"
        ),
    };
    match folding {
        Folding::None => Ok(()),
        Folding::NotTold if constants == 0 => Ok(()),
        Folding::NotTold => writeln!(text, "{doubt}"),
        Folding::Unknown(why) => writeln!(text, "{doubt}: {why}"),
        Folding::LookedAt(sites) => {
            let what = match sites.len() {
                0 => "what the program computes".to_owned(),
                _ => format!(
                    "what is put out at {}",
                    shown(&sites.iter().collect::<Vec<_>>(), base)
                ),
            };
            writeln!(
                text,
                "the compiler had computed {what} itself; this tells of a second run, of the program compiled with its \
                 constants hidden from the optimiser"
            )
        }
    }
}

/// `a.c:3, a.c:7 and 2 more places`.
fn shown(sites: &[&Site], base: &Path) -> String {
    let page = Page {
        base,
        source_line: &|_, _| None,
    };
    let mut places: Vec<String> = sites
        .iter()
        .map(|site| match site.file.as_str() {
            "" => "in which line is not known".to_owned(),
            file => format!("{}:{}", page.shown_path(file), site.line),
        })
        .collect();
    places.dedup();
    let more = places.len().saturating_sub(PLACES) as u64;
    places.truncate(PLACES);
    let shown = places.join(", ");
    match more {
        0 => shown,
        _ => format!("{shown} and {}", count(more, "more place", "more places")),
    }
}
