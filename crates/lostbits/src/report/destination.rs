//! Where a report goes.

use std::{
    fs::{self, OpenOptions},
    io::{self, Write},
    path::{Path, PathBuf},
};

use crate::failure::Failure;

/// Beside the program's own output, never in it.
pub enum Destination {
    /// Where no program prints anything.
    Output,
    Errors,
    File(PathBuf),
}

impl Destination {
    /// A report that cannot be written is refused before anything runs.
    pub fn check(&self) -> Result<(), Failure> {
        match self {
            Destination::Output | Destination::Errors => Ok(()),
            Destination::File(path) => {
                check_writable(path).map_err(|error| Failure::CannotWriteReport {
                    path: path.clone(),
                    error,
                })
            }
        }
    }

    /// Colours are taken out where nobody sees them.
    pub fn write(&self, text: &str) -> Result<(), Failure> {
        match self {
            // A reader that went away is no error.
            Destination::Output => drop(anstream::stdout().write_all(text.as_bytes())),
            Destination::Errors => anstream::eprint!("{text}"),
            Destination::File(path) => {
                let plain = anstream::adapter::strip_str(text).to_string();
                std::fs::write(path, plain).map_err(|error| Failure::CannotWriteReport {
                    path: path.clone(),
                    error,
                })?;
            }
        }
        Ok(())
    }
}

/// Whether a file could be written. One that is there keeps what it holds, and none is left that was not there; what is no
/// plain file (a pipe would wait for its reader) is not tried.
pub fn check_writable(path: &Path) -> io::Result<()> {
    let was_there = fs::metadata(path);
    if was_there
        .as_ref()
        .is_ok_and(|file| !file.is_file() && !file.is_dir())
    {
        return Ok(());
    }
    OpenOptions::new().append(true).create(true).open(path)?;
    match was_there {
        Ok(_) => Ok(()),
        Err(_) => fs::remove_file(path),
    }
}
