//! Every table entry is the double-double nearest to its exact value.

use rug::{Float, float::Constant};
use twofold::tables::*;

const PRECISION: u32 = 300;

fn number(x: f64) -> Float {
    Float::with_val(PRECISION, x)
}

fn pi() -> Float {
    Float::with_val(PRECISION, Constant::Pi)
}

/// Checks that each half is the nearest double.
fn assert_nearest(hi: f64, lo: f64, exact: Float) {
    assert_eq!(hi, exact.to_f64());
    assert_eq!(lo, (exact - hi).to_f64());
}

macro_rules! assert_halves {
    ($entry:expr, $exact:expr) => {
        assert_nearest($entry.hi, $entry.lo, $exact)
    };
}

#[test]
fn constants_are_the_nearest_double_doubles() {
    assert_halves!(LN_2, number(2.0).ln());
    assert_halves!(INVERSE_LN_2, number(2.0).ln().recip());
    assert_halves!(INVERSE_LN_10, number(10.0).ln().recip());
    assert_halves!(PI, pi());
    assert_halves!(HALF_PI, pi() / 2u32);
    assert_halves!(INVERSE_SQRT_PI, pi().sqrt().recip());
    for (index, entry) in ODD_RECIPROCALS.iter().enumerate() {
        assert_halves!(entry, number(2.0 * index as f64 + 3.0).recip());
    }
    for (index, entry) in FACTORIAL_RECIPROCALS.iter().enumerate() {
        let factorial = Float::with_val(PRECISION, Float::factorial(index as u32 + 3));
        assert_halves!(entry, factorial.recip());
    }
}

#[test]
fn table_entries_are_the_nearest_double_doubles() {
    for (j, entry) in EXP2.iter().enumerate() {
        assert_halves!(entry, number(j as f64 / 64.0).exp2());
    }
    for (j, entry) in SINE.iter().enumerate() {
        assert_halves!(entry, (pi() * j as u32 / 256u32).sin());
    }
    for (j, entry) in ATAN.iter().enumerate() {
        assert_halves!(entry, number(j as f64 / 64.0).atan());
    }
    for (index, (inverse, logarithm)) in LOG.iter().enumerate() {
        let j = index as f64 + 90.0;
        assert!((inverse * j / 128.0 - 1.0).abs() < 2e-3);
        assert_eq!((inverse * 512.0).fract(), 0.0);
        assert_halves!(logarithm, -number(*inverse).ln());
    }
    for (index, entry) in RECIPROCALS.iter().enumerate() {
        assert_halves!(entry, number(index as f64 + 1.0).recip());
    }
    for (j, (value, slope)) in ERFC.iter().enumerate() {
        let c = number(j as f64 / 16.0);
        assert_halves!(value, c.clone().erfc());
        assert_halves!(slope, (-c.square()).exp() * 2u32 / pi().sqrt());
    }
}

/// The sum of the parts is far more accurate than a double-double, and their products with integers are exact.
#[test]
fn reduction_constants_are_accurate_and_have_exact_products() {
    let check = |parts: &[f64], exact: Float, multiplier: f64, bits: i32| {
        let sum = parts.iter().fold(number(0.0), |sum, part| sum + *part);
        let error = (sum - &exact).abs() / exact;
        assert!(error.is_zero() || error.get_exp().unwrap() < -bits);
        for part in &parts[..parts.len() - 1] {
            assert_eq!(number(*part) * multiplier, part * multiplier);
        }
    };
    check(&LN_2_64_PARTS, number(2.0).ln() / 64u32, 131_071.0, 118);
    check(&LN_2_PARTS, number(2.0).ln(), 2047.0, 130);
    check(&PI_256_PARTS, pi() / 256u32, 134_217_727.0, 150);
}
