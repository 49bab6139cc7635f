//! Recurrences are decided, though the bounds of their residues double with every step: runs with perturbed residues confirm what
//! bounds leave undecided.

use serde_json::Value;

use crate::{sandbox::Sandbox, subjects::subject};

/// The report on a recurrence of 20,000 steps.
fn explained(way: &str, level: &str) -> Value {
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
    command.arg(subject("recurrences.c")).args([level, "-lm"]);
    command.args(["--", way, "1e-3", "20000"]);
    let output = command.output().expect("it starts");
    let errors = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(1), "{way} {level}: {errors}");
    serde_json::from_str(&sandbox.read("report")).expect("JSON")
}

fn purposes(report: &Value) -> Vec<&str> {
    let passes = report["passes"].as_array().expect("passes");
    let purposes = passes.iter().map(|pass| pass["purpose"].as_str());
    purposes
        .map(|purpose| purpose.expect("a purpose"))
        .collect()
}

/// The exact values come from decimal arithmetic with 60 digits.
#[test]
fn perturbed_residues_decide() {
    let ways = [
        ("verlet", 0.407_168_151_508_127_34),
        ("pendulum", 0.995_884_328_128_769_3),
        ("biquad", 0.428_562_857_137_417_27),
    ];
    for (way, exact) in ways {
        for level in ["-O0", "-O2"] {
            let report = explained(way, level);
            let what = format!("{way} {level}: {report:#}");
            let first = ["detection", "perturbed residues", "perturbed residues"];
            assert_eq!(purposes(&report)[..3], first, "{what}");
            assert!(!purposes(&report).contains(&"more precision"), "{what}");
            let undecided = &report["checked"]["outputs"]["undecided_executions"];
            assert_eq!(*undecided, 0, "{what}");
            let found = report["findings"][0]["outputs"][0]["exact"][0].as_f64();
            let found = found.expect(&what);
            assert!((found / exact - 1.0).abs() < 1e-15, "{found} {what}");
        }
    }
}
