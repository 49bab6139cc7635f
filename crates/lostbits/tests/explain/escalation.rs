//! Second runs that fail: the report keeps the first run's findings and names the cause.

use std::{fs, thread, time::Duration};

use serde_json::Value;

use crate::sandbox::Sandbox;

/// A result that underflowed is undecided after the first run. What happens then is the second argument's.
const UNDERFLOWS: &str = "\
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
int main(int count, char **words) {
    double x = atof(words[1]);
    printf(\"%g\\n\", x * x * 1e300 * 1e200);
    fflush(stdout);
    if (!strcmp(words[2], \"remove\"))
        remove(\"x.c\");
    FILE *ran = fopen(\"ran\", \"r\");
    if (ran && !strcmp(words[2], \"kill\"))
        raise(SIGKILL);
    if (ran && !strcmp(words[2], \"hang\")) {
        if (fork() == 0) {
            setsid();
            FILE *hangs = fopen(\"hangs\", \"w\");
            fprintf(hangs, \"%d\", getpid());
            fclose(hangs);
        }
        for (;;)
            pause();
    }
    fclose(fopen(\"ran\", \"w\"));
}
";

/// What the report says of the second run.
fn not_escalated(what: &str) -> String {
    not_escalated_in(&Sandbox::new(), what)
}

fn not_escalated_in(sandbox: &Sandbox, what: &str) -> String {
    sandbox.write("x.c", UNDERFLOWS);
    let words = [
        "explain", "x.c", "-O1", "--budget", "6s", "--format", "json", "--report", "report",
        // Without it the first run would only detect.
        "--record", "saved",
    ];
    let mut command = sandbox.lostbits(&words);
    let shown = sandbox.show(command.args(["--", "1e-200", what]));
    let report: Value = serde_json::from_str(&sandbox.read("report")).expect(&shown);
    assert_eq!(report["rerun_in_high_precision"], false, "{report:#}");
    report["not_rerun_because"]
        .as_str()
        .unwrap_or_default()
        .to_owned()
}

#[test]
fn a_version_that_cannot_be_built_keeps_its_cause() {
    let why = not_escalated("remove");
    assert!(why.contains("clang-22 failed"), "{why}");
    assert!(!why.contains("built before"), "{why}");
}

#[test]
fn a_second_run_that_is_killed_is_called_killed() {
    let why = not_escalated("kill");
    assert!(why.contains("signal 9"), "{why}");
    assert!(!why.contains("same operations"), "{why}");
}

/// A run that never ends is killed with all that it started, and the report says how to give it more time.
#[test]
fn a_second_run_that_never_ends_is_killed() {
    let sandbox = Sandbox::new();
    let why = not_escalated_in(&sandbox, "hang");
    assert!(
        why.contains("time budget of 6s: add --budget 60s or --budget none"),
        "{why}"
    );
    assert!(ends(&sandbox.read("hangs")), "its child still runs");
    let report: Value = serde_json::from_str(&sandbox.read("report")).unwrap();
    let passes: Vec<(&str, &Value, &Value)> = report["passes"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| {
            (
                one["purpose"].as_str().unwrap(),
                &one["bits"],
                &one["cut_off"],
            )
        })
        .collect();
    assert_eq!(
        passes,
        [
            ("first run", &Value::Null, &Value::Bool(false)),
            ("more precision", &Value::from(128), &Value::Bool(true)),
        ]
    );
}

/// Whether a process is gone, or dead and not yet waited for, after a while.
fn ends(process: &str) -> bool {
    let is_alive = || {
        let status = fs::read_to_string(format!("/proc/{process}/status")).unwrap_or_default();
        status.contains("State:") && !status.contains("State:\tZ")
    };
    let pause = || thread::sleep(Duration::from_millis(50));
    (0..200).any(|_| {
        let ended = !is_alive();
        (!ended).then(pause);
        ended
    })
}
