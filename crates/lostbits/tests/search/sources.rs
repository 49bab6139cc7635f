//! Sources of all languages, expressions and cores: found by the names people give them, and reported in what
//! they wrote.

use super::*;

fn guilty_line(file: &str) -> u64 {
    let text = std::fs::read_to_string(subject(file)).unwrap();
    let line = text.lines().position(|line| line.contains("guilty"));
    line.unwrap() as u64 + 1
}

fn is_versine(file: &str, words: &[&str]) {
    let mut all = vec!["--range", "x=1e-9:1", "--top", "1"];
    all.extend(words);
    let report = report(file, &all);
    let worst = &findings(&calls(&report)[0])[0];
    assert_eq!(worst["cause"]["operation"], "sub", "{worst}");
    assert_eq!(worst["cause"]["line"], guilty_line(file), "{worst}");
    let reference: f64 = worst["exact"].as_str().unwrap().parse().unwrap();
    assert!((reference - 0.5).abs() < 1e-6, "{worst}");
}

/// The message about a function that cannot be called.
fn refused(file: &str, words: &[&str]) -> String {
    let output = search(file, words);
    assert_eq!(output.status.code(), Some(2), "{file} {words:?}");
    String::from_utf8_lossy(&output.stderr).into_owned()
}

#[test]
fn fortran() {
    is_versine("procedures.f90", &["--function", "versine"]);
    let words = ["--call", "in_module(x)", "--call", "like_c(x)"];
    let report = report(
        "procedures.f90",
        &[&words[..], &["--range", "x=1e15:1e17"]].concat(),
    );
    for call in calls(&report) {
        assert!(!findings(call).is_empty(), "{call}");
    }
    let words = ["--call", "difference(x, 3, v[3], &y, 1.0)"];
    let ranges = ["--range", "v=1:2", "--range", "x=1:10", "--runs", "4000"];
    let report = self::report("procedures.f90", &[&words[..], &ranges].concat());
    let difference = &calls(&report)[0];
    assert_eq!(
        difference["parameters"],
        serde_json::json!(["x", "v[0]", "v[1]", "v[2]"])
    );
    for input in &findings(difference)[0]["input"].as_array().unwrap()[1..] {
        assert!((1.0..=2.0).contains(&decimal(input)), "{difference}");
    }
    let said = refused("procedures.f90", &["--function", "described"]);
    assert!(said.contains("assumed-shape array"), "{said}");
}

#[test]
fn rust() {
    is_versine("exported.rs", &["--function", "versine"]);
    let said = refused("exported.rs", &["--function", "kept_inside"]);
    assert!(said.contains("no_mangle"), "{said}");
}

#[test]
fn names_of_cpp() {
    is_versine("overloaded.cpp", &["--function", "versine"]);
    let said = refused("overloaded.cpp", &["--function", "twice"]);
    assert!(
        said.contains("several") && said.contains("_Z5twiced"),
        "{said}"
    );
    assert_eq!(
        search(
            "overloaded.cpp",
            &["--function", "_Z5twiced", "--runs", "50"]
        )
        .status
        .code(),
        Some(0)
    );
    let said = refused("overloaded.cpp", &["--function", "versin"]);
    assert!(said.contains("versine"), "{said}");
}

#[test]
fn languages_are_not_mixed() {
    let mut command = common::lostbits();
    command.arg("search").args(["--function", "foo"]);
    command
        .arg(subject("figure1.c"))
        .arg(subject("exported.rs"));
    let output = command.output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(said.contains("one language"), "{said}");
}

#[test]
fn cores_are_named_and_their_preconditions_hold() {
    let report = report("cores.fpcore", &["--runs", "6000"]);
    let [versine, roots] = calls(&report) else {
        panic!("{report}");
    };
    assert_eq!(versine["call"], "versine");
    assert!(roots["call"].as_str().unwrap().ends_with("cores.fpcore:7"));
    assert!(!findings(versine).is_empty() && !findings(roots).is_empty());
    for finding in findings(versine) {
        let x = decimal(&finding["input"][0]);
        assert!(x > 1e-9 && x < 1e-3, "{finding}");
        assert_eq!(finding["confirmed_by"], "proved");
        assert_eq!(finding["cause"]["line"], 5, "{finding}");
        assert_eq!(finding["cause"]["column"], 5, "{finding}");
    }
    for finding in findings(roots) {
        let [a, b] = [0, 1].map(|at| decimal(&finding["input"][at]));
        assert!(
            1.0 < a && a < b && b < 2.0 && b - a < 1.0 / 1024.0,
            "{finding}"
        );
    }
    let said = refused("cores.fpcore", &["--range", "x=1:2"]);
    let reason = "no value of `x` satisfies both `(< 1e-9 x 1e-3)` in :pre and `--range x=1:2`";
    assert!(said.contains(reason), "{said}");
}

#[test]
fn an_expression_is_shown_with_a_caret() {
    let mut command = common::lostbits();
    command.args(["search", "(1 - cos(x)) / x^2", "--top", "1"]);
    let output = command.args(["--range", "x=1e-9:1"]).output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(text.contains("(1 - cos(x)) / x^2 is wrong"), "{text}");
    assert!(text.contains("expression:1:4"), "{text}");
    assert!(text.contains("|    ^ sub amplifies"), "{text}");
    assert!(text.contains("the exact value of the expression"), "{text}");
}
