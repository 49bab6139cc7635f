//! What `lostbits search` refuses: a sentence and exit code 2.

use super::*;

/// Its messages, with the folder of the subjects left out.
fn said(file: &str, words: &[&str]) -> String {
    let output = search(file, words);
    let folder = subject("").to_string_lossy().into_owned();
    let errors = String::from_utf8_lossy(&output.stderr).replace(&folder, "");
    let errors = errors.replace(&*subject("").canonicalize().unwrap().to_string_lossy(), "");
    format!(
        "$ lostbits search {file} {}\n{errors}exit {:?}\n",
        words.join(" "),
        output.status.code()
    )
}

#[test]
fn calls_that_cannot_be_made() {
    let lines = [
        said("shapes.c", &["--function", "singel"]),
        said("shapes.c", &["--function", "unheard_of_entirely"]),
        said("shapes.c", &["--function", "wide"]),
        said("shapes.c", &["--function", "norms"]),
        said("shapes.c", &["--function", "by_value"]),
        said("shapes.c", &["--function", "whole"]),
        said("shapes.c", &["--call", "wide(x)"]),
        said("shapes.c", &["--call", "wide(x, k)"]),
        said("shapes.c", &["--call", "wide(1, 2)"]),
        said("shapes.c", &["--call", "single(v[2])"]),
        said("shapes.c", &["--call", "norms(v, 3, &s, &b)"]),
        said("shapes.c", &["--call", "whole(3)"]),
        said("shapes.c", &["--call", "single(x"]),
        said("shapes.c", &["--call", "norms(v[999], 999, &s, &b[2])"]),
        said("shapes.c", &["--call", "wide(x, 1.5)"]),
        said("shapes.c", &["--call", "wide(x, 1; abort())"]),
        said(
            "shapes.c",
            &["--call", "single(x)", "--init", "abort(); wide"],
        ),
        said("shapes.c", &["--call", "single(x)", "--init", "wide(x, 0"]),
    ];
    insta::assert_snapshot!(lines.join("\n"));
}

#[test]
fn ranges_oracles_and_files() {
    let mut lines = vec![
        said("figure1.c", &["--function", "foo", "--range", "x=2:1"]),
        said("figure1.c", &["--function", "foo", "--range", "x"]),
        said("figure1.c", &["--function", "foo", "--range", "y=1:2"]),
        said("shapes.c", &["--call", "wide(x, 1)", "--range", "1:x"]),
        said("raised.c", &["--function", "length", "--range", "1:2"]),
        said("figure1.c", &["--function", "foo", "--oracle", "false"]),
        said(
            "figure1.c",
            &["--function", "foo", "--oracle", "echo one; cat"],
        ),
        said(
            "figure1.c",
            &[
                "--function",
                "foo",
                "--oracle",
                "while read x; do echo 1 2; done",
            ],
        ),
        said("absent.c", &["--function", "foo"]),
        said("figure1.c", &[]),
    ];
    let folder = common::empty_folder("search-refusals").unwrap();
    let state = folder.join("state");
    std::fs::write(&state, "no result\n").unwrap();
    let resume = ["--function", "foo", "--resume", &state.to_string_lossy()];
    let text = said("figure1.c", &resume);
    lines.push(text.replace(&*folder.to_string_lossy(), "FOLDER"));
    insta::assert_snapshot!(lines.join("\n"));
}

/// What was found before the oracle died is there.
#[test]
fn results_so_far_are_kept() {
    let oracle =
        "case $LOSTBITS_CALL in single*) while read x; do echo 1e30; done;; *) false;; esac";
    let output = search(
        "shapes.c",
        &[
            "--call",
            "single(x)",
            "--call",
            "overflows(x)",
            "--oracle",
            oracle,
            "--format",
            "tsv",
        ],
    );
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stdout).starts_with("single(x)\t"));
    assert!(String::from_utf8_lossy(&output.stderr).contains("it ended without an answer"));
}
