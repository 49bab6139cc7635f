//! What is to be found, and that it is found in the same way every time.

use std::fs;

use super::*;

/// The line of a subject that carries a mark.
fn marked_line(file: &str, mark: &str) -> u64 {
    let text = fs::read_to_string(subject(file)).unwrap();
    let line = text.lines().position(|line| line.contains(mark)).unwrap();
    line as u64 + 1
}

#[test]
fn the_first_figure_of_atomu() {
    for strategy in ["auto", "atomic"] {
        let report = report(
            "figure1.c",
            &[
                "--function",
                "foo",
                "--strategy",
                strategy,
                "--runs",
                "60000",
            ],
        );
        let worst = &findings(&calls(&report)[0])[0];
        assert!(
            decimal(&worst["input"][0]).abs() < 1e-6,
            "{strategy}: {worst}"
        );
        assert!(
            worst["relative_error"].as_f64().unwrap() > 1e-3,
            "{strategy}: {worst}"
        );
        assert_eq!(worst["cause"]["operation"], "sub", "{strategy}");
        assert_eq!(worst["cause"]["line"], marked_line("figure1.c", "guilty"));
        let reference: f64 = worst["exact"].as_str().unwrap().parse().unwrap();
        assert!((reference - 0.5).abs() < 1e-6, "{reference}");
    }
}

#[test]
fn the_report_shows_line_caret_and_both_forms() {
    let output = search("figure1.c", &["--function", "foo", "--top", "1"]);
    let text = String::from_utf8(output.stdout).unwrap();
    for part in [
        "foo(x) is wrong",
        "double v2 = 1.0 - v1;",
        "^ sub",
        "= 0x1.",
        "error |",
        "5.0",
    ] {
        let part = part.replace("5.0", "4.99999");
        assert!(
            text.contains(&part) || text.contains(&part.replace("= 0x", "= -0x")),
            "{part}: {text}"
        );
    }
}

const CLASSICS: [(&str, bool); 6] = [
    ("newton(x)", false),
    ("inv(x)", false),
    ("root(b)", true),
    ("poly(x)", true),
    ("exp_series(x)", true),
    ("cos_series(x)", true),
];

fn classic_words() -> Vec<&'static str> {
    CLASSICS
        .iter()
        .flat_map(|(call, _)| ["--call", call])
        .collect()
}

#[test]
fn two_classics_are_stable_and_four_are_not() {
    for strategy in ["auto", "lsga"] {
        let mut words = classic_words();
        words.extend(["--strategy", strategy]);
        let report = report("classics.c", &words);
        for ((name, is_unstable), call) in CLASSICS.iter().zip(calls(&report)) {
            assert_eq!(call["call"], *name);
            assert_eq!(
                !findings(call).is_empty(),
                *is_unstable,
                "{strategy}: {call}"
            );
        }
    }
}

#[test]
fn the_same_seed_gives_the_same_bytes() {
    for strategy in ["roots", "lsga", "genetic", "random"] {
        let bytes = |jobs: &str, seed: &str| {
            let mut words = classic_words();
            words.extend([
                "--strategy",
                strategy,
                "--runs",
                "3000",
                "-j",
                jobs,
                "--seed",
                seed,
            ]);
            words.extend(["--format", "json"]);
            search("classics.c", &words).stdout
        };
        let first = bytes("1", "1");
        assert!(first == bytes("3", "1"), "{strategy}");
        assert!(first == bytes("2", "1"), "{strategy}");
        if strategy != "roots" {
            assert!(
                first != bytes("1", "2"),
                "{strategy}: another seed tries other inputs"
            );
        }
    }
}

#[test]
fn arguments_of_all_kinds() {
    let words = [
        "--call",
        "single(x)",
        "--call",
        "wide(x, 3)",
        "--call",
        "norms(v[3], 3, &sum, &both[2])",
        "--call",
        "overflows(x)",
    ];
    let report = report("shapes.c", &words);
    let [single, wide, norms, overflows] = calls(&report) else {
        panic!("{report}");
    };
    let worst = &findings(single)[0];
    let input = decimal(&worst["input"][0]);
    assert_eq!(
        f64::from(input as f32),
        input,
        "a float is tried with floats"
    );
    assert!(worst["relative_error"].as_f64().unwrap() > 1e-3);
    assert_eq!(wide["parameters"], serde_json::json!(["x"]));
    assert_eq!(
        norms["parameters"],
        serde_json::json!(["v[0]", "v[1]", "v[2]"])
    );
    assert_eq!(
        findings(norms)[0]["output"],
        "sum",
        "a sum cancels, norms do not"
    );
    let worst = &findings(overflows)[0];
    assert!(decimal(&worst["input"][0]).abs() > 1e150, "{worst}");
    assert_eq!(worst["cause"]["operation"], "mul");
}

#[test]
fn ranges_are_kept() {
    let report = report("figure1.c", &["--function", "foo", "--range", "x=0.5:6"]);
    assert!(findings(&calls(&report)[0]).is_empty(), "{report}");
    let report = self::report(
        "figure1.c",
        &["--function", "foo", "--range", "x=-2e-8:-1e-9"],
    );
    for finding in findings(&calls(&report)[0]) {
        assert!(
            (-2e-8..=-1e-9).contains(&decimal(&finding["input"][0])),
            "{finding}"
        );
    }
}

#[test]
fn tsv_has_call_inputs_and_error() {
    let output = search(
        "shapes.c",
        &[
            "--call",
            "norms(v[3], 3, &sum, &both[2])",
            "--format",
            "tsv",
        ],
    );
    let text = String::from_utf8(output.stdout).unwrap();
    let first: Vec<&str> = text.lines().next().unwrap().split('\t').collect();
    let [call, inputs, error] = first[..] else {
        panic!("{text}");
    };
    assert_eq!(call, "norms(v[3], 3, &sum, &both[2])");
    assert_eq!(
        inputs.split(',').filter(|x| x.contains("0x")).count(),
        3,
        "{inputs}"
    );
    assert!(error.parse::<f64>().unwrap() >= 1e-3);
}

#[test]
fn an_oracle_of_the_users_is_asked() {
    // The truth of x - 1 times 3, as if rounding were the function's fault.
    let oracle = "while read x; do printf '%.17g\\n' 1e300; done";
    let words = [
        "--call",
        "wide(x, 3)",
        "--oracle",
        oracle,
        "--range",
        "x=1:2",
    ];
    let report = report("shapes.c", &words);
    let call = &calls(&report)[0];
    for finding in findings(call) {
        assert_eq!(finding["confirmed_by"], "oracle", "{finding}");
        assert!(
            finding["exact"].as_str().unwrap().contains("e300"),
            "{finding}"
        );
    }
}

#[test]
fn a_search_goes_on_where_it_was() {
    let folder = common::empty_folder("search-resume").unwrap();
    let state = folder.join("state").to_string_lossy().into_owned();
    let mut words = classic_words();
    words.extend(["--runs", "2000", "--format", "json", "--resume", &state]);
    let whole = search("classics.c", &words).stdout;
    let saved = fs::read_to_string(&state).unwrap();
    assert_eq!(saved.lines().count(), CLASSICS.len());
    // As if it had been ended in the middle of the fourth.
    let lines: Vec<&str> = saved.lines().collect();
    fs::write(&state, lines[..3].join("\n") + "\n" + &lines[3][..50]).unwrap();
    assert!(search("classics.c", &words).stdout == whole);
    assert_eq!(fs::read_to_string(&state).unwrap(), saved);
}

#[test]
fn an_expression_is_searched_and_a_wrong_one_refused() {
    let mut command = common::lostbits();
    command.args(["search", "(1 - cos(x)) / x^2", "--format", "json"]);
    let output = command.args(["--range", "x=1e-9:1"]).output().unwrap();
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    let worst = &findings(&calls(&report)[0])[0];
    assert_eq!(worst["cause"]["operation"], "sub", "{worst}");
    let input = decimal(&worst["input"][0]);
    assert!((1e-9..1e-3).contains(&input), "{worst}");
    assert_eq!(output.status.code(), Some(1));

    let mut command = common::lostbits();
    let refused = command.args(["search", "(1 - kos(x"]).output().unwrap();
    assert_eq!(refused.status.code(), Some(2));
    let sentence = String::from_utf8_lossy(&refused.stderr);
    assert!(sentence.contains("kos"), "{sentence}");
}
