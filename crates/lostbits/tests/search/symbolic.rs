//! Symbolic search: outcomes of checks that are reached or proved impossible.

use super::*;

const FILE: &str = "symbolic.c";

/// The report of the explorer alone: the pool would use its share of the runs.
fn explored(words: &[&str]) -> Value {
    symbolic(&[words, &["--without", "pool"]].concat())
}

fn symbolic(words: &[&str]) -> Value {
    let mut all = vec!["--strategy", "symbolic"];
    all.extend(words);
    let report = report(FILE, &all);
    calls(&report)[0].clone()
}

fn coverage(call: &Value) -> &Value {
    &call["symbolic"]["coverage"]
}

/// Of all sites together: covered, impossible.
fn total(coverage: &Value, verdict: &str) -> (u64, u64) {
    let sites = coverage["sites"].as_array().unwrap();
    let sum = |what: &str| {
        let of = |site: &Value| site[verdict][what].as_u64().unwrap();
        sites.iter().map(of).sum()
    };
    (sum("covered"), sum("impossible"))
}

/// Every pattern of three outcomes of three checks is produced or proved impossible: none is left.
#[test]
fn all_patterns_of_a_sum_of_four() {
    let call = symbolic(&[
        "--call",
        "recursive_summation(A[4], 4)",
        "--range",
        "A=-100:100",
        "--input-type",
        "float",
        "--without",
        "pool",
        "--solver-seconds",
        "60",
        "--runs",
        "1000000",
    ]);
    let patterns = &coverage(&call)["patterns"];
    assert_eq!(patterns["checks"], 3, "{patterns}");
    assert_eq!(patterns["all"], 27);
    let [produced, impossible] =
        ["produced", "impossible"].map(|at| patterns[at].as_u64().unwrap());
    // Two floats that cancel 40 bits leave zero. What is added to zero does not cancel (three patterns), and
    // where zero is added to zero "accurately", the next number is added to zero again (one pattern).
    assert_eq!((produced, impossible), (23, 4), "{patterns}");
}

/// No derivative leads through the guard, and chance does not either.
#[test]
fn only_the_solver_gets_through_a_guard() {
    let words = [
        "--call",
        "guarded(key, lock, x)",
        "--range",
        "key=-1e9:1e9",
        "--range",
        "lock=-1e9:1e9",
        "--range",
        "x=-1e3:1e3",
        "--without",
        "pool",
        "--runs",
        "20000",
    ];
    let cancelled = |more: &[&str]| {
        let call = symbolic(&[&words[..], more].concat());
        let coverage = coverage(&call);
        (
            total(coverage, "cancellation").0,
            coverage["goals"]["by_solver"].as_u64().unwrap(),
        )
    };
    let (found, by_solver) = cancelled(&[]);
    assert!(found >= 1 && by_solver >= 2, "{found} {by_solver}");
    assert_eq!(cancelled(&["--without", "smt"]), (0, 0));
}

#[test]
fn inversion_makes_each_addition_of_a_sum_cancel() {
    let call = symbolic(&[
        "--call",
        "recursive_summation(A[32], 32)",
        "--range",
        "A=-100:100",
        "--input-type",
        "float",
        "--without",
        "smt",
        "--runs",
        "30000",
    ]);
    let coverage = coverage(&call);
    assert_eq!(total(coverage, "cancellation").0, 31, "{coverage}");
    assert_eq!(total(coverage, "loss").0, 31, "{coverage}");
    assert!(
        coverage["goals"]["by_inversion"].as_u64().unwrap() > 31,
        "{coverage}"
    );
    assert_eq!(coverage["solver"]["queries"], 0);
    let diagnosis = call["symbolic"]["diagnosis"].as_array().unwrap();
    assert!(!diagnosis.is_empty());
    assert!(diagnosis.iter().all(|event| event["line"] == 7));
}

#[test]
fn a_dead_or_missing_solver_is_said_and_the_rest_goes_on() {
    for (solver, sentence) in [
        ("smtlib:no-such-solver-here", "not installed"),
        ("smtlib:kill -SEGV $$", "signal 11"),
        ("smtlib:exit 3", "exit code 3"),
    ] {
        let call = explored(&[
            "--call",
            "dot(x[2], y[2], 2)",
            "--range",
            "x=-100:100",
            "--range",
            "y=-100:100",
            "--solver",
            solver,
            "--runs",
            "3000",
        ]);
        let coverage = coverage(&call);
        let trouble = coverage["solver"]["problem"].as_str().unwrap();
        assert!(trouble.contains(sentence), "{trouble}");
        assert!(total(coverage, "cancellation").0 > 0, "{coverage}");
    }
}

/// Any solver can be used: here our own, as a command.
#[test]
fn another_solver_is_asked_in_smt_lib() {
    let z3 = common::lostbits().get_program().to_owned();
    let command = format!("smtlib:{}-z3", z3.to_string_lossy());
    let call = symbolic(&[
        "--call",
        "travelled(x, y)",
        "--without",
        "mutation",
        "--without",
        "inversion",
        "--without",
        "pool",
        "--solver",
        &command,
        "--runs",
        "2000",
    ]);
    let coverage = coverage(&call);
    assert_eq!(coverage["solver"]["problem"], Value::Null);
    assert_eq!(total(coverage, "cancellation").0, 1, "{coverage}");
    assert!(coverage["goals"]["by_solver"].as_u64().unwrap() >= 1);
}

/// An integer made from an input is followed where it is simple; else it is kept as it was, and said.
#[test]
fn integers_are_followed_or_concretised() {
    let of = |call: &str| {
        let ranges = ["--range", "x=-1000:1000", "--range", "y=-1000:1000"];
        let words = [
            &["--call", call, "--runs", "3000", "--without", "smt"],
            &ranges[..],
        ];
        coverage(&explored(&words.concat()))["concretised_values"]
            .as_u64()
            .unwrap()
    };
    assert_eq!(of("stepped(x, y)"), 0);
    assert_eq!(of("indexed(x, y)"), 1);
}

#[test]
fn the_solver_gets_through_a_guard_on_an_integer() {
    let call = symbolic(&[
        "--call",
        "keyed(key, x)",
        "--range",
        "key=-1e9:1e9",
        "--range",
        "x=-1e3:1e3",
        "--without",
        "pool",
        "--runs",
        "20000",
    ]);
    let coverage = coverage(&call);
    assert_eq!(coverage["branches"]["covered"], 2, "{coverage}");
    assert!(total(coverage, "cancellation").0 >= 1, "{coverage}");
    assert_eq!(coverage["untracked_operands"], 0);
}

/// Every operand that is recorded as the result of an operation has that result's value.
#[test]
fn nothing_is_lost_or_mixed_up_on_the_way() {
    for call in [
        "travelled(x, y)",
        "recursive_summation(A[16], 16)",
        "dot(x[8], y[8], 8)",
        "singles(x[9], 9)",
        "stepped(x, y)",
        "indexed(x, y)",
    ] {
        let call = explored(&["--call", call, "--without", "smt", "--runs", "600"]);
        let coverage = coverage(&call);
        assert_eq!(coverage["untracked_operands"], 0, "{call}");
        assert!(!coverage["sites"].as_array().unwrap().is_empty(), "{call}");
    }
}

#[test]
fn floats_are_checked_in_their_own_format() {
    let call = explored(&[
        "--call",
        "singles(x[3], 3)",
        "--range",
        "x=-100:100",
        "--loss-bits",
        "20",
        "--cancel-bits",
        "20",
        "--runs",
        "3000",
    ]);
    assert_eq!(total(coverage(&call), "cancellation").0, 2);
    assert_eq!(total(coverage(&call), "loss").0, 2);
}

#[test]
fn the_same_seed_gives_the_same_report() {
    let words = [
        "--call",
        "dot(x[4], y[4], 4)",
        "--range",
        "x=-100:100",
        "--range",
        "y=-100:100",
        "--without",
        "smt",
        "--runs",
        "4000",
    ];
    assert_eq!(symbolic(&words), symbolic(&words));
}

#[test]
fn sites_and_samples_are_chosen() {
    let call = "recursive_summation(A[12], 12)";
    let of = |more: &[&str]| {
        let words = [
            "--call",
            call,
            "--range",
            "A=-100:100",
            "--without",
            "smt",
            "--runs",
            "500",
        ];
        let call = explored(&[&words[..], more].concat());
        let sites = coverage(&call)["sites"].as_array().unwrap().clone();
        sites
            .iter()
            .map(|site| site["checked_executions"].as_u64().unwrap())
            .sum::<u64>()
    };
    assert_eq!(of(&[]), 11);
    assert_eq!(of(&["--start", "2", "--step", "4"]), 3);
    assert_eq!(of(&["--sites", "symbolic.c:7"]), 11);
}

/// Without checks, a program that decides nothing has one path: there is nothing to do.
#[test]
fn path_coverage_alone_finds_nothing_in_a_sum() {
    let report = report(
        FILE,
        &[
            "--call",
            "recursive_summation(A[8], 8)",
            "--range",
            "A=-100:100",
            "--strategy",
            "paths",
        ],
    );
    let call = &calls(&report)[0];
    assert!(findings(call).is_empty());
    assert_eq!(coverage(call)["goals"]["by_inversion"], 0);
}

#[test]
fn bad_words_are_sentences() {
    let said = |words: &[&str]| {
        let mut all = vec![
            "--strategy",
            "symbolic",
            "--call",
            "dot(x[2], y[2], 2)",
            "--runs",
            "10",
        ];
        all.extend(words);
        let output = search(FILE, &all);
        assert_eq!(output.status.code(), Some(2));
        String::from_utf8_lossy(&output.stderr).into_owned()
    };
    let unknown = said(&["--symbolic", "z"]);
    assert!(
        unknown.contains("no input is called `z`: choose from x, y"),
        "{unknown}"
    );
    let long = said(&["--symbolic", "x[0:3]"]);
    assert!(long.contains("`x` has 2 elements"), "{long}");
    assert!(said(&["--solver", "yices"]).contains("smtlib:COMMAND"));
    assert!(said(&["--sites", "here"]).contains("file.c:12"));
    let nowhere = said(&["--sites", "symbolic.c:13,symbolic.c:1"]);
    assert!(
        nowhere.contains("no addition or subtraction of floating-point numbers at symbolic.c:1;")
    );
    assert!(said(&["--range", "z=1:2"]).contains("the variables are x, y"));
}
