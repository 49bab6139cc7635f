//! Condition-number formulas against finite differences of MPFR.
//!
//! The relative step is 2^-200 at 600 bits: a difference cancels 200 bits and keeps 400, and the
//! curvature adds an error of about step times condition number, below 2^-100 as long as the condition
//! number is below [`STEEP`]. So what the comparison measures is the formula in double precision, next
//! to danger zones too.

use lostbits_abi::ops::{Op, Operand};
use rug::Float;

use lostbits_reals::evaluate;

use crate::{has_real_value, points::sampled_operands};

const PRECISION: u32 = 600;
const STEP_EXPONENT: i32 = -200;
/// Beyond, it is a jump or a pole, or as good as one; both sides must agree on that.
const STEEP: f64 = 1e30;

/// The relative error allowed to a formula. libm is good to a few ulps (2^-51) in each of a formula's
/// functions; e^-x² adds x² ulps. glibc's Bessel functions lose digits close to their zeros.
fn tolerance(op: Op) -> f64 {
    use Op::*;
    match op {
        J0 | J1 | Y0 | Y1 | Jn | Yn => 2.0_f64.powi(-10),
        _ => 2.0_f64.powi(-38),
    }
}

/// Where a formula is a difference (ψ, Bessel) it is good to this much absolutely.
const ABSOLUTE: f64 = 1e-12;

fn check(op: Op) {
    if !has_real_value(op) {
        return;
    }
    let mut compared = [0; 3];
    for operands in sampled_operands(op) {
        if op.info().folds.is_some() {
            compared[0] += usize::from(check_lanes(op, &operands));
            continue;
        }
        for (index, kind) in op.info().operands.iter().enumerate() {
            if *kind == Operand::Real || op.info().arity() == 1 {
                compared[index] += usize::from(check_operand(op, &operands, index));
            }
        }
    }
    for (index, kind) in op.info().operands.iter().enumerate() {
        let expected = if *kind == Operand::Real && op.info().folds.is_none() {
            40
        } else {
            0
        };
        assert!(
            compared[index] >= expected,
            "{}: {compared:?} comparisons",
            op.name()
        );
    }
    assert!(
        compared.iter().sum::<usize>() >= 10,
        "{}: {compared:?} comparisons",
        op.name()
    );
}
lostbits_abi::operations!(test_each_row);

/// Whether the formula could be compared; panics where it is wrong.
fn check_operand(op: Op, operands: &[f64], index: usize) -> bool {
    let exact: Vec<Float> = operands
        .iter()
        .map(|x| Float::with_val(PRECISION, *x))
        .collect();
    let Some(measured) = finite_difference(op, &exact, index) else {
        return false;
    };
    compare(op, operands, index, op.condition(operands)[index], measured);
    true
}

fn check_lanes(op: Op, operands: &[f64]) -> bool {
    let exact: Vec<Float> = operands
        .iter()
        .map(|x| Float::with_val(PRECISION, *x))
        .collect();
    let measured = (0..operands.len())
        .filter_map(|lane| finite_difference(op, &exact, lane))
        .fold(0.0, f64::max);
    compare(op, operands, 0, op.condition(operands)[0], measured);
    true
}

fn compare(op: Op, operands: &[f64], index: usize, formula: f64, measured: f64) {
    let agree = if formula.max(measured) >= STEEP {
        formula.min(measured) >= STEEP / 1024.0
    } else {
        (formula - measured).abs() <= tolerance(op) * measured + ABSOLUTE
    };
    let name = op.name();
    assert!(
        agree,
        "{name}{operands:?}, operand {index}: formula {formula:e}, measured {measured:e}"
    );
}

/// The larger of the differences to both sides, so that kinks and jumps are seen; `None` where the
/// operation has no finite value.
fn finite_difference(op: Op, operands: &[Float], index: usize) -> Option<f64> {
    let step = Float::with_val(PRECISION, 1) << STEP_EXPONENT;
    let value = evaluate(op, operands, PRECISION)?;
    let change = |factor: Float| {
        let mut moved = operands.to_vec();
        moved[index] *= factor;
        let change = evaluate(op, &moved, PRECISION)? - &value;
        change.is_finite().then(|| change.abs())
    };
    let change = change(Float::with_val(PRECISION, 1 + &step))?
        .max(&change(Float::with_val(PRECISION, 1 - &step))?);
    // An inexact operation that gives 0 for this and neighbouring operands has left MPFR's range.
    let underflowed = value.is_zero() && change.is_zero() && !op.info().stability.is_exact();
    if !value.is_finite() || underflowed {
        return None;
    }
    Some(if change.is_zero() {
        0.0
    } else {
        (change / step / value.abs()).to_f64()
    })
}

/// At 0 the relative step does nothing: there the formula must be the limit, seen from 2^-100000.
/// Logarithms approach theirs as slowly as 1/100000.
mod at_zero {
    use super::*;

    fn check(op: Op) {
        let operands: &[f64] = match op.info().operands {
            _ if !has_real_value(op) || op.info().folds.is_some() => return,
            [Operand::Real] => &[0.0],
            [Operand::Integer, Operand::Real] => &[2.0, 0.0],
            _ => return,
        };
        let index = operands.len() - 1;
        let mut near: Vec<Float> = operands
            .iter()
            .map(|x| Float::with_val(PRECISION, *x))
            .collect();
        near[index] = Float::with_val(PRECISION, 1.5) >> 100_000;
        let Some(measured) = finite_difference(op, &near, index) else {
            return;
        };
        let formula = op.condition(operands)[index];
        assert!(
            (formula - measured).abs() < 1e-4,
            "{} at 0: {formula} but {measured}",
            op.name()
        );
    }
    lostbits_abi::operations!(test_each_row);
}

#[test]
fn operands_that_are_no_numbers_have_no_condition_number() {
    for op in Op::ALL {
        let mut operands = vec![0.5; op.info().arity()];
        for special in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
            operands[0] = special;
            assert!(
                op.condition(&operands).iter().all(|number| number.is_nan()),
                "{}",
                op.name()
            );
        }
    }
}
