//! Honest verdicts: a run is stable only if it decided something, and a failing program is no success.

use serde_json::Value;

use crate::sandbox::Sandbox;

const ENDS: &str = "\
#include <signal.h>
#include <stdlib.h>
int main(int count, char **words) {
    double x = atof(words[1]);
    int above = x > 1.5;
    if (count > 3)
        raise(atoi(words[3]));
    return above && count > 2 ? atoi(words[2]) : 0;
}
";

fn watch(sandbox: &Sandbox, words: &[&str]) -> (Option<i32>, String) {
    let words: Vec<&str> = [&["watch"], words].concat();
    let output = sandbox.lostbits(&words).output().expect("it starts");
    let errors = String::from_utf8_lossy(&output.stderr).into_owned();
    (output.status.code(), errors)
}

fn verdict(sandbox: &Sandbox, words: &[&str]) -> (Option<i32>, Value) {
    let (code, errors) = watch(sandbox, &[&["--format", "json"], words].concat());
    let last = errors.lines().last().unwrap_or_default();
    (code, serde_json::from_str(last).expect(&errors))
}

#[test]
fn a_failing_program_is_no_success() {
    let sandbox = Sandbox::new();
    sandbox.write("x.c", ENDS);
    let (code, errors) = watch(&sandbox, &["x.c", "--", "2", "7"]);
    assert_eq!(code, Some(7), "{errors}");
    assert_eq!(
        errors.lines().last(),
        Some("the program exited with code 7"),
        "{errors}"
    );
    assert_eq!(watch(&sandbox, &["x.c", "--", "2"]).0, Some(0));
}

#[test]
fn a_killed_program_is_not_stable() {
    let sandbox = Sandbox::new();
    sandbox.write("x.c", ENDS);
    for (signal, code) in [("11", 139), ("9", 137)] {
        let (given, report) = verdict(&sandbox, &["x.c", "--", "2", "0", signal]);
        assert_eq!(given, Some(code), "{report:#}");
        assert_eq!(report["verdict"], "incomplete", "{report:#}");
        assert_eq!(report["stable"], false, "{report:#}");
    }
}

/// A record that the program wrote by itself does not say how it ended.
#[test]
fn a_record_of_a_killed_program_is_incomplete() {
    let sandbox = Sandbox::new();
    sandbox.write("x.c", ENDS);
    sandbox.succeed(&mut sandbox.lostbits(&["cc", "--lostbits-mode=watch", "x.c", "-o", "prog"]));
    for (signal, code) in [("9", 3), ("0", 0)] {
        let mut program = sandbox.program(&sandbox.path("prog"), &["2", "0", signal]);
        program.env("LOSTBITS_OUT", signal).output().unwrap();
        let shown = sandbox.show(&mut sandbox.lostbits(&["report", signal]));
        assert!(shown.starts_with(&format!("exit {code}\n")), "{shown}");
    }
}

#[test]
fn a_panicking_rust_program() {
    let sandbox = Sandbox::new();
    sandbox.write(
        "x.rs",
        "fn main() {\n    let x: f64 = std::hint::black_box(2.0);\n    assert!(x > 3.0);\n}\n",
    );
    let (code, errors) = watch(&sandbox, &["x.rs"]);
    assert_eq!(code, Some(101), "{errors}");
}

#[test]
fn runs_without_decisions() {
    let sandbox = Sandbox::new();
    sandbox.write(
        "x.c",
        "#include <stdio.h>\n#include <stdlib.h>\nint main(int count, char **words) {\n    \
         printf(\"%g\\n\", atof(words[1]) * 3);\n}\n",
    );
    let (code, report) = verdict(&sandbox, &["x.c", "--", "2"]);
    assert_eq!(code, Some(3), "{report:#}");
    assert_eq!(report["verdict"], "nothing judged", "{report:#}");
    assert_eq!(report["checked_decisions"], 0, "{report:#}");
    let (_, errors) = watch(&sandbox, &["x.c", "--", "2"]);
    assert!(
        errors.contains("nothing to judge: the program executed no comparison"),
        "{errors}"
    );
    sandbox.write("y.c", "int main(void) { return 0; }\n");
    let (code, errors) = watch(&sandbox, &["y.c"]);
    assert_eq!(code, Some(2), "{errors}");
    assert!(errors.contains("nothing was judged"), "{errors}");
}

#[test]
fn the_exit_code_for_unstable_decisions() {
    let sandbox = Sandbox::new();
    sandbox.write(
        "x.c",
        "#include <stdlib.h>\nint main(int count, char **words) {\n    double x = atof(words[1]);\n    \
         return (x + 0.2) - 0.3 > 1e-17 ? 7 : 8;\n}\n",
    );
    let program = ["x.c", "--", "0.1"];
    let with = |options: &[&str]| watch(&sandbox, &[options, &program].concat()).0;
    assert_eq!(with(&[]), Some(1));
    assert_eq!(with(&["--error-exitcode", "42"]), Some(42));
    assert_eq!(with(&["--error-exitcode", "0"]), Some(7));
}
