//! Standard input, so that a program can be run again with the same.
//!
//! A file is read again from where the first run began. What comes through a pipe is copied on its way to the program: the
//! copy is read again, and the pipe may be read further than the program would have. A terminal is not asked
//! twice: the second run finds an empty input, and if the program did read something, it goes another way, which is
//! noticed.

use std::{
    fs::File,
    io::{self, Seek, SeekFrom},
    os::{
        fd::AsRawFd,
        unix::fs::{FileTypeExt, MetadataExt},
    },
    path::{Path, PathBuf},
};

use crate::run::Plan;

pub enum Input {
    /// From this offset.
    File(u64),
    /// Copied here.
    Pipe(PathBuf),
    /// A terminal, `/dev/null`, nothing at all.
    Other,
}

const OWN: &str = "/proc/self/fd/0";

impl Input {
    /// The tool's own; a copy would be put in `folder`.
    pub fn new(folder: &Path) -> Input {
        let Ok(found) = std::fs::metadata(OWN) else {
            return Input::Other;
        };
        let kind = found.file_type();
        if kind.is_fifo() || kind.is_socket() {
            return Input::Pipe(folder.join("input"));
        }
        // SAFETY: asks for a position.
        let offset = unsafe { libc::lseek(io::stdin().as_raw_fd(), 0, libc::SEEK_CUR) };
        match u64::try_from(offset) {
            Ok(offset) if kind.is_file() && found.size() > 0 => Input::File(offset),
            _ => Input::Other,
        }
    }

    /// For the user's run.
    pub fn first(&self, plan: Plan) -> Plan {
        match self {
            Input::Pipe(copy) => plan.copying_input(copy.clone()),
            Input::File(_) | Input::Other => plan,
        }
    }

    /// The same input once more.
    pub fn again(&self) -> io::Result<File> {
        match self {
            Input::File(offset) => {
                let mut file = File::open(OWN)?;
                file.seek(SeekFrom::Start(*offset))?;
                Ok(file)
            }
            Input::Pipe(copy) => File::open(copy),
            Input::Other => File::open("/dev/null"),
        }
    }
}
