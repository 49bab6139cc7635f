//! `lostbits run` with the real plugin and runtime.

use std::{
    process::Stdio,
    thread,
    time::{Duration, Instant},
};

use crate::sandbox::Sandbox;

fn build(source: &str) -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.write("x.c", source);
    sandbox.succeed(&mut sandbox.lostbits(&["cc", "-O0", "-g", "x.c", "-o", "prog"]));
    sandbox
}

const EXIT: &str = "\
#include <stdlib.h>
int main(int argc, char **argv) {
    double code = atoi(argv[1]);
    return (int)(code + 1.0);
}
";

/// What is shown, without numbers that depend on how code is instrumented.
fn show(sandbox: &Sandbox, arguments: &[&str]) -> String {
    let shown = sandbox.show(&mut sandbox.lostbits(arguments));
    let lines = shown.lines().map(|line| match line.split_once(" of ") {
        Some((before, _)) if line.starts_with("mode ") => {
            before
                .trim_end_matches(|last: char| last.is_ascii_digit())
                .to_owned()
                + "…"
        }
        _ => line.to_owned(),
    });
    lines.collect::<Vec<_>>().join("\n")
}

#[test]
fn the_programs_exit_code_and_output_are_passed_on() {
    let sandbox = build(EXIT);
    insta::assert_snapshot!(show(&sandbox, &["run", "./prog", "-1"]));
    insta::assert_snapshot!(show(&sandbox, &["run", "-o", "other", "--", "./prog", "6"]));
    assert_eq!(
        sandbox.show(&mut sandbox.lostbits(&["run", "-q", "./prog", "2"])),
        "exit 3\n"
    );
    let saved = sandbox.show(&mut sandbox.lostbits(&["report", "other"]));
    assert!(
        saved.starts_with("exit 0\n--- stdout\nmode same: 1 process"),
        "{saved}"
    );
}

#[test]
fn a_signal_is_128_and_its_number() {
    let sandbox = build(
        "#include <stdlib.h>\nint main(int c, char **v) { if (c * 0.5 < 1) abort(); return 0; }\n",
    );
    insta::assert_snapshot!(show(&sandbox, &["run", "./prog"]));
}

#[test]
fn forked_processes_are_joined() {
    let sandbox = build(
        "#include <sys/wait.h>\n#include <unistd.h>\nint main(int c, char **v) {\n  double x = c;\n  \
         if (fork() == 0) { x = x * 3; return x != 3; }\n  int status; wait(&status); return status + (x + 1 != 2);\n}\n",
    );
    let shown = sandbox.show(&mut sandbox.lostbits(&["run", "./prog"]));
    assert!(shown.contains("2 processes"), "{shown}");
    assert!(shown.contains("every shadow equals"), "{shown}");
}

#[test]
fn scripts_may_start_instrumented_programs() {
    let sandbox = build(EXIT);
    sandbox.write("script", "#!/bin/sh\n./prog 1; ./prog 2; exit 5\n");
    sandbox.make_executable("script");
    let shown = sandbox.show(&mut sandbox.lostbits(&["run", "./script"]));
    assert!(shown.starts_with("exit 5\n"), "{shown}");
    assert!(
        shown.contains("./script was not built by lostbits; only instrumented code"),
        "{shown}"
    );
    assert!(shown.contains("2 processes"), "{shown}");
}

#[test]
fn a_folder_with_a_percent_sign() {
    let sandbox = build(EXIT);
    std::fs::create_dir(sandbox.path("50%p")).unwrap();
    let mut command = sandbox.lostbits(&["run", "./prog", "-1"]);
    let shown = sandbox.show(command.env("TMPDIR", sandbox.path("50%p")));
    assert!(shown.contains("record: prog.lostbits"), "{shown}");
}

/// The first run of a wrong program marks that it is over; each further one waits for an alarm. `kill` sent to the tool ends the run that
/// it is in, and no other begins.
#[test]
fn a_signal_ends_further_runs() {
    let sandbox = Sandbox::new();
    sandbox.write(
        "prog.c",
        "#include <stdio.h>\n#include <stdlib.h>\n#include <unistd.h>\nint main(int c, char **v) {\n  \
         double x = atof(v[1]); printf(\"%.17g\\n\", (1e16 + x) - 1e16);\n  \
         if (!access(\"first\", F_OK)) { fclose(fopen(\"again\", \"a\")); alarm(20); pause(); }\n  \
         fclose(fopen(\"first\", \"w\"));\n  return 0;\n}\n",
    );
    let words = ["explain", "prog.c", "-O1", "--", "1"];
    let mut command = sandbox.lostbits(&words);
    let child = command.stderr(Stdio::piped()).stdout(Stdio::null());
    let child = child.spawn().unwrap();
    let start = Instant::now();
    while !sandbox.path("again").exists() {
        assert!(
            start.elapsed() < Duration::from_secs(60),
            "no further run began"
        );
        thread::sleep(Duration::from_millis(5));
    }
    // SAFETY: a signal to our own child.
    unsafe { libc::kill(child.id() as i32, libc::SIGTERM) };
    let output = child.wait_with_output().unwrap();
    let report = String::from_utf8_lossy(&output.stderr);
    assert!(
        report.contains("a signal ended further runs: start lostbits again"),
        "{report}"
    );
}

/// `kill` sent to the tool reaches the program, and the record is gathered all the same. (The alarm
/// ends a program that the signal does not reach.)
#[test]
fn signals_reach_the_program() {
    let sandbox = build(
        "#include <stdio.h>\n#include <unistd.h>\nint main(int c, char **v) {\n  volatile double x = c; x = x * 2;\n  \
         alarm(30); fclose(fopen(\"ready\", \"w\")); while (x) pause();\n  return 0;\n}\n",
    );
    let mut child = sandbox.lostbits(&["run", "-q", "./prog"]).spawn().unwrap();
    let start = Instant::now();
    while !sandbox.path("ready").exists() {
        assert!(
            start.elapsed() < Duration::from_secs(30),
            "the program did not start"
        );
        thread::sleep(Duration::from_millis(5));
    }
    // SAFETY: a signal to our own child.
    unsafe { libc::kill(child.id() as i32, libc::SIGTERM) };
    assert_eq!(child.wait().unwrap().code(), Some(128 + libc::SIGTERM));
    let saved = sandbox.show(&mut sandbox.lostbits(&["report", "prog.lostbits"]));
    assert!(
        saved.contains("1 process ended without running exit handlers"),
        "{saved}"
    );
}
