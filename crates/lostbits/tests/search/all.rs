//! `--all`: every function of a library in one command.

use super::*;

fn call_of<'a>(report: &'a Value, function: &str) -> &'a Value {
    let is_it = |call: &&Value| call["call"].as_str().unwrap().starts_with(function);
    calls(report).iter().find(is_it).unwrap()
}

#[test]
fn every_function_is_searched_or_listed_with_the_reason() {
    let report = report("all.c", &["--all"]);
    let mut searched: Vec<&str> = calls(&report)
        .iter()
        .map(|call| call["call"].as_str().unwrap())
        .collect();
    searched.sort_unstable();
    assert_eq!(
        searched,
        [
            "difference(x, y)",
            "half_open(x)",
            "power(2, x)",
            "safe(x)",
            "split(x, &y)",
            "variance(v[4], 4)",
            "versine(x)",
        ]
    );
    for (function, reason) in [
        ("of_structure", "a structure"),
        ("with_callback", "an address"),
        ("never", "no finite number"),
        ("whole", "no input that varies"),
    ] {
        let skipped = report["skipped"].as_array().unwrap();
        let found = skipped.iter().find(|one| one["function"] == function);
        let found = found.unwrap()["reason"].as_str().unwrap();
        assert!(found.contains(reason), "{function}: {found}");
    }
    assert!(findings(call_of(&report, "safe")).is_empty());
    for function in ["versine", "split"] {
        assert!(
            !findings(call_of(&report, function)).is_empty(),
            "{function}"
        );
    }
}

#[test]
fn domains_are_found_by_probing() {
    let report = report("all.c", &["--all"]);
    let domain = &call_of(&report, "half_open")["domain"][0];
    assert_eq!(domain["parameter"], "x");
    assert_eq!(decimal(&domain["low"]), 1.0);
    assert_eq!(decimal(&domain["high"]), f64::MAX);
}

#[test]
fn the_table_has_the_worst_function_first() {
    let output = search("all.c", &["--all"]);
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let line = |start: &str| {
        text.lines()
            .position(|line| line.starts_with(start))
            .unwrap()
    };
    assert!(line("versine(x)") < line("difference(x, y)"), "{text}");
    assert!(line("difference(x, y)") < line("safe(x)"), "{text}");
    assert!(text.contains("all.c:5 sub"), "{text}");
    assert!(text.contains("nothing wrong in"), "{text}");
    assert!(text.contains("4 functions not searched"), "{text}");
}
