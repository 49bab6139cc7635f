//! One place in a project with its own build: `--build`, `--run`.

use std::{
    fs,
    path::{Path, PathBuf},
    process::Output,
};

use crate::common;

/// A copy of the project that a test may change.
fn project() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let from = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../tests/fix/project");
    for entry in fs::read_dir(from).unwrap() {
        let path = entry.unwrap().path();
        fs::copy(&path, folder.path().join(path.file_name().unwrap())).unwrap();
    }
    folder
}

fn fix(folder: &Path, words: &[&str]) -> Output {
    let mut command = common::lostbits();
    command.current_dir(folder).arg("fix").args(words);
    command.output().unwrap()
}

fn said(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr)
}

#[test]
fn one_place_in_a_project_is_repaired() {
    let folder = project();
    let run = ["--build", "make", "--run", "./chain input.nml"];
    let before = fs::read_to_string(folder.path().join("stats.f90")).unwrap();
    let output = fix(folder.path(), &[&["stats.f90:9"], &run[..]].concat());
    let text = said(&output);
    assert_eq!(output.status.code(), Some(0), "{text}");
    for part in [
        "+    y = expm1(x) / x",
        "checked: the patched program compiles and ends as before",
        "digits right, 15 after",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
    // Nothing was written, and nothing was built in the user's folder.
    let names = || -> Vec<String> {
        let entries = fs::read_dir(folder.path()).unwrap();
        let name = |entry: fs::DirEntry| entry.file_name().into_string().unwrap();
        let mut names: Vec<String> = entries.map(|entry| name(entry.unwrap())).collect();
        names.sort();
        names
    };
    assert_eq!(names(), ["Makefile", "chain.f90", "input.nml", "stats.f90"]);
    assert_eq!(
        fs::read_to_string(folder.path().join("stats.f90")).unwrap(),
        before
    );

    let output = fix(
        folder.path(),
        &[&["stats.f90", "--apply"], &run[..]].concat(),
    );
    assert_eq!(output.status.code(), Some(0), "{}", said(&output));
    let after = fs::read_to_string(folder.path().join("stats.f90")).unwrap();
    assert!(after.contains("y = expm1(x) / x"), "{after}");
    let kept = fs::read_to_string(folder.path().join("stats.f90.orig")).unwrap();
    assert_eq!(kept, before);
}

#[test]
fn a_place_without_a_cause_and_a_build_that_fails() {
    let folder = project();
    let output = fix(
        folder.path(),
        &[
            "stats.f90:15",
            "--build",
            "make",
            "--run",
            "./chain input.nml",
        ],
    );
    assert!(
        said(&output).contains("no cause is at this place"),
        "{}",
        said(&output)
    );
    let output = fix(
        folder.path(),
        &[
            "stats.f90:9",
            "--build",
            "make nothing",
            "--run",
            "./chain input.nml",
        ],
    );
    assert_eq!(output.status.code(), Some(2));
    let text = said(&output);
    assert!(
        text.contains("`make nothing` failed in a copy of the project"),
        "{text}"
    );
}

#[test]
fn half_a_project_is_refused() {
    let folder = project();
    for (words, part) in [
        (&["stats.f90:9", "--build", "make"][..], "--run"),
        (
            &["stats.f90:9", "-O2", "--build", "make", "--run", "./chain"][..],
            "-O2",
        ),
    ] {
        let output = fix(folder.path(), words);
        assert_eq!(output.status.code(), Some(2), "{}", said(&output));
        assert!(said(&output).contains(part), "{}", said(&output));
    }
}
