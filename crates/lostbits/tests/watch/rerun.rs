//! `lostbits watch --rerun`: the run in high precision beside the first.

use std::{
    fs::File,
    io::Write,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

use crate::sandbox::Sandbox;

fn source(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/watch");
    folder.join(name)
}

/// A sandbox with the subject, so that reports show no path of this machine.
fn with_source(name: &str) -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.write(name, std::fs::read(source(name)).unwrap());
    sandbox
}

struct Said {
    code: Option<i32>,
    output: String,
    errors: String,
}

fn run(command: &mut Command, input: Stdio, typed: &str) -> Said {
    command
        .stdin(input)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    if let Some(mut pipe) = child.stdin.take() {
        pipe.write_all(typed.as_bytes()).unwrap();
    }
    let output = child.wait_with_output().unwrap();
    Said {
        code: output.status.code(),
        output: String::from_utf8(output.stdout).unwrap(),
        errors: String::from_utf8(output.stderr).unwrap(),
    }
}

const REAL: &str = "way 1\n10 tenths\n";

/// What comes through a pipe reaches both runs, and the result is that of the second.
#[test]
fn decisions_and_outputs_side_by_side() {
    let sandbox = with_source("tenths.c");
    let mut command = sandbox.lostbits(&["watch", "--rerun", "tenths.c", "-O0"]);
    let said = run(&mut command, Stdio::piped(), "0.1\n");
    assert_eq!(said.output, REAL, "{}", said.errors);
    assert_eq!(said.code, Some(1));
    insta::assert_snapshot!(said.errors);
}

#[test]
fn a_file_is_read_again() {
    let sandbox = with_source("tenths.c");
    sandbox.write("input", "0.1\n");
    let words = [
        "watch",
        "--on-unstable",
        "rerun",
        "--precision",
        "300",
        "--format",
        "json",
        "tenths.c",
    ];
    let mut command = sandbox.lostbits(&words);
    let input = File::open(sandbox.path("input")).unwrap();
    let said = run(&mut command, input.into(), "");
    assert_eq!(said.output, REAL, "{}", said.errors);
    let report: serde_json::Value = serde_json::from_str(&said.errors).expect("JSON");
    assert_eq!(report["rerun"]["precision"], 300);
    let unstable = report["findings"].as_array().unwrap();
    assert!(
        unstable
            .iter()
            .all(|decision| decision["confirmed"] == true),
        "{report:#}"
    );
    let lines = report["rerun"]["stdout"].as_array().unwrap();
    assert_eq!(lines.len(), 3, "{report:#}");
}

/// A stable run is not repeated, and its output is its own.
#[test]
fn stable_runs_are_left_alone() {
    let sandbox = with_source("tenths.c");
    let mut command = sandbox.lostbits(&["watch", "--rerun", "tenths.c"]);
    let said = run(&mut command, Stdio::piped(), "0.1171875\n");
    assert_eq!(
        (said.code, said.output.as_str()),
        (Some(0), "way 1.171875\n11 tenths\n")
    );
    assert!(!said.errors.contains("128 bits"), "{}", said.errors);
}

#[test]
fn a_false_alarm_is_called_one() {
    let sandbox = with_source("determinant.c");
    let mut command = sandbox.lostbits(&["watch", "--rerun", "determinant.c", "--", "2", "1"]);
    let said = run(&mut command, Stdio::null(), "");
    assert_eq!(
        (said.code, said.output.as_str()),
        (Some(0), "1\n"),
        "{}",
        said.errors
    );
    assert!(said.errors.contains("stable after all"), "{}", said.errors);
    assert!(
        said.errors.contains("both runs print the same"),
        "{}",
        said.errors
    );
}

/// A program that somebody built needs another version of itself: beside it, or named.
#[test]
fn programs_have_a_second_version() {
    let sandbox = with_source("tenths.c");
    for (mode, name) in [("watch", "tenths"), ("reals", "other")] {
        let mode = format!("--lostbits-mode={mode}");
        let mut command = sandbox.lostbits(&["cc", &mode, "-O1", "-g", "tenths.c", "-o", name]);
        assert!(command.status().unwrap().success());
    }
    let without = run(
        &mut sandbox.lostbits(&["watch", "--rerun", "./tenths"]),
        Stdio::piped(),
        "",
    );
    assert_eq!(without.code, Some(2));
    assert!(
        without.errors.contains("--lostbits-mode=reals"),
        "{}",
        without.errors
    );
    let named = ["watch", "--rerun", "--rerun-with", "./other", "./tenths"];
    let said = run(&mut sandbox.lostbits(&named), Stdio::piped(), "0.1\n");
    assert_eq!(
        (said.code, said.output.as_str()),
        (Some(1), REAL),
        "{}",
        said.errors
    );
    std::fs::rename(sandbox.path("other"), sandbox.path("tenths.reals")).unwrap();
    let said = run(
        &mut sandbox.lostbits(&["watch", "--rerun", "./tenths"]),
        Stdio::piped(),
        "0.1\n",
    );
    assert_eq!(
        (said.code, said.output.as_str()),
        (Some(1), REAL),
        "{}",
        said.errors
    );
}
