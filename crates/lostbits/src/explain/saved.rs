//! Collects the analyses that a run's processes left, and saves them after the records in one file.

use std::{
    fs::{self, OpenOptions},
    io::Write,
    path::Path,
};

use lostbits_abi::record::{self, ProcessRecord};

use super::analysis::{self, Analysis};
use crate::{failure::Failure, record as records, run};

/// What a saved run holds.
pub struct Saved {
    pub processes: Vec<ProcessRecord>,
    pub analyses: Vec<Analysis>,
}

/// The analyses of a run.
#[derive(Default)]
pub struct Collected {
    pub bytes: Vec<u8>,
    pub analyses: Vec<Analysis>,
    /// Files that are no analyses, say because the disk was full.
    pub unreadable: usize,
}

pub fn collect(folder: &Path) -> Collected {
    let mut collected = Collected::default();
    for path in run::in_order(folder, 0) {
        let bytes = fs::read(&path).ok().and_then(analysis::used_part);
        match bytes.and_then(|bytes| Some((analysis::decode(&bytes).ok()?, bytes))) {
            Some((analyses, bytes)) => {
                collected.analyses.extend(analyses);
                collected.bytes.extend(bytes);
            }
            None => collected.unreadable += 1,
        }
    }
    collected
}

pub fn append(record: &Path, analyses: &[u8]) -> Result<(), Failure> {
    let file = OpenOptions::new().append(true).open(record);
    file.and_then(|mut file| file.write_all(analyses))
        .map_err(|error| Failure::CannotWrite {
            path: record.to_owned(),
            error,
        })
}

/// Reads a saved run of any mode; there are analyses only in those of `explain`.
pub fn read(path: &Path) -> Result<Saved, Failure> {
    let bytes = fs::read(path).map_err(|error| Failure::CannotRead {
        path: path.to_owned(),
        error,
    })?;
    let (processes, rest) =
        record::decode_first(&bytes).map_err(|error| records::about(path, error))?;
    let analyses = analysis::decode(rest).map_err(|error| records::about(path, error))?;
    Ok(Saved {
        processes,
        analyses,
    })
}
