//! Searches by true errors: specifications, outputs of several numbers, both formulas.

use super::*;

/// Runs `lostbits search --spec` on a text beside the subjects.
fn specified(name: &str, text: &str, words: &[&str]) -> Output {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(name);
    let text = text.replace("arrays.c", &subject("arrays.c").to_string_lossy());
    std::fs::write(&path, text).unwrap();
    let mut command = common::lostbits();
    command.arg("search").arg("--spec").arg(&path).args(words);
    command.output().unwrap()
}

fn multiply() -> String {
    std::fs::read_to_string(subject("multiply.toml")).unwrap()
}

fn inputs(finding: &Value) -> Vec<f64> {
    let all = finding["input"].as_array().unwrap();
    all.iter().map(decimal).collect()
}

#[test]
fn a_matrix_times_a_vector() {
    let words = ["--strategy", "pool", "--runs", "20000", "--format", "json"];
    let output = specified("multiply.toml", &multiply(), &words);
    assert_eq!(output.status.code(), Some(1));
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    let call = &calls(&report)[0];
    assert_eq!(call["call"], "multiply(A[9], x[3], 3, &Ax[3])");
    let worst = &findings(call)[0];
    assert!(worst["output"].as_str().unwrap().starts_with("Ax["));
    let floored = worst["floored_error"].as_f64().unwrap();
    assert!(floored >= 1.0, "{worst}");
    for value in inputs(worst) {
        assert!(value.abs() <= 100.0 && f64::from(value as f32) == value);
    }
    // Both formulas are in the table, too.
    let words = ["--strategy", "pool", "--runs", "20000", "--format", "tsv"];
    let output = specified("multiply.toml", &multiply(), &words);
    let line = String::from_utf8(output.stdout).unwrap();
    let columns: Vec<&str> = line.lines().next().unwrap().split('\t').collect();
    assert_eq!(columns.len(), 4, "{line}");
    assert_eq!(columns[3].parse::<f64>().unwrap(), floored);
}

/// The reference is what the program would have computed with the decisions of exact arithmetic.
#[test]
fn decisions_are_those_of_the_reals() {
    let report = report(
        "arrays.c",
        &[
            "--call",
            "twice(x[6])",
            "--range",
            "x=-100:100",
            "--strategy",
            "pool",
            "--runs",
            "20000",
        ],
    );
    let all = findings(&calls(&report)[0]);
    assert!(!all.is_empty());
    for finding in all {
        let sum = inputs(finding)
            .iter()
            .fold(rug::Float::new(2400), |sum, x| sum + x);
        let right = rug::Float::with_val(2400, sum * 2u32).to_f64();
        let reference: f64 = finding["exact"].as_str().unwrap().parse().unwrap();
        assert_eq!(reference, right, "{finding}");
    }
}

/// More than four inputs are searched by true errors without being asked; fewer are not.
#[test]
fn many_inputs_are_searched_by_true_errors() {
    let measured = |call: &str| {
        let words = [
            "--call",
            call,
            "--range",
            "x=-100:100",
            "--runs",
            "3000",
            "--without",
            "smt",
        ];
        let report = report("arrays.c", &words);
        let all = findings(&calls(&report)[0]).to_vec();
        all.iter()
            .any(|finding| !finding["floored_error"].is_null())
    };
    assert!(measured("twice(x[6])"));
    assert!(!measured("product(x[2])"));
}

#[test]
fn specifications_that_do_not_fit() {
    let said = |from: &str, to: &str| {
        let text = multiply();
        assert!(text.contains(from), "{from}");
        let output = specified("multiply.toml", &text.replace(from, to), &["--runs", "10"]);
        assert_eq!(output.status.code(), Some(2), "{to}");
        String::from_utf8(output.stderr).unwrap()
    };
    let unknown = said("\"x\", 3", "\"y\", 3");
    assert!(
        unknown.contains("`y`, an argument of multiply, is not declared"),
        "{unknown}"
    );
    assert!(unknown.contains("A, x, Ax"), "{unknown}");
    assert!(said("[3, 3]", "[30, 30]").contains("`A` has 900 elements"));
    assert!(said("\"multiply\"", "\"multiplied\"").contains("did you mean multiply"));
    assert!(said("length = 3, range", "lenght = 3, range").contains("lenght"));
    assert!(said("\"x\", 3, \"Ax\"", "3, \"x\", \"Ax\"").contains("parameter 3 (n)"));
    let range = specified("multiply.toml", &multiply(), &["--range", "B=0:1"]);
    let range = String::from_utf8(range.stderr).unwrap();
    assert!(
        range.contains("--range names `B`, but the variables are A, x"),
        "{range}"
    );
}

/// The user's own reference counts.
#[test]
fn a_reference_of_the_users() {
    let text = format!(
        "reference = 'while read x; do echo 3 3 1e300; done'\n{}",
        multiply()
    );
    let words = ["--strategy", "pool", "--runs", "2000", "--format", "json"];
    let output = specified("multiply.toml", &text, &words);
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    let worst = &findings(&calls(&report)[0])[0];
    assert_eq!(worst["confirmed_by"], "oracle", "{worst}");
    let text = text.replace("3 3 1e300", "1");
    let output = specified("multiply.toml", &text, &words);
    assert_eq!(output.status.code(), Some(2));
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(said.contains("it returned 1 value, expected 3"), "{said}");
}
