//! The ways in which numbers leave a program.

use std::path::Path;

use serde_json::Value;

use crate::{
    built::{Built, at_every_level, in_every_way},
    sandbox::Sandbox,
};

fn reaches(program: &Built, way: &str, mark: &str) {
    let reach = format!("REACHED {mark}");
    program.is_found(&format!("{way} 1e12"), "CAUSE", &reach);
}

/// Functions with a format and a list of arguments, called by a function of the program's own; text and memory.
#[test]
fn in_c() {
    for program in in_every_way("outputs.c", "") {
        for way in [
            "vprintf",
            "vfprintf",
            "vsnprintf",
            "puts",
            "write",
            "long-write",
            "angle",
        ] {
            reaches(&program, way, way);
        }
        let text = program.explain_as("terminal", "long-write 1e12");
        assert!(text.contains(", exact 4.99999999999875"), "{text}");
        reaches(&program, "many", "vprintf");
        // A float is passed as a double, and is as good as a float can be.
        program.is_clean("harmless 1e12");
    }
    for program in at_every_level("outputs.c", "") {
        reaches(&program, "long-vprintf", "vprintf");
    }
}

#[test]
fn in_cpp() {
    for program in in_every_way("outputs.cpp", "") {
        for way in [
            "to_string",
            "sstream",
            "to_chars",
            "complex",
            "long-complex",
            "write",
        ] {
            reaches(&program, way, way);
        }
    }
}

/// Arrays that Fortran's library moves and prints as a whole; what it computes is untracked, and reported as such.
#[test]
fn in_fortran() {
    for program in at_every_level("arrays.f90", "") {
        for way in ["array", "section", "namelist", "complex", "long"] {
            reaches(&program, way, way);
        }
        let text = program.explain_as("terminal", "long 1e12");
        assert!(text.contains(", exact 4.99999999999875"), "{text}");
    }
    let unoptimised = &at_every_level("arrays.f90", "")[0];
    let report = unoptimised.explain("sum 1e12");
    let named = &report["untracked"]["uninstrumented_functions"];
    assert_eq!(*named, serde_json::json!(["sum"]), "{report:#}");
}

/// Numbers that are formatted by the standard library's functions, which are not instrumented.
#[test]
fn in_rust() {
    for program in at_every_level("outputs.rs", "") {
        reaches(&program, "display", "display");
        for way in ["to_string", "vector", "structure", "tuple"] {
            let report = program.explain(&format!("{way} 1e12"));
            let outputs = report["findings"][0]["outputs"].as_array();
            assert_eq!(outputs.map(Vec::len), Some(1), "{way}: {report:#}");
        }
    }
}

/// The optimiser makes a float a double on each of several ways to where it is printed; it is a float still.
#[test]
fn a_float_on_several_ways() {
    let sandbox = Sandbox::new();
    let source =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/programs/cpp/containers.cpp");
    let mut command = sandbox.lostbits(&[
        "explain",
        "--prove=0",
        "--min-output-bits=5",
        "--format",
        "json",
        "--report",
        "report",
        "--once",
    ]);
    command.arg(source).arg("-O2").output().expect("it starts");
    let report: Value = serde_json::from_str(&sandbox.read("report")).expect("JSON");
    let findings = report["findings"].as_array().expect("a list");
    assert!(!findings.is_empty(), "{report:#}");
    let function = |finding: &Value| finding["location"]["function"].to_string();
    assert!(
        !findings
            .iter()
            .any(|finding| function(finding).contains("accumulate")),
        "{report:#}"
    );
}
