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

/// Mutants that differ from the original where hardly an input is.
pub const HARDER: [(&str, &str, &str, Ranges); 14] = [
    // Near the zero of a subexpression.
    (
        "(fabs $0)",
        "(sqrt (* $0 $0))",
        "(sqrt (+ (* $0 $0) 1e-300))",
        &[(-1.0, 1.0)],
    ),
    // Only where x is 0.
    (
        "(/ $0 (+ $0 $1))",
        "(/ $0 (+ $1 $0))",
        "(/ 1 (+ 1 (/ $1 $0)))",
        &[(0.0, 1.0), (1e-3, 1.0)],
    ),
    // Only where the divisor of the divisor is 0.
    (
        "(/ $0 (/ $1 (+ 1 $0)))",
        "(/ (* $0 (+ 1 $0)) $1)",
        "(/ 1 (/ (/ $1 (+ 1 $0)) $0))",
        &[(0.0, 1.0), (1.0, 2.0)],
    ),
    // Only for subnormal numbers.
    (
        "(fabs $0)",
        "(fabs (- $0))",
        "(fmax (fabs $0) 2.2250738585072014e-308)",
        &[(-1.0, 1.0)],
    ),
    (
        "(* 2 (sin $0))",
        "(+ (sin $0) (sin $0))",
        "(* 2 (fmax (sin $0) 1e-310))",
        &[(0.0, 1.0)],
    ),
    // Only at one end of the box.
    (
        "(- (* $0 $0) 1)",
        "(* (- $0 1) (+ $0 1))",
        "(* (- $0 1) (fmin (+ $0 1) 1000000))",
        &[(0.0, 1e6)],
    ),
    (
        "(pow $0 $1)",
        "(pow $0 $1)",
        "(exp (* $1 (log $0)))",
        &[(0.0, 1.0), (1.0, 2.0)],
    ),
    (
        "(acos $0)",
        "(* 2 (atan2 (sqrt (- 1 $0)) (sqrt (+ 1 $0))))",
        "(* 2 (atan (/ (sqrt (- 1 $0)) (sqrt (+ 1 $0)))))",
        &[(-1.0, 1.0)],
    ),
    (
        "(- (exp $0) (exp $1))",
        "(* (exp $1) (expm1 (- $0 $1)))",
        "(* (exp $1) (expm1 (fmin (- $0 $1) 1.9999)))",
        &[(0.0, 1.0), (-1.0, 1.0)],
    ),
    // Only for one sign.
    (
        "(log (* $0 $0))",
        "(* 2 (log (fabs $0)))",
        "(* 2 (log $0))",
        &[(-1e-300, 1e6)],
    ),
    (
        "(sqrt (* $0 $1))",
        "(* (sqrt (fabs $0)) (sqrt (fabs $1)))",
        "(* (sqrt $0) (sqrt $1))",
        &[(-1e-12, 1.0), (-1e-12, 1.0)],
    ),
    // Only where the arguments are equal.
    (
        "(- $0 $1)",
        "(- (- $1 $0))",
        "(+ (- $0 $1) (floor (exp (- (fabs (- $0 $1))))))",
        &[(0.0, 1.0), (0.0, 1.0)],
    ),
    (
        "(+ $0 $1)",
        "(+ $1 $0)",
        "(/ (- (* $0 $0) (* $1 $1)) (- $0 $1))",
        &[(0.0, 1.0), (0.0, 1.0)],
    ),
    // Only where both are 0.
    (
        "(- (sqrt $0) (sqrt $1))",
        "(- (- (sqrt $1) (sqrt $0)))",
        "(/ (- $0 $1) (+ (sqrt $0) (sqrt $1)))",
        &[(0.0, 1.0), (0.0, 1.0)],
    ),
];

#[test]
fn right_repairs_are_established() {
    for (original, right, _, ranges) in CASES.into_iter().chain(HARDER) {
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
fn mutants_that_differ_where_hardly_an_input_is_are_refused() {
    for (original, _, mutant, ranges) in HARDER {
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
