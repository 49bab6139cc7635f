//! Reads saved runs: process records, and after the record of a process of mode `explain` its analysis.
//!
//! `lostbits run` and `explain` save both in one file. A program that runs by itself leaves them in two files beside each
//! other ([`crate::run::analysis_beside`]), and users may join such files in any order.

use std::{
    fs,
    path::{Path, PathBuf},
};

use lostbits_abi::{
    record::{self, ProcessRecord},
    site::DecodeError,
};

use super::{
    analysis::{self, Analysis},
    findings::is_explained,
};
use crate::{failure::Failure, record as records, run};

/// What a saved run holds.
#[derive(Default)]
pub struct Saved {
    pub processes: Vec<ProcessRecord>,
    pub analyses: Vec<Analysis>,
}

impl Saved {
    /// Decodes records and analyses in any order.
    pub fn decode(mut bytes: &[u8]) -> Result<Saved, DecodeError> {
        let mut saved = Saved::default();
        while !bytes.is_empty() {
            bytes = match analysis::is_analysis(bytes) {
                true => saved.take_analysis(bytes)?,
                false => {
                    let (processes, rest) = record::decode_first(bytes)?;
                    saved.processes.extend(processes);
                    rest
                }
            };
        }
        match saved.processes.is_empty() {
            true => Err(DecodeError::Malformed),
            false => Ok(saved),
        }
    }

    fn take_analysis<'a>(&mut self, bytes: &'a [u8]) -> Result<&'a [u8], DecodeError> {
        const NO_RECORD: usize = usize::MAX;
        let (mut analysis, rest) = analysis::decode_first(bytes, NO_RECORD)?;
        analysis.record = self.record_of(analysis.process).unwrap_or(NO_RECORD);
        self.analyses.push(analysis);
        Ok(rest)
    }

    /// The latest record of a process that may have an analysis and has none yet: a process that replaced itself by another
    /// program has several of both, and the analysis of `123.1` comes after `123.1` and before that of `123` in every order
    /// of their names.
    fn record_of(&self, process: u32) -> Option<usize> {
        let is_taken = |at: usize| self.analyses.iter().any(|one| one.record == at);
        let fits = |at: &usize| {
            let record = &self.processes[*at];
            record.process == process && is_explained(record) && !is_taken(*at)
        };
        (0..self.processes.len()).rev().find(fits)
    }

    fn add(&mut self, more: Saved) {
        let before = self.processes.len();
        self.processes.extend(more.processes);
        let analyses = more.analyses.into_iter();
        self.analyses.extend(analyses.map(|one| Analysis {
            record: one.record.saturating_add(before),
            ..one
        }));
    }
}

/// Decodes the analyses that a run's processes left; returns how many could not be read besides.
pub fn decode_analyses(collected: &[(usize, Vec<u8>)]) -> (Vec<Analysis>, usize) {
    let decoded = collected.iter();
    let decoded = decoded.map(|(record, bytes)| analysis::decode_first(bytes, *record));
    let analyses: Vec<Analysis> = decoded.flatten().map(|(analysis, _)| analysis).collect();
    let unreadable = collected.len() - analyses.len();
    (analyses, unreadable)
}

/// Reads saved runs of any mode; there are analyses only in those of `explain`. An analysis among the files is read with its
/// record.
pub fn read(paths: &[PathBuf]) -> Result<Saved, Failure> {
    let mut saved = Saved::default();
    let is_given = |path: &Path| paths.iter().any(|given| given == path);
    let belongs_to_other =
        |path: &Path| run::record_beside(path).is_some_and(|record| is_given(&record));
    for path in paths.iter().filter(|path| !belongs_to_other(path)) {
        saved.add(read_one(path)?);
    }
    Ok(saved)
}

fn read_one(path: &Path) -> Result<Saved, Failure> {
    let mut bytes = fs::read(path).map_err(|error| Failure::CannotRead {
        path: path.to_owned(),
        error,
    })?;
    bytes.extend(fs::read(run::analysis_beside(path)).unwrap_or_default());
    Saved::decode(&bytes).map_err(|error| records::about(path, error))
}
