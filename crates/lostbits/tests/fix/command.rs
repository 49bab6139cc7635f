//! The command line: reports, formats, exit codes, refusals.

use std::process::Output;

use crate::common;

fn fix(words: &[&str]) -> Output {
    common::lostbits().arg("fix").args(words).output().unwrap()
}

fn printed(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

#[test]
fn a_report_says_what_was_done_and_what_is_proved() {
    let output = fix(&["sqrt(x + 1) - sqrt(x)"]);
    assert_eq!(output.status.code(), Some(0));
    insta::assert_snapshot!("conjugate", printed(&output));
}

#[test]
fn an_accurate_expression_is_said_to_be_so() {
    let output = fix(&["x * y + 1", "--range", "x=1:2", "--range", "y=1:2"]);
    assert_eq!(output.status.code(), Some(0));
    assert!(
        printed(&output).starts_with("already accurate"),
        "{}",
        printed(&output)
    );
}

#[test]
fn other_formats() {
    let fpcore = printed(&fix(&["exp(x) - 1", "--format", "fpcore"]));
    assert!(fpcore.contains("(expm1 x)"), "{fpcore}");
    let c = printed(&fix(&["exp(x) - 1", "--format", "c"]));
    assert!(
        c.contains("expm1(") && c.contains("#include <math.h>"),
        "{c}"
    );
    let json = fix(&["exp(x) - 1", "--format", "json"]);
    let value: serde_json::Value = serde_json::from_slice(&json.stdout).unwrap();
    assert_eq!(value["repairs"][0]["verdict"], "repaired");
    assert_eq!(value["repairs"][0]["repair"], "(expm1 x)");
}

#[test]
fn an_unrepairable_expression_is_a_finding() {
    // Nothing in double precision helps: the cancellation is in the inputs of the sine.
    let output = fix(&["floor(x) - sin(x * 1e10)", "--range", "x=1e10:1e12"]);
    assert_eq!(output.status.code(), Some(1), "{}", printed(&output));
}

#[test]
fn bad_input_gets_a_sentence() {
    let cases: [(&[&str], &str); 6] = [
        (&["1 +"], "expression, "),
        (
            &["x + 1", "--range", "y=1:2"],
            "--range names `y`, but the only variable is x",
        ),
        (&["x + 1", "--range", "x=2:1"], "is empty"),
        (&["nothing.fpcore"], "cannot read nothing.fpcore"),
        (&["x + 1", "--timeout", "0"], "give a number above 0"),
        (&["tgamma(x) - 1"], "no operation that fix knows"),
    ];
    for (words, part) in cases {
        let output = fix(words);
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(2), "{words:?}: {said}");
        assert!(said.contains(part), "{words:?}: {said}");
    }
}
