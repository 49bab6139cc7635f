//! What experts write: roundings by large constants, bits changed as integers, errors caught and added back. Clean,
//! each beside a twin that is not; adaptively, and with 1000 bits throughout.

use serde_json::Value;

use crate::{built::in_every_way, sandbox::Sandbox, subjects::subject};

/// All of these ways of running a program are clean.
fn clean(source: &str, options: &str, ways: &[&str], numbers: &str) {
    for program in in_every_way(source, options) {
        for way in ways {
            program.is_clean(&format!("{way} {numbers}"));
        }
    }
}

/// In all of these ways the marked lines are found.
fn found(source: &str, options: &str, ways: &[(&str, &str)]) {
    for program in in_every_way(source, options) {
        for (arguments, mark) in ways {
            program.is_found(arguments, mark, "REACHED");
        }
    }
}

#[test]
fn rounding_by_a_large_constant() {
    let ways = ["nearest", "positive", "float", "part", "bits", "reduced"];
    clean("rounding.c", "", &ways, "1 2.5 7.3 100");
    found("rounding.c", "", &[("naive 1 2.5 7.3 100", "CAUSE")]);
}

/// Through signs and exponents that are changed as integers, errors are followed.
#[test]
fn bits_of_numbers() {
    let ways = ["negated", "magnitude", "scaled", "factor", "fraction"];
    clean("bits.c", "", &ways, "2 1");
    clean("bits.c", "", &["float", "float-root", "squares"], "2 1");
    let arguments = ways.map(|way| format!("{way} 2.0000000001 2"));
    let wrong: Vec<_> = arguments
        .iter()
        .map(|way| (way.as_str(), "CAUSE"))
        .collect();
    found("bits.c", "", &wrong);
}

#[test]
fn double_double_arithmetic() {
    let numbers = "3.1 123456.7 0.3";
    let ways = ["dekker", "fused", "both", "parts"];
    clean("twofold.c", "", &ways, numbers);
    found("twofold.c", "", &[("naive 3.1 123456.7 0.3", "CAUSE")]);
}

/// All stages are reached; comparisons with bounds of errors are not blamed.
#[test]
fn adaptive_predicates() {
    let near = "0.5 0.5 12 12 24 24";
    let nearer =
        "0.5 0.5 17.300000000000001 17.300000000000001 24.00000000000005 24.0000000000000517765";
    clean("adaptive.c", "", &["adaptive"], near);
    clean("adaptive.c", "", &["adaptive"], nearer);
    found("adaptive.c", "", &[("naive 0.5 0.5 12 12 24 24", "CAUSE")]);
}

#[test]
fn accurate_sums_products_and_polynomials() {
    for real in ["", "-DREAL=float"] {
        clean("accurate.c", real, &["dot", "pairwise"], "1000 0");
        clean("accurate.c", real, &["polynomial"], "10 1.2");
        let naive = [
            ("naive-dot 1000 0", "CAUSE dot"),
            ("naive-polynomial 10 1.2", "CAUSE polynomial"),
        ];
        found("accurate.c", real, &naive);
        // Slices are cut off by units that are no constants; without the rest, that is a loss.
        clean("accurate.c", real, &["slices"], "1000 0");
        found("accurate.c", real, &[("cut-off 1000 0", "CAUSE cut")]);
    }
}

/// Further runs with more bits blame nothing either.
#[test]
fn slices_with_further_runs() {
    for real in [None, Some("-DREAL=float")] {
        let sandbox = Sandbox::new();
        let words = [
            "explain",
            "--prove=0",
            "--min-output-bits=5",
            "--format",
            "json",
            "--report",
            "report",
            "-O2",
        ];
        let mut command = sandbox.lostbits(&words);
        command.args(real);
        command
            .arg(subject("accurate.c"))
            .args(["--", "slices", "1000", "0"]);
        command.output().expect("it starts");
        let report: Value = serde_json::from_str(&sandbox.read("report")).expect("JSON");
        assert_eq!(report["clean"], true, "{real:?} {report:#}");
    }
}
