//! What the tests that build and run subject programs share: the tool itself, folders to work in,
//! running under a time limit, and comparing what two runs left.

use std::{
    fs::{self, File},
    io,
    os::unix::process::{CommandExt, ExitStatusExt},
    path::{Path, PathBuf},
    process::{Command, ExitStatus},
    thread,
    time::{Duration, Instant},
};

/// The `lostbits` of this build, without the settings of whoever runs the tests.
pub fn lostbits() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_lostbits"));
    for setting in ["LOSTBITS_MODE", "LOSTBITS_PASS_MODE", "LOSTBITS_OUT"] {
        command.env_remove(setting);
    }
    command
}

/// An empty folder of this name under the build folder; what an earlier run left there is removed.
pub fn empty_folder(name: &str) -> io::Result<PathBuf> {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    if folder.exists() {
        fs::remove_dir_all(&folder)?;
    }
    fs::create_dir_all(&folder)?;
    Ok(folder)
}

/// How a process ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Ending {
    Status(i32),
    Signal(i32),
    /// It did not end in time and was killed with all its children.
    TimeOut,
}

impl From<ExitStatus> for Ending {
    fn from(status: ExitStatus) -> Ending {
        match status.code() {
            Some(code) => Ending::Status(code),
            None => Ending::Signal(status.signal().unwrap_or(0)),
        }
    }
}

/// All that a run shows to the outside.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Outcome {
    pub stdout: Vec<u8>,
    pub stderr: Vec<u8>,
    pub ending: Ending,
}

/// Runs a command to its end or the limit. The streams go through files in `folder`, so that a program
/// that writes much, or leaves a child behind that holds a stream open, cannot block the test.
pub fn run(
    command: &mut Command,
    folder: &Path,
    stdin: &str,
    limit: Duration,
) -> io::Result<Outcome> {
    let [input, output, errors] =
        ["stdin", "stdout", "stderr"].map(|stream| folder.join(format!("{stream}.txt")));
    fs::write(&input, stdin)?;
    command.stdin(File::open(&input)?);
    command
        .stdout(File::create(&output)?)
        .stderr(File::create(&errors)?);
    let ending = end_within(command, limit)?;
    Ok(Outcome {
        stdout: fs::read(&output)?,
        stderr: fs::read(&errors)?,
        ending,
    })
}

fn end_within(command: &mut Command, limit: Duration) -> io::Result<Ending> {
    const LONGEST_NAP: Duration = Duration::from_millis(20);
    // A process group of its own, so that grandchildren can be ended with it.
    let mut child = command.process_group(0).spawn()?;
    let start = Instant::now();
    let mut nap = Duration::from_millis(1);
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(status.into());
        }
        if start.elapsed() > limit {
            // SAFETY: `kill` touches no memory; the group is the child's, not yet waited for.
            unsafe { libc::kill(-(child.id() as libc::pid_t), libc::SIGKILL) };
            child.wait()?;
            return Ok(Ending::TimeOut);
        }
        thread::sleep(nap);
        nap = (nap * 2).min(LONGEST_NAP);
    }
}

/// What differs between two runs, in words; nothing if they are the same byte for byte.
pub fn difference(expected: &Outcome, found: &Outcome) -> Option<String> {
    let mut parts = Vec::new();
    if expected.ending != found.ending {
        parts.push(format!(
            "it ended by {:?}, not by {:?}",
            found.ending, expected.ending
        ));
    }
    parts.extend(stream_difference("stdout", &expected.stdout, &found.stdout));
    parts.extend(stream_difference("stderr", &expected.stderr, &found.stderr));
    if parts.is_empty() {
        None
    } else {
        Some(parts.join("\n"))
    }
}

fn stream_difference(name: &str, expected: &[u8], found: &[u8]) -> Option<String> {
    const SHOWN: usize = 5;
    if expected == found {
        return None;
    }
    let lines = |bytes: &[u8]| -> Vec<String> {
        bytes
            .split(|byte| *byte == b'\n')
            .map(|line| String::from_utf8_lossy(line).into_owned())
            .collect()
    };
    let (expected, found) = (lines(expected), lines(found));
    let pairs = (0..expected.len().max(found.len())).map(|at| (expected.get(at), found.get(at)));
    let differing: Vec<_> = pairs
        .enumerate()
        .filter(|(_, (left, right))| left != right)
        .collect();
    let mut text = format!("{name} differs in {} lines:", differing.len());
    for (at, (left, right)) in differing.iter().take(SHOWN) {
        let show = |line: &Option<&String>| line.map_or("(no such line)", |line| line).to_owned();
        text += &format!(
            "\n  line {}\n    - {}\n    + {}",
            at + 1,
            show(left),
            show(right)
        );
    }
    Some(text)
}
