//! A solver is a process that reads SMT-LIB 2 and answers on standard output: `lostbits-z3` in the tool's folder, or a
//! command of the user's. The system limits its resources; if it fails, the search continues.

use std::{
    io::{Read, Write},
    os::unix::process::{CommandExt, ExitStatusExt},
    path::PathBuf,
    process::{Command, ExitStatus, Stdio},
    time::Duration,
};

use super::settings::Solver;

/// The program that asks libz3.
pub const Z3: &str = "lostbits-z3";

/// What Z3 does in a second, in its own units: somewhat less, so that its answers do not depend on the machine.
const UNITS_A_SECOND: u64 = 2_000_000;
const MOST_MEMORY: u64 = 4 << 30;

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Answer {
    /// With the bits of the constants asked for, by name.
    Sat(Vec<(String, u64)>),
    Unsat,
    /// It gave up, or its time was over.
    Unknown,
    /// It is missing, died, or gave an unexpected answer: the message for the user.
    Trouble(String),
}

pub fn ask(solver: &Solver, question: &str, seconds: u32) -> Answer {
    let mut command = command(solver, seconds);
    command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null());
    let processor_seconds = match solver {
        Solver::Z3 => 2 * seconds,
        Solver::Command(_) => seconds,
    };
    limit(&mut command, processor_seconds);
    let mut child = match command.spawn() {
        Ok(child) => child,
        Err(error) => {
            return Answer::Trouble(format!("{} cannot be started: {error}", name(solver)));
        }
    };
    let Some(mut to) = child.stdin.take() else {
        return Answer::Trouble(format!("{} takes no question", name(solver)));
    };
    let question = question.to_owned();
    // It may answer before it has read everything.
    let writer = std::thread::spawn(move || to.write_all(question.as_bytes()).is_ok());
    let id = child.id() as i32;
    let watchdog = Watchdog::new(id, Duration::from_secs(u64::from(seconds) * 8 + 10));
    let mut text = String::new();
    let read = child
        .stdout
        .take()
        .is_some_and(|mut from| from.read_to_string(&mut text).is_ok());
    let status = child.wait();
    let is_late = watchdog.end();
    let _ = writer.join();
    match (read, status) {
        (true, Ok(status)) => answer(solver, &text, status, is_late),
        _ => Answer::Trouble(format!("{} cannot be read", name(solver))),
    }
}

/// How users call it.
pub fn name(solver: &Solver) -> String {
    match solver {
        Solver::Z3 => Z3.to_owned(),
        Solver::Command(command) => format!("`{command}`"),
    }
}

fn command(solver: &Solver, seconds: u32) -> Command {
    match solver {
        Solver::Z3 => {
            let mut command = Command::new(beside_us());
            command.arg((u64::from(seconds) * UNITS_A_SECOND).to_string());
            command
        }
        Solver::Command(text) => {
            let mut command = Command::new("sh");
            command.args(["-c", text]);
            command
        }
    }
}

/// Where `lostbits` is installed, or where it was built (tests run one folder deeper).
fn beside_us() -> PathBuf {
    let own = std::env::current_exe().unwrap_or_default();
    let folders = own.ancestors().skip(1).take(2);
    let mut candidates = folders.map(|folder| folder.join(Z3));
    candidates
        .find(|path| path.exists())
        .unwrap_or_else(|| Z3.into())
}

fn limit(command: &mut Command, seconds: u32) {
    let cap = |resource, value| {
        let limit = libc::rlimit {
            rlim_cur: value,
            rlim_max: value + 1,
        };
        // SAFETY: a live structure.
        unsafe { libc::setrlimit(resource, &limit) };
    };
    // SAFETY: only system calls between fork and exec.
    unsafe {
        command.pre_exec(move || {
            cap(libc::RLIMIT_CPU, u64::from(seconds));
            cap(libc::RLIMIT_AS, MOST_MEMORY);
            libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL);
            libc::setpgid(0, 0);
            Ok(())
        });
    }
}

fn answer(solver: &Solver, text: &str, status: ExitStatus, is_late: bool) -> Answer {
    let text = text.trim_start();
    let first = text.split_whitespace().next().unwrap_or("");
    match first {
        "unsat" => Answer::Unsat,
        "unknown" | "timeout" => Answer::Unknown,
        "sat" => Answer::Sat(values(&text[3..])),
        _ if is_late => Answer::Unknown,
        _ => match (status.signal(), status.code()) {
            (Some(libc::SIGXCPU | libc::SIGKILL), _) => Answer::Unknown,
            (Some(signal), _) => {
                Answer::Trouble(format!("{} was killed by signal {signal}", name(solver)))
            }
            // The exit code of a shell for a command that ran out of time.
            (_, Some(code)) if code == 128 + libc::SIGXCPU || code == 128 + libc::SIGKILL => {
                Answer::Unknown
            }
            (_, Some(127)) if first.is_empty() => Answer::Trouble(format!(
                "{} is not installed, or lacks a library",
                name(solver)
            )),
            (_, code) if first.is_empty() => Answer::Trouble(format!(
                "{} ended without an answer (exit code {})",
                name(solver),
                code.unwrap_or(-1)
            )),
            _ => {
                let line = text.lines().next().unwrap_or_default();
                Answer::Trouble(format!("{} answered `{line}`", name(solver)))
            }
        },
    }
}

/// The pairs of a name and bits in `((x0 #x00) (x1 #b01) (x2 (_ bv3 32)))`.
fn values(text: &str) -> Vec<(String, u64)> {
    let spaced = text.replace(['(', ')'], " ");
    let words: Vec<&str> = spaced.split_whitespace().collect();
    let mut pairs = Vec::new();
    for (at, word) in words.iter().enumerate() {
        let bits = |at: usize| -> Option<u64> {
            let word = words.get(at)?;
            if let Some(digits) = word.strip_prefix("#x") {
                u64::from_str_radix(digits, 16).ok()
            } else if let Some(digits) = word.strip_prefix("#b") {
                u64::from_str_radix(digits, 2).ok()
            } else if *word == "_" {
                words.get(at + 1)?.strip_prefix("bv")?.parse().ok()
            } else {
                None
            }
        };
        if word.starts_with('x')
            && let Some(bits) = bits(at + 1)
        {
            pairs.push(((*word).to_owned(), bits));
        }
    }
    pairs
}

/// Ends a process group that waits without using processor time.
struct Watchdog {
    done: std::sync::mpsc::Sender<()>,
    thread: std::thread::JoinHandle<bool>,
}

impl Watchdog {
    fn new(group: i32, patience: Duration) -> Watchdog {
        let (done, over) = std::sync::mpsc::channel();
        let thread = std::thread::spawn(move || {
            let is_late = over.recv_timeout(patience).is_err();
            if is_late {
                // SAFETY: the group of the child that we have not waited for yet.
                unsafe { libc::kill(-group, libc::SIGKILL) };
            }
            is_late
        });
        Watchdog { done, thread }
    }

    /// Whether the deadline ended the process.
    fn end(self) -> bool {
        let _ = self.done.send(());
        self.thread.join().unwrap_or(false)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answer_of(command: &str) -> Answer {
        ask(&Solver::Command(command.to_owned()), "(check-sat)\n", 2)
    }

    #[test]
    fn all_forms_of_answers() {
        let sat = Answer::Sat(vec![
            ("x0".into(), 255),
            ("x11".into(), 5),
            ("x2".into(), 7),
        ]);
        let text = "echo 'sat ((x0 #x000000ff) (x11 #b101) (x2 (_ bv7 32)))'";
        assert_eq!(answer_of(text), sat);
        assert_eq!(answer_of("cat >/dev/null; echo unsat"), Answer::Unsat);
        assert_eq!(answer_of("echo unknown"), Answer::Unknown);
    }

    #[test]
    fn solvers_in_trouble_are_sentences() {
        let trouble = |command| match answer_of(command) {
            Answer::Trouble(text) => text,
            other => panic!("{other:?}"),
        };
        assert!(trouble("no-such-solver-anywhere").contains("not installed"));
        assert!(trouble("kill -SEGV $$").contains("signal 11"));
        assert!(trouble("exit 3").contains("exit code 3"));
        assert!(trouble("echo '(error \"line 1\")'").contains("answered `(error"));
    }

    #[test]
    fn a_solver_that_uses_up_its_time_knows_nothing() {
        let busy = ask(&Solver::Command("while :; do :; done".into()), "", 1);
        assert_eq!(busy, Answer::Unknown);
    }
}
