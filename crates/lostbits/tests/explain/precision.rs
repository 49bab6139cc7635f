//! `--precision N`, and the further runs that decide what the first could not.

use std::{
    io::Write,
    path::{Path, PathBuf},
    process::{Command, Output, Stdio},
};

use serde_json::Value;

use crate::sandbox::Sandbox;

fn subject(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../tests/explain")
        .join(name)
}

/// Runs a command with this on its standard input, through a pipe.
fn fed(command: &mut Command, input: &str) -> Output {
    command.stdin(Stdio::piped());
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().expect("it starts");
    let mut pipe = child.stdin.take().expect("a pipe");
    pipe.write_all(input.as_bytes()).expect("it reads");
    drop(pipe);
    child.wait_with_output().expect("it ends")
}

/// The report, and what the program printed.
fn explain(words: &[&str], source: &str, arguments: &[&str], input: &str) -> (Value, String) {
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
    command.args(words).arg(subject(source)).arg("-O1");
    let output = fed(command.arg("--").args(arguments), input);
    let errors = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(
        matches!(output.status.code(), Some(0 | 1 | 3)),
        "{source}: {errors}"
    );
    let report = serde_json::from_str(&sandbox.read("report")).expect("JSON");
    (report, String::from_utf8(output.stdout).expect("text"))
}

/// Kind, line, expression, how often and how much.
fn findings(report: &Value) -> Vec<[Value; 5]> {
    let rows = report["findings"].as_array().expect("a list").iter();
    let names = [
        "kind",
        "expression",
        "erroneous_executions",
        "max_error_bits",
    ];
    rows.map(|row| {
        let [kind, expression, erroneous, bits] = names.map(|name| row[name].clone());
        [
            kind,
            row["location"]["line"].clone(),
            expression,
            erroneous,
            bits,
        ]
    })
    .collect()
}

/// The whole of the report, not only its verdict, is that of the fast shadows.
#[test]
fn many_bits_say_what_the_fast_shadows_say() {
    for (source, arguments) in [
        ("plotter.c", &["8", "0.25"][..]),
        ("foobar.c", &["1e16", "1", "0", "5", "1", "2"]),
        ("pid.c", &["10"]),
        ("sums.c", &["naive", "2000", "0.1"]),
        ("sums.c", &["kahan", "2000", "0.1"]),
    ] {
        let (fast, printed) = explain(&[], source, arguments, "");
        let (precise, printed_too) = explain(&["--precision", "1000"], source, arguments, "");
        assert_eq!(fast["settings"]["precision"], 0, "{source}");
        assert_eq!(precise["settings"]["precision"], 1000, "{source}");
        assert_eq!(findings(&fast), findings(&precise), "{source}");
        assert_eq!(printed, printed_too, "{source}");
        assert_eq!(precise["undecided_operations"], 0, "{source}");
    }
}

const DEEP: &str = "1e-30 1 2\n";

/// 1 − cos(1e-30) is 5e-61: the bounds of the fast shadows leave it in doubt, and runs with perturbed residues agree on it.
#[test]
fn what_is_not_decided_is_decided_by_further_runs() {
    let (report, printed) = explain(&[], "deep.c", &[], DEEP);
    let passes = report["passes"].as_array().unwrap();
    let purposes: Vec<&Value> = passes.iter().map(|pass| &pass["purpose"]).collect();
    let perturbed = |purpose: &&&Value| **purpose == "perturbed residues";
    assert_eq!(purposes.iter().filter(perturbed).count(), 2, "{report:#}");
    assert_eq!(report["checked"]["outputs"]["undecided_executions"], 0);
    let found = findings(&report);
    assert_eq!(found.len(), 1, "{report:#}");
    assert_eq!(found[0][0], "cancellation");
    assert_eq!(found[0][1], 6);
    assert_eq!(report["findings"][0]["outputs"][0]["exact"][0], 0.5);
    assert_eq!(printed.lines().count(), 3, "printed once: {printed}");
}

/// Real values that leave first the floats, then the doubles, while the program's stay where they are.
#[test]
fn what_the_fast_shadows_cannot_hold_is_decided_by_further_runs() {
    for (steps, again) in [("20", false), ("300", true), ("3000", true)] {
        let (report, _) = explain(&[], "diverging.c", &["1e-9", steps], "");
        assert_eq!(
            report["rerun_in_high_precision"], again,
            "{steps}: {report:#}"
        );
        let found = findings(&report);
        assert_eq!(found.len(), 1, "{steps}: {report:#}");
        assert_eq!(found[0][1], 9, "{steps}: {report:#}");
        assert_eq!(
            report["findings"][0]["outputs"][0]["line"], 11,
            "{report:#}"
        );
    }
}

#[test]
fn a_program_that_leaves_no_doubt_is_run_once() {
    let (report, _) = explain(&[], "deep.c", &[], "1e-3 1 2\n");
    assert_eq!(report["rerun_in_high_precision"], false);
    assert_eq!(report["not_rerun_because"], Value::Null);
    assert_eq!(report["settings"]["precision"], 0);
}

#[test]
fn doubts_stay_where_no_further_run_is_possible() {
    let (report, _) = explain(&["--once"], "deep.c", &[], DEEP);
    assert_eq!(findings(&report).len(), 0);
    assert_eq!(report["checked"]["outputs"]["undecided_executions"], 1);
    let why = |report: &Value| {
        report["not_rerun_because"]
            .as_str()
            .unwrap_or("")
            .to_owned()
    };
    assert!(why(&report).contains("--once"), "{report:#}");
    let (report, _) = explain(&["--precision", "128"], "deep.c", &[], DEEP);
    assert_eq!(report["checked"]["outputs"]["undecided_executions"], 1);
    assert!(why(&report).contains("--precision"), "{report:#}");
}

/// A program of one mode is not run as one of the other.
#[test]
fn programs_must_be_built_for_it() {
    let sandbox = Sandbox::new();
    let source = subject("deep.c");
    for mode in ["explain", "explain-reals"] {
        let option = format!("--lostbits-mode={mode}");
        let mut command = sandbox.lostbits(&["cc", &option, "-O1", "-o", mode]);
        sandbox.succeed(command.arg(&source).arg("-lm"));
    }
    let say = |words: &[&str]| {
        let mut command = sandbox.lostbits(&["explain", "--format", "json"]);
        let output = fed(command.args(words), DEEP);
        let errors = String::from_utf8_lossy(&output.stderr).into_owned();
        (output.status.code(), errors)
    };
    let (code, errors) = say(&["--precision", "256", "./explain"]);
    assert_eq!(code, Some(2));
    assert!(
        errors.contains("built for mode explain, not for mode explain-reals"),
        "{errors}"
    );
    let (code, errors) = say(&["./explain"]);
    assert_eq!(code, Some(3));
    assert!(errors.contains("cannot be run with more bits"), "{errors}");
    let (code, errors) = say(&["--precision", "256", "./explain-reals"]);
    assert_eq!(code, Some(1));
    assert!(errors.contains("\"precision\":256"), "{errors}");
}

/// What underflows is lost to the fast shadows; where outputs rest on it, further runs decide.
#[test]
fn underflows_are_recomputed() {
    let marked = |mark: &str| crate::subjects::marked(&["underflow.c"], mark);
    for arguments in [
        ["vanishes", "1e-200", "1.3e-200"],
        ["coarse", "1e-160", "1.3e-160"],
    ] {
        let (report, _) = explain(&[], "underflow.c", &arguments, "");
        assert_eq!(report["rerun_in_high_precision"], true, "{report:#}");
        let mark = format!("CAUSE {}", arguments[0]);
        assert_eq!(
            crate::subjects::causes(&report),
            marked(&mark),
            "{report:#}"
        );
        let (report, _) = explain(&["--once"], "underflow.c", &arguments, "");
        assert_eq!(
            report["checked"]["outputs"]["undecided_executions"], 1,
            "{report:#}"
        );
        assert_eq!(findings(&report).len(), 0);
    }
    for arguments in [
        ["small", "1.1e-150", "1.3e-150"],
        ["absorbed", "1e-200", "1e-200"],
    ] {
        let (report, _) = explain(&[], "underflow.c", &arguments, "");
        assert_eq!(report["rerun_in_high_precision"], false, "{report:#}");
        assert_eq!(findings(&report).len(), 0);
    }
}

/// Lists of arguments are seen as they are by the fast shadows.
#[test]
fn lists_of_arguments() {
    let sandbox = Sandbox::new();
    let mut command = sandbox.lostbits(&["cc", "--lostbits-mode=explain-reals", "-o", "program"]);
    sandbox.succeed(command.arg(subject("outputs.c")).arg("-lm"));
    for (way, mark) in [
        ("vprintf", "REACHED vprintf"),
        ("many", "REACHED vprintf"),
        ("vsnprintf", "REACHED vsnprintf"),
        ("harmless", "nothing"),
    ] {
        let words = [
            "explain",
            "--min-output-bits=5",
            "--precision",
            "128",
            "--format",
            "json",
            "--report",
            "report",
        ];
        let mut command = sandbox.lostbits(&words);
        command
            .args(["./program", "--", way, "1e12"])
            .output()
            .expect("it starts");
        let report: Value = serde_json::from_str(&sandbox.read("report")).expect("JSON");
        let expected = crate::subjects::marked(&["outputs.c"], mark);
        assert_eq!(
            crate::subjects::reached(&report),
            expected,
            "{way}: {report:#}"
        );
    }
}
