//! What calls do to their process costs one input each.

use super::*;

fn ended(function: &str, how: &str, words: &[&str]) {
    let mut all = vec![
        "--function",
        function,
        "--range",
        "x=-2:4",
        "--runs",
        "1200",
    ];
    all.extend(words);
    let report = report("behaviour.c", &all);
    let call = &calls(&report)[0];
    let times = call["ended"][how].as_u64().unwrap_or(0);
    assert!(times > 0, "{call}");
    assert_eq!(call["ended"].as_object().unwrap().len(), 1, "{call}");
    assert!(call["outside"].as_u64().unwrap() >= times);
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
