//! What experts write: roundings by large constants, bits changed as integers, errors caught and added back. Clean,
//! each beside a twin that is not.

use serde_json::Value;

use crate::{
    built::at_every_level,
    sandbox::Sandbox,
    subjects::{Lines, causes, subject},
};

/// All of these ways of running a program are clean.
fn clean(source: &str, options: &str, ways: &[&str], numbers: &str) {
    for program in at_every_level(source, options) {
        for way in ways {
            program.is_clean(&format!("{way} {numbers}"));
        }
    }
}

/// In all of these ways the marked lines are found.
fn found(source: &str, options: &str, ways: &[(&str, &str)]) {
    for program in at_every_level(source, options) {
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

/// Numbers of many bits say the same of them.
#[test]
fn at_many_bits() {
    for (source, ways) in [
        ("rounding.c", &["nearest 1 2.5 7.3", "part 1 2.5 7.3"][..]),
        ("accurate.c", &["slices 1000 0", "dot 1000 0"]),
        ("twofold.c", &["both 3.1 123456.7 0.3"]),
    ] {
        let sandbox = Sandbox::new();
        let mut command =
            sandbox.lostbits(&["cc", "--lostbits-mode=explain-reals", "-o", "program"]);
        sandbox.succeed(command.arg(subject(source)).args(["-O1", "-lm"]));
        for arguments in ways {
            let words = [
                "explain",
                "--precision",
                "256",
                "--format",
                "json",
                "--report",
                "report",
            ];
            let mut command = sandbox.lostbits(&words);
            command
                .args(["./program", "--"])
                .args(arguments.split_whitespace());
            command.output().expect("it starts");
            let report: Value = serde_json::from_str(&sandbox.read("report")).expect("JSON");
            assert_eq!(
                causes(&report),
                Lines::new(),
                "{source} {arguments}: {report:#}"
            );
        }
    }
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
        clean("accurate.c", real, &["dot", "pairwise", "slices"], "1000 0");
        clean("accurate.c", real, &["polynomial"], "10 1.2");
        let naive = [
            ("naive-dot 1000 0", "CAUSE dot"),
            ("naive-polynomial 10 1.2", "CAUSE polynomial"),
        ];
        found("accurate.c", real, &naive);
    }
}
