//! `cargo lostbits search`: the public functions of a crate.

use super::*;

fn in_crate(words: &[&str], target: &str) -> Output {
    let target = common::empty_folder(target).unwrap();
    let mut command = common::lostbits();
    command.arg("search").args(words);
    command.current_dir(subject("crate"));
    command.env("CARGO_TARGET_DIR", target);
    command.output().unwrap()
}

fn report_of(output: &Output) -> Value {
    let errors = String::from_utf8_lossy(&output.stderr);
    serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{error}: {errors}"))
}

#[test]
fn every_public_function_is_searched() {
    let output = in_crate(&["--crate", ".", "--format", "json"], "search-crate");
    let report = report_of(&output);
    let mut names: Vec<&str> = calls(&report)
        .iter()
        .map(|call| call["call"].as_str().unwrap().split('(').next().unwrap())
        .collect();
    names.sort_unstable();
    assert_eq!(
        names,
        [
            "both",
            "checked_root",
            "distance",
            "erf",
            "less_one",
            "logistic",
            "renamed_gap",
            "root",
            "slope",
            "variance",
            "versine",
        ]
    );
    let call = |name: &str| {
        let is_it = |call: &&Value| call["call"].as_str().unwrap().starts_with(name);
        calls(&report).iter().find(is_it).unwrap()
    };
    for wrong in [
        "both",
        "erf",
        "less_one",
        "renamed_gap",
        "root",
        "variance",
        "versine",
    ] {
        assert!(!findings(call(wrong)).is_empty(), "{wrong}");
    }
    for right in ["checked_root", "distance", "logistic"] {
        assert!(findings(call(right)).is_empty(), "{right}: {}", call(right));
    }
    let gap = &findings(call("renamed_gap"))[0]["cause"];
    assert!(
        gap["file"].as_str().unwrap().ends_with("hidden.rs"),
        "{gap}"
    );
    // Its name says what it computes.
    assert_eq!(call("erf")["meaning"], "erf(x)");
    let skipped: Vec<&str> = report["skipped"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| one["function"].as_str().unwrap())
        .collect();
    assert_eq!(skipped, ["unusual", "Model::new", "length"]);
}

#[test]
fn what_is_no_crate_is_refused() {
    let output = in_crate(&["--crate", "src"], "search-no-crate");
    assert_eq!(output.status.code(), Some(2));
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(said.contains("Cargo.toml"), "{said}");
}
