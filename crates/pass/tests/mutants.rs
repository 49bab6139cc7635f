//! Every mutant of the pass (`src/mutants.rs`) must be noticed by the IR tests (`tests/ir.rs`). Run by `make mutants-pass`, which
//! builds the plugin with the feature `mutants`.

use std::{fs, path::Path, process::Command};

use lostbits_abi::environment::PASS_MUTANT;

/// The names of the mutants, as the source declares them.
fn mutants() -> Vec<String> {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/mutants.rs");
    let text = fs::read_to_string(source).expect("src/mutants.rs");
    let list = text.split_once("pub enum Mutant {").expect("the list").1;
    let list = list.split_once("\n}").expect("the end of the list").0;
    list.lines()
        .filter_map(|line| line.trim().strip_suffix(','))
        .map(str::to_owned)
        .collect()
}

/// Whether the IR tests pass with a mutant; none is the plugin without one.
fn tests_pass(mutant: Option<&str>) -> bool {
    let mut cargo = Command::new(env!("CARGO"));
    cargo.args(["test", "--release", "-p", "lostbits-pass"]);
    cargo.args(["--features", "mutants", "--test", "ir"]);
    cargo.env_remove(PASS_MUTANT);
    if let Some(mutant) = mutant {
        cargo.env(PASS_MUTANT, mutant);
    }
    cargo.output().expect("cargo starts").status.success()
}

#[test]
#[ignore = "long; `make mutants-pass`"]
fn every_mutant_is_noticed() {
    let has_mutants = cfg!(feature = "mutants");
    assert!(
        has_mutants,
        "the plugin is built without mutants: use `make mutants-pass`"
    );
    assert!(tests_pass(None), "the tests fail without a mutant");
    let all = mutants();
    assert!(all.len() >= 12, "{all:?}");
    let survivors: Vec<String> = all
        .into_iter()
        .filter(|mutant| tests_pass(Some(mutant)))
        .collect();
    assert!(survivors.is_empty(), "not noticed: {survivors:?}");
}
