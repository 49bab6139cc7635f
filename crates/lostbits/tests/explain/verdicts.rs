//! Honest verdicts: a run is clean only if every output was judged and the program succeeded.

use serde_json::Value;

use crate::sandbox::Sandbox;

/// An output that no value of the argument makes wrong, and an end of the user's choice.
const ENDS: &str = "\
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
int main(int count, char **words) {
    double x = atof(words[1]);
    printf(\"%g\\n\", x * 3);
    fflush(stdout);
    if (count > 3)
        raise(atoi(words[3]));
    return count > 2 ? atoi(words[2]) : 0;
}
";

const CANCELS: &str = "\
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
int main(int count, char **words) {
    double x = atof(words[1]);
    printf(\"%.17g\\n\", (1 - cos(x)) / (x * x));
    return count > 2 ? atoi(words[2]) : 0;
}
";

/// A recurrence whose bounds grow with each step, until they decide nothing.
const RECURRENCE: &str = "\
#include <stdio.h>
#include <stdlib.h>
int main(int count, char **words) {
    double h = atof(words[1]), before = 1, now = 1 - h * h / 2;
    for (int step = 0; step < 20000; step++) {
        double next = 2 * now - before - h * h * now;
        before = now;
        now = next;
    }
    printf(\"%.17g %g\\n\", now, h * 2);
}
";

/// Exit code and what was printed to standard error.
fn explain(sandbox: &Sandbox, words: &[&str]) -> (Option<i32>, String) {
    let words: Vec<&str> = [&["explain"], words].concat();
    let output = sandbox.lostbits(&words).output().expect("it starts");
    let errors = String::from_utf8_lossy(&output.stderr).into_owned();
    (output.status.code(), errors)
}

/// Exit code and report.
fn report(sandbox: &Sandbox, words: &[&str]) -> (Option<i32>, Value) {
    let words = [&["--format", "json", "--report", "report"], words].concat();
    let (code, errors) = explain(sandbox, &words);
    let text = std::fs::read_to_string(sandbox.path("report")).expect(&errors);
    (code, serde_json::from_str(&text).expect("JSON"))
}

#[test]
fn a_failing_program_is_no_success() {
    let sandbox = Sandbox::new();
    sandbox.write("x.c", ENDS);
    let (code, errors) = explain(&sandbox, &["x.c", "--", "2", "7"]);
    assert_eq!(code, Some(7), "{errors}");
    let last = errors.lines().last();
    assert_eq!(last, Some("the program exited with code 7"), "{errors}");
    assert!(errors.contains("no output is wrong by more"), "{errors}");
    let (code, errors) = explain(&sandbox, &["x.c", "--", "2"]);
    assert_eq!(code, Some(0), "{errors}");
}

#[test]
fn a_killed_program_is_not_clean() {
    let sandbox = Sandbox::new();
    sandbox.write("x.c", ENDS);
    for (signal, code) in [("11", 139), ("9", 137)] {
        let (given, report) = report(&sandbox, &["x.c", "--", "2", "0", signal]);
        assert_eq!(given, Some(code), "{report:#}");
        assert_eq!(report["verdict"], "undecided", "{report:#}");
        assert_eq!(report["clean"], false, "{report:#}");
    }
}

#[test]
fn a_failing_fortran_program() {
    let sandbox = Sandbox::new();
    sandbox.write(
        "x.f90",
        "program ends\n  double precision :: x\n  read *, x\n  print *, x * 3\n  stop 9\nend program\n",
    );
    sandbox.write("input", "2.0\n");
    let mut command = sandbox.lostbits(&["explain", "x.f90", "-O1"]);
    command.stdin(std::fs::File::open(sandbox.path("input")).unwrap());
    let output = command.output().unwrap();
    let errors = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(9), "{errors}");
}

/// A test that fails panics, and the harness exits with 101.
#[test]
fn a_failing_rust_test() {
    let sandbox = Sandbox::new();
    sandbox.write(
        "x.rs",
        "#[test]\nfn sums() {\n    let x: f64 = std::hint::black_box(2.0);\n    println!(\"{}\", x * 3.0);\n    \
         assert_eq!(x + 1.0, 4.0);\n}\n",
    );
    let (code, errors) = explain(&sandbox, &["x.rs", "--cc-option=--test"]);
    assert_eq!(code, Some(101), "{errors}");
    assert!(errors.contains("exited with code 101"), "{errors}");
}

#[test]
fn findings_count_more_than_the_programs_exit_code() {
    let sandbox = Sandbox::new();
    sandbox.write("x.c", CANCELS);
    let program = ["x.c", "-lm", "--", "1e-8", "7"];
    let with = |options: &[&str]| explain(&sandbox, &[options, &program].concat()).0;
    assert_eq!(with(&[]), Some(1));
    assert_eq!(with(&["--error-exitcode", "42"]), Some(42));
    // Launchers such as mpirun stop all ranks when one fails: only the program itself may fail.
    assert_eq!(with(&["--error-exitcode", "0"]), Some(7));
    let succeeds = ["--error-exitcode", "0", "x.c", "-lm", "--", "1e-8"];
    assert_eq!(explain(&sandbox, &succeeds).0, Some(0));
}

#[test]
fn what_is_undecided_is_not_clean() {
    let sandbox = Sandbox::new();
    sandbox.write("x.c", RECURRENCE);
    let program = ["--once", "x.c", "-O1", "--", "1e-3"];
    let (code, json) = report(&sandbox, &program);
    assert_eq!(code, Some(3), "{json:#}");
    assert_eq!(json["verdict"], "undecided", "{json:#}");
    assert_eq!(json["clean"], false, "{json:#}");
    let reason = json["verdict_reason"].as_str().unwrap_or_default();
    assert!(
        reason.contains("1 of 2 outputs could not be judged"),
        "{reason}"
    );
    assert!(reason.contains("remove --once"), "{reason}");
    let (code, errors) = explain(&sandbox, &program);
    assert_eq!(code, Some(3), "{errors}");
    assert!(
        errors.contains("undecided: 1 of 2 outputs could not be judged"),
        "{errors}"
    );
    assert!(errors.contains("remove --once"), "{errors}");
    let launched = [&["--error-exitcode", "0"][..], &program].concat();
    assert_eq!(explain(&sandbox, &launched).0, Some(0));
}

/// Without floating-point numbers there is nothing that lostbits could do.
#[test]
fn a_program_without_floating_point() {
    let sandbox = Sandbox::new();
    sandbox.write("x.c", "int main(void) { return 0; }\n");
    let (code, errors) = explain(&sandbox, &["x.c"]);
    assert_eq!(code, Some(2), "{errors}");
    assert!(errors.contains("nothing was judged"), "{errors}");
    sandbox.write(
        "y.rs",
        "fn main() { println!(\"{}\", std::env::args().count()); }\n",
    );
    let (code, errors) = explain(&sandbox, &["y.rs"]);
    assert_eq!(code, Some(2), "{errors}");
}

const SILENT: &str = "\
#include <stdlib.h>
int main(int count, char **words) {
    volatile double x = 0;
    if (count > 1)
        x = atof(words[1]) * 3;
    return 0;
}
";

#[test]
fn a_program_without_outputs() {
    let sandbox = Sandbox::new();
    sandbox.write("x.c", SILENT);
    let (code, json) = report(&sandbox, &["x.c", "--", "2"]);
    assert_eq!(code, Some(3), "{json:#}");
    assert_eq!(json["verdict"], "nothing judged", "{json:#}");
    let (code, errors) = explain(&sandbox, &["x.c", "--", "2"]);
    assert_eq!(code, Some(3), "{errors}");
    assert!(
        errors.contains("nothing to judge: no output was found"),
        "{errors}"
    );
    let (code, errors) = explain(&sandbox, &["x.c"]);
    assert_eq!(code, Some(3), "{errors}");
    assert!(
        errors.contains("nothing to judge: the program executed no"),
        "{errors}"
    );
}

/// A record that `lostbits run` saved, and one that the program wrote by itself, hold the whole analysis.
#[test]
fn saved_records_hold_the_analysis() {
    let sandbox = Sandbox::new();
    sandbox.write("x.c", CANCELS);
    let mut build = sandbox.lostbits(&["cc", "--lostbits-mode=explain", "-g", "x.c", "-o", "prog"]);
    sandbox.succeed(build.arg("-lm"));
    let ran = sandbox.show(&mut sandbox.lostbits(&["run", "-o", "r", "./prog", "1e-8", "7"]));
    assert!(ran.starts_with("exit 7\n"), "{ran}");
    assert!(ran.contains("fix '1 - cos(x)'"), "{ran}");
    let words = ["run", "--error-exitcode", "9", "./prog", "1e-8"];
    let ran = sandbox.show(&mut sandbox.lostbits(&words));
    assert!(ran.starts_with("exit 9\n"), "{ran}");
    for by_itself in ["own", "%p-own"] {
        let mut program = sandbox.program(&sandbox.path("prog"), &["1e-8"]);
        assert_eq!(
            sandbox.succeed(program.env("LOSTBITS_OUT", by_itself)),
            "0\n"
        );
    }
    let own: Vec<String> = files(&sandbox, |name| name.ends_with("-own"));
    for record in ["r", "own", &own[0]] {
        let saved = sandbox.show(&mut sandbox.lostbits(&["report", record]));
        assert!(saved.starts_with("exit 1\n"), "{record}: {saved}");
        assert!(saved.contains("fix '1 - cos(x)'"), "{record}: {saved}");
    }
    let all = sandbox.show(&mut sandbox.lostbits(&["report", "own", "own.analysis", &own[0]]));
    assert!(all.contains("2 of 2 executions"), "{all}");
    let ignored = ["report", "--error-exitcode", "0", "own"];
    assert!(
        sandbox
            .show(&mut sandbox.lostbits(&ignored))
            .starts_with("exit 0\n")
    );
}

#[test]
fn a_record_without_its_analysis_is_refused() {
    let sandbox = Sandbox::new();
    sandbox.write("x.c", CANCELS);
    let mut build = sandbox.lostbits(&["cc", "--lostbits-mode=explain", "x.c", "-o", "prog"]);
    sandbox.succeed(build.arg("-lm"));
    let mut program = sandbox.program(&sandbox.path("prog"), &["1e-8"]);
    sandbox.succeed(program.env("LOSTBITS_OUT", "r"));
    std::fs::remove_file(sandbox.path("r.analysis")).unwrap();
    let shown = sandbox.show(&mut sandbox.lostbits(&["report", "r"]));
    assert!(shown.starts_with("exit 2\n"), "{shown}");
    assert!(shown.contains("its analysis is missing"), "{shown}");
}

/// High-precision programs say with how many bits they measured.
#[test]
fn records_of_high_precision() {
    let sandbox = Sandbox::new();
    sandbox.write("x.c", CANCELS);
    let mut build = sandbox.lostbits(&["cc", "--lostbits-mode=explain-reals", "x.c", "-o", "prog"]);
    sandbox.succeed(build.arg("-lm"));
    let mut program = sandbox.program(&sandbox.path("prog"), &["1e-8"]);
    let settings = [("LOSTBITS_OUT", "r"), ("LOSTBITS_PRECISION", "300")];
    assert_eq!(sandbox.succeed(program.envs(settings)), "0\n");
    let shown = sandbox.show(&mut sandbox.lostbits(&["report", "r"]));
    assert!(shown.starts_with("exit 1\n"), "{shown}");
    assert!(
        shown.contains("errors were measured with 300 bits"),
        "{shown}"
    );
    assert!(!shown.contains("another mode"), "{shown}");
}

/// The first process prints a harmless number and becomes another program, which forks; only the grandchild is wrong.
const FAMILY: &str = "\
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
int main(int count, char **words) {
    double x = atof(words[1]);
    printf(\"%g\\n\", x * 3);
    fflush(stdout);
    if (count > 2)
        return execl(words[0], words[0], words[1], (char *)0);
    if (fork() == 0) {
        printf(\"%g\\n\", (1 - cos(x)) / (x * x));
        exit(0);
    }
    return wait(0) < 0;
}
";

#[test]
fn forks_and_exec_keep_their_analyses() {
    let sandbox = Sandbox::new();
    sandbox.write("x.c", FAMILY);
    let mut build = sandbox.lostbits(&["cc", "--lostbits-mode=explain", "x.c", "-o", "prog"]);
    sandbox.succeed(build.arg("-lm"));
    let is_whole = |shown: &str| {
        assert!(shown.contains("fix '1 - cos(x)'"), "{shown}");
        assert!(shown.contains("checked: 3 outputs"), "{shown}");
        assert!(!shown.contains("no analysis"), "{shown}");
    };
    let ran = sandbox.show(&mut sandbox.lostbits(&["run", "-o", "r", "./prog", "1e-8", "exec"]));
    assert!(ran.starts_with("exit 0\n"), "{ran}");
    is_whole(&ran);
    is_whole(&sandbox.show(&mut sandbox.lostbits(&["report", "r"])));
    for template in ["own-%p", "same"] {
        let mut program = sandbox.program(&sandbox.path("prog"), &["1e-8", "exec"]);
        sandbox.succeed(program.env("LOSTBITS_OUT", template));
        let stem = template.trim_end_matches("%p");
        let all = files(&sandbox, |name| name.starts_with(stem));
        assert_eq!(all.len(), 6, "{all:?}");
        let all: Vec<&str> = all.iter().map(String::as_str).collect();
        let words = [&["report"], &all[..]].concat();
        is_whole(&sandbox.show(&mut sandbox.lostbits(&words)));
        // Joined by hand, in the order of their names.
        let joined: Vec<u8> = all
            .iter()
            .flat_map(|name| std::fs::read(sandbox.path(name)).unwrap())
            .collect();
        sandbox.write("joined", joined);
        is_whole(&sandbox.show(&mut sandbox.lostbits(&["report", "joined"])));
    }
}

/// An analysis of an earlier run is replaced, not taken for that of the new one; what is no analysis stays.
#[test]
fn earlier_analyses() {
    let sandbox = Sandbox::new();
    sandbox.write("x.c", CANCELS);
    let mut build = sandbox.lostbits(&["cc", "--lostbits-mode=explain", "x.c", "-o", "prog"]);
    sandbox.succeed(build.arg("-lm"));
    let run = |argument: &str| {
        let mut program = sandbox.program(&sandbox.path("prog"), &[argument]);
        sandbox.succeed(program.env("LOSTBITS_OUT", "r"));
        let shown = sandbox.show(&mut sandbox.lostbits(&["report", "r"]));
        std::fs::remove_file(sandbox.path("r")).unwrap();
        shown
    };
    assert!(run("1e-8").starts_with("exit 1\n"));
    assert!(run("3.3").starts_with("exit 0\n"));
    sandbox.write("r.analysis", "notes of the user");
    assert!(run("3.3").starts_with("exit 2\n"));
    assert_eq!(sandbox.read("r.analysis"), "notes of the user");
}

/// A record does not say how the program ended; one that ran no exit handlers may have been killed.
#[test]
fn a_record_of_a_killed_program_is_undecided() {
    let sandbox = Sandbox::new();
    sandbox.write("x.c", ENDS);
    sandbox.succeed(&mut sandbox.lostbits(&["cc", "--lostbits-mode=explain", "x.c", "-o", "prog"]));
    let mut program = sandbox.program(&sandbox.path("prog"), &["2", "0", "9"]);
    program.env("LOSTBITS_OUT", "r").output().unwrap();
    let shown = sandbox.show(&mut sandbox.lostbits(&["report", "r"]));
    assert!(shown.starts_with("exit 3\n"), "{shown}");
    assert!(
        shown.contains("without running its exit handlers"),
        "{shown}"
    );
}

/// The names of files in the folder, sorted.
fn files(sandbox: &Sandbox, is_wanted: impl Fn(&str) -> bool) -> Vec<String> {
    let entries = std::fs::read_dir(sandbox.path("")).unwrap().flatten();
    let names = entries.map(|entry| entry.file_name().to_string_lossy().into_owned());
    let mut names: Vec<String> = names.filter(|name| is_wanted(name)).collect();
    names.sort();
    names
}
