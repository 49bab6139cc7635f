//! Where a report goes.

use std::{
    fs::{self, OpenOptions},
    io,
    path::{Path, PathBuf},
};

use crate::{
    failure::Failure,
    output::{self, Stream},
};

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

    /// Colours are removed where there is no terminal.
    pub fn write(&self, text: &str) -> Result<(), Failure> {
        match self {
            Destination::Output => output::print(Stream::Output, text),
            Destination::Errors => output::print(Stream::Errors, text),
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

/// Checks that a file can be written. An existing file keeps its contents, and no new file stays behind. Anything but a
/// plain file is not tried: a pipe would wait for its reader.
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
