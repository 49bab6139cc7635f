//! The words of the command line mean the same in every command, and mistakes are named.

use std::process::Output;

use crate::sandbox::Sandbox;

const CLEAN: &str = "\
#include <stdio.h>
#include <stdlib.h>
double half(double x) { return x < 0 ? 0 : x / 2; }
int main(int count, char **words) {
    for (int at = 1; at < count; at++)
        printf(\"%s %g\\n\", words[at], half(atof(words[at])));
}
";

fn sandbox() -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.write("ok.c", CLEAN);
    sandbox
}

fn run(sandbox: &Sandbox, words: &[&str]) -> (Option<i32>, String, String) {
    let output = sandbox.lostbits(words).output().expect("it starts");
    let Output {
        status,
        stdout,
        stderr,
    } = output;
    let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
    (status.code(), text(stdout), text(stderr))
}

fn refused(sandbox: &Sandbox, words: &[&str]) -> String {
    let (code, _, errors) = run(sandbox, words);
    assert_eq!(code, Some(2), "{words:?}: {errors}");
    assert_eq!(errors.trim().lines().count(), 1, "{words:?}: {errors}");
    errors
}

#[test]
fn unknown_options_are_named_and_never_reach_the_compiler() {
    let sandbox = sandbox();
    for (words, option, nearest) in [
        (
            &["explain", "--percision", "128", "ok.c"][..],
            "--percision",
            "--precision",
        ),
        (
            &["explain", "ok.c", "--min-output-bit=3"],
            "--min-output-bit",
            "--min-output-bits",
        ),
        (&["watch", "ok.c", "--rerum"], "--rerum", "--rerun"),
        (
            &["search", "ok.c", "--funktion", "half"],
            "--funktion",
            "--function",
        ),
        (
            &["explain", "ok.c", "-format", "json"],
            "-format",
            "--format",
        ),
    ] {
        let said = refused(&sandbox, words);
        assert!(said.contains(&format!("no option `{option}`")), "{said}");
        assert!(said.contains(&format!("did you mean {nearest}?")), "{said}");
    }
}

#[test]
fn options_come_anywhere_and_the_programs_arguments_after_two_dashes() {
    let sandbox = sandbox();
    for words in [
        &["explain", "ok.c", "--once", "-O2", "--", "--once", "3"][..],
        &[
            "explain", "--once", "-O2", "ok.c", "--format", "json", "--", "--once", "3",
        ],
        &[
            "watch", "ok.c", "--rerun", "-O2", "--tau-c", "40", "--", "--once", "3",
        ],
        &[
            "watch",
            "ok.c",
            "--cc-option=-Wno-everything",
            "--",
            "--once",
            "3",
        ],
    ] {
        let (code, output, errors) = run(&sandbox, words);
        assert_eq!(code, Some(0), "{words:?}: {errors}");
        assert_eq!(output, "--once 0\n3 1.5\n", "{words:?}: {errors}");
    }
}

#[test]
fn search_takes_compiler_options_beside_the_sources() {
    let sandbox = sandbox();
    let words = [
        "search",
        "ok.c",
        "--function",
        "half",
        "-O2",
        "--runs",
        "200",
        "--report",
        "found",
    ];
    let (code, output, errors) = run(&sandbox, &words);
    assert_eq!((code, output.as_str()), (Some(0), ""), "{errors}");
    assert!(sandbox.read("found").contains("half"));
    let said = refused(
        &sandbox,
        &["search", "ok.c", "--function", "half", "--", "-O2"],
    );
    assert!(said.contains("beside the sources"), "{said}");
}

#[test]
fn expressions_may_begin_with_a_minus() {
    let sandbox = sandbox();
    let words = ["explain", "-b + sqrt(b*b - 4)", "--range", "b=1e8:1e9"];
    let (code, output, errors) = run(&sandbox, &words);
    assert_eq!(code, Some(1), "{output}{errors}");
    assert!(output.contains("sqrt"), "{output}");
}

#[test]
fn a_seed_draws_other_inputs_and_is_for_expressions() {
    let sandbox = sandbox();
    let report = |seed: &str| {
        let words = [
            "explain",
            "--seed",
            seed,
            "sqrt(x + 1) - sqrt(x)",
            "--range",
            "x=1:1e15",
        ];
        let (code, output, errors) = run(&sandbox, &[&words[..], &["--format", "json"]].concat());
        assert_eq!(code, Some(1), "{errors}");
        let mut report: serde_json::Value = serde_json::from_str(&output).expect("JSON");
        // How long the runs took differs from run to run.
        report["passes"] = serde_json::Value::Null;
        report
    };
    assert_eq!(report("3"), report("3"));
    assert_ne!(report("3"), report("4"));
    let said = refused(&sandbox, &["explain", "--seed", "3", "ok.c"]);
    assert!(said.contains("`--seed`"), "{said}");
}

#[test]
fn files_that_are_no_programs_are_called_what_they_are() {
    let sandbox = sandbox();
    sandbox.assemble("plain.o", ".text\n");
    sandbox.write("old.a", "!<arch>\n");
    sandbox.write("start.sh", "#!/bin/sh\nexec ./prog\n");
    sandbox.make_executable("start.sh");
    for command in ["explain", "watch"] {
        let object = refused(&sandbox, &[command, "plain.o"]);
        assert!(object.contains("plain.o is an object file"), "{object}");
        let archive = refused(&sandbox, &[command, "old.a"]);
        assert!(archive.contains("old.a is an archive"), "{archive}");
        let script = refused(&sandbox, &[command, "./start.sh"]);
        assert!(script.contains("is a script"), "{script}");
    }
    let said = refused(&sandbox, &["watch", "x*x + 1"]);
    assert!(said.contains("`x*x + 1` is neither"), "{said}");
    let said = refused(&sandbox, &["explain", "-O2", "/bin/true"]);
    assert!(
        said.contains("`-O2`") && said.contains("already built"),
        "{said}"
    );
    let said = refused(&sandbox, &["watch", "/bin/true", "--verbos"]);
    assert!(said.contains("after `--`"), "{said}");
}

/// An object beside a source is the linker's, wherever it is.
#[test]
fn objects_may_come_before_sources() {
    let sandbox = sandbox();
    sandbox.assemble("plain.o", ".text\n");
    let (code, output, errors) = run(&sandbox, &["explain", "plain.o", "ok.c", "--", "3"]);
    assert_eq!((code, output.as_str()), (Some(0), "3 1.5\n"), "{errors}");
}

#[test]
fn another_compiler_in_the_environment_is_named() {
    let sandbox = sandbox();
    sandbox.write("cc", "#!/bin/sh\necho other 1.0\nexit 1\n");
    sandbox.make_executable("cc");
    let mut command = sandbox.lostbits(&["explain", "ok.c"]);
    let shown = sandbox.show(command.env("LOSTBITS_CC", sandbox.path("cc")));
    assert!(shown.starts_with("exit 2"), "{shown}");
    assert!(
        shown.contains("LOSTBITS_CC names $DIR/cc, but lostbits instruments with clang-22"),
        "{shown}"
    );
}

#[test]
fn a_program_ends_when_its_time_is_over() {
    let sandbox = Sandbox::new();
    sandbox.write(
        "slow.c",
        "#include <stdio.h>\nint main(int c, char **v) {\n    volatile double x = c;\n    \
         for (;;)\n        x = x * 0.5 + 1;\n}\n",
    );
    for command in ["explain", "watch"] {
        let (_, _, errors) = run(&sandbox, &[command, "slow.c", "--timeout", "0.5"]);
        assert!(errors.contains("signal 15"), "{command}: {errors}");
    }
}

/// The same as one command, where `-o` was the name of the record once.
#[test]
fn records_are_saved_by_every_command() {
    let sandbox = sandbox();
    for words in [
        &["explain", "ok.c", "--record", "kept", "--", "3"][..],
        &["watch", "--record", "kept", "ok.c", "--", "3"],
        &["watch", "-o", "kept", "ok.c", "--", "3"],
        &["explain", "--output", "kept", "ok.c", "--", "3"],
    ] {
        let (code, _, errors) = run(&sandbox, words);
        assert_eq!(code, Some(0), "{words:?}: {errors}");
        let (code, output, errors) = run(&sandbox, &["report", "kept", "--report", "text"]);
        assert_eq!((code, output.as_str()), (Some(0), ""), "{errors}");
        assert!(!sandbox.read("text").is_empty());
        std::fs::remove_file(sandbox.path("kept")).expect("it was saved");
    }
}

#[test]
fn a_broken_configuration_is_never_ignored() {
    let sandbox = sandbox();
    let words = ["watch", "ok.c", "--record", "kept", "--", "3"];
    assert_eq!(run(&sandbox, &words).0, Some(0));
    sandbox.write("lostbits.toml", "[[continuous]]\nlines = [1, 2]\n");
    for words in [
        &["watch", "ok.c", "--", "3"][..],
        &["explain", "ok.c", "--", "3"],
        &["report", "kept"],
        &["run", "/bin/true"],
    ] {
        let said = refused(&sandbox, words);
        assert!(said.contains("lostbits.toml"), "{words:?}: {said}");
    }
}
