//! Source files as reports show them.

use std::{
    fs,
    path::{Path, PathBuf},
};

/// A line of a source file, counted from 1; none if the file is gone or shorter.
pub fn source_line(file: &Path, line: u32) -> Option<String> {
    let bytes = fs::read(file).ok()?;
    let index = usize::try_from(line.checked_sub(1)?).ok()?;
    let line = bytes.split(|byte| *byte == b'\n').nth(index)?;
    Some(String::from_utf8_lossy(line).trim_end().to_owned())
}

/// Files below it are shown relative to it. Empty where it is gone, and then no path is shortened.
pub fn current_folder() -> PathBuf {
    std::env::current_dir().unwrap_or_default()
}
