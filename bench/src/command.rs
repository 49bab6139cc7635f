//! Commands with their cost: user and system CPU time of the process and all its descendants, and the
//! largest resident memory among them.

use std::{
    io::Read,
    os::unix::process::ExitStatusExt,
    process::{Command, ExitStatus, Stdio},
    thread,
    time::Duration,
};

pub struct Finished {
    pub status: ExitStatus,
    /// What it wrote to standard output, then what it wrote to standard error.
    pub stdout: Vec<u8>,
    pub stderr: Vec<u8>,
    pub cost: Cost,
}

#[derive(Clone, Copy, Default, Debug)]
pub struct Cost {
    pub cpu: Duration,
    pub resident_kilobytes: u64,
}

impl Cost {
    pub fn add(&mut self, other: Cost) {
        self.cpu += other.cpu;
        self.resident_kilobytes = self.resident_kilobytes.max(other.resident_kilobytes);
    }
}

/// Runs to the end. A command that cannot be started is a sentence.
pub fn run(command: &mut Command) -> Result<Finished, String> {
    let named = command.get_program().to_string_lossy().into_owned();
    let mut child = command
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(|error| format!("{named} cannot be run: {error}"))?;
    let (out, err) = (child.stdout.take(), child.stderr.take());
    // Both pipes are drained at once: a full one would stop the child for ever.
    let errors = thread::spawn(move || drained(err));
    let stdout = drained(out);
    let stderr = errors.join().unwrap_or_default();
    let (status, cost) = wait(child.id())?;
    Ok(Finished {
        status,
        stdout,
        stderr,
        cost,
    })
}

/// The same; it must also end well.
pub fn run_well(command: &mut Command) -> Result<Finished, String> {
    let finished = run(command)?;
    match finished.status.success() {
        true => Ok(finished),
        false => Err(format!(
            "{} ended with {}",
            command.get_program().display(),
            finished.status
        )),
    }
}

/// A shell command in a folder.
pub fn shell(text: &str, folder: &std::path::Path) -> Command {
    let mut command = Command::new("sh");
    command.args(["-c", text]).current_dir(folder);
    command
}

fn drained(pipe: Option<impl Read>) -> Vec<u8> {
    let mut bytes = Vec::new();
    if let Some(mut pipe) = pipe {
        // What could not be read is missing from the comparison, which then fails.
        let _ = pipe.read_to_end(&mut bytes);
    }
    bytes
}

fn wait(process: u32) -> Result<(ExitStatus, Cost), String> {
    let mut status = 0;
    // SAFETY: an all-zero rusage is a value, and both pointers are to live variables.
    let (waited, usage) = unsafe {
        let mut usage: libc::rusage = std::mem::zeroed();
        (
            libc::wait4(process as libc::pid_t, &mut status, 0, &mut usage),
            usage,
        )
    };
    if waited != process as libc::pid_t {
        return Err(format!(
            "waiting failed: {}",
            std::io::Error::last_os_error()
        ));
    }
    let duration =
        |time: libc::timeval| Duration::new(time.tv_sec as u64, time.tv_usec as u32 * 1000);
    let cost = Cost {
        cpu: duration(usage.ru_utime) + duration(usage.ru_stime),
        resident_kilobytes: usage.ru_maxrss as u64,
    };
    Ok((ExitStatus::from_raw(status), cost))
}
