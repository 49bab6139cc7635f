//! Joins the records that the processes of a run left in their folder.

use std::{
    fs,
    mem::offset_of,
    path::{Path, PathBuf},
};

use lostbits_abi::record::{self, Header};

/// The records, joined.
#[derive(Default)]
pub struct Collected {
    pub bytes: Vec<u8>,
    /// Files that are no records, say because the disk was full.
    pub unreadable: usize,
}

/// Joins all records in `folder`, that of the process `first` before the others.
pub fn collect(folder: &Path, first: u32) -> Collected {
    let mut collected = Collected::default();
    for path in in_order(folder, first) {
        match fs::read(&path).ok().and_then(used_part) {
            Some(bytes) => collected.bytes.extend(bytes),
            None => collected.unreadable += 1,
        }
    }
    collected
}

/// The first process's records, then the others by number. A process that replaced itself by another
/// program leaves `123` and `123.1`.
pub fn in_order(folder: &Path, first: u32) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
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
fn used_part(mut bytes: Vec<u8>) -> Option<Vec<u8>> {
    record::decode(&bytes).ok()?;
    let at = offset_of!(Header, length);
    let length = u64::from_le_bytes(bytes.get(at..at + 8)?.try_into().ok()?);
    bytes.truncate(usize::try_from(length).ok()?);
    Some(bytes)
}
