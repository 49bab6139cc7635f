//! What calls do to their process costs one input each.

use super::*;

fn ended(function: &str, how: &str, words: &[&str]) {
    let mut all = vec![
        "--function",
        function,
        "--range",
        "x=-2:4",
        "--runs",
        "4000",
    ];
    all.extend(words);
    let report = report("behaviour.c", &all);
    let call = &calls(&report)[0];
    let times = call["abnormal_ends"][how].as_u64().unwrap_or(0);
    assert!(times > 0, "{call}");
    assert_eq!(
        call["abnormal_ends"].as_object().unwrap().len(),
        1,
        "{call}"
    );
    assert!(call["runs_without_number"].as_u64().unwrap() >= times);
    let worst = &findings(call)[0];
    assert!((decimal(&worst["input"][0]) - 1.0).abs() < 1e-6, "{worst}");
}

#[test]
fn crashes() {
    ended("crashes", "signal 11", &[]);
}

#[test]
fn aborts() {
    ended("aborts", "signal 6", &[]);
}

#[test]
fn exits() {
    ended("calls_exit", "exit 7", &[]);
}

/// Few inputs, because each that never returns uses up what a call may.
#[test]
fn endless_loops() {
    ended(
        "never_returns",
        "never returned",
        &["--range", "x=-1.5001:4", "--patience", "0.05"],
    );
}

/// Tracing changes nothing that a program prints, flags of the floating-point environment included.
#[test]
fn traced_programs_compute_what_they_did() {
    let folder = common::empty_folder("search-transparent").unwrap();
    for name in [
        "fp_exceptions",
        "long_double",
        "vector_loops",
        "complex_c99",
    ] {
        let source = subject("../programs/c").join(format!("{name}.c"));
        let outputs = ["off", "search"].map(|mode| {
            let program = folder.join(format!("{name}-{mode}"));
            let built = common::lostbits()
                .args(["cc", "-O2", "-g", &format!("--lostbits-mode={mode}")])
                .arg(&source)
                .args(["-lm", "-o"])
                .arg(&program)
                .status()
                .unwrap();
            assert!(built.success(), "{name} in mode {mode}");
            let output = std::process::Command::new(&program).output().unwrap();
            (output.status.code(), output.stdout)
        });
        assert_eq!(outputs[0], outputs[1], "{name}");
        assert!(!outputs[0].1.is_empty(), "{name} prints something");
    }
}

/// Another seed finds other inputs, also of one parameter.
#[test]
fn other_seeds_search_differently() {
    let inputs = |seed: &str| {
        let report = report("truth.c", &["--call", "my_log1p(x)", "--seed", seed]);
        let call = calls(&report)[0].clone();
        let each = findings(&call).iter().map(|one| one["input"].to_string());
        each.collect::<Vec<_>>()
    };
    let (first, second, third) = (inputs("1"), inputs("2"), inputs("3"));
    assert!(!first.is_empty() && !second.is_empty() && !third.is_empty());
    assert_ne!(first, second);
    assert_ne!(second, third);
    assert_eq!(first, inputs("1"));
}

/// Where nothing is wrong, the report says how much was tried, and what never came near.
#[test]
fn nothing_found_says_what_was_tried() {
    let report = report("all.c", &["--function", "half_open"]);
    let tried = &calls(&report)[0]["tried"];
    if findings(&calls(&report)[0]).is_empty() {
        assert_eq!(tried["operations"], 1, "{tried}");
    }
    let text = search("all.c", &["--function", "safe"]).stdout;
    let text = String::from_utf8_lossy(&text).into_owned();
    assert!(
        text.contains("operations that can amplify errors were executed"),
        "{text}"
    );
    let report = self::report("behaviour.c", &["--function", "far_away"]);
    let far = &calls(&report)[0]["tried"]["far"];
    assert_eq!(far[0]["operation"], "muladd", "{far}");
    assert!(far[0]["amplified"].as_f64().unwrap() < 2.0, "{far}");
}

/// Where both are equal the result is zero, and right: many such inputs must not displace those next to them.
#[test]
fn zeros_do_not_hide_wrong_results() {
    let report = report("behaviour.c", &["--function", "difference_of_squares"]);
    let call = &calls(&report)[0];
    assert!(!findings(call).is_empty(), "{call}");
}
