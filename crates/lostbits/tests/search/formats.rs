//! Which runs exact arithmetic may judge alone: formulas, but not code that is written for its precision.

use super::*;

fn of(function: &str, words: &[&str]) -> Value {
    let mut all = vec!["--function", function, "--runs", "6000"];
    all.extend(words);
    calls(&report("formats.c", &all))[0].clone()
}

#[test]
fn formulas_are_judged_by_the_same_run_in_high_precision() {
    for function in ["root", "versine", "fraction"] {
        let call = of(function, &[]);
        let worst = &findings(&call)[0];
        assert_eq!(worst["confirmed_by"], "arithmetic", "{function}: {worst}");
    }
}

/// Whoever clears bits of a number means those of its format, which exact arithmetic does not have.
#[test]
fn runs_that_use_bits_are_not() {
    for function in ["low_part", "low_bits"] {
        for level in ["-O0", "-O2"] {
            let call = of(function, &[level, "--range", "x=0.5:100"]);
            let lists = ["findings", "unconfirmed"].map(|list| call[list].as_array().unwrap());
            let all: Vec<&Value> = lists.into_iter().flatten().collect();
            assert!(!all.is_empty(), "{function} {level}: nothing to judge");
            let is_doubted = |finding: &&Value| finding["confirmed_by"] != "arithmetic";
            assert!(all.iter().all(is_doubted), "{function} {level}: {call}");
        }
    }
}

/// A rounding by a constant is a rounding in exact arithmetic, too, so that the rest is what the program computes.
#[test]
fn what_is_meant_to_be_the_rounding_error_is_not_accused() {
    let words = ["--range", "x=0.5:100"];
    let call = of("rest", &words);
    assert!(findings(&call).is_empty(), "{call}");
    let shadow = of("rest", &["--range", "x=0.5:100", "--oracle", "shadow"]);
    assert!(findings(&shadow).is_empty(), "{shadow}");
}

#[test]
fn accurate_code_that_cancels_is_not_accused() {
    let call = of("kahan", &[]);
    assert!(findings(&call).is_empty(), "{call}");
}
