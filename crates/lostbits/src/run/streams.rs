//! What a program reads and writes, where it is to run twice and only one of its outputs is to be seen.
//!
//! Its output goes to files and is handed on when all is known ([`Held`]). Its input must be the same both
//! times ([`Input`]): a file is read again from where it stood; what comes through a pipe is kept as it is
//! read; from a terminal each run reads for itself.

use std::{
    fs::{self, File},
    io::{self, Read, Write},
    path::PathBuf,
    process::{Child, ChildStdin, Command, Stdio},
    sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError},
    thread,
};

use crate::{
    failure::Failure,
    output::{self, Stream},
};

/// The standard input of the tool, for several runs.
#[derive(Clone)]
pub enum Input {
    /// A file, with the position at which it stood.
    File(i64),
    Pipe(Arc<Tape>),
    /// A terminal or another device.
    Device,
}

impl Input {
    pub fn of_the_tool() -> Input {
        // SAFETY: an all-zero `stat` is a value, and the pointer is to a live variable.
        let kind = unsafe {
            let mut status: libc::stat = std::mem::zeroed();
            match libc::fstat(libc::STDIN_FILENO, &mut status) {
                0 => status.st_mode & libc::S_IFMT,
                _ => 0,
            }
        };
        match kind {
            libc::S_IFREG => {
                // SAFETY: asks for a position only.
                let position = unsafe { libc::lseek(libc::STDIN_FILENO, 0, libc::SEEK_CUR) };
                Input::File(position)
            }
            libc::S_IFIFO | libc::S_IFSOCK => Input::Pipe(Arc::default()),
            _ => Input::Device,
        }
    }

    pub(super) fn prepare(&self, command: &mut Command) {
        match self {
            // SAFETY: moves the position of an open file.
            Input::File(start) => unsafe {
                libc::lseek(libc::STDIN_FILENO, *start, libc::SEEK_SET);
            },
            Input::Pipe(_) => drop(command.stdin(Stdio::piped())),
            Input::Device => {}
        }
    }

    pub(super) fn feed(&self, child: &mut Child) {
        if let (Input::Pipe(tape), Some(to)) = (self, child.stdin.take()) {
            let tape = Arc::clone(tape);
            thread::spawn(move || tape.play(to));
        }
    }
}

/// What was read from a pipe. No more is read than somebody wants, so an endless pipe does no harm.
#[derive(Default)]
pub struct Tape {
    state: Mutex<Recorded>,
    more: Condvar,
}

#[derive(Default)]
struct Recorded {
    bytes: Vec<u8>,
    ended: bool,
    /// Somebody waits for the pipe.
    is_reading: bool,
}

const CHUNK: usize = 1 << 16;

impl Tape {
    /// Hands on everything from the beginning, until the program or the input ends.
    fn play(&self, mut to: ChildStdin) {
        let mut at = 0;
        while let Some(chunk) = self.after(at) {
            at += chunk.len();
            if to.write_all(&chunk).is_err() {
                return;
            }
        }
    }

    /// What comes after the first `at` bytes; none at the end.
    fn after(&self, at: usize) -> Option<Vec<u8>> {
        let mut state = self.lock();
        loop {
            if at < state.bytes.len() {
                let end = state.bytes.len().min(at + CHUNK);
                return Some(state.bytes[at..end].to_vec());
            }
            if state.ended {
                return None;
            }
            state = match state.is_reading {
                true => self
                    .more
                    .wait(state)
                    .unwrap_or_else(PoisonError::into_inner),
                false => self.read_more(state),
            };
        }
    }

    fn read_more<'a>(&'a self, mut state: MutexGuard<'a, Recorded>) -> MutexGuard<'a, Recorded> {
        state.is_reading = true;
        drop(state);
        let mut chunk = vec![0; CHUNK];
        let read = io::stdin().lock().read(&mut chunk).unwrap_or(0);
        let mut state = self.lock();
        state.is_reading = false;
        state.ended = read == 0;
        state.bytes.extend_from_slice(&chunk[..read]);
        self.more.notify_all();
        state
    }

    fn lock(&self) -> MutexGuard<'_, Recorded> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// What a run wrote, in a folder of its own. By default it reaches the tool's own streams in the end,
/// so that nothing a program printed is lost, whatever went wrong.
pub struct Held {
    folder: PathBuf,
    is_wanted: bool,
}

const STREAMS: [&str; 2] = ["stdout", "stderr"];

impl Held {
    pub fn new(folder: PathBuf) -> Result<Held, Failure> {
        fs::create_dir_all(&folder).map_err(|error| Failure::NoTemporaryFolder { error })?;
        let held = Held {
            folder,
            is_wanted: true,
        };
        for stream in STREAMS {
            held.create(stream)?;
        }
        Ok(held)
    }

    /// What a further run of a program writes: whatever happens, it is not handed on.
    pub fn of_further_run(folder: PathBuf) -> Result<Held, Failure> {
        let mut held = Held::new(folder)?;
        held.is_wanted = false;
        Ok(held)
    }

    fn create(&self, stream: &str) -> Result<File, Failure> {
        File::create(self.folder.join(stream)).map_err(|error| Failure::NoTemporaryFolder { error })
    }

    /// The files that a program writes to.
    pub fn files(&self) -> Result<[File; 2], Failure> {
        Ok([self.create(STREAMS[0])?, self.create(STREAMS[1])?])
    }

    /// What was written: standard output, and standard error.
    pub fn contents(&self) -> [Vec<u8>; 2] {
        STREAMS.map(|stream| fs::read(self.folder.join(stream)).unwrap_or_default())
    }

    /// It is not handed on.
    pub fn discard(mut self) {
        self.is_wanted = false;
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        if self.is_wanted {
            output::copy(Stream::Output, &self.folder.join(STREAMS[0]));
            output::copy(Stream::Errors, &self.folder.join(STREAMS[1]));
        }
    }
}
