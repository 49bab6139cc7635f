//! The repairs that people know by name: each is found by the search and, where it is one rule, named without it.

use lostbits::{
    fix::{error::bits, exact, idioms::suggestion, machine::evaluate, repair::repair},
    fpcore::infix::read_infix,
    inputs::{RangeOption, assign},
};

use crate::parts::{EFFORT, subject};

/// Expression, ranges, and a part of the sentence that names the repair without a search; none where no single rule is it.
const IDIOMS: [(&str, &[&str], Option<&str>); 30] = [
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
        // Not as far as π/2, near which the rounding of x + h/2 alone costs more than 3 bits.
        "sin(x + h) - sin(x)",
        &["x=1:1.2", "h=1e-12:1e-9"],
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
    ("log(p / (1 - p))", &["p=0.49999:0.50001"], None),
    ("cos(x + h) - cos(x)", &["x=1:1.5", "h=1e-12:1e-9"], None),
    ("tan(x + h) - tan(x)", &["x=0.5:1", "h=1e-12:1e-9"], None),
    ("exp(a) - exp(b)", &["a=1:1.0000001", "b=1:1.0000001"], None),
    ("1 - pow(1 - p, n)", &["p=1e-12:1e-9", "n=1:100"], None),
    ("log(a / b)", &["a=1:1.0000001", "b=1:1.0000001"], None),
    ("cbrt(x + 1) - cbrt(x)", &["x=1e6:1e12"], None),
    ("(exp(x) - exp(-x)) / 2", &["x=1e-9:1e-3"], None),
    ("acos(1 - x)", &["x=1e-12:1e-6"], None),
    (
        "(-b - sqrt(b * b - 4 * a * c)) / (2 * a)",
        &["a=1:2", "b=-1e8:-1e6", "c=1:2"],
        None,
    ),
    (
        "x * x * x - y * y * y",
        &["x=1e5:1.0000001e5", "y=1e5:1.0000001e5"],
        None,
    ),
    ("cosh(x) - 1", &["x=1e-9:1e-3"], None),
    (
        "atan(y / x) - atan(z / x)",
        &["x=1:2", "y=1:1.0000001", "z=1:1.0000001"],
        None,
    ),
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

/// With numbers of few digits many formulas compute exactly, which no rewriting may spoil.
#[test]
fn no_simple_input_gets_much_worse() {
    const RUMP: &str =
        "333.75 * y^6 + x^2 * (11 * x^2 * y^2 - y^6 - 121 * y^4 - 2) + 5.5 * y^8 + x / (2 * y)";
    for text in [RUMP, "x - sqrt(x * x - y)"] {
        let repair = repair(subject(text, &[]), EFFORT, None);
        let subject = &repair.subject;
        for x in -30..=30 {
            for y in -30..=30 {
                let input = [f64::from(x), f64::from(y) / 4.0];
                let exact = exact::value(&subject.original, &input, subject.width);
                let Some(exact) = exact.filter(|exact| exact.is_finite()) else {
                    continue;
                };
                let error = |computed| bits(computed, exact, subject.width);
                let before = error(evaluate(&subject.original, &input, subject.width));
                let after = error(repair.plan.evaluate(&input, subject.width));
                assert!(
                    after <= before + 4.0,
                    "{text} at {input:?}: {before} → {after}"
                );
            }
        }
    }
}
