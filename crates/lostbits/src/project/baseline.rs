//! The baseline: findings that the project accepts for now, in a file that is kept with the sources.
//!
//! `lostbits baseline` writes it; a finding counts again if it loses more bits than it did then.

use std::{
    collections::BTreeMap,
    fs,
    io::ErrorKind,
    path::{Path, PathBuf},
};

use serde::{Deserialize, Serialize};

use super::{
    findings::{Finding, Merged},
    fingerprint::Fingerprint,
    state::State,
};
use crate::{demangle::demangle, failure::Failure};

/// A finding has got worse if it loses this many bits more than in the baseline; results of other machines and compilers
/// differ by less.
const WORSE_BITS: f64 = 1.0;

const HEADER: &str = "\
# Findings that this project accepts for now: `lostbits check` fails only on others, and on these if they get worse.
# Written by `lostbits baseline`. File, line and kind are for readers; the fingerprint decides.

";

#[derive(Default, Debug)]
pub struct Baseline(BTreeMap<Fingerprint, BaselineEntry>);

#[derive(Serialize, Deserialize, Clone, PartialEq, Debug)]
#[serde(deny_unknown_fields)]
pub struct BaselineEntry {
    pub fingerprint: Fingerprint,
    pub file: String,
    pub line: u32,
    pub function: String,
    pub kind: String,
    /// The most bits that a result lost.
    pub bits: f64,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    #[serde(default)]
    finding: Vec<BaselineEntry>,
}

impl Baseline {
    /// None if there is no such file.
    pub fn read(path: &Path) -> Result<Option<Baseline>, Failure> {
        let bad = |problem: String| Failure::BadBaseline {
            path: path.to_owned(),
            problem,
        };
        match fs::read_to_string(path) {
            Ok(text) => parse(&text).map(Some).map_err(bad),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
            Err(error) => Err(bad(error.to_string())),
        }
    }

    /// Every finding that is not ignored.
    pub fn of(merged: &Merged) -> Baseline {
        let accepted = merged
            .findings
            .iter()
            .filter(|one| !matches!(one.state, State::Ignored { .. }));
        let entries = accepted.map(|finding| {
            let site = finding.site();
            BaselineEntry {
                fingerprint: finding.fingerprint.clone(),
                file: merged.shown_path(&site.file).to_owned(),
                line: site.line,
                function: demangle(&site.function),
                kind: finding.kind().to_owned(),
                bits: (finding.bits() * 10.0).ceil() / 10.0,
            }
        });
        Baseline(entries.map(|one| (one.fingerprint.clone(), one)).collect())
    }

    pub fn len(&self) -> usize {
        self.0.len()
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// As it is written: in the order of files and lines.
    pub fn text(&self) -> String {
        let mut finding: Vec<BaselineEntry> = self.0.values().cloned().collect();
        finding.sort_by(|a, b| {
            (&a.file, a.line, &a.fingerprint).cmp(&(&b.file, b.line, &b.fingerprint))
        });
        let entries = toml::to_string(&File { finding }).expect("plain data");
        HEADER.to_owned() + &entries
    }

    pub fn write(&self, path: &PathBuf) -> Result<(), Failure> {
        fs::write(path, self.text()).map_err(|error| Failure::CannotWrite {
            path: path.clone(),
            error,
        })
    }

    /// Entries that none of these findings has.
    pub fn gone(&self, merged: &Merged) -> Vec<&BaselineEntry> {
        let is_there = |entry: &&BaselineEntry| {
            let mut all = merged.findings.iter();
            all.any(|finding| finding.fingerprint == entry.fingerprint)
        };
        self.0.values().filter(|entry| !is_there(entry)).collect()
    }

    pub(super) fn state_of(&self, finding: &Finding) -> State {
        match self.0.get(&finding.fingerprint) {
            None => State::New,
            Some(known) if finding.bits() > known.bits + WORSE_BITS => {
                State::Worse { before: known.bits }
            }
            Some(_) => State::Known,
        }
    }
}

fn parse(text: &str) -> Result<Baseline, String> {
    let file: File = toml::from_str(text).map_err(|error| error.to_string())?;
    let entries = file.finding.into_iter();
    let entries = entries.map(|one| (one.fingerprint.clone(), one));
    Ok(Baseline(entries.collect()))
}
