//! Temporary folders: private to the user, and gone when the tool is, however it ends.

use std::{
    ffi::CString,
    fs::Permissions,
    io,
    os::unix::{ffi::OsStrExt, fs::PermissionsExt},
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

/// The guardian has no working directory in common with the tool. Processes map their records, which file systems of other machines
/// serve slowly, and NFS not coherently: then a folder of this machine is used.
fn absolute_temporary_directory() -> Result<PathBuf, Failure> {
    let wanted = std::path::absolute(std::env::temp_dir()).map_err(no_folder)?;
    let local = ["/tmp", "/var/tmp", "/dev/shm"].map(Path::new);
    let is_usable = |folder: &&Path| folder.is_dir() && !is_remote(folder);
    Ok(match is_remote(&wanted) {
        false => wanted,
        true => local
            .into_iter()
            .find(is_usable)
            .map_or(wanted, Path::to_path_buf),
    })
}

fn is_remote(folder: &Path) -> bool {
    file_system(folder).is_some_and(is_of_other_machines)
}

/// The kernel's number for the kind of file system.
fn file_system(folder: &Path) -> Option<i64> {
    let name = CString::new(folder.as_os_str().as_bytes()).ok()?;
    // SAFETY: all fields are integers, for which zeros are valid.
    let mut found = unsafe { std::mem::zeroed::<libc::statfs>() };
    // SAFETY: the name is a C string, and the kernel writes `found` only.
    let result = unsafe { libc::statfs(name.as_ptr(), &mut found) };
    (result == 0).then_some(found.f_type)
}

/// Of linux/magic.h and the file systems' own headers.
fn is_of_other_machines(file_system: i64) -> bool {
    const NFS: i64 = 0x6969;
    const SMB2: i64 = 0xfe53_4d42;
    const CIFS: i64 = 0xff53_4d42;
    const AFS: i64 = 0x5346_414f;
    const CEPH: i64 = 0x00c3_6400;
    const LUSTRE: i64 = 0x0bd0_0bd0;
    const GPFS: i64 = 0x4750_4653;
    const NINE_P: i64 = 0x0102_1997;
    [NFS, SMB2, CIFS, AFS, CEPH, LUSTRE, GPFS, NINE_P].contains(&file_system)
}

/// Without the name of the folder, which means nothing to the user.
fn no_folder(error: io::Error) -> Failure {
    Failure::NoTemporaryFolder {
        error: super::plain(error),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn file_systems_of_other_machines_are_known() {
        const TMPFS: i64 = 0x0102_1994;
        const EXT4: i64 = 0xef53;
        assert!(is_of_other_machines(libc::NFS_SUPER_MAGIC));
        assert!(![TMPFS, EXT4].into_iter().any(is_of_other_machines));
        assert_eq!(
            file_system(Path::new("/proc")),
            Some(libc::PROC_SUPER_MAGIC)
        );
        assert!(!is_remote(Path::new("/dev/shm")) && !is_remote(Path::new("/no/such/folder")));
    }
}
