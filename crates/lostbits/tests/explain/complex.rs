//! Functions of complex numbers round and cancel like others, though libraries compute them that are not instrumented.

use serde_json::json;

use crate::{
    built::{Built, in_every_way},
    subjects::{causes, marked, reached},
};

/// The cause and the output that it reaches are the lines with these marks, and nothing is untracked.
fn is_found(program: &Built, source: &str, arguments: &str, [cause, reach]: [&str; 2]) {
    let report = program.explain(arguments);
    let what = format!("{arguments}: {report:#}");
    let lines = |kind: &str, mark: &str| marked(&[source], &format!("{kind} {mark}"));
    assert_eq!(causes(&report), lines("CAUSE", cause), "{what}");
    assert_eq!(reached(&report), lines("REACHED", reach), "{what}");
    is_tracked(&report, &what);
}

fn is_tracked(report: &serde_json::Value, what: &str) {
    let untracked = &report["untracked"];
    assert_eq!(untracked["uninstrumented_functions"], json!([]), "{what}");
    assert_eq!(untracked["lost_shadows"], json!([]), "{what}");
}

#[test]
fn in_c() {
    for program in in_every_way("complex.c", "") {
        for way in [
            "quotient",
            "exponential",
            "logarithm",
            "root",
            "power",
            "cosine",
            "hyperbolic",
        ] {
            let arguments = format!("{way} 1e-9 1e-9");
            is_found(&program, "complex.c", &arguments, [way, "lost"]);
        }
        for way in ["quotients", "exponentials", "moduli"] {
            let arguments = format!("floats 1e-4 1e-4 {way}");
            let cause = format!("floats of {way}");
            is_found(&program, "complex.c", &arguments, [&cause, "floats"]);
        }
    }
}

#[test]
fn in_fortran() {
    for program in in_every_way("complex.f90", "") {
        for (way, number) in [
            ("exponential", "1e-9"),
            ("power", "1e-9"),
            ("quotient", "1e-4"),
        ] {
            let arguments = format!("{way} {number} 7");
            is_found(&program, "complex.f90", &arguments, [way, way]);
        }
    }
}

/// Neither what the library does better than a formula, nor scaling, nor zero is blamed.
#[test]
fn right_results_are_clean() {
    for program in in_every_way("complex.c", "") {
        for way in ["divided", "rooted", "raised", "logged"] {
            let report = program.explain(&format!("right 0.3 0 {way}"));
            let what = format!("{way}: {report:#}");
            assert_eq!(report["verdict"], "clean", "{what}");
            is_tracked(&report, &what);
        }
    }
}
