//! Joins the records that the processes of a run left in their folder, each with the analysis beside it.

use std::{
    ffi::OsString,
    fs,
    mem::offset_of,
    os::unix::ffi::{OsStrExt, OsStringExt},
    path::{Path, PathBuf},
};

use lostbits_abi::{
    explain::{self, ANALYSIS_SUFFIX},
    record::{self, Header},
};

/// What the processes left.
#[derive(Default)]
pub struct Collected {
    pub records: Vec<CollectedRecord>,
    /// Files that are no records or analyses, say because the disk was full.
    pub unreadable: usize,
}

/// What one process left. One that replaced itself by another program left several of these.
pub struct CollectedRecord {
    pub record: Vec<u8>,
    /// That of a process of mode `explain` that computed something.
    pub analysis: Option<Vec<u8>>,
}

impl Collected {
    /// The records alone.
    pub fn records(&self) -> Vec<u8> {
        let records = self.records.iter();
        records.flat_map(|one| &one.record).copied().collect()
    }

    /// As they are saved: each analysis follows its record.
    pub fn saved(&self) -> Vec<u8> {
        let all = self.records.iter();
        all.flat_map(|one| one.record.iter().chain(one.analysis.iter().flatten()))
            .copied()
            .collect()
    }
}

/// All records in `folder`, that of the process `first` before the others.
pub fn collect(folder: &Path, first: u32) -> Collected {
    let mut collected = Collected::default();
    for path in in_order(folder, first) {
        let Some(record) = fs::read(&path).ok().and_then(used_record) else {
            collected.unreadable += 1;
            continue;
        };
        let analysis = fs::read(analysis_beside(&path)).ok();
        let used = analysis.as_deref().map(used_analysis);
        collected.unreadable += usize::from(used == Some(None));
        collected.records.push(CollectedRecord {
            record,
            analysis: used.flatten().map(<[u8]>::to_vec),
        });
    }
    collected
}

/// The file with the analysis that belongs to a record.
pub fn analysis_beside(record: &Path) -> PathBuf {
    let mut name = record.as_os_str().to_owned();
    name.push(ANALYSIS_SUFFIX);
    name.into()
}

/// The record that a file is the analysis of; none if its name is not that of one.
pub fn record_beside(analysis: &Path) -> Option<PathBuf> {
    let name = analysis.as_os_str().as_bytes();
    let record = name.strip_suffix(ANALYSIS_SUFFIX.as_bytes())?;
    Some(OsString::from_vec(record.to_vec()).into())
}

/// The first process's records, then the others by number. A process that replaced itself by another
/// program leaves `123` and `123.1`.
fn in_order(folder: &Path, first: u32) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let mut files: Vec<PathBuf> = entries
        .map(|entry| entry.path())
        .filter(|path| record_beside(path).is_none() && path.is_file())
        .collect();
    files.sort_by_key(|path| {
        let name = path
            .file_name()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned();
        let (process, image) = name.split_once('.').unwrap_or((&name, "0"));
        let process: u32 = process.parse().unwrap_or(u32::MAX);
        (process != first, process, image.parse().unwrap_or(u32::MAX))
    });
    files
}

/// A record without the space it reserved and did not use; none if it cannot be read.
fn used_record(mut bytes: Vec<u8>) -> Option<Vec<u8>> {
    record::decode(&bytes).ok()?;
    let length = length_at(&bytes, offset_of!(Header, length))?;
    bytes.truncate(length);
    Some(bytes)
}

/// The same for an analysis. A process may have ended while it wrote its header.
fn used_analysis(bytes: &[u8]) -> Option<&[u8]> {
    let is_analysis = bytes.starts_with(&explain::MAGIC.to_le_bytes());
    let length = length_at(bytes, offset_of!(explain::Header, length))?;
    bytes.get(..length).filter(|_| is_analysis)
}

fn length_at(bytes: &[u8], at: usize) -> Option<usize> {
    let length = u64::from_le_bytes(bytes.get(at..at.checked_add(8)?)?.try_into().ok()?);
    usize::try_from(length).ok()
}
