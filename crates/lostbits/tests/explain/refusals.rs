//! What `lostbits explain` cannot do, and how it passes on what happens to programs.

use lostbits_abi::mode::Mode;

use crate::{
    samples::{table, varied_sites},
    sandbox::Sandbox,
};

fn show_all(sandbox: &Sandbox, lines: &[&[&str]]) -> String {
    let shown = lines.iter().map(|words| {
        let words: Vec<&str> = [&["explain"], *words].concat();
        let shown = sandbox.show(sandbox.lostbits(&words).env("COLUMNS", "100"));
        format!("$ lostbits {}\n{shown}", words.join(" "))
    });
    shown.collect::<Vec<_>>().join("\n")
}

#[test]
fn options() {
    let sandbox = Sandbox::new();
    sandbox.write("x.c", "int main(void) { return 0; }\n");
    insta::assert_snapshot!(show_all(
        &sandbox,
        &[
            &[],
            &["--min-output-bits", "65", "x.c"],
            &["--min-local-bits", "-1", "x.c"],
            &["--depth", "0", "x.c"],
            &["--precision", "8", "x.c"],
            &["x.c", "--format", "text"],
            &["x.c", "--range", "x=1:2"],
            &["x.c", "--samples", "9"],
            &["x.c", "-o", "prog"],
            &["-O2", "-lm", "--", "x.c"],
            &["--start-at", "f", "/bin/sh"],
            &["--function", "absent", "x.c"],
            &["."],
        ]
    ));
}

#[test]
fn expressions() {
    let sandbox = Sandbox::new();
    sandbox.write("unknown.fpcore", "(FPCore (x)\n  (+ x (foo x)))\n");
    sandbox.write("open.fpcore", "(FPCore (x)\n  (+ x 1)\n");
    sandbox.write(
        "never.fpcore",
        "(FPCore (x) :pre (and (< x 0) (> x 1)) (+ x 1))\n",
    );
    insta::assert_snapshot!(show_all(
        &sandbox,
        &[
            &["(1 - cos(x)"],
            &["sine(x) + 1"],
            &["x + 1", "--range", "y=1:2"],
            &["x + 1", "--range", "x=2:1"],
            &["unknown.fpcore"],
            &["open.fpcore"],
            &["never.fpcore"],
            &["absent.fpcore"],
            &["--call", "f(x)"],
            &["--library", "absent.so", "--call", "f(x)"],
            &["--library", "absent.so", "--call", "f(1)"],
            &["--library", "absent.so"],
        ]
    ));
}

#[test]
fn programs() {
    let sandbox = Sandbox::new();
    sandbox.write("text", "no program");
    sandbox.object("same", &[table(Mode::Same, varied_sites())]);
    sandbox.make_executable("same");
    insta::assert_snapshot!(show_all(
        &sandbox,
        &[
            &["./absent"],
            &["./text"],
            &["/bin/true"],
            &["./same", "--", "1"]
        ]
    ));
}

#[test]
fn the_help_says_where_everything_goes() {
    let sandbox = Sandbox::new();
    insta::assert_snapshot!(show_all(&sandbox, &[&["--help"]]));
}

#[test]
fn compilers_speak_for_themselves() {
    let sandbox = Sandbox::new();
    sandbox.write("x.c", "int main(void) { return y; }\n");
    let shown = show_all(&sandbox, &[&["x.c"]]);
    assert!(
        shown.contains("x.c:1:25: error: use of undeclared identifier 'y'"),
        "{shown}"
    );
    assert!(shown.contains("clang-22 failed"), "{shown}");
    sandbox.write("y.c", "int main(void) { return 0; }\n");
    let shown = show_all(&sandbox, &[&["y.c", "1e-9", "-O2"]]);
    assert!(
        shown.contains("there is no file 1e-9: the program's arguments come after `--`"),
        "{shown}"
    );
}

const LOSES_BITS: &str = "\
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
int main(int argc, char **argv) {
    double x = atof(argv[1]);
    printf(\"%g\\n\", sqrt(x + 1) - sqrt(x));
    fflush(stdout);
    if (argc > 2)
        raise(atoi(argv[2]));
    return 7;
}
";

/// What was found until then is reported, and counts more than the crash.
#[test]
fn findings_before_a_crash() {
    let sandbox = Sandbox::new();
    sandbox.write("x.c", LOSES_BITS);
    for signal in ["11", "15"] {
        let mut command = sandbox.lostbits(&[
            "explain",
            "--min-output-bits=5",
            "x.c",
            "--",
            "1e10",
            signal,
        ]);
        let output = command.output().unwrap();
        let errors = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(1), "{errors}");
        assert!(errors.contains("fix 'sqrt(x + 1) - sqrt(x)'"), "{errors}");
        assert!(
            errors.contains(&format!("killed by signal {signal}")),
            "{errors}"
        );
        assert_eq!(output.stdout, b"4.99999e-06\n");
    }
}

/// The record can be kept; its report is the same again, in every format.
#[test]
fn records_can_be_saved() {
    let sandbox = Sandbox::new();
    sandbox.write("x.c", LOSES_BITS);
    sandbox
        .lostbits(&[
            "explain",
            "--min-output-bits=5",
            "-o",
            "kept",
            "x.c",
            "--",
            "1e10",
        ])
        .output()
        .unwrap();
    let again = sandbox.show(&mut sandbox.lostbits(&["report", "kept"]));
    assert!(again.contains("fix 'sqrt(x + 1) - sqrt(x)'"), "{again}");
    let core = sandbox.show(&mut sandbox.lostbits(&["report", "--format", "fpcore", "kept"]));
    assert!(core.contains("(- (sqrt (+ x 1)) (sqrt x))"), "{core}");
}

/// A report or record that cannot be written is refused before the program runs; what is there is kept until then.
#[test]
fn files_that_cannot_be_written() {
    let sandbox = Sandbox::new();
    sandbox.write(
        "x.c",
        "#include <stdio.h>\nint main(void) { puts(\"ran\"); }\n",
    );
    sandbox.write("old", "kept");
    for option in ["--report", "-o"] {
        let show = |path: &str| {
            let words = ["explain", option, path, "x.c", "-fnonsense"];
            sandbox.show(&mut sandbox.lostbits(&words))
        };
        let refused = show("absent/file");
        assert!(refused.contains("absent/file"), "{refused}");
        assert!(!refused.contains("nonsense"), "{refused}");
        // A file that can be written is not touched by a program that cannot be compiled.
        assert!(show("old").contains("nonsense"));
        assert_eq!(sandbox.read("old"), "kept");
        assert!(show("new").contains("nonsense"));
        assert!(!sandbox.path("new").exists());
    }
}

/// Every output is counted, whatever comes behind it in its block.
#[test]
fn outputs_before_processes_and_jumps() {
    let sandbox = Sandbox::new();
    sandbox.write("x.c", LEAVES);
    for level in ["-O0", "-O2"] {
        let words = [
            "explain",
            "--prove=0",
            "--min-output-bits=5",
            "--format",
            "json",
            "--report",
            "report",
        ];
        let mut command = sandbox.lostbits(&words);
        command.args(["x.c", level, "--", "3"]).output().unwrap();
        let report: serde_json::Value = serde_json::from_str(&sandbox.read("report")).unwrap();
        assert_eq!(
            report["checked"]["outputs"]["executions"], 4,
            "{level} {report:#}"
        );
    }
}

const LEAVES: &str = "\
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
static jmp_buf back;
int main(int count, char **words) {
    double x = atof(words[1]);
    printf(\"%g\\n\", x * 3);
    fflush(stdout);
    if (fork() == 0) {
        printf(\"%g\\n\", x * 5);
        exit(0);
    }
    wait(0);
    if (setjmp(back) == 0) {
        printf(\"%g\\n\", x * 7);
        longjmp(back, 1);
    }
    printf(\"%g\\n\", x * 11);
    _exit(0);
}
";
