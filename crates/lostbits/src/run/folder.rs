//! Temporary folders: private to the user, and gone when the tool is, however it ends.
//!
//! Programs map their records there. So a TMPDIR on a network file system (a home directory on NFS) is used only for jobs that may
//! run on several machines.

use std::{
    ffi::{CString, OsString},
    fs::Permissions,
    io,
    mem::MaybeUninit,
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

/// Who uses a folder.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Reach {
    ThisMachine,
    /// Processes of a job, wherever they run: TMPDIR counts as it is.
    AllMachines,
}

impl Reach {
    pub fn of_launcher(words: &[OsString]) -> Reach {
        match words {
            [] => Reach::ThisMachine,
            _ => Reach::AllMachines,
        }
    }
}

/// A folder of this machine.
pub fn temporary_folder() -> Result<TemporaryFolder, Failure> {
    temporary_folder_within(Reach::ThisMachine)
}

/// Records hold names and values of the user's program: no other user may read them.
pub fn temporary_folder_within(reach: Reach) -> Result<TemporaryFolder, Failure> {
    let given = std::env::temp_dir();
    let parent = match reach {
        Reach::AllMachines => given,
        Reach::ThisMachine => local(given, is_remote),
    };
    // The guardian recognises the run's processes by this name.
    private_folder("lostbits-", 12, parent)
}

/// A folder of this machine by whose name other processes of the user find it.
pub fn named_folder(name: &str) -> Result<TemporaryFolder, Failure> {
    private_folder(name, 0, local(std::env::temp_dir(), is_remote))
}

/// Where [`named_folder`] makes it.
pub fn named_path(name: &str) -> PathBuf {
    local(std::env::temp_dir(), is_remote).join(name)
}

fn private_folder(
    prefix: &str,
    random: usize,
    parent: PathBuf,
) -> Result<TemporaryFolder, Failure> {
    tempfile::Builder::new()
        .prefix(prefix)
        .rand_bytes(random)
        .permissions(Permissions::from_mode(0o700))
        // The guardian has no working directory in common with the tool.
        .tempdir_in(std::path::absolute(parent).map_err(no_folder)?)
        .map(|folder| {
            guardian::watch_over(folder.path());
            TemporaryFolder(folder)
        })
        .map_err(no_folder)
}

/// The folder that is given, or one on this machine's own disk or in its memory if there is one.
fn local(given: PathBuf, is_remote: impl Fn(&Path) -> bool) -> PathBuf {
    if !is_remote(&given) {
        return given;
    }
    ["/tmp", "/var/tmp", "/dev/shm"]
        .map(PathBuf::from)
        .into_iter()
        .find(|folder| is_writable(folder) && !is_remote(folder))
        .unwrap_or(given)
}

fn is_writable(folder: &Path) -> bool {
    let path = CString::new(folder.as_os_str().as_bytes());
    // SAFETY: the path is a C string.
    path.is_ok_and(|path| unsafe { libc::access(path.as_ptr(), libc::W_OK | libc::X_OK) == 0 })
}

/// Whether a folder is on a network file system, by the numbers in statfs(2).
fn is_remote(folder: &Path) -> bool {
    const NFS: i64 = 0x6969;
    const SMB: [i64; 3] = [0x517b, 0xff53_4d42, 0xfe53_4d42];
    const AFS: i64 = 0x5346_414f;
    const CEPH: i64 = 0x00c3_6400;
    const LUSTRE: i64 = 0x0bd0_0bd0;
    const GPFS: i64 = 0x4750_4653;
    const BEEGFS: i64 = 0x1983_0326;
    let Ok(path) = CString::new(folder.as_os_str().as_bytes()) else {
        return false;
    };
    let mut answer = MaybeUninit::<libc::statfs>::uninit();
    // SAFETY: the path is a C string; the kernel fills in the answer if it returns 0.
    let kind = unsafe {
        match libc::statfs(path.as_ptr(), answer.as_mut_ptr()) {
            0 => answer.assume_init().f_type,
            _ => return false,
        }
    };
    SMB.contains(&kind) || [NFS, AFS, CEPH, LUSTRE, GPFS, BEEGFS].contains(&kind)
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
    fn a_network_file_system_is_left_for_a_local_one() {
        let home = || PathBuf::from("/home/user/tmp");
        assert_eq!(local(home(), |_| false), home());
        assert_eq!(
            local(home(), |path| path.starts_with("/home")),
            Path::new("/tmp")
        );
        let but_memory = |path: &Path| !path.starts_with("/dev/shm");
        assert_eq!(local(home(), but_memory), Path::new("/dev/shm"));
        assert_eq!(local(home(), |_| true), home());
    }

    #[test]
    fn file_systems_of_this_machine_are_not_remote() {
        assert!(!is_remote(Path::new("/proc")) && !is_remote(Path::new("/dev/shm")));
        assert!(!is_remote(Path::new("/nowhere")));
    }
}
