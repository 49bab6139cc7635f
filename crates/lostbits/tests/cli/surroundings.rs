//! What is around the tool fails: streams that cannot be written, signals, limits, other tools.

use std::{
    fs::{self, File},
    os::unix::fs::PermissionsExt,
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    thread,
    time::{Duration, Instant},
};

use crate::sandbox::Sandbox;

const PRINTS: &str = "\
#include <stdio.h>
int main(int c, char **v) { volatile double x = c; printf(\"%g\\n\", x * 0.1); return 0; }
";

/// Leaves a process behind that a script would leave, says so, and waits. (The alarms end what should have been
/// ended before.)
const WAITS: &str = "\
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>
int main(int c, char **v) {
    volatile double x = c;
    x = x * 2;
    alarm(60);
    int child = fork();
    if (child == 0) { alarm(60); x = x * 3; while (x) pause(); }
    FILE *ready = fopen(\"draft\", \"w\");
    fprintf(ready, \"%d %d\\n\", getpid(), child);
    fclose(ready);
    rename(\"draft\", \"ready\");
    while (x) pause();
    return 0;
}
";

const CRASHES: &str = "\
#include <stdlib.h>
int main(int c, char **v) { volatile double x = c; if (x * 0.5 < 1) abort(); return 0; }
";

fn with_source(source: &str) -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.write("x.c", source);
    sandbox
}

fn with_program(source: &str) -> Sandbox {
    let sandbox = with_source(source);
    sandbox.succeed(&mut sandbox.lostbits(&["cc", "-O0", "-g", "x.c", "-o", "prog"]));
    sandbox
}

fn full() -> File {
    File::options()
        .write(true)
        .open("/dev/full")
        .expect("/dev/full")
}

/// Waits for something; panics with the message if it takes too long.
fn wait_until(message: &str, mut is_so: impl FnMut() -> bool) {
    let start = Instant::now();
    while !is_so() {
        assert!(start.elapsed() < Duration::from_secs(30), "{message}");
        thread::sleep(Duration::from_millis(10));
    }
}

#[test]
fn a_full_standard_output_is_one_sentence_and_exit_2() {
    let sandbox = with_program(PRINTS);
    sandbox.succeed(&mut sandbox.lostbits(&["run", "-q", "./prog"]));
    for arguments in [
        &["sites", "prog"][..],
        &["report", "prog.lostbits"],
        &["doctor"],
        &["--help"],
        &["explain", "x + 1", "--samples", "1"],
    ] {
        let shown = sandbox.show(sandbox.lostbits(arguments).stdout(full()));
        assert!(
            shown.starts_with("exit 2\n--- stderr\n"),
            "{arguments:?}: {shown}"
        );
        let (_, errors) = shown.split_once("--- stderr\n").expect("errors");
        assert_eq!(
            errors.trim_end(),
            "lostbits: cannot write to standard output (No space left on device (os error 28)), so a part of the output is \
             missing: free some space, or redirect it",
            "{arguments:?}"
        );
    }
}

#[test]
fn a_full_standard_error_is_exit_2_without_a_panic() {
    let sandbox = with_program(PRINTS);
    for arguments in [
        &["run", "./prog"][..],
        &["watch", "x.c"],
        &["explain", "x.c"],
        &["sites", "missing"],
        &["no-such-command"],
        &["cc", "--lostbits-mode=nonsense", "x.c"],
    ] {
        let shown = sandbox.show(sandbox.lostbits(arguments).stderr(full()));
        assert!(shown.starts_with("exit 2\n"), "{arguments:?}: {shown}");
    }
}

#[test]
fn output_of_a_rerun_that_cannot_be_shown_is_exit_2() {
    let sandbox = with_source(PRINTS);
    let arguments = ["watch", "--rerun", "x.c"];
    let shown = sandbox.show(sandbox.lostbits(&arguments).stdout(full()));
    assert!(shown.starts_with("exit 2\n"), "{shown}");
    assert!(shown.contains("cannot write to standard output"), "{shown}");
}

#[test]
fn a_reader_that_went_away_is_no_error() {
    let sandbox = with_program(PRINTS);
    let (reader, writer) = std::io::pipe().expect("a pipe");
    drop(reader);
    let shown = sandbox.show(sandbox.lostbits(&["sites", "prog"]).stdout(writer));
    assert_eq!(shown, "exit 0\n");
}

/// The temporary folders below `folder`.
fn folders(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).expect("it is there").flatten();
    entries.map(|entry| entry.path()).collect()
}

fn mode(path: &Path) -> u32 {
    fs::metadata(path)
        .expect("it is there")
        .permissions()
        .mode()
        & 0o777
}

/// Starts the tool on a program that waits, with a folder for temporary files of its own; gives the two processes of the
/// program.
fn start_waiting(sandbox: &Sandbox, arguments: &[&str]) -> (Child, Vec<i32>) {
    fs::create_dir(sandbox.path("tmp")).expect("a folder");
    let tool = sandbox
        .lostbits(arguments)
        .env("TMPDIR", sandbox.path("tmp"))
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("it starts");
    wait_until("the program did not start", || {
        sandbox.path("ready").exists()
    });
    let numbers = sandbox.read("ready");
    let numbers = numbers
        .split_whitespace()
        .map(|word| word.parse().expect("a number"));
    (tool, numbers.collect())
}

/// A process that ended but was not waited for is dead, too.
fn is_alive(process: i32) -> bool {
    let status = fs::read_to_string(format!("/proc/{process}/stat")).unwrap_or_default();
    let state = status
        .rsplit(") ")
        .next()
        .and_then(|rest| rest.chars().next());
    state.is_some_and(|state| state != 'Z')
}

fn killing_the_tool_cleans_up(arguments: &[&str], sandbox: &Sandbox) {
    let (mut tool, processes) = start_waiting(sandbox, arguments);
    assert!(processes.iter().all(|process| is_alive(*process)));
    assert!(!folders(&sandbox.path("tmp")).is_empty());
    tool.kill().expect("it can be killed");
    tool.wait().expect("it ended");
    wait_until("the program outlived the tool", || {
        !processes.iter().any(|process| is_alive(*process))
    });
    wait_until("a folder was left behind", || {
        folders(&sandbox.path("tmp")).is_empty()
    });
}

#[test]
fn a_killed_run_takes_its_processes_and_folder_along() {
    killing_the_tool_cleans_up(&["run", "-q", "./prog"], &with_program(WAITS));
}

#[test]
fn a_killed_explain_takes_its_processes_and_folders_along() {
    killing_the_tool_cleans_up(&["explain", "x.c"], &with_source(WAITS));
}

/// A compiler that was killed with the tool leaves nothing either.
#[test]
fn a_kill_while_compiling_leaves_nothing() {
    let sandbox = with_source(PRINTS);
    sandbox.write(
        "slow-cc",
        // Word by word: the name of a temporary folder may contain anything.
        "#!/bin/sh\nfor word; do case $word in --version|-print*|-dump*|-v) exec clang-22 \"$@\";; esac; done\n\
         echo $$ $$ > draft; mv draft ready; exec sleep 60\n",
    );
    sandbox.make_executable("slow-cc");
    fs::create_dir(sandbox.path("tmp")).expect("a folder");
    let mut tool = sandbox
        .lostbits(&["watch", "x.c"])
        .env("TMPDIR", sandbox.path("tmp"))
        .env("LOSTBITS_CC", sandbox.path("slow-cc"))
        .stderr(Stdio::null())
        .spawn()
        .expect("it starts");
    wait_until("the compiler did not start", || {
        sandbox.path("ready").exists()
    });
    tool.kill().expect("it can be killed");
    tool.wait().expect("it ended");
    wait_until("a folder was left behind", || {
        folders(&sandbox.path("tmp")).is_empty()
    });
}

/// What a program leaves running on purpose is not ended when the tool ends as it should.
#[test]
fn a_daemon_outlives_a_tool_that_was_not_killed() {
    let sandbox = with_program(
        "#include <stdio.h>\n#include <unistd.h>\nint main(int c, char **v) {\n  volatile double x = c; x = x * 2;\n  \
         int child = fork();\n  if (child == 0) { setsid(); alarm(60); while (x) pause(); }\n  \
         FILE *f = fopen(\"ready\", \"w\"); fprintf(f, \"%d\\n\", child); fclose(f); return 0;\n}\n",
    );
    let mut command = sandbox.lostbits(&["run", "-q", "./prog"]);
    let ended = command.stdout(Stdio::null()).stderr(Stdio::null()).status();
    assert!(ended.expect("it starts").success());
    let daemon: i32 = sandbox.read("ready").trim().parse().expect("a number");
    thread::sleep(Duration::from_millis(300));
    assert!(is_alive(daemon));
    // SAFETY: the process is the test's own grandchild and alive.
    unsafe { libc::kill(daemon, libc::SIGKILL) };
}

#[test]
fn folders_and_records_are_private() {
    let sandbox = with_program(WAITS);
    let (mut tool, processes) = start_waiting(&sandbox, &["run", "-q", "./prog"]);
    let [folder] = &folders(&sandbox.path("tmp"))[..] else {
        panic!("one folder is expected");
    };
    assert_eq!(mode(folder), 0o700);
    let records = folders(folder);
    assert_eq!(records.len(), 2, "{records:?}");
    for record in &records {
        assert_eq!(mode(record), 0o600, "{record:?}");
    }
    for process in processes {
        // SAFETY: these are the program's processes, alive until now.
        unsafe { libc::kill(process, libc::SIGTERM) };
    }
    tool.wait().expect("it ends");
    assert_eq!(mode(&sandbox.path("prog.lostbits")), 0o600);
}

#[test]
fn records_that_a_program_leaves_by_itself_are_private() {
    let sandbox = with_program(PRINTS);
    let mut command = sandbox.program(&sandbox.path("prog"), &[]);
    sandbox.succeed(command.env("LOSTBITS_OUT", sandbox.path("record")));
    assert_eq!(mode(&sandbox.path("record")), 0o600);
}

#[test]
fn a_crash_is_not_called_stable() {
    let sandbox = with_source(CRASHES);
    let shown = sandbox.show(&mut sandbox.lostbits(&["watch", "x.c"]));
    assert!(shown.starts_with("exit 134\n"), "{shown}");
    assert!(
        shown.contains("the program was killed by signal 6"),
        "{shown}"
    );
    assert!(shown.contains("incomplete"), "{shown}");
    assert!(!shown.contains("stable"), "{shown}");
    let shown = sandbox.show(&mut sandbox.lostbits(&["watch", "--format", "json", "x.c"]));
    assert!(shown.starts_with("exit 134\n"), "{shown}");
    assert!(shown.contains("\"stable\":false"), "{shown}");
}

/// The program aborts when it runs again, which explain has it do because the first run only detects that something may be wrong.
#[test]
fn a_second_run_that_was_killed_is_named_as_the_reason() {
    let sandbox = with_source(
        "#include <stdio.h>\n#include <stdlib.h>\nint main(int c, char **v) {\n  FILE *ran = fopen(\"ran\", \"r\");\n  \
         fclose(fopen(\"ran\", \"w\"));\n  volatile double x = 0.3;\n  for (int i = 0; i < 200; i++) {\n    \
         x = 3.9 * x * (1 - x);\n    if (ran && i == 100) abort();\n  }\n  printf(\"%.17g\\n\", x);\n  return 0;\n}\n",
    );
    let shown = sandbox.show(&mut sandbox.lostbits(&["explain", "x.c", "-O1"]));
    assert!(
        shown.contains("a second run, to explain them, was killed by signal 6"),
        "{shown}"
    );
    assert!(!shown.contains("the same operations"), "{shown}");
}

/// A shell that sets limits and then runs the tool.
fn limited(sandbox: &Sandbox, limits: &str, arguments: &str) -> String {
    let script = format!("{limits}; exec \"$0\" {arguments}");
    let tool = env!("CARGO_BIN_EXE_lostbits");
    sandbox.show(&mut sandbox.program(Path::new("/bin/sh"), &["-c", &script, tool]))
}

#[test]
fn limits_on_memory_are_named_as_the_reason() {
    let sandbox = with_program(PRINTS);
    let shown = limited(&sandbox, "ulimit -v 8000000", "run ./prog");
    assert!(shown.starts_with("exit 2\n"), "{shown}");
    assert!(
        shown.contains("wrote no record: its memory is limited to 7 GiB"),
        "{shown}"
    );
    assert!(shown.contains("`ulimit -v unlimited`"), "{shown}");
}

#[test]
fn valgrind_is_named_as_the_reason() {
    let sandbox = with_program(PRINTS);
    let program = sandbox.path("prog");
    let mut command = Command::new("valgrind");
    let Ok(output) = command.arg("-q").arg(program).output() else {
        eprintln!("not checked: there is no Valgrind");
        return;
    };
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(
        errors.contains("this program runs under Valgrind"),
        "{errors}"
    );
}

/// It has no shadow memory, so it can be combined with lostbits.
#[test]
fn the_realtime_sanitizer_is_not_refused() {
    let sandbox = with_source(PRINTS);
    let arguments = ["cc", "-fsanitize=realtime", "-O1", "x.c", "-o", "prog"];
    sandbox.succeed(&mut sandbox.lostbits(&arguments));
    let shown = sandbox.show(&mut sandbox.lostbits(&["run", "-q", "./prog"]));
    assert_eq!(shown, "exit 0\n--- stdout\n0.1\n");
}
