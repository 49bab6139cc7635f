//! Runs with more bits: what they decide, and second runs that fail, after which the report keeps the first run's findings and names
//! the cause.

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

/// 2048 bits take the third input's imaginary part for nothing, and do not know how small the results are that overflow. What
/// they find wrong stays found.
#[test]
fn one_result_that_needs_the_most_bits_does_not_hide_the_others() {
    let sandbox = Sandbox::new();
    sandbox.write(
        "csqrt.c",
        "\
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
int main(int count, char **words) {
    for (int i = 1; i + 1 < count; i += 2) {
        double re = atof(words[i]), im = atof(words[i + 1]);
        printf(\"%a\\n\", 0.5 * sqrt(2.0 * (sqrt(re * re + im * im) + re)));
    }
}
",
    );
    let numbers =
        "-1e5 1e-3 -3e8 1e-2 -1.05e183 -1.01e-299 2 1 -2.37e263 5.5e-182 -3.58e100 4.34e-243";
    let words = [
        "explain",
        "csqrt.c",
        "-O2",
        "-lm",
        "--prove=0",
        "--format",
        "json",
    ];
    let mut command = sandbox.lostbits(&words);
    command
        .args(["--report", "report", "--"])
        .args(numbers.split(' '));
    let output = command.output().expect("it starts");
    let errors = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{errors}");
    let report: Value = serde_json::from_str(&sandbox.read("report")).expect("JSON");
    let outputs = &report["findings"][0]["outputs"][0];
    // All but that of 2 + i: an absorbed term is no zero, so the last result is recomputed with enough bits.
    assert_eq!(outputs["erroneous_executions"], 5, "{report:#}");
    assert_eq!(
        report["checked"]["outputs"]["undecided_executions"], 0,
        "{report:#}"
    );
}
