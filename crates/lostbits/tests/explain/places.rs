//! Each operation is one by itself, on a line that is the user's, where a compiler gives several the same place.

use crate::{
    built::{Built, at_every_level},
    subjects::{Lines, causes, computes, line, marked, rows},
};

/// One operation of several on the line is blamed, which ran once.
fn is_told_apart(program: &Built) {
    let finding = program.is_found("1e-9", "CAUSE", "REACHED");
    computes(&finding, &["x + 1 - 1", "1 + x - 1"]);
    assert_eq!(finding["executions"], 1, "{finding:#}");
}

#[test]
fn operations_of_a_statement_of_fortran() {
    at_every_level("statement.f90", "")
        .iter()
        .for_each(is_told_apart);
}

#[test]
fn operations_of_a_macro() {
    at_every_level("macro.c", "").iter().for_each(is_told_apart);
}

/// Where the optimiser inlined what it calls; else it is the library's line.
#[test]
fn the_standard_library_is_passed_over() {
    let generic = &at_every_level("generic.rs", "")[1];
    generic.is_found("generic 1e-9", "CAUSE generic", "REACHED generic");
    generic.is_found("sum 1e-9", "CAUSE sum", "REACHED sum");
    at_every_level("complex.cpp", "")[1].is_found("1e-9", "CAUSE", "REACHED");
}

#[test]
fn what_was_moved_out_of_a_loop() {
    for program in at_every_level("hoisted.c", "") {
        program.is_found("1e-9", "CAUSE", "REACHED");
    }
}

/// The line is that of the statement, also where the optimiser took the place away.
#[test]
fn what_loops_compute_once_or_in_vectors() {
    for level in ["-O1", "-O2", "-O3", "-O3 -march=native"] {
        let program = Built::at_level("invariant.c", level);
        // A fused product loses nothing there.
        if !level.contains("native") {
            program.is_found("root 0.9999999999 50", "CAUSE root", "REACHED root");
        }
        program.is_found("scale 1e9 50", "CAUSE scale", "REACHED scale");
        program.is_found("choose 1e9 50", "CAUSE choose", "REACHED choose");
    }
}

/// Promises of -ffast-math are the program's, not those of shadow code.
#[test]
fn fast_mathematics() {
    for options in [
        "-ffast-math",
        "-fno-honor-nans",
        "-Ofast",
        "-fassociative-math -fno-signed-zeros -fno-trapping-math",
    ] {
        for program in at_every_level("fast.c", options) {
            for (way, argument) in [("cosine", "1e-8"), ("root", "1e12"), ("float", "1e-5")] {
                let (cause, reach) = (format!("CAUSE {way}"), format!("REACHED {way}"));
                program.is_found(&format!("{way} {argument}"), &cause, &reach);
            }
        }
    }
    // The numbers may not be those of the program without instrumentation: the first line says so.
    let said = |options: &str| {
        let text = Built::at_level("fast.c", options).explain_as("terminal", "root 1e12");
        text.lines()
            .next()
            .is_some_and(|line| line.contains("-ffast-math"))
    };
    assert!(said("-O2 -ffast-math"));
    assert!(!said("-O2"));
}

/// The header's line is blamed, and the program's lines that it was inlined into are told; without optimisation nothing is
/// inlined.
#[test]
fn what_a_header_computes_is_told_with_the_callers() {
    for (program, callers) in at_every_level("inlined.cpp", "")
        .iter()
        .zip([Lines::new(), marked(&["inlined.cpp"], "CALLER")])
    {
        let report = program.explain("1e-9");
        let finding = &report["findings"][0];
        assert_eq!(causes(&report), marked(&["inlined.h"], "CAUSE"));
        let told: Lines = rows(&finding["inlined_from"]).map(line).collect();
        assert_eq!(told, callers, "{report:#}");
        let text = program.explain_as("terminal", "1e-9");
        let notes = text.matches("note: inlined from here").count();
        assert_eq!(notes, callers.len(), "{text}");
    }
}
