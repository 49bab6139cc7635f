//! What confirms a finding, and what does not.

use super::*;

fn report_of(words: &[&str]) -> Value {
    let mut all = words.to_vec();
    all.extend(["--runs", "6000"]);
    report("truth.c", &all)
}

/// A correct sine by Cody and Waite, whose rounding by 1.5·2^52 rounds nothing in exact arithmetic, and half a number.
#[test]
fn code_written_for_its_precision_is_not_accused() {
    for function in ["reduced_sin", "unnamed", "lower_half"] {
        let report = report_of(&["--function", function, "--range", "x=-1000:1000"]);
        let call = &calls(&report)[0];
        assert!(findings(call).is_empty(), "{function}: {call}");
    }
    let shadow = report_of(&[
        "--function",
        "lower_half",
        "--range",
        "x=-1000:1000",
        "--oracle",
        "shadow",
    ]);
    assert!(
        !findings(&calls(&shadow)[0]).is_empty(),
        "the shadow must be wrong here, else this tests nothing"
    );
}

#[test]
fn what_only_the_shadow_says_is_listed_apart() {
    let words = ["--function", "lower_half", "--range", "x=-1000:1000"];
    let report = report_of(&words);
    let apart = calls(&report)[0]["unconfirmed"].as_array().unwrap();
    assert!(!apart.is_empty());
    let mut all = words.to_vec();
    all.push("--unconfirmed");
    let text = String::from_utf8_lossy(&search("truth.c", &all).stdout).into_owned();
    assert!(text.contains("unconfirmed: only"), "{text}");
}

#[test]
fn the_mathematical_function_confirms() {
    let report = report_of(&["--call", "my_log1p(x)"]);
    let call = &calls(&report)[0];
    assert_eq!(call["meaning"], "log1p(x)");
    assert_eq!(findings(call)[0]["confirmed_by"], "function", "{call}");
    let report = report_of(&[
        "--call",
        "bj0(x)",
        "--means",
        "besselj(0, x)",
        "--range",
        "x=0:20",
    ]);
    let call = &calls(&report)[0];
    assert_eq!(findings(call)[0]["confirmed_by"], "function", "{call}");
}

/// A function that is called like a mathematical one and is none.
#[test]
fn a_name_is_only_a_guess() {
    let report = report_of(&["--function", "gamma", "--range", "x=0.1:3"]);
    let call = &calls(&report)[0];
    assert!(
        call["remark"].as_str().unwrap().contains("--means"),
        "{call}"
    );
    assert!(findings(call).is_empty(), "{call}");
}

#[test]
fn a_meaning_that_cannot_be_read_is_refused() {
    for (meaning, word) in [
        ("besselj(0, y)", "`y`"),
        ("foo(x)", "`foo`"),
        ("sin(x", "`)`"),
    ] {
        let output = search("truth.c", &["--call", "bj0(x)", "--means", meaning]);
        assert_eq!(output.status.code(), Some(2));
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(said.contains(word), "{said}");
    }
}

#[test]
fn the_map_shows_where_a_function_is_wrong() {
    let report = report_of(&["--call", "my_log1p(x)", "--map", "--range", "x=1e-20:1e10"]);
    let map = &calls(&report)[0]["map"];
    let wrong = map["wrong"].as_array().unwrap();
    assert_eq!(wrong[0]["low"], 1e-20, "{wrong:?}");
    let last = wrong.last().unwrap()["high"].as_f64().unwrap();
    assert!((1e-14..1e-9).contains(&last), "{wrong:?}");
    let stretches = map["stretches"].as_array().unwrap();
    let end = stretches.last().unwrap();
    assert!(end["worst_ulps"].as_f64().unwrap() <= 1.5, "{end}");
    let csv = search(
        "truth.c",
        &["--call", "my_log1p(x)", "--format", "csv", "--runs", "2000"],
    );
    let lines = String::from_utf8_lossy(&csv.stdout).lines().count();
    assert!(lines > 100, "{lines}");
    let output = search("truth.c", &["--call", "two(x, y)", "--map"]);
    assert_eq!(output.status.code(), Some(2));
}
