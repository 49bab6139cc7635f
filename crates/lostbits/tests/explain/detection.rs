//! The first pass only detects. What it calls clean is clean, what it is not sure of is explained by a second run, and whatever
//! prevents that run is reported.

use serde_json::Value;

use crate::sandbox::Sandbox;

/// A program that computes in a way that its first word selects, with a number that the optimiser does not know.
const PROGRAM: &str = r#"
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
static int is(const char *word, const char *other) { return !strcmp(word, other); }
int main(int count, char **words) {
    const char *what = words[1];
    double x = atof(words[2]);
    FILE *ran = fopen("ran", "r");
    if (is(what, "clean")) {
        double sum = 0;
        for (int i = 1; i < 1000; i++)
            sum += sqrt(x + i) / (x * i) < 0.01 ? x : 1 / x;
        printf("%.6g\n", sum);
    }
    if (is(what, "lost"))
        printf("%.10g\n", x + 1e16 - 1e16);
    if (is(what, "underflow"))
        printf("%.6g\n", x * 1e-200 * 1e-170 * 1e200 * 1e200);
    if (is(what, "overflow"))
        printf("%.6g\n", 1 / (x * 1e308 * 100) + x);
    if (is(what, "infinite")) {
        double y = x * 1e308 * 100;
        printf(y > 1e300 ? "more %g\n" : "less %g\n", x / 3);
    }
    if (is(what, "memory")) {
        double numbers[2] = {x / 3, x + 1e16 - 1e16};
        FILE *file = fopen("numbers", "w");
        fwrite(numbers, sizeof *numbers, 2, file);
        fclose(file);
    }
    if (is(what, "floats")) {
        float single = (float)x;
        printf("%.4f\n", (double)(single + 1e8f - 1e8f));
    }
    if (is(what, "library"))
        printf("%.6g\n", log(exp(x * 1e-17)));
    if (is(what, "recurrence")) {
        double before = x, y = 1.01 * x;
        for (int i = 0; i < 3000; i++) {
            double next = (2 - x * 1e-6) * y - before;
            before = y;
            y = next;
        }
        printf("%.6g\n", y);
    }
    if (is(what, "chaos")) {
        for (int i = 0; i < 3000; i++)
            x = 3.99 * x * (1 - x);
        printf("%.6g\n", x);
    }
    if (is(what, "branch"))
        printf(x * 10 >= 3 ? "more %g\n" : "less %g\n", x / 3);
    if (is(what, "grows"))
        printf("%.10g\n", ran ? x / 3 + x / 7 : x + 1e16 - 1e16);
    if (is(what, "kill")) {
        printf("%.10g\n", x + 1e16 - 1e16);
        if (ran)
            raise(SIGKILL);
    }
    if (is(what, "remove")) {
        printf("%.10g\n", x + 1e16 - 1e16);
        remove("x.c");
    }
    fclose(fopen("ran", "w"));
}
"#;

fn explain(what: &str, more: &[&str]) -> (String, Value) {
    let sandbox = Sandbox::new();
    sandbox.write("x.c", PROGRAM);
    let words = [
        &["explain", "x.c", "-O1", "-lm", "--prove=0"],
        more,
        &["--format", "json", "--report", "report"],
    ];
    let mut command = sandbox.lostbits(&words.concat());
    let shown = sandbox.show(command.args(["--", what, "0.3"]));
    // Each run has a folder of its own.
    let folder = sandbox.path("").display().to_string();
    let report = sandbox.read("report").replace(&folder, "");
    let report = serde_json::from_str(&report).expect(&shown);
    (shown, report)
}

fn purposes(report: &Value) -> Vec<&str> {
    let passes = report["passes"].as_array().expect("passes");
    passes
        .iter()
        .map(|pass| pass["purpose"].as_str().expect("a purpose"))
        .collect()
}

#[test]
fn a_clean_program_is_only_detected() {
    let (_, report) = explain("clean", &[]);
    assert_eq!(report["verdict"], "clean", "{report:#}");
    assert_eq!(purposes(&report), ["detection"]);
    // The same is said of the same number of outputs and decisions as by a run that explains at once.
    let (_, at_once) = explain("clean", &["--once"]);
    assert_eq!(purposes(&at_once), ["first run"]);
    for part in ["verdict", "checked", "findings", "untracked"] {
        assert_eq!(report[part], at_once[part], "{part}");
    }
}

/// The bounds of its residues double with every step, and its errors do not.
#[test]
fn a_right_result_in_doubt_is_confirmed_without_an_explanation() {
    let (_, report) = explain("recurrence", &[]);
    assert_eq!(report["verdict"], "clean", "{report:#}");
    let confirmed = ["detection", "perturbed residues", "perturbed residues"];
    assert_eq!(purposes(&report), confirmed);
}

/// Residues that have lost all bits to what grows by more than 106 confirm nothing: more precision decides.
#[test]
fn residues_without_a_right_bit_confirm_nothing() {
    let (_, report) = explain("chaos", &[]);
    assert_ne!(report["verdict"], "clean", "{report:#}");
    assert!(
        purposes(&report).contains(&"perturbed residues"),
        "{report:#}"
    );
    assert!(purposes(&report).contains(&"more precision"), "{report:#}");
}

/// Each of these is lost if one part of the detecting code is: its residues, what marks underflows, what it makes of infinities, and
/// the cells in memory.
#[test]
fn what_is_wrong_is_explained_by_a_second_run() {
    for what in ["lost", "underflow", "memory", "floats", "branch"] {
        let (_, report) = explain(what, &[]);
        assert_eq!(report["verdict"], "findings", "{what} {report:#}");
        assert_eq!(
            purposes(&report)[..2],
            ["detection", "explanation"],
            "{what}"
        );
        let (_, at_once) = explain(what, &["--once"]);
        if at_once["verdict"] == "findings" {
            assert_eq!(report["findings"], at_once["findings"], "{what}");
        }
    }
}

/// Whether the detecting run is sure does not matter for these, but its verdict must be that of a run that explains at once.
#[test]
fn verdicts_are_those_of_a_run_that_explains_at_once() {
    for what in ["overflow", "infinite", "library"] {
        let (_, report) = explain(what, &[]);
        let (_, at_once) = explain(what, &["--record", "saved"]);
        assert_eq!(purposes(&at_once)[0], "first run");
        assert_eq!(report["verdict"], at_once["verdict"], "{what} {report:#}");
        assert_ne!(purposes(&report), ["detection"], "{what}: it is not sure");
    }
}

#[test]
fn a_second_run_that_does_something_else_explains_nothing() {
    let (shown, report) = explain("grows", &[]);
    assert_eq!(report["verdict"], "undecided", "{report:#}");
    let why = report["not_rerun_because"].as_str().unwrap_or_default();
    assert!(why.contains("did not execute the same operations"), "{why}");
    assert!(why.contains("--once"), "{why}");
    // What it printed is not shown.
    assert!(!shown.contains("0.142"), "{shown}");
    let (_, at_once) = explain("grows", &["--once"]);
    assert_eq!(at_once["verdict"], "findings", "{at_once:#}");
}

#[test]
fn a_second_run_that_is_not_possible_explains_nothing() {
    for (what, cause) in [("kill", "signal 9"), ("remove", "clang-22 failed")] {
        let (_, report) = explain(what, &[]);
        assert_eq!(report["verdict"], "undecided", "{what} {report:#}");
        let why = report["not_rerun_because"].as_str().unwrap_or_default();
        assert!(why.contains(cause), "{what}: {why}");
    }
}
