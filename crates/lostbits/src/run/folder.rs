//! Temporary folders: private to the user, and gone when the tool is, however it ends.

use std::{
    fs::Permissions,
    io,
    os::unix::fs::PermissionsExt,
    path::{Path, PathBuf},
};

use tempfile::TempDir;

use super::guardian;
use crate::failure::Failure;

/// A folder that is removed when it is dropped, or by the [`guardian`] if the tool is killed.
pub struct TemporaryFolder(TempDir);

impl TemporaryFolder {
    pub fn path(&self) -> &Path {
        self.0.path()
    }
}

/// Records hold names and values of the user's program: no other user may read them.
pub fn temporary_folder() -> Result<TemporaryFolder, Failure> {
    tempfile::Builder::new()
        .prefix("lostbits-")
        // The guardian recognises the run's processes by this name.
        .rand_bytes(12)
        .permissions(Permissions::from_mode(0o700))
        .tempdir_in(absolute_temporary_directory()?)
        .map(|folder| {
            guardian::watch_over(folder.path());
            TemporaryFolder(folder)
        })
        .map_err(no_folder)
}

/// The guardian has no working directory in common with the tool.
fn absolute_temporary_directory() -> Result<PathBuf, Failure> {
    std::path::absolute(std::env::temp_dir()).map_err(no_folder)
}

/// Without the name of the folder, which means nothing to the user.
fn no_folder(error: io::Error) -> Failure {
    Failure::NoTemporaryFolder {
        error: super::plain(error),
    }
}
