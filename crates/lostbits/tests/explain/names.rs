//! Variables are called what the program calls them, whatever the language and the optimiser.

use std::collections::BTreeMap;

use crate::{
    built::{Built, at_every_level, in_every_way},
    subjects::{computes, marked},
};

const PAIRS: &str = "1e9 0.1 2e9 0.3 3e9 0.7";

/// Neither the function nor the variable that the compiler made is reported.
#[test]
fn of_parallel_loops() {
    for program in at_every_level("parallel.c", "-fopenmp") {
        let finding = program.is_found("1e12", "CAUSE", "REACHED");
        assert_eq!(finding["location"]["function"], "main", "{finding:#}");
        assert!(!finding.to_string().contains(".omp"), "{finding:#}");
    }
}

/// The expression of the line with each mark is one of these.
fn are_called(program: &Built, source: &str, expected: &[(&str, &[&str])]) {
    are_called_with(PAIRS, program, source, expected);
}

fn are_called_with(arguments: &str, program: &Built, source: &str, expected: &[(&str, &[&str])]) {
    let report = program.explain(arguments);
    let findings = report["findings"].as_array().expect("a list");
    let by_line: BTreeMap<u64, _> = findings
        .iter()
        .map(|finding| {
            (
                finding["location"]["line"].as_u64().expect("a line"),
                finding,
            )
        })
        .collect();
    for (mark, expressions) in expected {
        let mark = format!("CAUSE {mark}");
        let (_, line) = marked(&[source], &mark).pop_first().expect("a mark");
        let finding = by_line.get(&line);
        let finding = finding.unwrap_or_else(|| panic!("{source}: no {mark}: {report:#}"));
        computes(finding, expressions);
    }
}

/// Sums are commutative to the optimiser.
#[test]
fn in_c() {
    for program in at_every_level("names.c", "") {
        let expected: [(&str, &[&str]); 6] = [
            (
                "angle",
                &[
                    "atan2(up, across) - up / across",
                    "atan2(small, large) - small / large",
                ],
            ),
            ("field", &["line->from.x + line->to.y - line->from.x"]),
            ("element", &["a[i] + a[i + 1] - a[i]"]),
            (
                "matrix",
                &[
                    "m[row][column] + m[2][1] - m[row][column]",
                    "m[row][2] + m[2][1] - m[row][2]",
                ],
            ),
            ("global", &["offset + x - offset", "x + offset - offset"]),
            ("same", &["x + 1 / small - x", "1 / small + x - x"]),
        ];
        are_called(&program, "names.c", &expected);
    }
}

#[test]
fn in_cpp() {
    for program in at_every_level("names.cpp", "") {
        let expected: [(&str, &[&str]); 3] = [
            ("member", &["balance + amount - balance"]),
            ("vector", &["v[i] + v[i + 1] - v[i]"]),
            ("complex", &["z.re + w - z.re"]),
        ];
        are_called(&program, "names.cpp", &expected);
    }
}

/// What flang inlines no longer knows the arguments' names.
#[test]
fn in_fortran() {
    for program in at_every_level("names.f90", "-mllvm -inline-threshold=-1000") {
        let expected: [(&str, &[&str]); 4] = [
            ("elements", &["a(i) + a(i + 1) - a(i)"]),
            ("grid", &["g(i, j) + g(4, 1) - g(i, j)"]),
            ("components", &["p%x + small - p%x"]),
            ("module", &["base + small - base"]),
        ];
        are_called(&program, "names.f90", &expected);
    }
}

#[test]
fn in_rust() {
    for program in at_every_level("names.rs", "") {
        let expected: [(&str, &[&str]); 4] = [
            (
                "field",
                &[
                    "self.balance + amount - self.balance",
                    "amount + self.balance - self.balance",
                ],
            ),
            ("slice", &["a[i] + a[i + 1] - a[i]"]),
            ("vector", &["list[i] + list[i + 1] - list[i]"]),
            ("tuple", &["pair.0 + pair.1 - pair.0"]),
        ];
        are_called(&program, "names.rs", &expected);
    }
}

/// FPCore has symbols of its own; they are as near as may be.
#[test]
fn in_fpcore() {
    let program = at_every_level("names.c", "").remove(0);
    let cores = program.explain_as("fpcore", PAIRS);
    for core in [
        "(- (+ line_from_x line_to_y) line_from_x)",
        "(- (+ a_i a_i_1) a_i)",
    ] {
        assert!(cores.contains(core), "{cores}");
    }
}

/// Numbers of the source are shown as such, also from code that ran once; what merely had a value is a variable, also
/// where the optimiser knows the value.
#[test]
fn literals_are_not_variables() {
    for program in in_every_way("literals.c", "") {
        let expected: [(&str, &[&str]); 5] = [
            ("literal", &["x + 1e16 - 1e16"]),
            ("float", &["x + 300000000 - 300000000"]),
            ("input", &["x + big - big"]),
            ("parameter", &["x + large - large", "x + y + z"]),
            ("variable", &["x + huge - huge", "x + y + z"]),
        ];
        // The input is a small whole number, as literals often are.
        are_called_with("3 1e17", &program, "literals.c", &expected);
    }
}
