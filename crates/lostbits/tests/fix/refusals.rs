//! The prover refuses repairs that differ from the original, be it on a small part of the box.

use lostbits::fix::{
    identity::establish,
    interval::Interval,
    math::{Term, parse},
    saturate::{Limits, saturate},
};

fn box_of(ranges: &[(f64, f64)]) -> Vec<Interval> {
    ranges
        .iter()
        .map(|(low, high)| Interval::new(*low, *high))
        .collect()
}

fn established(original: &str, candidate: &str, ranges: &[(f64, f64)]) -> bool {
    let [original, candidate]: [Term; 2] = [original, candidate].map(parse);
    establish(&original, &candidate, &[], &box_of(ranges)).is_some()
}

/// From the first to the second, for each variable.
pub type Ranges = &'static [(f64, f64)];

/// Each original with a right repair and with a mutant: right on most of the box, wrong on a small part of it.
pub const CASES: [(&str, &str, &str, Ranges); 10] = [
    // √x² is |x|, not x: wrong for the few negative x.
    ("(sqrt (* $0 $0))", "(fabs $0)", "$0", &[(-1e-6, 1e6)]),
    // log(xy) needs both positive.
    (
        "(log (* $0 $1))",
        "(log (* $1 $0))",
        "(+ (log $0) (log $1))",
        &[(-1e-3, 1e3), (-1e-3, 1e3)],
    ),
    // The conjugate's sign.
    (
        "(- (sqrt (+ $0 1)) (sqrt $0))",
        "(/ 1 (+ (sqrt (+ $0 1)) (sqrt $0)))",
        "(/ 1 (+ (sqrt (+ $0 1)) (fmax (sqrt $0) 1e-9)))",
        &[(0.0, 1e6)],
    ),
    // Clipped where it hardly matters.
    (
        "(- (* $0 $0) (* $1 $1))",
        "(* (- $0 $1) (+ $0 $1))",
        "(* (- $0 $1) (fmin (+ $0 $1) 1999999))",
        &[(0.0, 1e6), (0.0, 1e6)],
    ),
    // A constant that is off in its ninth digit.
    (
        "(- 1 (cos $0))",
        "(* 2 (* (sin (/ $0 2)) (sin (/ $0 2))))",
        "(* 2.000000001 (* (sin (/ $0 2)) (sin (/ $0 2))))",
        &[(-1.0, 1.0)],
    ),
    // A series without its remainder.
    (
        "(- (exp $0) 1)",
        "(expm1 $0)",
        "(+ $0 (/ (* $0 $0) 2))",
        &[(-1e-9, 1e-9)],
    ),
    // atan of the quotient loses the quadrant where x is negative.
    (
        "(atan2 $0 $1)",
        "(atan2 $0 $1)",
        "(atan (/ $0 $1))",
        &[(-1.0, 1.0), (-1e-9, 1.0)],
    ),
    // |x| for x on a box that reaches just below 0.
    ("(fabs $0)", "(fabs (- $0))", "$0", &[(-1e-300, 1.0)]),
    // pow(x, 1/2 · 2) is x only for x ≥ 0.
    (
        "(log (pow $0 $1))",
        "(log (pow $0 $1))",
        "(* $1 (log $0))",
        &[(-0.5, 10.0), (1.0, 3.0)],
    ),
    // The larger of two instead of their distance from 0: Herbie's √(x² + y²).
    (
        "(sqrt (+ (* $0 $0) (* $1 $1)))",
        "(hypot $0 $1)",
        "(fmax (fabs $0) (fabs $1))",
        &[(1e100, 1e101), (0.0, 1e80)],
    ),
];

#[test]
fn right_repairs_are_established() {
    for (original, right, _, ranges) in CASES {
        assert!(established(original, right, ranges), "{original} = {right}");
    }
}

#[test]
fn ten_mutants_are_refused() {
    for (original, _, mutant, ranges) in CASES {
        assert!(
            !established(original, mutant, ranges),
            "{original} ≠ {mutant}"
        );
    }
}

#[test]
fn ranges_decide_which_rules_apply() {
    let original = "(sqrt (* $0 $0))";
    assert!(!established(original, "$0", &[(-1e-300, 1.0)]));
    assert!(established(original, "$0", &[(0.0, 1.0)]));
}

/// A rule that is applied where it does not hold ends in joining different numbers.
#[test]
fn saturation_never_joins_two_numbers() {
    let limits = Limits {
        nodes: 1500,
        rounds: 6,
    };
    let terms = [
        "(/ (- $0 $0) $0)",
        "(/ $0 (- $0 $1))",
        "(- (sqrt (* $0 $0)) $0)",
        "(log (/ $0 $1))",
        "(- (pow (+ $0 1) $1) 1)",
        "(/ (- 1 (cos $0)) (* $0 $0))",
        "(- (tan (+ $0 $1)) (tan $0))",
    ];
    for text in terms {
        let term = parse(text);
        let ranges = box_of(&[(-1e10, 1e10), (-1e10, 1e10)]);
        let mut saturated = saturate(&[&term], &ranges, limits);
        let graph = &mut saturated.graph;
        let number = |graph: &mut lostbits::fix::analysis::Graph, x: i32| {
            let id = graph.add(lostbits::fix::math::Math::number(x));
            graph.find(id)
        };
        let all: Vec<_> = [-1, 0, 1, 2].map(|x| number(graph, x)).to_vec();
        for (index, one) in all.iter().enumerate() {
            assert!(!all[..index].contains(one), "{text} joins two numbers");
        }
    }
}
