//! One row, many tests: every row of the operation table is checked against MPFR, the host's libm
//! and its own claims. The tests are generated from the table, one for each row and family, so that a
//! new row is tested without a line here.

/// A test function for each row: `$check(Op::Row)`.
macro_rules! test_each_row {
    ($($number:literal $variant:ident = $source:ident :: $function:ident { $($rest:tt)* })*) => {
        #[allow(non_snake_case)]
        mod each_row {
            $(
                #[test]
                fn $variant() {
                    super::check(lostbits_abi::ops::Op::$variant);
                }
            )*
        }
    };
}

mod conditions;
mod host;
mod points;
mod special_values;
mod stability;

use lostbits_abi::ops::Op;
use lostbits_reals::evaluate;
use rug::Float;

/// The operation on doubles, which become exact numbers.
fn evaluate_doubles(op: Op, operands: &[f64], precision: u32) -> Option<Float> {
    let operands: Vec<Float> = operands.iter().map(|x| Float::with_val(53, *x)).collect();
    evaluate(op, &operands, precision)
}

/// Whether the real numbers give the operation a meaning.
fn has_real_value(op: Op) -> bool {
    let ones = [1.0; 3];
    evaluate_doubles(op, &ones[..op.info().arity()], 53).is_some()
}

#[test]
fn operations_without_a_real_value_are_these() {
    let without: Vec<&str> = Op::ALL
        .iter()
        .filter(|op| !has_real_value(**op))
        .map(|op| op.name())
        .collect();
    assert_eq!(
        without,
        [
            "compare",
            "nextafter",
            "nextup",
            "nextdown",
            "class",
            "call",
            "call of two",
            "call of three"
        ]
    );
}

#[test]
fn operands_without_bounded_cost_are_refused() {
    let huge = Float::with_val(53, 1.0) << 1_000_000_000;
    assert!(evaluate(Op::Sin, std::slice::from_ref(&huge), 53).is_none());
    assert!(evaluate(Op::Mul, &[huge.clone(), huge], 53).is_some());
}
