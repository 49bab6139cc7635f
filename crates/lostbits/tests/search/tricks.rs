//! Numbers of different origin with the same bits, and code that cancels or rounds on purpose.

use super::*;

fn worst(function: &str, words: &[&str]) -> Vec<Value> {
    let all = [&["--function", function], words].concat();
    let report = report("tricks.c", &all);
    findings(&calls(&report)[0]).to_vec()
}

#[test]
fn correct_tricks_are_not_reported() {
    for function in [
        "rest_of_sum",
        "compensated",
        "determinant",
        "rounded",
        "principal_root",
        "turns",
    ] {
        let found = worst(function, &[]);
        assert!(found.is_empty(), "{function}: {found:?}");
    }
}

/// Without a range, too, a finding is an input that people know.
#[test]
fn everyday_inputs_are_among_the_findings() {
    for function in ["root", "squares"] {
        let found = worst(function, &[]);
        let is_everyday = |finding: &Value| {
            let input = finding["input"].as_array().unwrap();
            input
                .iter()
                .map(decimal)
                .all(|x| (1e-12..1e12).contains(&x.abs()))
        };
        assert!(found.iter().any(is_everyday), "{function}: {found:?}");
    }
}

/// The root is computed as 0, because `sqrt(b*b - 4*a*c)` is `b`.
#[test]
fn a_result_that_looks_like_an_input_is_none() {
    let ranges = [
        "--range",
        "a=1:2",
        "--range",
        "b=1e9:1e10",
        "--range",
        "c=1:2",
    ];
    let found = worst("root", &ranges);
    let zero = found.iter().find(|one| decimal(&one["computed"]) == 0.0);
    let zero = zero.unwrap_or_else(|| panic!("{found:?}"));
    let [a, b, c] = [0, 1, 2].map(|at| decimal(&zero["input"][at]));
    let exact: f64 = zero["exact"].as_str().unwrap().parse().unwrap();
    let stable = 2.0 * c / (-b - (b * b - 4.0 * a * c).sqrt());
    assert!((exact / stable - 1.0).abs() < 1e-12, "{zero}");
    assert_eq!(zero["confirmed_by"], "arithmetic");
}

#[test]
fn arrays_of_nearly_equal_numbers_are_tried() {
    let report = report("tricks.c", &["--call", "variance(x[4], 4)"]);
    assert!(!findings(&calls(&report)[0]).is_empty(), "{report}");
}

/// 159 bits are needed to see what is left.
#[test]
fn precision_rises_until_two_agree() {
    let found = worst("cube", &[]);
    let near = |finding: &Value| (decimal(&finding["input"][0]) - 1.0).abs() < 1e-12;
    let found = found.iter().find(|finding| near(finding)).unwrap();
    let x = decimal(&found["input"][0]);
    let exact: f64 = found["exact"].as_str().unwrap().parse().unwrap();
    assert!((exact / (x - 1.0).powi(3) - 1.0).abs() < 1e-9, "{found}");
}

/// 0/0 where everything underflows: one half, which takes over a thousand bits to see.
#[test]
fn a_missing_result_is_the_right_one() {
    let words = ["--function", "versine", "--range", "x=1e-170:1e-150"];
    let report = report("tricks.c", &words);
    let missing = calls(&report)[0]["missing_results"].as_array().unwrap();
    assert!(!missing.is_empty(), "{report}");
    for one in missing {
        let exact: f64 = one["exact"].as_str().unwrap().parse().unwrap();
        assert!((exact - 0.5).abs() < 1e-9, "{one}");
    }
}
