//! What is done already, in a file that a search can go on from: a line of JSON for each call.

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
    /// Reads what there is; a last line that was cut short is left out.
    pub fn open(path: Option<&Path>) -> Result<Saved, Failure> {
        let Some(path) = path else {
            return Ok(Saved::default());
        };
        let text = std::fs::read_to_string(path).unwrap_or_default();
        let lines: Vec<&str> = text.lines().collect();
        let mut saved = Saved::default();
        for (index, line) in lines.iter().enumerate() {
            match serde_json::from_str::<CallReport>(line) {
                Ok(report) => {
                    saved.known.insert(report.call.clone(), report);
                }
                Err(_) if index + 1 == lines.len() && !text.ends_with('\n') => {}
                Err(_) => {
                    return Err(Failure::NotAResult {
                        path: path.to_owned(),
                        line: index + 1,
                    });
                }
            }
        }
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
        saved.file = Some((path.to_owned(), Mutex::new(file)));
        Ok(saved)
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
