//! Where a report goes.

use std::{io::Write, path::PathBuf};

use crate::failure::Failure;

/// Beside the program's own output, never in it.
pub enum Destination {
    /// Where no program prints anything.
    Output,
    Errors,
    File(PathBuf),
}

impl Destination {
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
