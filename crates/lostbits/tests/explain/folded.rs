//! Programs whose inputs stand in their sources: the optimiser computes their results, and is not to hide how.

use std::{
    io::Write,
    process::{Command, Stdio},
};

use serde_json::Value;

use crate::{
    sandbox::Sandbox,
    subjects::{Lines, causes, line, marked, reached, subject},
};

/// What `lostbits explain` reports and prints, given this to read.
fn explain(source: &str, options: &[&str], input: &str) -> (Value, String) {
    let sandbox = Sandbox::new();
    let mut command = sandbox.lostbits(&[
        "explain",
        "--prove=0",
        "--min-output-bits=5",
        "--format",
        "json",
        "--report",
        "report",
    ]);
    command.args(options).arg(subject(source));
    let printed = fed(&mut command, input);
    let report = serde_json::from_str(&sandbox.read("report")).expect("JSON");
    (report, printed)
}

fn fed(command: &mut Command, input: &str) -> String {
    let command = command.stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut child = command.spawn().expect("it starts");
    let mut pipe = child.stdin.take().expect("a pipe");
    // Not every program reads.
    drop(pipe.write_all(input.as_bytes()));
    drop(pipe);
    let output = child.wait_with_output().expect("it ends");
    let code = output.status.code();
    assert!(matches!(code, Some(0 | 1 | 3)), "{command:?}: {code:?}");
    String::from_utf8_lossy(&output.stdout).into_owned()
}

fn places(list: &Value) -> Lines {
    list.as_array().expect("a list").iter().map(line).collect()
}

/// The constants that the compiler computed are checked; those that are written in the source are reported.
fn is_seen(source: &str, options: &[&str]) {
    let (report, _) = explain(source, options, "");
    let what = format!("{source} {options:?}: {report:#}");
    let lines = |mark| marked(&[source], mark);
    assert_eq!(causes(&report), lines("CAUSE"), "{what}");
    assert_eq!(reached(&report), lines("REACHED"), "{what}");
    let constants = &report["constants"];
    assert_eq!(constants["rerun_without_folding"], true, "{what}");
    let computed = places(&constants["folded_outputs"]);
    assert_eq!(computed, lines("REACHED"), "{what}");
    assert_eq!(places(&constants["outputs"]), lines("WRITTEN"), "{what}");
}

#[test]
fn in_c() {
    is_seen("folded.c", &["-O2"]);
    is_seen("folded.c", &["-O2", "--precision", "1000"]);
}

#[test]
fn in_cpp() {
    is_seen("folded.cpp", &["-O2"]);
}

#[test]
fn in_fortran() {
    is_seen("folded.f90", &["-O2"]);
}

#[test]
fn in_rust() {
    is_seen("folded.rs", &["-Copt-level=3"]);
}

/// Where the compiler computes nothing itself there is no second run.
#[test]
fn unoptimised() {
    let (report, _) = explain("folded.c", &["-O0"], "");
    assert_eq!(causes(&report), marked(&["folded.c"], "CAUSE"));
    let constants = &report["constants"];
    assert_eq!(constants["rerun_without_folding"], false, "{report:#}");
    assert_eq!(constants["not_rerun_because"], Value::Null, "{report:#}");
}

/// No number is put out, and the loop is gone.
#[test]
fn decisions() {
    let source = "folded_loop.c";
    let (report, printed) = explain(source, &["-O2"], "");
    assert_eq!(printed, "51\n");
    assert_eq!(causes(&report), marked(&[source], "CAUSE"), "{report:#}");
    assert_eq!(reached(&report), marked(&[source], "REACHED"));
    assert_eq!(report["constants"]["rerun_without_folding"], true);
}

/// The second run reads what the first did, and its output is discarded.
#[test]
fn both_runs_read_the_same() {
    let (report, printed) = explain("folded.c", &["-O2"], "7\n");
    assert_eq!(printed, "0\n0.125\n21\n");
    assert_eq!(report["checked"]["outputs"]["executions"], 3, "{report:#}");
    assert_eq!(
        report["constants"]["rerun_without_folding"], true,
        "{report:#}"
    );
}

/// If there is to be no second run, what was not seen is reported.
#[test]
fn what_is_not_checked_is_reported() {
    let (report, _) = explain("folded.c", &["-O2", "--once"], "");
    let constants = &report["constants"];
    let computed = marked(&["folded.c"], "REACHED");
    let written = marked(&["folded.c"], "WRITTEN");
    let all: Lines = computed.union(&written).cloned().collect();
    assert_eq!(report["verdict"], "nothing judged", "{report:#}");
    assert_eq!(report["clean"], false, "{report:#}");
    assert_eq!(places(&constants["outputs"]), all, "{report:#}");
    assert!(constants["not_rerun_because"].is_string(), "{report:#}");
}

fn shown(source: &str, options: &[&str]) -> String {
    let sandbox = Sandbox::new();
    sandbox.write("x.c", source);
    let mut command = sandbox.lostbits(&["explain", "x.c"]);
    command.args(options).env("COLUMNS", "100");
    sandbox.show(&mut command)
}

/// A program that was built before: its constants may be anything, and its report claims nothing.
#[test]
fn programs_that_were_built() {
    let sandbox = Sandbox::new();
    let mut command = sandbox.lostbits(&["cc", "--lostbits-mode=explain", "-O2", "-o", "program"]);
    sandbox.succeed(command.arg(subject("folded.c")));
    let shown = sandbox.show(&mut sandbox.lostbits(&["explain", "./program"]));
    assert!(shown.contains("no output was computed"), "{shown}");
    assert!(
        shown.contains("2 outputs are compile-time constants"),
        "{shown}"
    );
    assert!(
        shown.contains("give `lostbits explain` the sources"),
        "{shown}"
    );
}

const LITERALS: &str = "\
#include <stdio.h>
#include <stdlib.h>
int main(int count, char **words) {
    double step = 0.125;
    printf(\"%g %g\\n\", 0.1, step);
    if (count > 1)
        printf(\"%g\\n\", atof(words[1]) * 3);
}
";

/// Numbers that are put out as they are written are no findings; where there is nothing else, that is said.
#[test]
fn numbers_as_they_are_written() {
    let alone = shown(LITERALS, &["-O2"]);
    assert!(alone.contains("exit 3"), "{alone}");
    assert!(
        alone.contains("all are constants of the source at x.c:5 (checked: 2 outputs"),
        "{alone}"
    );
    let others = shown(LITERALS, &["-O2", "--", "2"]);
    assert!(
        others.contains("no output is wrong by more than 5 bits"),
        "{others}"
    );
    assert!(
        others.contains("3 outputs (2 of them compile-time constants)"),
        "{others}"
    );
    assert!(!others.contains("the compiler"), "{others}");
}

const USAGE: &str = "\
#include <stdio.h>
#include <stdlib.h>
int main(int count, char **words) {
    if (count < 2) {
        FILE *file = fopen(\"runs\", \"a\");
        fputs(\"ran\\n\", file);
        return fclose(file);
    }
    printf(\"%g\\n\", atof(words[1]) * 3);
}
";

/// A run that computes nothing is no reason for another, if the optimiser left everything to it.
#[test]
fn runs_that_compute_nothing() {
    let sandbox = Sandbox::new();
    sandbox.write("x.c", USAGE);
    sandbox.show(&mut sandbox.lostbits(&["explain", "x.c", "-O2"]));
    assert_eq!(sandbox.read("runs"), "ran\n");
}
