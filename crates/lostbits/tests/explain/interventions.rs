//! `--prove` and `--what-if`: runs in which the errors of other statements are left out.

use serde_json::Value;

use crate::sandbox::Sandbox;

/// Line 6 cancels and makes next to nothing of the sum's error; line 7 makes it. Line 9 cancels what line 8 rounded.
const TWO_SOURCES: &str = "\
#include <math.h>
#include <stdio.h>
int main(int count, char **words) {
    double sum = 0, tenth = 0.1 * count;
    for (int i = 0; i < 100000; i++) {
        double part = (tenth + i) - i;
        sum += tenth + part * 1e-30;
    } double cosine = cos(1e-8 * count);
    double difference = 1 - cosine;
    printf(\"%.17g %.17g\\n\", sum, difference);
}
";

fn proved(words: &[&str]) -> (String, Sandbox) {
    let sandbox = Sandbox::new();
    sandbox.write("two.c", TWO_SOURCES);
    let mut command = sandbox.lostbits(&["explain", "two.c", "-O1", "-lm"]);
    (sandbox.show(command.args(words)), sandbox)
}

fn contribution(report: &Value, line: u64) -> &Value {
    let contributions = report["budget"]["contributions"].as_array().unwrap();
    let at = contributions.iter().find(|one| one["line"] == line);
    at.unwrap_or_else(|| panic!("line {line} is not in {report:#}"))
}

#[test]
fn the_budget_names_the_statements_that_make_the_error() {
    let (shown, sandbox) = proved(&["--prove", "--format", "json", "--report", "report"]);
    let report: Value = serde_json::from_str(&sandbox.read("report")).expect(&shown);
    assert_eq!(report["budget"]["complete"], true, "{report:#}");
    let share = |line| contribution(&report, line)["share"].as_f64().unwrap();
    assert!(share(7) > 0.9, "the sum makes {}", share(7));
    assert!(share(8) > 0.9, "the cosine makes {}", share(8));
}

#[test]
fn a_cancellation_passes_on_what_was_made_elsewhere() {
    let (shown, sandbox) = proved(&["--prove", "--format", "json", "--report", "report"]);
    let report: Value = serde_json::from_str(&sandbox.read("report")).expect(&shown);
    let cancellation = contribution(&report, 9);
    assert_eq!(cancellation["is_root_cause"], true, "{report:#}");
    assert!(cancellation["share"].as_f64().unwrap() < 0.01, "{report:#}");
    assert!(
        cancellation["passes_on"].as_f64().unwrap() > 0.99,
        "{report:#}"
    );
}

#[test]
fn an_exact_statement_gives_the_exact_output() {
    let (shown, _) = proved(&["--what-if", "two.c:8=exact"]);
    let line = shown
        .lines()
        .find(|line| line.contains("computed 0, then 5e-17"));
    assert!(line.is_some(), "{shown}");
    let (shown, _) = proved(&["--what-if", "two.c:9"]);
    let line = shown
        .lines()
        .find(|line| line.contains("computed 0, then 0, exact 5e-17"));
    assert!(line.is_some(), "{shown}");
}

#[test]
fn places_without_operations_and_places_that_are_none_are_named() {
    let (shown, _) = proved(&["--what-if", "two.c:2"]);
    assert!(shown.contains("no operation was executed there"), "{shown}");
    let (shown, _) = proved(&["--what-if", "two.c:2=quad"]);
    assert!(shown.contains("`quad` is not a way to compute"), "{shown}");
    let (shown, _) = proved(&["--what-if", "=exact"]);
    assert!(shown.contains("is not a place"), "{shown}");
}

fn purposes(report: &Value) -> Vec<&str> {
    let passes = report["passes"].as_array().expect("a list");
    let purposes = passes.iter().map(|pass| pass["purpose"].as_str());
    purposes.flatten().collect()
}

fn explained(sandbox: &Sandbox, subject: &[&str]) -> Value {
    let words = [
        &[
            "explain", "--budget", "none", "--format", "json", "--report", "report",
        ],
        subject,
    ];
    let shown = sandbox.show(&mut sandbox.lostbits(&words.concat()));
    serde_json::from_str(&sandbox.read("report")).expect(&shown)
}

/// Runs of the program that explains, and runs of one that only follows errors.
#[test]
fn runs_that_explain_nothing_give_the_same_budget() {
    let sandbox = Sandbox::new();
    // Long enough that building once more is worth it.
    sandbox.write("two.c", TWO_SOURCES.replace("100000", "3000000"));
    let cheap = explained(&sandbox, &["two.c", "-O1", "-lm"]);
    assert!(purposes(&cheap).contains(&"measurement"), "{cheap:#}");
    assert!(!purposes(&cheap).contains(&"intervention"), "{cheap:#}");
    let build = [
        "cc",
        "--lostbits-mode=explain",
        "two.c",
        "-O1",
        "-lm",
        "-o",
        "two",
    ];
    sandbox.succeed(&mut sandbox.lostbits(&build));
    let built = explained(&sandbox, &["./two"]);
    assert!(purposes(&built).contains(&"intervention"), "{built:#}");
    let lines = |report: &Value| -> Vec<(u64, bool, i64)> {
        let contributions = report["budget"]["contributions"].as_array().unwrap();
        let one = |one: &Value| {
            let millionths = one["share"].as_f64().unwrap() * 1e6;
            let line = one["line"].as_u64().unwrap();
            (
                line,
                one["is_root_cause"] == true,
                millionths.round() as i64,
            )
        };
        contributions.iter().map(one).collect()
    };
    assert_eq!(lines(&cheap), lines(&built));
    let proofs = |report: &Value| {
        let findings = report["findings"].as_array().unwrap();
        let proofs = findings.iter().map(|finding| finding["proof"].clone());
        proofs.collect::<Vec<Value>>()
    };
    assert_eq!(proofs(&cheap), proofs(&built));
}

/// What only events know is not guessed: `x + M - M` rounds to a whole number, and a program without events takes that for an error.
#[test]
fn programs_with_precision_specific_roundings_are_proved_by_the_program_that_explains() {
    let sandbox = Sandbox::new();
    let rounds = TWO_SOURCES.replace("100000", "3000000").replace(
        "part * 1e-30",
        "((i * 0.37 * count + 6755399441055744.0) - 6755399441055744.0) * 1e-30",
    );
    sandbox.write("two.c", rounds);
    let report = explained(&sandbox, &["two.c", "-O1", "-lm"]);
    assert!(purposes(&report).contains(&"intervention"), "{report:#}");
    assert!(!purposes(&report).contains(&"measurement"), "{report:#}");
}

/// The sum of 100,000 tenths: in float it is what a program in float prints.
#[test]
fn other_precisions_have_their_own_errors() {
    let value = |how: &str| -> f64 {
        let (shown, _) = proved(&["--what-if", how]);
        let (_, then) = shown.split_once(", then ").expect("an output");
        let (then, _) = then.split_once(',').expect("the exact value");
        then.parse().expect("a number")
    };
    assert_eq!(value("main=float"), f64::from(9_998.557_f32));
    let off = (value("two.c:7=long-double") - 10_000.0).abs();
    assert!(off < 1e-10, "{off}");
}

#[test]
fn a_built_program_cannot_round_to_float() {
    let sandbox = Sandbox::new();
    sandbox.write("two.c", TWO_SOURCES);
    let build = ["cc", "--lostbits-mode=explain", "two.c", "-lm", "-o", "two"];
    sandbox.succeed(&mut sandbox.lostbits(&build));
    let shown =
        sandbox.show(&mut sandbox.lostbits(&["explain", "--what-if", "main=float", "./two"]));
    assert!(shown.contains("exit 2"), "{shown}");
    assert!(
        shown.contains("give `lostbits explain` its sources"),
        "{shown}"
    );
}

#[test]
fn a_program_that_was_built_before_is_proved_like_its_sources() {
    let sandbox = Sandbox::new();
    sandbox.write("two.c", TWO_SOURCES);
    let build = ["cc", "--lostbits-mode=explain", "two.c", "-lm", "-o", "two"];
    sandbox.succeed(&mut sandbox.lostbits(&build));
    let shown = sandbox.show(&mut sandbox.lostbits(&["explain", "./two"]));
    assert!(shown.contains("= proof: "), "{shown}");
    assert!(!shown.contains("suspected"), "{shown}");
}

/// Three processes print at one line; only the second is wrong.
const PROCESSES: &str = "\
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
int main(int count, char **words) {
    double x = atof(words[1]);
    for (int rank = 0; rank < 3; rank++) {
        if (fork() == 0) {
            double far = rank == 1 ? 1e16 : 1;
            double moved = x + far;
            printf(\"%.17g\\n\", moved - far);
            exit(0);
        }
        wait(NULL);
    }
}
";

#[test]
fn causes_are_proved_over_the_processes_of_one_program() {
    let sandbox = Sandbox::new();
    sandbox.write("forks.c", PROCESSES);
    let words = ["explain", "forks.c", "-O1", "--", "0.3"];
    let shown = sandbox.show(&mut sandbox.lostbits(&words));
    assert!(shown.contains(" --> forks.c:10:"), "{shown}");
    assert!(
        shown.contains("forks.c:11 has 17 of 17 right digits instead of 0 of 17"),
        "{shown}"
    );
    let with = ["--what-if", "forks.c:10", "--", "0.3"];
    let shown = sandbox.show(sandbox.lostbits(&words[..3]).args(with));
    assert!(shown.contains("computed 0, then 0.3"), "{shown}");
}

#[test]
fn causes_are_only_suspected_over_the_processes_of_two_programs() {
    let sandbox = Sandbox::new();
    sandbox.write("forks.c", PROCESSES);
    sandbox.write(
        "starts.c",
        "\
#include <unistd.h>
int main(int count, char **words) {
    double half = count / 2.0;
    return half > 0 ? execl(\"./forks\", \"./forks\", \"0.3\", (char *)0) : 1;
}
",
    );
    for name in ["forks", "starts"] {
        let source = format!("{name}.c");
        let build = ["cc", "--lostbits-mode=explain", &source, "-o", name];
        sandbox.succeed(&mut sandbox.lostbits(&build));
    }
    let shown = sandbox.show(&mut sandbox.lostbits(&["explain", "./starts"]));
    assert!(shown.starts_with("exit 1\n"), "{shown}");
    assert!(shown.contains("processes of one program"), "{shown}");
    assert!(!shown.contains("= proof: "), "{shown}");
}
