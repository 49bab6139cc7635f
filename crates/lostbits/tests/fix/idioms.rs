//! The repairs that people know by name: each is found by the search and, where it is one rule, named without it.

use lostbits::{
    fix::{idioms::suggestion, repair::repair},
    fpcore::infix::read_infix,
    inputs::{RangeOption, assign},
};

use crate::parts::{EFFORT, subject};

/// Expression, ranges, and a part of the sentence that names the repair without a search; none where no single rule is it.
const IDIOMS: [(&str, &[&str], Option<&str>); 17] = [
    ("exp(x) - 1", &["x=1e-12:1e-3"], Some("expm1")),
    ("log(1 + x)", &["x=1e-12:1e-3"], Some("log1p")),
    (
        "sqrt(x * x + y * y)",
        &["x=1e200:1e300", "y=1e200:1e300"],
        Some("hypot"),
    ),
    (
        "a * b - c * d",
        &[
            "a=1.5:1.5000001",
            "b=1.5:1.5000001",
            "c=1.5:1.5000001",
            "d=1.5:1.5000001",
        ],
        None,
    ),
    ("sqrt(x + 1) - sqrt(x)", &["x=1e6:1e12"], Some("conjugate")),
    (
        "(1 - cos(x)) / sin(x)",
        &["x=1e-9:1e-3"],
        Some("half angle"),
    ),
    ("1 - cos(x)", &["x=1e-9:1e-3"], Some("2 sin²")),
    (
        "log(exp(x) + exp(y))",
        &["x=800:900", "y=800:900"],
        Some("does not overflow"),
    ),
    (
        "(-b + sqrt(b * b - 4 * a * c)) / (2 * a)",
        &["a=1:2", "b=1e6:1e8", "c=1:2"],
        None,
    ),
    ("(1 - cos(x)) / (x * x)", &["x=1e-9:1e-3"], None),
    ("1 - sin(x) / x", &["x=1e-6:1e-2"], None),
    (
        "sin(x + h) - sin(x)",
        &["x=1:1.5", "h=1e-12:1e-9"],
        Some("sin a − sin b"),
    ),
    ("pow(1 + r, n) - 1", &["r=1e-12:1e-9", "n=1:100"], None),
    ("atan(x + 1) - atan(x)", &["x=1e6:1e9"], Some("atan2")),
    (
        "log(x + 1) - log(x)",
        &["x=1e6:1e9"],
        Some("without cancellation"),
    ),
    (
        "x * x - y * y",
        &["x=1e8:1.0000001e8", "y=1e8:1.0000001e8"],
        Some("x² − y²"),
    ),
    ("1 / (x + 1) - 1 / x", &["x=1e8:1e12"], None),
];

#[test]
fn each_idiom_is_repaired() {
    for (text, ranges, _) in IDIOMS {
        let repair = repair(subject(text, ranges), EFFORT, None);
        let worst = repair.after.worst();
        assert!(worst < 3.5, "{text}: {worst} bits: {:?}", repair.plan);
        assert!(repair.before.worst() > 8.0, "{text} is accurate already");
    }
}

#[test]
fn idioms_are_named_without_a_search() {
    for (text, ranges, name) in IDIOMS {
        let core = read_infix(text).unwrap();
        let names: Vec<&str> = core.parameters.iter().map(|p| p.name.as_str()).collect();
        let given: Vec<RangeOption> = ranges
            .iter()
            .map(|r| RangeOption::read(r).unwrap())
            .collect();
        let found = suggestion(&core, &assign(&given, &names).unwrap());
        let Some(name) = name else { continue };
        let found = found.unwrap_or_else(|| panic!("{text} has no idiom"));
        assert!(found.sentence.contains(name), "{text}: {found:?}");
    }
    // Where the formula is accurate, and where no idiom helps, nothing is named.
    for text in ["exp(x) - 1", "floor(x) - sin(x * 1e10)"] {
        let core = read_infix(text).unwrap();
        let given = [RangeOption::read("x=2:3").unwrap()];
        assert_eq!(
            suggestion(&core, &assign(&given, &["x"]).unwrap()),
            None,
            "{text}"
        );
    }
}
