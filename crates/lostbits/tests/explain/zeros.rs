//! Residuals and self-checks that are zero in exact arithmetic.

use serde_json::Value;

use crate::{
    built::in_every_way,
    sandbox::Sandbox,
    subjects::{causes, marked, subject},
    trust::explained,
};

const CHECKS: [&str; 4] = ["solved 30", "harmonic 100000", "norm 2", "symmetry 0.1"];
/// It divides noise by noise once it has converged: in exact arithmetic its last steps have no meaning.
const ITERATION: &str = "gradients 0.1";

#[test]
fn noise_of_the_operands_is_consistent_with_zero() {
    for program in in_every_way("zeros.c", "") {
        for way in CHECKS.into_iter().chain([ITERATION]) {
            program.is_clean(way);
            let report = program.explain(way);
            let zeros = &report["consistent_with_zero"];
            assert_eq!(zeros["executions"], 1, "{way} {report:#}");
            let outputs = &report["checked"]["outputs"];
            assert_eq!(outputs["undecided_executions"], 0, "{way} {report:#}");
            let number = |name: &str| zeros[name].as_f64().expect("a number");
            let noise = number("largest") / number("operands");
            assert!(noise > 0.0 && noise < 1e-13, "{way} {report:#}");
        }
    }
}

/// What is left of a variance is noise of its operands, too, but it is not zero in exact arithmetic; an error that was made
/// before is none of a check's own; and 0 has lost all of 1e-30.
#[test]
fn a_result_below_the_noise_of_its_operands_is_lost() {
    // Only a run with more bits knows it.
    let report = crate::extremes::explain_source("zeros.c", "-O1 -lm", "tiny 1e-30");
    assert_eq!(
        causes(&report),
        marked(&["zeros.c"], "CAUSE tiny"),
        "{report:#}"
    );
    for program in in_every_way("zeros.c", "") {
        program.is_found("variance 1e8", "CAUSE variance", "REACHED");
        // However large the offset is.
        program.is_found("variance 3e9", "CAUSE variance", "REACHED");
        for way in ["failed 1e8", "series -25"] {
            let report = program.explain(way);
            assert!(!causes(&report).is_empty(), "{report:#}");
            let zeros = &report["consistent_with_zero"]["executions"];
            assert_eq!(*zeros, 0, "{report:#}");
        }
    }
}

fn report(words: &[&str], arguments: &str) -> (Option<i32>, Value) {
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
    command
        .args(words)
        .arg(subject("zeros.c"))
        .args(["-O1", "-lm", "--"]);
    let output = command.args(arguments.split_whitespace()).output();
    let output = output.expect("it starts");
    let report = serde_json::from_str(&sandbox.read("report")).expect("JSON");
    (output.status.code(), report)
}

#[test]
fn zeros_are_findings_if_asked_for() {
    for way in CHECKS {
        let (code, found) = report(&["--zeros"], way);
        assert_eq!(code, Some(1), "{way} {found:#}");
        let exact = &found["findings"][0]["outputs"][0]["exact"][0];
        let exact = exact.as_f64().expect("a number").abs();
        // The noise of shadows is not shown as an exact value.
        assert!(
            exact == 0.0 || way.starts_with("gradients"),
            "{way} {found:#}"
        );
        assert_eq!(report(&[], way).0, Some(0), "{way}");
    }
}

const LOAN: &str = "\
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
int main(int count, char **words) {
    float rate = (float)(atof(words[1]) / 12), balance = 250000;
    float factor = powf(1 + rate, 360);
    float payment = balance * rate * factor / (factor - 1);
    for (int month = 0; month < 360; month++)
        balance -= payment - balance * rate; // CAUSE
    printf(\"left %.2f\\n\", balance);
    return count > 9;
}
";

/// Nothing is left of the loan, and the program prints cents: a number that is zero in exact arithmetic is known, in floats as
/// in doubles.
#[test]
fn amplified_errors_of_a_zero_are_a_finding() {
    let double = LOAN
        .replace("float", "double")
        .replace("powf", "pow")
        .replace("%.2f", "%.12f");
    for text in [LOAN, &double] {
        let shown = explained(text, &["-O2"], &["0.04"]);
        assert!(shown.starts_with("exit 1\n"), "{shown}");
        let exact = shown.lines().find(|line| line.contains("0 of "));
        let exact = exact.and_then(|line| line.split_whitespace().nth(2));
        assert!(
            exact.is_some_and(|exact| exact.trim_matches(['0', '.']).is_empty()),
            "{shown}"
        );
        assert!(shown.contains("= proof: "), "{shown}");
    }
}
