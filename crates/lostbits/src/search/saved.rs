//! `--resume`: the finished calls in a file that a later search continues from, a line of JSON for each. The file of a
//! shard begins with a line that says which part of which campaign it is.

use std::{
    collections::HashMap,
    fs::{File, OpenOptions, TryLockError},
    io::Write,
    path::{Path, PathBuf},
    sync::Mutex,
};

use super::{CallReport, shard::Header};
use crate::failure::Failure;

#[derive(Default)]
pub struct Saved {
    known: HashMap<String, CallReport>,
    file: Option<(PathBuf, Mutex<File>)>,
}

impl Saved {
    /// Reads the file; a last line that was cut short is ignored. `header` is that of a shard.
    pub fn open(path: Option<&Path>, header: Option<&Header>) -> Result<Saved, Failure> {
        let Some(path) = path else {
            return Ok(Saved::default());
        };
        let cannot_write = |error| Failure::CannotWrite {
            path: path.to_owned(),
            error,
        };
        let file = OpenOptions::new()
            .create(true)
            .append(true)
            .open(path)
            .map_err(cannot_write)?;
        // A scheduler may start a shard again while its first process still runs. File systems without locks go without.
        if let Err(TryLockError::WouldBlock) = file.try_lock() {
            return Err(Failure::SavedInUse {
                path: path.to_owned(),
            });
        }
        let text = std::fs::read_to_string(path).unwrap_or_default();
        let whole = text.rfind('\n').map_or(0, |end| end + 1);
        let contents = read(path, &text)?;
        if whole > 0 && contents.header.as_ref() != header {
            return Err(Failure::SavedForAnother {
                path: path.to_owned(),
            });
        }
        file.set_len(whole as u64).map_err(cannot_write)?;
        let saved = Saved {
            known: contents.known,
            file: Some((path.to_owned(), Mutex::new(file))),
        };
        if let Some(header) = header.filter(|_| whole == 0) {
            saved.write(header)?;
        }
        Ok(saved)
    }

    pub fn report(&self, call: &str) -> Option<CallReport> {
        self.known.get(call).cloned()
    }

    pub fn add(&self, report: &CallReport) -> Result<(), Failure> {
        self.write(report)
    }

    fn write(&self, line: &impl serde::Serialize) -> Result<(), Failure> {
        let Some((path, file)) = &self.file else {
            return Ok(());
        };
        let line = serde_json::to_string(line).unwrap_or_default() + "\n";
        let mut file = file.lock().unwrap_or_else(|poison| poison.into_inner());
        file.write_all(line.as_bytes())
            .map_err(|error| Failure::CannotWrite {
                path: path.clone(),
                error,
            })
    }
}

/// The file of a shard, which a search may still be writing.
pub fn shard(path: &Path) -> Result<(Header, HashMap<String, CallReport>), Failure> {
    let text = std::fs::read_to_string(path).map_err(|error| Failure::CannotRead {
        path: path.to_owned(),
        error,
    })?;
    let contents = read(path, &text)?;
    match contents.header {
        Some(header) => Ok((header, contents.known)),
        None => Err(Failure::NotAShard {
            path: path.to_owned(),
        }),
    }
}

fn read(path: &Path, text: &str) -> Result<Contents, Failure> {
    parse(text).map_err(|line| Failure::NotAResult {
        path: path.to_owned(),
        line,
    })
}

/// What a file holds.
#[derive(Default)]
pub(crate) struct Contents {
    /// Of a shard.
    pub header: Option<Header>,
    /// The reports by their calls.
    pub known: HashMap<String, CallReport>,
}

/// The number of the line that is no result is the error. A last line may have been cut short.
pub(crate) fn parse(text: &str) -> Result<Contents, usize> {
    let lines: Vec<&str> = text.lines().collect();
    let mut contents = Contents::default();
    for (index, line) in lines.iter().enumerate() {
        let is_cut_short = index + 1 == lines.len() && !text.ends_with('\n');
        match serde_json::from_str::<CallReport>(line) {
            _ if is_cut_short => {}
            Ok(report) => {
                contents.known.insert(report.call.clone(), report);
            }
            Err(_) if index == 0 => {
                let header = serde_json::from_str(line).map_err(|_| 1usize)?;
                contents.header = Some(header);
            }
            Err(_) => return Err(index + 1),
        }
    }
    Ok(contents)
}
