//! JSON reports against their schemas.
//!
//! Reports of several programs must be valid. So that a schema cannot drift from the reports, every object
//! in a report, with a field added or without one of its fields, must be invalid.

use std::{fs, io::Write, process::Stdio};

use jsonschema::Validator;
use serde_json::Value;

use crate::{repository, sandbox::Sandbox};

fn validator(command: &str) -> Validator {
    let path = repository().join(format!("docs/{command}.schema.json"));
    let schema: Value = serde_json::from_slice(&fs::read(path).expect(command)).expect("JSON");
    jsonschema::validator_for(&schema).expect("a schema")
}

/// Objects whose keys are data: names of variables, ways to end. An explanation has a schema of its own.
const MAPS: [&str; 3] = ["worst_input", "abnormal_ends", "explanation"];

/// Valid, and invalid with any object in it changed.
fn check(validator: &Validator, report: &Value, what: &str) {
    let errors: Vec<String> = validator
        .iter_errors(report)
        .map(|error| format!("{}: {error}", error.instance_path()))
        .collect();
    assert!(errors.is_empty(), "{what}: {errors:#?}\n{report:#}");
    let mut objects = Vec::new();
    find_objects(report, String::new(), &mut objects);
    for pointer in objects {
        let mut added = report.clone();
        let object = added.pointer_mut(&pointer).and_then(Value::as_object_mut);
        let object = object.expect("an object");
        object.insert("surplus".to_owned(), Value::Null);
        let fields: Vec<String> = object.keys().cloned().collect();
        assert!(!validator.is_valid(&added), "{what}: {pointer} is open");
        for field in fields.iter().filter(|field| *field != "surplus") {
            let mut removed = report.clone();
            let object = removed.pointer_mut(&pointer).and_then(Value::as_object_mut);
            object.expect("an object").remove(field);
            assert!(
                !validator.is_valid(&removed),
                "{what}: {pointer}/{field} may be missing"
            );
        }
    }
}

fn find_objects(value: &Value, pointer: String, found: &mut Vec<String>) {
    match value {
        Value::Object(fields) => {
            found.push(pointer.clone());
            let plain = fields
                .iter()
                .filter(|(name, _)| !MAPS.contains(&name.as_str()));
            plain.for_each(|(name, field)| find_objects(field, format!("{pointer}/{name}"), found));
        }
        // One element represents all of its kind.
        Value::Array(elements) => {
            let few = elements.iter().enumerate().take(2);
            few.for_each(|(at, one)| find_objects(one, format!("{pointer}/{at}"), found));
        }
        _ => {}
    }
}

/// Runs `lostbits`, whose report goes to `report.json`, with something on standard input.
fn report(sandbox: &Sandbox, arguments: &[&str], input: &str) -> Value {
    let mut command = sandbox.lostbits(arguments);
    command.stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut child = command.stderr(Stdio::piped()).spawn().expect("lostbits");
    let mut stdin = child.stdin.take().expect("a pipe");
    // A program that reads nothing may have closed it.
    let _ = stdin.write_all(input.as_bytes());
    drop(stdin);
    let output = child.wait_with_output().expect("it ends");
    let errors = String::from_utf8_lossy(&output.stderr);
    let text = match fs::read(sandbox.path("report.json")) {
        Ok(text) => text,
        Err(_) => output.stdout,
    };
    let _ = fs::remove_file(sandbox.path("report.json"));
    serde_json::from_slice(&text).unwrap_or_else(|error| panic!("{arguments:?}: {error}\n{errors}"))
}

fn with_subjects(folder: &str, names: &[&str]) -> Sandbox {
    let sandbox = Sandbox::new();
    for name in names {
        let path = repository().join("tests").join(folder).join(name);
        sandbox.write(name, fs::read(path).expect(name));
    }
    sandbox
}

fn findings(report: &Value) -> usize {
    report["findings"].as_array().expect("findings").len()
}

#[test]
fn reports_of_explain() {
    let sandbox = with_subjects(
        "explain",
        &[
            "baz.c",
            "gramschmidt.c",
            "inlined.cpp",
            "inlined.h",
            "folded.c",
        ],
    );
    sandbox.write(
        "branch.c",
        "#include <stdio.h>\n#include <stdlib.h>\n\
         int main(int c, char **v) {\n  double x = atof(v[1]);\n  double y = (x + 1e16) - 1e16;\n\
         \x20 if (y < 0.25) puts(\"small\");\n  printf(\"%d %g\\n\", (int)(y * 10), y);\n}\n",
    );
    let validator = validator("explain");
    let explain = |words: &[&str], found: bool| {
        let own = ["explain", "--format", "json", "--report", "report.json"];
        let report = report(&sandbox, &[&own, words].concat(), "");
        assert_eq!(findings(&report) > 0, found, "{words:?}: {report:#}");
        check(&validator, &report, &words.join(" "));
    };
    let expression = "(1 - cos(x)) / x^2";
    explain(
        &["--samples", "50", "--range", "x=1e-9:1e-3", expression],
        true,
    );
    explain(&["--samples", "50", "--range", "x=1:2", "x + 1"], false);
    explain(&["baz.c", "-O1", "--", "1", "113.0000001"], true);
    explain(
        &["--precision", "128", "baz.c", "-O1", "--", "113.0000001"],
        true,
    );
    explain(&["branch.c", "-O1", "--", "0.3"], true);
    let vectors = ["1", "0", "0", "0", "1", "0", "1", "1", "0"];
    let nan = ["-o", "record", "gramschmidt.c", "-O1", "-lm", "--"];
    explain(&[&nan[..], &vectors].concat(), true);
    explain(&["inlined.cpp", "-O2", "--", "1e-9"], true);
    explain(&["folded.c", "-O2", "-lm"], true);
    explain(&["--once", "folded.c", "-O2", "-lm"], false);
    let saved = report(&sandbox, &["report", "--format", "json", "record"], "");
    check(&validator, &saved, "a saved record");
}

#[test]
fn reports_of_watch() {
    let subjects = ["determinant.c", "tenths.c", "poly_factored.c", "largest.c"];
    let sandbox = with_subjects("watch", &subjects);
    let validator = validator("watch");
    let watch = |words: &[&str], input: &str, found: bool| {
        let own = ["watch", "--format", "json", "--report", "report.json"];
        let report = report(&sandbox, &[&own, words].concat(), input);
        assert_eq!(findings(&report) > 0, found, "{words:?}: {report:#}");
        check(&validator, &report, &words.join(" "));
        report
    };
    watch(&["-o", "record", "determinant.c", "--", "2", "1"], "", true);
    let rerun = watch(&["--rerun", "tenths.c", "-O0"], "0.1\n", true);
    assert!(
        !rerun["rerun"]["stdout"]
            .as_array()
            .expect("lines")
            .is_empty()
    );
    assert!(
        !rerun["rerun"]["changed_decisions"]
            .as_array()
            .expect("decisions")
            .is_empty()
    );
    watch(&["tenths.c"], "0.1171875\n", false);
    let path = watch(&["--way", "determinant.c", "--", "2", "1"], "", true);
    assert!(
        !path["findings"][0]["error_path"]
            .as_array()
            .expect("a path")
            .is_empty()
    );
    let saved = report(&sandbox, &["report", "--format", "json", "record"], "");
    check(&validator, &saved, "a saved record");
}

#[test]
fn reports_of_search() {
    let sandbox = with_subjects("search", &["figure1.c", "symbolic.c", "behaviour.c"]);
    let validator = validator("search");
    let search = |words: &[&str], found: bool| {
        let own = ["search", "--format", "json"];
        let report = report(&sandbox, &[&own, words].concat(), "");
        let calls = report["calls"].as_array().expect("calls");
        assert_eq!(
            calls.iter().any(|call| findings(call) > 0),
            found,
            "{words:?}: {report:#}"
        );
        check(&validator, &report, &words.join(" "));
        report
    };
    let expression = "(1 - cos(x)) / x^2";
    let explained = search(&["--runs", "500", "--explain", expression], true);
    let explanation = &explained["calls"][0]["explanation"];
    check(
        &self::validator("explain"),
        explanation,
        "the explanation of a finding",
    );
    search(&["--runs", "200", "--range", "x=1:2", "x * x"], false);
    search(&["--runs", "200", "--oracle", "none", expression], true);
    let symbolic = search(
        &[
            "symbolic.c",
            "--strategy",
            "symbolic",
            "--runs",
            "2000",
            "--range",
            "A=-100:100",
            "--call",
            "recursive_summation(A[4], 4)",
        ],
        true,
    );
    assert!(symbolic["calls"][0]["symbolic"]["diagnosis"].is_array());
}

#[test]
fn reports_of_fix() {
    let sandbox = Sandbox::new();
    sandbox.write("none.fpcore", "(FPCore (x) :name \"tiny\" (- (exp x) 1))\n");
    let validator = validator("fix");
    let cases: [&[&str]; 3] = [
        &["sqrt(x + 1) - sqrt(x)"],
        &["x + 1", "--range", "x=1:2"],
        &["none.fpcore", "--precision", "long-double"],
    ];
    for words in cases {
        let report = report(
            &sandbox,
            &[&["fix", "--format", "json"], words].concat(),
            "",
        );
        assert_eq!(report["repairs"].as_array().expect("repairs").len(), 1);
        check(&validator, &report, &words.join(" "));
    }
}
