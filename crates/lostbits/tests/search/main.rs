//! `lostbits search` from outside, with the real plugin and runtime beside the binary (`make build` puts
//! them there), on the subjects of `tests/search`.

mod all;
mod arrays;
mod behaviour;
mod confirmed;
mod findings;
mod formats;
mod generated;
mod refusals;
mod rust_crate;
mod shards;
mod sources;
mod symbolic;
mod tricks;
mod truth;

#[allow(dead_code)]
#[path = "../common/mod.rs"]
mod common;

use std::{
    path::{Path, PathBuf},
    process::Output,
};

use serde_json::Value;

/// A file of `tests/search`.
fn subject(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../tests/search")
        .join(name)
}

/// Runs `lostbits search` on a subject.
fn search(file: &str, words: &[&str]) -> Output {
    let mut command = common::lostbits();
    command.arg("search").arg(subject(file)).args(words);
    command.output().unwrap()
}

/// Its JSON report.
fn report(file: &str, words: &[&str]) -> Value {
    let mut all = vec!["--format", "json"];
    all.extend(words);
    let output = search(file, &all);
    let code = output.status.code();
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(matches!(code, Some(0 | 1)), "{code:?}: {errors}");
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    let found = calls(&report).iter().any(|call| !findings(call).is_empty());
    assert_eq!(
        code == Some(1),
        found,
        "the exit code says whether there are findings"
    );
    report
}

fn calls(report: &Value) -> &[Value] {
    report["calls"].as_array().unwrap()
}

fn findings(call: &Value) -> &[Value] {
    call["findings"].as_array().unwrap()
}

fn decimal(number: &Value) -> f64 {
    number["decimal"].as_str().unwrap().parse().unwrap()
}
