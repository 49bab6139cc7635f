//! The formats of reports, from the command line: each is what its readers expect, and a page works in a browser. What each
//! format does with hostile names is tested beside its code.

mod browser;
// Shared with the tests of the commands, and used only in part here.
#[allow(dead_code)]
#[path = "../cli/sandbox.rs"]
mod sandbox;

use std::{env, fs};

use sandbox::Sandbox;
use serde_json::Value;

/// Prints one wrong and one right number.
const PROGRAM: &str = "#include <math.h>\n#include <stdio.h>\n#include <stdlib.h>\n\
    int main(int c, char **v) {\n  double x = atof(v[1]);\n  printf(\"%g %g\\n\", x, (1 - cos(x)) / x);\n}\n";

fn sandbox() -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.write("prog.c", PROGRAM);
    sandbox
}

/// The report of a run in a format; the run has a finding.
fn report(sandbox: &Sandbox, format: &str) -> String {
    let words = [
        "explain", "prog.c", "-O1", "-lm", "--format", format, "--report", "out", "--", "1e-7",
    ];
    let output = sandbox.lostbits(&words).output().expect("it starts");
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    sandbox.read("out")
}

#[test]
fn every_format_has_the_finding() {
    let sandbox = sandbox();
    let page = report(&sandbox, "html");
    assert!(page.starts_with("<!DOCTYPE html>"));
    for part in [
        "prog.c:6",
        "<span class=\"badge\">proved</span>",
        "lostbits explain prog.c -O1 -lm -- 1e-7",
        "lostbits fix",
    ] {
        assert!(page.contains(part), "{part}: {page}");
    }
    let log: Value = serde_json::from_str(&report(&sandbox, "sarif")).expect("JSON");
    let result = &log["runs"][0]["results"][0];
    assert_eq!(
        (result["ruleId"].as_str(), result["level"].as_str()),
        (Some("cancellation"), Some("error"))
    );
    let location = &result["locations"][0]["physicalLocation"];
    assert_eq!(location["artifactLocation"]["uri"], "prog.c");
    assert_eq!(location["region"]["startLine"], 6);
    let junit = report(&sandbox, "junit");
    let xml = roxmltree::Document::parse(&junit).expect("XML");
    let count = |name: &str| {
        xml.descendants()
            .filter(|one| one.has_tag_name(name))
            .count()
    };
    assert_eq!((count("testcase"), count("failure")), (3, 1), "{junit}");
    assert!(report(&sandbox, "markdown").starts_with("# 1 of 2 outputs is wrong\n"));
    let annotations = report(&sandbox, "github");
    assert!(
        annotations.starts_with("::error file=prog.c,line=6,"),
        "{annotations}"
    );
}

#[test]
fn a_saved_record_has_every_format() {
    let sandbox = sandbox();
    let words = [
        "explain", "prog.c", "-O1", "-lm", "--record", "kept", "--", "1e-7",
    ];
    sandbox.lostbits(&words).output().expect("it starts");
    for (format, start) in [
        ("sarif", "{\n"),
        ("junit", "<?xml"),
        ("markdown", "# 1 of 2"),
        ("github", "::warning file=prog.c"),
    ] {
        let words = ["report", "--format", format, "kept"];
        let output = sandbox.lostbits(&words).output().expect("it starts");
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        assert!(
            text.starts_with(start) && output.status.code() == Some(1),
            "{format}: {text}"
        );
    }
    // A page without a name goes to a file, not to the terminal.
    let output = sandbox
        .lostbits(&["report", "--format", "html", "kept"])
        .output();
    let output = output.expect("it starts");
    assert!(output.stdout.is_empty());
    assert!(String::from_utf8_lossy(&output.stderr).contains("report: lostbits-report.html"));
    assert!(sandbox.read("lostbits-report.html").contains("suspected"));
}

#[test]
fn decisions_have_the_formats_too() {
    let sandbox = Sandbox::new();
    let source = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../tests/watch/determinant.c"
    );
    sandbox.write("determinant.c", fs::read(source).expect("a program"));
    let words = ["watch", "--record", "kept", "determinant.c", "--", "2", "1"];
    sandbox.lostbits(&words).output().expect("it starts");
    let words = ["report", "--format", "sarif", "kept"];
    let output = sandbox.lostbits(&words).output().expect("it starts");
    let log: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let result = &log["runs"][0]["results"][0];
    assert_eq!(result["ruleId"], "unstable-decision");
    let flow = &result["codeFlows"][0]["threadFlows"][0]["locations"];
    let line = |at: usize| flow[at]["location"]["physicalLocation"]["region"]["startLine"].clone();
    assert_eq!((line(0), line(1)), (15.into(), 19.into()));
}

#[test]
fn only_pages_are_opened() {
    let sandbox = sandbox();
    let words = ["explain", "prog.c", "--format", "json", "--open", "-lm"];
    let shown = sandbox.show(&mut sandbox.lostbits(&words));
    assert!(
        shown.starts_with("exit 2") && shown.contains("--format html"),
        "{shown}"
    );
}

/// `make test-sarif` gives the schema, which is not ours to copy.
#[test]
#[ignore = "needs the schema of SARIF 2.1.0: make test-sarif"]
fn sarif_validates_against_its_schema() {
    let path = env::var_os("SARIF_SCHEMA").expect("SARIF_SCHEMA names the schema");
    // One of its patterns has a bare `]`, which strict readers of regular expressions refuse; escaped, it means the same.
    let text = fs::read_to_string(path).expect("a schema");
    let text = text.replace("{2}]?$", r"{2}\\]?$");
    let schema: Value = serde_json::from_str(&text).expect("JSON");
    let validator = jsonschema::validator_for(&schema).expect("a schema");
    let mut log: Value = serde_json::from_str(&report(&sandbox(), "sarif")).expect("JSON");
    let errors: Vec<String> = validator
        .iter_errors(&log)
        .map(|error| format!("{}: {error}", error.instance_path()))
        .collect();
    assert!(errors.is_empty(), "{errors:#?}");
    log["runs"][0]["results"][0]["ruleIndex"] = "none".into();
    assert!(!validator.is_valid(&log));
}
