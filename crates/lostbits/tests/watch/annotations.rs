//! What programmers say about their decisions, and looking at a run before it ends.

use std::{
    process::{Command, Stdio},
    thread,
    time::Duration,
};

use serde_json::Value;

use crate::sandbox::Sandbox;

/// Bao and Zhang, Figure 9 (b): whichever is larger, the ratio is nearly the same.
const RATIO: &str = "#include <lostbits.h>\n#include <stdio.h>\n#include <stdlib.h>\n\
    double ratio(double x, double y) {\n    double o;\n    MARK {\n        if (x < y)\n            o = x / y;\n        \
    else\n            o = y / x;\n    }\n    return o;\n}\n\
    int main(int c, char **v) {\n    printf(\"%d\\n\", ratio(atof(v[1]) * 1.1, atof(v[2]) * 1.1) > 0.5);\n    return 0;\n}\n";

const NEAR: [&str; 2] = ["2", "2.0000000000000004"];

/// Exit code and report.
fn watch(sandbox: &Sandbox, words: &[&str]) -> (Option<i32>, Value) {
    let mut command = sandbox.lostbits(&["watch", "--format", "json", "--report", "report"]);
    let output = command.args(words).output().expect("it starts");
    let code = output.status.code();
    let errors = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(matches!(code, Some(0 | 1)), "{words:?}: {code:?}\n{errors}");
    (
        code,
        serde_json::from_str(&sandbox.read("report")).expect("JSON"),
    )
}

fn reasons(report: &Value) -> Vec<&str> {
    let rows = report["suppressed"].as_array().unwrap();
    rows.iter()
        .map(|row| row["reason"].as_str().unwrap())
        .collect()
}

fn with_mark(mark: &str) -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.write("x.c", RATIO.replace("MARK", mark));
    sandbox
}

#[test]
fn a_continuous_core_in_c() {
    for level in ["-O0", "-O2"] {
        let words = ["x.c", level, "--", NEAR[0], NEAR[1]];
        let (code, report) = watch(&with_mark(""), &words);
        assert_eq!((code, reasons(&report).len()), (Some(1), 0), "{level}");
        let (code, report) = watch(&with_mark("LOSTBITS_CONTINUOUS"), &words);
        assert_eq!(code, Some(0), "{level}: {report:#}");
        assert_eq!(reasons(&report), ["marked as a continuous core"], "{level}");
    }
}

#[test]
fn comments_in_fortran_and_rust() {
    let sandbox = Sandbox::new();
    let fortran = |comment: &str| {
        format!(
            "program p\n  character(40) :: a\n  real(8) :: x, y\n  call get_command_argument(1, a)\n  read(a, *) x\n  \
            call get_command_argument(2, a)\n  read(a, *) y\n  if (x > y) then{comment}\n    print *, 'more'\n  end if\nend program\n"
        )
    };
    let rust = |begin: &str, end: &str| {
        format!(
            "fn main() {{\n    let v: Vec<f64> = std::env::args().skip(1).map(|x| x.parse().unwrap()).collect();\n    \
            {begin}\n    if v[0] > v[1] {{\n        println!(\"more\");\n    }}\n    {end}\n}}\n"
        )
    };
    sandbox.write("plain.f90", fortran(""));
    sandbox.write("marked.f90", fortran(" ! lostbits: convergence"));
    sandbox.write("plain.rs", rust("", ""));
    sandbox.write(
        "marked.rs",
        rust("// lostbits: continuous", "// lostbits: end"),
    );
    for (file, code) in [
        ("plain.f90", 1),
        ("marked.f90", 0),
        ("plain.rs", 1),
        ("marked.rs", 0),
    ] {
        let (found, report) = watch(&sandbox, &[file, "--", NEAR[0], NEAR[1]]);
        assert_eq!(found, Some(code), "{file}: {report:#}");
    }
}

#[test]
fn a_file_for_code_that_cannot_be_edited() {
    let sandbox = with_mark("");
    let words = ["x.c", "--", NEAR[0], NEAR[1]];
    for (entry, code) in [
        ("[[continuous]]\nfunction = 'ratio'\n", 0),
        ("[[convergence]]\nfile = 'x.c'\nlines = [6, 11]\n", 0),
        ("[[continuous]]\nfunction = 'other'\n", 1),
        ("[[continuous]]\nfile = 'x.c'\nlines = [8, 11]\n", 1),
    ] {
        sandbox.write("lostbits.toml", entry);
        let (found, report) = watch(&sandbox, &words);
        assert_eq!(found, Some(code), "{entry}: {report:#}");
    }
    sandbox.write("lostbits.toml", "[[continuous]]\nlines = [1, 2]\n");
    let shown = sandbox.show(&mut sandbox.lostbits(&["watch", "x.c", "--", "1", "2"]));
    assert!(shown.starts_with("exit 2\n"), "{shown}");
    assert!(
        shown.contains("an entry gives lines but no file"),
        "{shown}"
    );
}

/// Only the last test before the bound decides whether there is a solution.
#[test]
fn convergence_tests() {
    let sandbox = Sandbox::new();
    sandbox.write(
        "x.c",
        "#include <lostbits.h>\n#include <stdio.h>\n#include <stdlib.h>\nint main(int c, char **v) {\n    \
         double step = atof(v[1]), x = 0;\n    int bound = atoi(v[2]), i = 0;\n    do {\n        \
         x += step;\n        i++;\n        if (i > bound) return 1;\n    } while (!LOSTBITS_CONVERGENCE(i, bound, x >= 0.8));\n    \
         return 0;\n}\n",
    );
    for level in ["-O0", "-O2"] {
        let run = |bound: &str| watch(&sandbox, &["x.c", level, "--", "0.1", bound]);
        let (code, report) = run("12");
        assert_eq!(code, Some(0), "{level}: {report:#}");
        assert_eq!(
            reasons(&report),
            ["a convergence test that is not the last"],
            "{level}"
        );
        let (code, report) = run("9");
        assert_eq!(code, Some(1), "{level}: {report:#}");
    }
}

/// Numbers that are whole by the way they are made have no fraction to doubt; others may have.
#[test]
fn conversions_of_whole_numbers() {
    let sandbox = Sandbox::new();
    sandbox.write(
        "x.c",
        "#include <math.h>\n#include <stdio.h>\nint main(int c, char **v) {\n    long sum = 0;\n    \
         for (double k = 0; k < 9 * c; k++) sum += (int)k;\n    int n = 144 * c;\n    \
         sum += (int)sqrt((double)n) + (int)((double)n / 12);\n#ifdef TENTHS\n    sum += (int)(n / 48 * 0.1 * 10);\n#endif\n    \
         printf(\"%ld\\n\", sum);\n    return 0;\n}\n",
    );
    for level in ["-O0", "-O2"] {
        let (code, report) = watch(&sandbox, &["x.c", level]);
        assert_eq!(code, Some(0), "{level}: {report:#}");
        let (code, report) = watch(&sandbox, &["x.c", level, "-DTENTHS"]);
        assert_eq!(code, Some(1), "{level}: {report:#}");
    }
}

/// The second scan meets the best place of the first again.
#[test]
fn the_same_computation_on_the_same_operands() {
    let sandbox = Sandbox::new();
    let source = concat!(env!("CARGO_MANIFEST_DIR"), "/../../bench/watch/scan.c");
    let (code, report) = watch(&sandbox, &[source, "-O2", "--", "0.41"]);
    assert_eq!(code, Some(0), "{report:#}");
    assert_eq!(
        reasons(&report),
        ["the same computation on the same operands"]
    );
    // Equal as well, but not the same: two places fit equally well.
    let (code, report) = watch(&sandbox, &[source, "-O2", "--", "0.38281249999999994"]);
    assert_eq!(code, Some(1), "{report:#}");
}

/// Decides on what is left of a cancellation, then waits for a file.
const WAITS: &str = "#include <stdio.h>\n#include <stdlib.h>\n#include <unistd.h>\nint main(int c, char **v) {\n    \
    double x = atof(v[1]);\n    if (x - 1 > 2e-16) puts(\"more\");\n    \
    for (int i = 0; i < 3000 && access(\"go\", F_OK); i++) usleep(10000);\n    return 0;\n}\n";

const SIGTERM: i32 = 15;

#[test]
fn a_run_is_stopped_at_the_first_unstable_decision() {
    let sandbox = Sandbox::new();
    sandbox.write("x.c", WAITS);
    let x = "1.0000000000000002";
    let (code, report) = watch(&sandbox, &["--on-unstable", "stop", "x.c", "--", x]);
    assert_eq!(code, Some(1));
    assert_eq!(report["program"]["signal"], SIGTERM, "{report:#}");
}

#[test]
fn a_signal_asks_what_was_seen_so_far() {
    let sandbox = Sandbox::new();
    sandbox.write("x.c", WAITS);
    sandbox.succeed(&mut sandbox.lostbits(&["cc", "--lostbits-mode=watch", "x.c", "-o", "x"]));
    let mut command = sandbox.lostbits(&["watch", "--format", "json", "--report", "report", "./x"]);
    let mut running = command
        .arg("1.0000000000000002")
        .stdout(Stdio::null())
        .spawn()
        .expect("it starts");
    let mut asked = 0;
    while !sandbox.path("report").exists() && asked < 600 {
        thread::sleep(Duration::from_millis(50));
        let mut kill = Command::new("sh");
        kill.args(["-c", &format!("kill -USR1 {}", running.id())]);
        // Before its handler is in place the signal would end it, so the program is to be there first.
        let children = format!("/proc/{0}/task/{0}/children", running.id());
        let has_started =
            std::fs::read_to_string(children).is_ok_and(|list| !list.trim().is_empty());
        if has_started {
            kill.status().expect("sh can be run");
        }
        asked += 1;
    }
    assert!(
        running.try_wait().expect("it can be asked").is_none(),
        "it still runs"
    );
    // The file may be seen before it is filled.
    thread::sleep(Duration::from_millis(200));
    let report: Value = serde_json::from_str(&sandbox.read("report")).expect("JSON");
    assert_eq!(report["stable"], false, "{report:#}");
    assert_eq!(report["program"], Value::Null, "it has not ended");
    sandbox.write("go", "");
    running.wait().expect("it ends");
    let report: Value = serde_json::from_str(&sandbox.read("report")).expect("JSON");
    assert_eq!(report["program"]["exit_code"], 0);
}
