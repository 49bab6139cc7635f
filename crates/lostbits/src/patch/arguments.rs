//! Which words of `lostbits fix` are sources: `prog.c`, `stats.f90:28`.

use std::{ffi::OsStr, path::PathBuf};

use crate::subject;

/// A source, and the line that is wanted of it.
pub fn source(word: &OsStr) -> Option<(PathBuf, Option<u32>)> {
    if subject::language(word).is_some() {
        return Some((word.into(), None));
    }
    let (file, line) = word.to_str()?.rsplit_once(':')?;
    let line = line.parse().ok()?;
    subject::language(OsStr::new(file)).map(|_| (file.into(), Some(line)))
}

/// Whether a word names a source.
pub fn is_source(word: &OsStr) -> bool {
    source(word).is_some()
}
