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
    insta::assert_snapshot!("conjugate", without_times(&printed(&output)));
}

/// Without the nanoseconds, which differ from run to run.
fn without_times(report: &str) -> String {
    let cut = |line: &str| match line.split_once("; ") {
        Some((cost, times)) if line.starts_with("cost: ") && times.contains(" ns a call") => {
            cost.to_owned()
        }
        _ => line.to_owned(),
    };
    report.lines().map(|line| cut(line) + "\n").collect()
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
fn other_arithmetics() {
    // (x − 1)³ multiplied out: near 1 every formula in powers of x cancels.
    let cubic = ["x^3 - 3*x^2 + 3*x - 1", "--range", "x=0.99:1.01"];
    let second = fix(&[&cubic[..], &["--precision", "double-double"]].concat());
    let text = printed(&second);
    assert!(text.contains("compensated arithmetic"), "{text}");
    let extended = fix(&[&cubic[..], &["--precision", "long-double", "--format", "c"]].concat());
    let text = printed(&extended);
    assert!(text.contains("long double"), "{text}");
    let core = fix(&[
        &cubic[..],
        &["--precision", "long-double", "--format", "fpcore"],
    ]
    .concat());
    let cores = lostbits::fpcore::read_cores(&printed(&core)).unwrap();
    assert_eq!(cores.len(), 1);
}

#[test]
fn the_cheapest_formula_within_some_ulps() {
    let json = fix(&[
        "pow(x, 2) + exp(log(y))",
        "--range",
        "x=1:2",
        "--range",
        "y=1:2",
        "--for",
        "speed",
        "--format",
        "json",
    ]);
    let value: serde_json::Value = serde_json::from_slice(&json.stdout).unwrap();
    let repair = value["repairs"][0]["repair"].as_str().unwrap_or_default();
    assert!(
        !repair.contains("pow") && !repair.contains("exp"),
        "{value:#}"
    );
}

#[test]
fn a_precondition_that_excludes_everything_is_explained() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("none.fpcore");
    let core = "(FPCore (x y) :pre (and (< 0 x 1) (< 0 y 1) (> (+ x y) 3)) (- (exp x) y))";
    std::fs::write(&path, core).unwrap();
    let output = fix(&[path.to_str().unwrap()]);
    let text = printed(&output) + &String::from_utf8_lossy(&output.stderr);
    let part = "`(> (+ x y) 3)` in :pre excludes 2000 of 2000 inputs";
    assert!(text.contains(part), "{text}");
    assert_eq!(output.status.code(), Some(2), "{text}");
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
        (&["x + 1", "--seconds", "0"], "give a number above 0"),
        (&["tgamma(x) - 1"], "no operation that fix knows"),
    ];
    for (words, part) in cases {
        let output = fix(words);
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(2), "{words:?}: {said}");
        assert!(said.contains(part), "{words:?}: {said}");
    }
}

/// Without its argument the program crashes, and nothing that it put out before is wrong.
#[test]
fn a_program_that_fails_is_not_called_right() {
    let folder = tempfile::tempdir().unwrap();
    let source = folder.path().join("crash.c");
    let text = "#include <stdio.h>\n#include <stdlib.h>\n\
                int main(int n, char **args) { printf(\"%g\\n\", atof(args[1])); return n - 2; }\n";
    std::fs::write(&source, text).unwrap();
    let output = fix(&[source.to_str().unwrap(), "-O0"]);
    let errors = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{errors}");
    assert!(
        errors.contains("ended early") && errors.contains("after `--`"),
        "{errors}"
    );
}

#[test]
fn a_range_of_an_unknown_variable_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let source = folder.path().join("versine.c");
    let text = "#include <math.h>\ndouble versine(double x) { return 1 - cos(x); }\n";
    std::fs::write(&source, text).unwrap();
    let path = source.to_str().unwrap();
    let refused = fix(&["--function", "versine", "--range", "angle=0:1", path]);
    let errors = String::from_utf8_lossy(&refused.stderr);
    assert_eq!(refused.status.code(), Some(2), "{errors}");
    assert!(errors.contains("angle"), "{errors}");
    let repaired = fix(&["--function", "versine", "--range", "x=0:1", path]);
    assert_eq!(repaired.status.code(), Some(0), "{}", printed(&repaired));
}
