//! Decisions that rest on what underflowed or overflowed, reals that are no doubles, and long doubles.

use serde_json::Value;

use crate::{
    sandbox::Sandbox,
    subjects::{causes, marked, reached, subject},
};

const SOURCE: &str = "extremes.c";

/// A program that is compiled once, and again for more bits where that is needed.
fn explain(options: &str, arguments: &str) -> Value {
    explain_source(SOURCE, options, arguments)
}

pub fn explain_source(source: &str, options: &str, arguments: &str) -> Value {
    let sandbox = Sandbox::new();
    let mut command = sandbox.lostbits(&[
        "explain",
        "--prove=0",
        "--min-output-bits=5",
        "--format",
        "json",
        "--report",
        "report",
    ]);
    command
        .arg(subject(source))
        .args(options.split_whitespace());
    command.arg("--").args(arguments.split_whitespace());
    let output = command.output().expect("it starts");
    let errors = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(matches!(output.status.code(), Some(0 | 1 | 3)), "{errors}");
    serde_json::from_str(&sandbox.read("report")).expect("JSON")
}

#[test]
fn undecided_decisions_are_recomputed() {
    for (arguments, kind) in [
        ("vanishes 1e-200 1.3e-200", "underflow"),
        ("scaled 1e-200 1.3e-200", "underflow"),
        ("integer 1e-200 1.3e-200", "underflow"),
        ("overflows 1e200 1.3e200", "infinity"),
    ] {
        let how = arguments.split_whitespace().next().unwrap_or_default();
        for options in ["-O1 -lm", "-O1 -lm --precision 128"] {
            let report = explain(options, arguments);
            let lines = |mark: &str| marked(&[SOURCE], &format!("{mark} {how}"));
            assert_eq!(causes(&report), lines("CAUSE"), "{report:#}");
            assert_eq!(reached(&report), lines("REACHED"), "{report:#}");
            assert_eq!(report["findings"][0]["kind"], kind);
        }
    }
    for arguments in [
        "asks 1e200 1e200",
        "asks 1e-200 1e-200",
        "far 1e-200 1e-200",
    ] {
        let report = explain("-O1 -lm", arguments);
        assert_eq!(
            report["findings"],
            serde_json::json!([]),
            "{arguments}: {report:#}"
        );
        assert_eq!(report["checked"]["comparisons"]["undecided_executions"], 0);
    }
}

/// Without further runs nothing is blamed, and the report says so.
#[test]
fn once_they_are_not_decided() {
    for arguments in ["vanishes 1e-200 1e-200", "overflows 1e200 1.3e200"] {
        let report = explain("-O1 -lm --once", arguments);
        assert_eq!(report["findings"], serde_json::json!([]), "{report:#}");
        assert_eq!(report["clean"], false, "{report:#}");
        assert_eq!(report["checked"]["comparisons"]["undecided_executions"], 1);
    }
}

#[test]
fn exact_values_beyond_the_doubles_are_reported() {
    let report = explain("-O1 -lm", "vanishes 1e-200 1e-200");
    let finding = &report["findings"][0];
    assert_eq!(finding["worst_computed"], 0.0);
    assert_eq!(finding["worst_exact"], "1e-400");
    assert_eq!(finding["branches"][0]["exact"][0], "1e-400");
    let report = explain("-O1 -lm --precision 128", "overflows 1e200 1e200");
    let finding = &report["findings"][0];
    assert_eq!(finding["worst_computed"], "inf");
    assert_eq!(finding["worst_exact"], "1e400");
    assert_eq!(finding["branches"][0]["exact"][0], 1e200);
}

/// Objects that were built for the fast shadows cannot be run with more bits.
#[test]
fn what_was_built_before_is_not_run_again() {
    let sandbox = Sandbox::new();
    sandbox.write(
        "part.c",
        "double product(double x, double y) { return x * y; }\n",
    );
    sandbox.write(
        "main.c",
        "#include <stdio.h>\ndouble product(double, double);\nint main(int argc, char **argv) {\n\
         double s = product(argc * 1e-200, 1e-200);\nputs(s == 0 ? \"none\" : \"some\");\n}\n",
    );
    let mut compile = sandbox.lostbits(&["cc", "--lostbits-mode=explain", "-c", "part.c"]);
    sandbox.succeed(&mut compile);
    let words = [
        "explain",
        "--prove=0",
        "--min-output-bits=5",
        "--format",
        "json",
        "--report",
        "report",
        "main.c",
        "part.o",
    ];
    sandbox.lostbits(&words).output().expect("it starts");
    let report: Value = serde_json::from_str(&sandbox.read("report")).expect("JSON");
    assert_eq!(report["rerun_in_high_precision"], false, "{report:#}");
    assert_eq!(report["checked"]["comparisons"]["undecided_executions"], 1);
    let why = report["not_rerun_because"].as_str().unwrap_or_default();
    assert!(why.contains("built before"), "{why}");
    // In an archive they are only seen when they run.
    let mut archive = std::process::Command::new("ar");
    sandbox.succeed(
        archive
            .args(["rcs", "part.a", "part.o"])
            .current_dir(sandbox.path("")),
    );
    let words = [
        "explain",
        "--prove=0",
        "--min-output-bits=5",
        "--format",
        "json",
        "--report",
        "report",
        "main.c",
        "part.a",
    ];
    sandbox.lostbits(&words).output().expect("it starts");
    let report: Value = serde_json::from_str(&sandbox.read("report")).expect("JSON");
    assert_eq!(report["rerun_in_high_precision"], false, "{report:#}");
}

/// What was not compiled by lostbits is named.
#[test]
fn functions_outside_are_named() {
    let sandbox = Sandbox::new();
    sandbox.write("outside.c", "double outside(double x) { return 2 * x; }\n");
    sandbox.write(
        "main.c",
        "#include <stdio.h>\n#include <stdlib.h>\ndouble outside(double);\n\
         double inside(double x) { return x; }\nint main(int argc, char **argv) {\n\
         printf(\"%g\\n\", inside(outside(atof(\"0.1\") * argc)));\n}\n",
    );
    let words = ["cc", "--lostbits-mode=off", "-c", "outside.c"];
    sandbox.succeed(&mut sandbox.lostbits(&words));
    let words = [
        "explain",
        "--format",
        "json",
        "--report",
        "report",
        "main.c",
        "outside.o",
    ];
    sandbox.lostbits(&words).output().expect("it starts");
    let report: Value = serde_json::from_str(&sandbox.read("report")).expect("JSON");
    let named = &report["untracked"]["uninstrumented_functions"];
    assert_eq!(*named, serde_json::json!(["outside"]), "{report:#}");
}

/// Those that write into memory, too; not those that only read or move it, nor what lostbits compiled.
#[test]
fn functions_outside_that_write_numbers_are_named() {
    let sandbox = Sandbox::new();
    sandbox.write(
        "outside.c",
        "void solve(double *x) { *x = *x / 3; }\nvoid whole(long *n) { *n += 1; }\n\
         void heap(double *x, long n) { x[n - 1] = n; }\n",
    );
    sandbox.write("nothing.c", "void nothing(double *x) {}\n");
    sandbox.write(
        "main.c",
        "#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\n\
         void solve(double *), heap(double *, long), nothing(double *), whole(long *);\n\
         static int order(const void *a, const void *b) { return *(double *)a > *(double *)b; }\n\
         int main(int argc, char **argv) {\n\
         double x = 0, list[2] = {2, argc}, *more = malloc(argc * sizeof(double));\n\
         long n = argc;\n\
         if (sscanf(\"0.1\", \"%lf\", &x) != 1) return 1;\n\
         solve(&x); nothing(&x); whole(&n); heap(more, n - 1); qsort(list, 2, sizeof *list, order);\n\
         printf(\"%g %g %g %ld\\n\", x, list[0], more[0], n);\n free(more);\n}\n",
    );
    let words = ["cc", "--lostbits-mode=off", "-c", "outside.c"];
    sandbox.succeed(&mut sandbox.lostbits(&words));
    for level in ["-O0", "-O2"] {
        let mut words = vec![
            "explain",
            "--prove=0",
            "--min-output-bits=5",
            "--format",
            "json",
            "--report",
            "report",
        ];
        words.extend(["main.c", "nothing.c", "outside.o", level]);
        sandbox.lostbits(&words).output().expect("it starts");
        let report: Value = serde_json::from_str(&sandbox.read("report")).expect("JSON");
        let named = &report["untracked"]["uninstrumented_functions"];
        assert_eq!(
            *named,
            serde_json::json!(["heap", "solve"]),
            "{level}: {report:#}"
        );
    }
}

/// A constructor has two symbols and one body, C an attribute for the same: no name of compiled code is called foreign.
#[test]
fn aliases_of_compiled_functions_are_compiled() {
    let sandbox = Sandbox::new();
    sandbox.write(
        "token.h",
        "struct Token { double v; long n; Token(const double *x, long n); };\n\
         extern \"C\" double third(double);\n",
    );
    sandbox.write(
        "token.cpp",
        "#include \"token.h\"\n\
         Token::Token(const double *x, long n) : v(*x * 1.1), n(n) {}\n\
         extern \"C\" {\ndouble divided(double x) { return x / 3; }\n\
         double third(double) __attribute__((alias(\"divided\")));\n}\n",
    );
    sandbox.write(
        "main.cpp",
        "#include <cstdio>\n#include \"token.h\"\nint main(int argc, char **) {\n\
         double x = argc * 0.1;\n Token token(&x, argc);\n\
         printf(\"%.3g %.3g\\n\", token.v, third(token.v));\n}\n",
    );
    let named = |token: &str| {
        let words = ["explain", "--format", "json", "--report", "report"];
        let words = [&words[..], &["-O2", "main.cpp", token]].concat();
        sandbox.lostbits(&words).output().expect("it starts");
        let report: Value = serde_json::from_str(&sandbox.read("report")).expect("JSON");
        report["untracked"]["uninstrumented_functions"].clone()
    };
    assert_eq!(named("token.cpp"), serde_json::json!([]));
    // The same code compiled by another compiler is named.
    let words = ["c++", "--lostbits-mode=off", "-O2", "-c", "token.cpp"];
    sandbox.succeed(&mut sandbox.lostbits(&words));
    let named = named("token.o").to_string();
    assert!(named.contains("Token::Token"), "{named}");
    assert!(named.contains("third"), "{named}");
}

/// Options may stand behind a program, too.
#[test]
fn options_behind_a_program() {
    let sandbox = Sandbox::new();
    sandbox.write(
        "main.c",
        "#include <stdio.h>\nint main(int argc, char **argv) { printf(\"%g\\n\", argc * 0.5); return argc - 2; }\n",
    );
    let words = ["cc", "--lostbits-mode=explain", "main.c", "-o", "program"];
    sandbox.succeed(&mut sandbox.lostbits(&words));
    let words = [
        "explain",
        "./program",
        "--format",
        "json",
        "--report",
        "report",
        "--",
        "one",
    ];
    sandbox.lostbits(&words).output().expect("it starts");
    let report: Value = serde_json::from_str(&sandbox.read("report")).expect("JSON");
    assert_eq!(report["program"]["exit_code"], 0, "{report:#}");
}

#[test]
fn long_doubles_inherit_errors() {
    for options in ["-O0", "-O2", "-O2 --precision 128"] {
        let report = explain_source("extended.c", options, "1.23456789e-10 3.3e-10");
        assert_eq!(
            causes(&report),
            marked(&["extended.c"], "CAUSE"),
            "{report:#}"
        );
        assert_eq!(reached(&report), marked(&["extended.c"], "REACHED"));
    }
}

/// What underflowed and has grown again, however many operations later, is in doubt until further runs decide as many bits
/// do; what does no harm costs no further run.
#[test]
fn underflows_that_grow_again() {
    for arguments in [
        "double 1.7 615",
        "double 1.7 700",
        "float 1.7 83",
        "float 1.7 100",
        "once 1.3e-30 6",
        "norm 1e-200 20",
    ] {
        let how = arguments.split_whitespace().next().unwrap_or_default();
        for level in ["-O0 -lm", "-O2 -lm"] {
            for options in ["", "--precision 1000"] {
                let report = explain_source("grows.c", &format!("{level} {options}"), arguments);
                let lines = marked(&["grows.c"], &format!("CAUSE {how}"));
                assert_eq!(causes(&report), lines, "{level} {options}: {report:#}");
                assert_eq!(report["findings"][0]["kind"], "underflow");
            }
        }
    }
    let report = explain_source("grows.c", "-O2 -lm", "tails 1.5 40");
    assert_eq!(report["clean"], true, "{report:#}");
    assert_eq!(report["rerun_in_high_precision"], false, "{report:#}");
}
