//! What is reported beyond the finding: root causes, second confirmations, inputs whose result should be finite.

use super::*;

#[test]
fn the_worst_finding_is_explained() {
    for (file, words) in [
        ("figure1.c", &["--function", "foo"][..]),
        ("procedures.f90", &["--function", "versine"]),
        ("exported.rs", &["--function", "versine"]),
        ("cores.fpcore", &["--runs", "2000"]),
    ] {
        let mut all = vec!["--explain", "--top", "1"];
        all.extend(words);
        let report = report(file, &all);
        let call = &calls(&report)[0];
        assert!(explains(call), "{file}: {}", call["explanation"]);
    }
}

/// Whether the cause is the operation that the search found, or one whose error that operation amplifies.
fn explains(call: &Value) -> bool {
    let cause = &call["explanation"]["findings"][0];
    let amplifiers = cause["proof"]["amplified_by"].as_array();
    let lines = amplifiers.into_iter().flatten().map(|one| &one["line"]);
    let guilty = &findings(call)[0]["cause"]["line"];
    cause["proof"].is_object()
        && lines
            .chain([&cause["location"]["line"]])
            .any(|line| line == guilty)
}

#[test]
fn the_report_explains_the_worst_finding() {
    let output = search(
        "figure1.c",
        &["--function", "foo", "--top", "1", "--explain"],
    );
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(text.contains("lostbits fix '1 - cos(x)'"), "{text}");
    assert!(text.contains("proof: "), "{text}");
}

#[test]
fn a_library_is_explained_by_its_twin() {
    let folder = common::empty_folder("search-twins").unwrap();
    let [searched, explained] = ["search", "explain"].map(|mode| {
        let library = folder.join(format!("lib-{mode}.so"));
        let built = common::lostbits()
            .args(["cc", "-O2", "-g", "-fPIC", "-shared"])
            .arg(format!("--lostbits-mode={mode}"))
            .arg(subject("figure1.c"))
            .args(["-lm", "-o"])
            .arg(&library)
            .status()
            .unwrap();
        assert!(built.success(), "mode {mode}");
        library
    });
    let mut command = common::lostbits();
    command.args([
        "search", "--call", "foo(x)", "--format", "json", "--top", "1",
    ]);
    command.arg("--library").arg(searched);
    command.arg("--explain-library").arg(explained);
    let output = command.output().unwrap();
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    let call = &calls(&report)[0];
    assert!(explains(call), "{call}");
}

#[test]
fn what_cannot_be_explained_is_refused_before_the_search() {
    let refused = |words: &[&str]| {
        let output = common::lostbits()
            .arg("search")
            .args(words)
            .output()
            .unwrap();
        assert_eq!(output.status.code(), Some(2), "{words:?}");
        String::from_utf8_lossy(&output.stderr).into_owned()
    };
    let said = refused(&["x - 1", "--explain", "--format", "tsv"]);
    assert!(said.contains("--format tsv"), "{said}");
    let said = refused(&["--library", "lib.so", "--call", "f(x)", "--explain"]);
    assert!(said.contains("--explain-library"), "{said}");
}

#[test]
fn neighbours_that_scatter_confirm_a_second_time() {
    let words = ["--function", "scatters", "--range", "x=0.1:1", "--top", "1"];
    let report = report("raised.c", &words);
    let worst = &findings(&calls(&report)[0])[0];
    assert_eq!(worst["confirmed_by"], "arithmetic", "{worst}");
    assert!(
        worst["neighbour_scatter"].as_f64().unwrap() > 1e-3,
        "{worst}"
    );
    let words = [
        "--function",
        "scatters",
        "--range",
        "x=0.1:1",
        "--oracle",
        "none",
    ];
    let report = self::report("raised.c", &words);
    assert_eq!(findings(&calls(&report)[0])[0]["confirmed_by"], "rerun");
}

/// The result is not finite, although it is in exact arithmetic.
#[test]
fn overflow_is_outside_the_domain_and_listed() {
    let report = report("raised.c", &["--function", "length", "--runs", "3000"]);
    let undefined = calls(&report)[0]["missing_results"].as_array().unwrap();
    assert!(!undefined.is_empty(), "{report}");
    for one in undefined {
        let [x, y] = [0, 1].map(|at| decimal(&one["input"][at]));
        let right: f64 = one["exact"].as_str().unwrap().parse().unwrap();
        assert!((x.hypot(y) / right - 1.0).abs() < 1e-12, "{one}");
    }
}

#[test]
fn raised_errors_are_outside_the_domain() {
    let outside = |words: &[&str]| {
        let mut all = vec!["--range", "x=-2:-1", "--runs", "100"];
        all.extend(words);
        let report = report("raised.c", &all);
        let call = &calls(&report)[0];
        assert!(call["runs"].as_u64().unwrap() > 0);
        (
            call["runs_without_number"] == call["runs"],
            call["runs_without_number"] == 0,
        )
    };
    const ALL: (bool, bool) = (true, false);
    const NONE: (bool, bool) = (false, true);
    assert_eq!(outside(&["--call", "status(x, &y)"]), NONE);
    assert_eq!(
        outside(&["--call", "status(x, &y)", "--raises", "status"]),
        ALL
    );
    assert_eq!(outside(&["--call", "sets_errno(x)"]), NONE);
    assert_eq!(
        outside(&["--call", "sets_errno(x)", "--raises", "errno"]),
        ALL
    );
    assert_eq!(outside(&["--call", "calls_handler(x)"]), NONE);
    let install = "install(lostbits_raised)";
    assert_eq!(
        outside(&["--call", "calls_handler(x)", "--init", install]),
        ALL
    );
}

/// Ctrl-C ends the search, not the report.
#[test]
fn an_interrupted_search_leaves_a_report() {
    let mut command = common::lostbits();
    command.arg("search").arg(subject("figure1.c"));
    command.args(["--function", "foo", "--strategy", "random"]);
    command.args(["--runs", "100000000000", "--format", "json"]);
    command.stdout(std::process::Stdio::piped());
    let child = command.spawn().unwrap();
    let id = child.id();
    // Not before it listens.
    let listens = || {
        let status = std::fs::read_to_string(format!("/proc/{id}/status")).unwrap_or_default();
        let caught = status.lines().find_map(|line| line.strip_prefix("SigCgt:"));
        let caught = u64::from_str_radix(caught.unwrap_or("0").trim(), 16).unwrap_or(0);
        caught & (1 << (libc::SIGINT - 1)) != 0
    };
    while !listens() {
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    // SAFETY: the child is ours.
    unsafe { libc::kill(id as i32, libc::SIGINT) };
    let output = child.wait_with_output().unwrap();
    assert!(matches!(output.status.code(), Some(0 | 1)), "{output:?}");
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert!(calls(&report).len() <= 1);
}

/// The call is made by a program that is gone when the report is read.
#[test]
fn proposed_commands_name_the_files_of_the_user() {
    let words = ["--function", "drift", "--top", "1", "--explain"];
    let text = String::from_utf8_lossy(&search("summed.c", &words).stdout).into_owned();
    assert!(text.contains("lostbits fix --function drift"), "{text}");
    assert!(
        text.contains("summed.c") && !text.contains("call.c"),
        "{text}"
    );
}
