//! `--resume`: the finished calls in a file that a later search continues from, a line of JSON for each.

use std::{
    collections::HashMap,
    fs::{File, OpenOptions},
    io::Write,
    path::{Path, PathBuf},
    sync::Mutex,
};

use super::CallReport;
use crate::failure::Failure;

#[derive(Default)]
pub struct Saved {
    known: HashMap<String, CallReport>,
    file: Option<(PathBuf, Mutex<File>)>,
}

impl Saved {
    /// Reads the file; a last line that was cut short is ignored.
    pub fn open(path: Option<&Path>) -> Result<Saved, Failure> {
        let Some(path) = path else {
            return Ok(Saved::default());
        };
        let text = std::fs::read_to_string(path).unwrap_or_default();
        let known = parse(&text).map_err(|line| Failure::NotAResult {
            path: path.to_owned(),
            line,
        })?;
        let whole = text.rfind('\n').map_or(0, |end| end + 1);
        let cannot_write = |error| Failure::CannotWrite {
            path: path.to_owned(),
            error,
        };
        let file = OpenOptions::new()
            .create(true)
            .append(true)
            .open(path)
            .map_err(cannot_write)?;
        file.set_len(whole as u64).map_err(cannot_write)?;
        Ok(Saved {
            known,
            file: Some((path.to_owned(), Mutex::new(file))),
        })
    }

    pub fn report(&self, call: &str) -> Option<CallReport> {
        self.known.get(call).cloned()
    }

    pub fn add(&self, report: &CallReport) -> Result<(), Failure> {
        let Some((path, file)) = &self.file else {
            return Ok(());
        };
        let line = serde_json::to_string(report).unwrap_or_default() + "\n";
        let mut file = file.lock().unwrap_or_else(|poison| poison.into_inner());
        file.write_all(line.as_bytes())
            .map_err(|error| Failure::CannotWrite {
                path: path.clone(),
                error,
            })
    }
}

/// The reports by their calls; the number of the line that is none. A last line may have been cut short.
pub(crate) fn parse(text: &str) -> Result<HashMap<String, CallReport>, usize> {
    let lines: Vec<&str> = text.lines().collect();
    let mut known = HashMap::new();
    for (index, line) in lines.iter().enumerate() {
        match serde_json::from_str::<CallReport>(line) {
            Ok(report) => {
                known.insert(report.call.clone(), report);
            }
            Err(_) if index + 1 == lines.len() && !text.ends_with('\n') => {}
            Err(_) => return Err(index + 1),
        }
    }
    Ok(known)
}
