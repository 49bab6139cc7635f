//! The column `stability` against the condition numbers and against MPFR.

use lostbits_abi::ops::{Op, Outcome, Stability};

use crate::{
    evaluate_doubles, has_real_value,
    points::{sampled_operands, special_operands},
};

fn check(op: Op) {
    match op.info().stability {
        Stability::Exact { danger } => {
            never_rounds(op);
            match danger {
                Some(danger) => exceeds_a_thousand(op, danger.witness),
                None => stays_below(op, 1.0),
            }
        }
        Stability::Stable { bound } => {
            sometimes_rounds(op);
            stays_below(op, bound);
        }
        Stability::Unstable { danger } => {
            sometimes_rounds(op);
            exceeds_a_thousand(op, danger.witness);
        }
    }
}
lostbits_abi::operations!(test_each_row);

fn largest(op: Op, operands: &[f64]) -> f64 {
    op.condition(operands).into_iter().fold(0.0, f64::max)
}

fn stays_below(op: Op, bound: f64) {
    for operands in sampled_operands(op).iter().chain(&special_operands(op)) {
        let number = largest(op, operands);
        assert!(
            number <= bound * (1.0 + 1e-12),
            "{}{operands:?}: {number}",
            op.name()
        );
    }
}

fn exceeds_a_thousand(op: Op, witness: &[f64]) {
    let number = largest(op, witness);
    assert!(number > 1000.0, "{}{witness:?}: {number}", op.name());
}

/// The result at 53 bits is the result at twice as many: nothing was rounded off.
fn rounds(op: Op, operands: &[f64]) -> bool {
    let [narrow, wide] = [53, 106].map(|bits| evaluate_doubles(op, operands, bits).unwrap());
    !(narrow.is_nan() && wide.is_nan() || narrow == wide)
}

fn never_rounds(op: Op) {
    if !has_real_value(op) {
        return;
    }
    for operands in sampled_operands(op).iter().chain(&special_operands(op)) {
        assert!(!rounds(op, operands), "{}{operands:?}", op.name());
    }
}

/// A row not called exact is not so out of caution. Conversions round by their target format, which
/// the real numbers do not know, functions of complex numbers by what the library does, and calls of a program's own functions by
/// what these do.
fn sometimes_rounds(op: Op) {
    let by_format = matches!(
        op,
        Op::Truncate | Op::FromSigned | Op::FromUnsigned | Op::ComplexPart
    );
    if by_format || op.is_call() {
        return;
    }
    assert_eq!(op.info().outcome, Outcome::Real);
    let [narrow, wide] = [53, 200];
    let rounds = |operands: &Vec<f64>| {
        let value = |bits| evaluate_doubles(op, operands, bits).unwrap();
        value(wide).is_finite() && value(narrow) != value(wide)
    };
    assert!(
        sampled_operands(op).iter().any(rounds),
        "{} seems exact",
        op.name()
    );
}
