//! Before a link: are its inputs of this ABI version, and its objects of one mode?
//!
//! An archive is refused even if the linker would not use its old member. What it can miss: libraries in the system's own
//! folders and in `LIBRARY_PATH`. The linker refuses such objects and archives, because the symbol by which a module
//! registers carries the ABI version, and the runtime refuses such shared libraries when the program starts.

use std::path::{Path, PathBuf};

use lostbits_abi::mode::Mode;

use super::scan::Invocation;
use crate::{
    failure::Failure,
    tables::{self, TableError},
};

/// Refuses inputs that the link would mix up. Inputs without site tables pass.
pub fn check(invocation: &Invocation, link_for: Mode) -> Result<(), Failure> {
    for path in invocation.objects.iter().filter(|path| path.is_file()) {
        check_mode(path, link_for)?;
    }
    if link_for == Mode::Off {
        // A plain program may use a library that brings its own runtime.
        return Ok(());
    }
    check_versions(&invocation.objects)?;
    let libraries: Vec<PathBuf> = invocation
        .libraries
        .iter()
        .filter_map(|name| find_library(invocation, name))
        .collect();
    check_versions(&libraries)
}

/// Refuses archives and libraries of another ABI version.
pub fn check_versions(paths: &[PathBuf]) -> Result<(), Failure> {
    for path in paths.iter().filter(|path| path.is_file()) {
        if let Err((name, error)) = tables::check_versions(path) {
            refuse(&name, error)?;
        }
    }
    Ok(())
}

fn check_mode(path: &Path, link_for: Mode) -> Result<(), Failure> {
    let found = match tables::of_relocatable(path) {
        Ok(found) => found,
        Err(error) => return refuse(path, error),
    };
    match found.into_iter().find(|table| table.mode != link_for) {
        Some(table) => Err(Failure::ObjectOfOtherMode {
            path: path.to_owned(),
            built_for: table.mode,
            link_for,
        }),
        None => Ok(()),
    }
}

fn refuse(path: &Path, error: TableError) -> Result<(), Failure> {
    match error {
        TableError::Table(_) => Err(error.about(path)),
        // The linker knows better what is wrong with it.
        TableError::NotElf | TableError::Unreadable(_) => Ok(()),
    }
}

/// The file that the linker will use for `-lNAME`, if it is in a folder given by `-L`.
fn find_library(invocation: &Invocation, name: &str) -> Option<PathBuf> {
    let files = match name.strip_prefix(':') {
        Some(file) => vec![file.to_owned()],
        None if invocation.statically => vec![format!("lib{name}.a")],
        None => vec![format!("lib{name}.so"), format!("lib{name}.a")],
    };
    let in_folder = |folder: &PathBuf| {
        files
            .iter()
            .map(|file| folder.join(file))
            .find(|path| path.is_file())
    };
    invocation.library_folders.iter().find_map(in_folder)
}
