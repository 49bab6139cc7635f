//! Cleans up after a tool that was killed (`kill -9`, a crash, out of memory).
//!
//! The guardian is a second process, started with the first temporary folder, in a session of its own so that Ctrl-C
//! and signals to the process group do not reach it. It reads the folders' names from a pipe that the kernel closes when the
//! tool ends. Folders that still exist then belong to a tool that could not clean up: the guardian ends the processes
//! of the run and removes the folders.
//!
//! Why a process: the alternative, sweeping stale folders at the next start, leaves programs running and records
//! lying around until there is a next start, and "the owner's process number is free" is wrong where containers share a
//! temporary directory. A signal at the parent's death (`PR_SET_PDEATHSIG`) reaches the started program only; it is set as
//! well (see [`end_with_tool`]), because the kernel guarantees it even if the guardian is killed, too.
//!
//! What this can miss: processes that replaced their environment, or run as another user; a machine that loses power.

use std::{
    ffi::{OsStr, OsString},
    fs,
    io::{self, Read, Write},
    os::unix::{
        ffi::{OsStrExt, OsStringExt},
        process::CommandExt,
    },
    path::{Path, PathBuf},
    process::{ChildStdin, Command, Stdio, exit},
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicBool, Ordering::Relaxed},
    },
    thread,
    time::Duration,
};

/// The argument that makes `lostbits` a guardian.
const COMMAND: &str = "guardian";

/// Whether this executable understands [`COMMAND`]: tests and benches that use the library do not.
static AVAILABLE: AtomicBool = AtomicBool::new(false);

/// The pipe to the guardian. It is never closed: the kernel does that when the tool ends.
static PIPE: Mutex<Option<ChildStdin>> = Mutex::new(None);

/// Whether this process is to be the guardian. The executable's `main` must ask first of all.
pub fn is_called(words: &[OsString]) -> bool {
    AVAILABLE.store(true, Relaxed);
    matches!(words, [_, command] if command == COMMAND)
}

/// The guardian's whole life.
pub fn main() -> ! {
    // So that `killall -9 lostbits` does not end it together with the tool.
    // SAFETY: the name ends with NUL.
    unsafe { libc::prctl(libc::PR_SET_NAME, c"lostbits-guard".as_ptr()) };
    let mut names = Vec::new();
    // An error ends the pipe as the tool's end does.
    let _ = io::stdin().lock().read_to_end(&mut names);
    let mut folders: Vec<PathBuf> = names
        .split(|byte| *byte == 0)
        .filter(|name| !name.is_empty())
        .map(|name| OsString::from_vec(name.to_vec()).into())
        .collect();
    folders.retain(|folder| folder.exists());
    if !folders.is_empty() {
        end_processes(&folders);
        folders.iter().for_each(|folder| remove(folder));
    }
    exit(0)
}

/// Has the folder removed if the tool cannot do it. Without a guardian, say because there may be no more processes, the
/// tool works as well: it still removes the folder itself unless it is killed.
pub fn watch_over(folder: &Path) {
    if !AVAILABLE.load(Relaxed) {
        return;
    }
    let mut pipe = PIPE.lock().unwrap_or_else(PoisonError::into_inner);
    if pipe.is_none() {
        *pipe = start().ok();
    }
    if let Some(pipe) = pipe.as_mut() {
        let mut name = folder.as_os_str().as_bytes().to_vec();
        name.push(0);
        let _ = pipe.write_all(&name);
    }
}

fn start() -> io::Result<ChildStdin> {
    // Also right if the executable was replaced meanwhile.
    let mut command = Command::new("/proc/self/exe");
    command
        .arg0("lostbits-guardian")
        .arg(COMMAND)
        .current_dir("/")
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    // SAFETY: one system call between fork and exec.
    unsafe {
        command.pre_exec(|| match libc::setsid() {
            -1 => Err(io::Error::last_os_error()),
            _ => Ok(()),
        });
    }
    let mut child = command.spawn()?;
    child.stdin.take().ok_or(io::ErrorKind::BrokenPipe.into())
}

/// The kernel kills the command's process when the calling thread ends; that thread must wait for it.
pub fn end_with_tool(command: &mut Command) {
    let tool = std::process::id();
    // SAFETY: system calls only between fork and exec.
    unsafe {
        command.pre_exec(move || {
            if libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL) != 0 {
                return Err(io::Error::last_os_error());
            }
            // The tool may have ended before the call: then the signal would never be sent.
            match libc::getppid() as u32 == tool {
                true => Ok(()),
                false => Err(io::ErrorKind::BrokenPipe.into()),
            }
        });
    }
}

/// Kills all processes that were started with one of the folders: programs have it in their environment (where to leave
/// the record), compilers in their arguments. Some may start others meanwhile, so it searches until there are no more.
pub fn end_processes(folders: &[PathBuf]) {
    const ROUNDS: usize = 20;
    let names: Vec<&[u8]> = folders
        .iter()
        .filter_map(|folder| folder.file_name().map(OsStr::as_bytes))
        .collect();
    for _ in 0..ROUNDS {
        let found = processes().filter(|process| process.mentions(&names));
        if found.map(Process::end).count() == 0 {
            return;
        }
        thread::sleep(Duration::from_millis(5));
    }
}

/// A running process, held by a descriptor: its number may be given to another at any time.
struct Process {
    number: i32,
    descriptor: libc::c_long,
}

fn processes() -> impl Iterator<Item = Process> {
    let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
    let numbers = entries.filter_map(|entry| entry.file_name().to_str()?.parse::<i32>().ok());
    numbers
        .filter(|number| *number != std::process::id() as i32)
        .filter_map(Process::open)
}

impl Process {
    fn open(number: i32) -> Option<Process> {
        // SAFETY: gives a descriptor or an error.
        let descriptor = unsafe { libc::syscall(libc::SYS_pidfd_open, number, 0) };
        (descriptor >= 0).then_some(Process { number, descriptor })
    }

    fn mentions(&self, names: &[&[u8]]) -> bool {
        let holds = |bytes: &[u8], name: &[u8]| bytes.windows(name.len()).any(|part| part == name);
        ["environ", "cmdline"].iter().any(|file| {
            let bytes = fs::read(format!("/proc/{}/{file}", self.number)).unwrap_or_default();
            names.iter().any(|name| holds(&bytes, name))
        })
    }

    fn end(self) {
        // SAFETY: the descriptor is open; no memory is passed.
        unsafe {
            libc::syscall(
                libc::SYS_pidfd_send_signal,
                self.descriptor,
                libc::SIGKILL,
                0,
                0,
            )
        };
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // SAFETY: opened by `open`, closed once.
        unsafe { libc::close(self.descriptor as i32) };
    }
}

/// What is still being written there may get in the way for a moment.
fn remove(folder: &Path) {
    const TRIES: usize = 40;
    for _ in 0..TRIES {
        if fs::remove_dir_all(folder).is_ok() || !folder.exists() {
            return;
        }
        thread::sleep(Duration::from_millis(50));
    }
}
