//! MPFR's values, rounded to double, against the host's libm, over all special values and their
//! combinations; and against IEEE 754 where the host has no such function.

use lostbits_abi::ops::{Op, Outcome};
use rug::Float;

use crate::{
    evaluate_doubles, has_real_value,
    host::{host, symbol},
    points::special_operands,
};

/// Far more than double, so that rounding twice does not matter within the bounds below.
const PRECISION: u32 = 160;

/// How far glibc may be off, in ulps of the exact value; it promises no bounds. Correctly rounded
/// operations have 1/2. The others are glibc's own known errors (its manual lists up to 9 for tgamma
/// on x86-64), a little rounded up.
fn bound(op: Op) -> f64 {
    use Op::*;
    match op {
        Add | Sub | Mul | Div | Rem | Remainder | Fma | MulAdd | Sqrt | Fdim | ReduceAdd
        | ReduceMul => 0.5,
        _ if op.info().stability.is_exact() => 0.5,
        // By `is_close_absolutely`: near their zeros glibc's have no useful relative bound.
        J0 | J1 | Y0 | Y1 | Jn | Yn => f64::INFINITY,
        Tgamma => 10.0,
        Lgamma => 5.0,
        // Repeated multiplication by compiler-rt, up to the 64th power.
        Powi => 40.0,
        _ => 3.0,
    }
}

/// The distance in units of the last bit of a double at the exact value; infinite if only one is a number or finite. A finite
/// number beyond all doubles is infinity.
fn ulps(computed: f64, exact: &Float) -> f64 {
    let rounded = exact.to_f64();
    if !computed.is_finite() || !rounded.is_finite() {
        let is_same = computed.to_bits() == rounded.to_bits();
        return match is_same || computed.is_nan() && rounded.is_nan() {
            true => 0.0,
            false => f64::INFINITY,
        };
    }
    let last = exact.get_exp().map_or(-1074, |exponent| exponent - 53);
    let distance = Float::with_val(PRECISION, computed - exact).abs();
    (distance >> last.max(-1074)).to_f64()
}

fn check(op: Op) {
    if !has_real_value(op) {
        return; // `operations_without_a_real_value_are_these` lists them
    }
    let Some(function) = host(op) else {
        return; // `operations_without_a_host_function_are_these` lists them
    };
    let mut compared = 0;
    for operands in special_operands(op) {
        let Some(computed) = function(&operands) else {
            continue;
        };
        let Some(exact) = evaluate_doubles(op, &operands, PRECISION) else {
            panic!("{}{operands:?} has no value", op.name());
        };
        let error = ulps(computed, &exact);
        let context = || {
            format!(
                "{}{operands:?} = {exact:.20}, the host has {computed:e}",
                op.name()
            )
        };
        assert!(error <= bound(op), "{}: {error} ulps", context());
        assert!(
            bound(op).is_finite() || is_close_absolutely(computed, exact.to_f64()),
            "{}",
            context()
        );
        assert_eq!(computed.is_nan(), exact.is_nan(), "{}", context());
        assert_eq!(
            computed.is_infinite(),
            exact.to_f64().is_infinite(),
            "{}",
            context()
        );
        if exact.is_zero() && !zero_has_no_sign(op, &operands) {
            assert_eq!(
                computed.is_sign_negative(),
                exact.is_sign_negative(),
                "{}",
                context()
            );
        }
        compared += 1;
    }
    assert!(
        compared >= 12,
        "only {compared} comparisons for {}",
        op.name()
    );
}
lostbits_abi::operations!(test_each_row);

/// To 13 digits of the value, or of 1 where it is smaller: the Bessel functions swing between ±1.
fn is_close_absolutely(computed: f64, exact: f64) -> bool {
    let distance = (computed - exact).abs();
    !distance.is_finite() || distance <= 1e-13 * exact.abs().max(1.0)
}

/// Where C leaves the sign of a zero open.
fn zero_has_no_sign(op: Op, operands: &[f64]) -> bool {
    match op {
        // min and max of zeros of both signs: MPFR takes -0 for the smaller, glibc the first or second.
        Op::Fmin | Op::Fmax => operands.iter().all(|x| *x == 0.0),
        // The functions swing around 0 towards infinity.
        Op::J0 | Op::J1 | Op::Jn | Op::Y0 | Op::Y1 | Op::Yn => true,
        _ => op.info().outcome != Outcome::Real,
    }
}

#[test]
fn operations_without_a_host_function_are_these() {
    // Of these, newer versions of glibc have the functions of C23.
    let c23 = [
        "rsqrt", "sinpi", "cospi", "tanpi", "asinpi", "acospi", "atanpi", "atan2pi", "sincospi",
        "exp2m1", "exp10m1", "log2p1", "log10p1",
    ];
    let others = ["compare", "class", "erfc_scaled", "modulo"];
    for op in Op::ALL {
        let name = op.name();
        let expected = !others.contains(&name) && !op.is_call();
        if !c23.contains(&name) {
            assert_eq!(host(*op).is_some() && name != "class", expected, "{name}");
        }
    }
}

#[test]
fn special_values_by_ieee_where_the_host_has_no_function() {
    const INF: f64 = f64::INFINITY;
    const NAN: f64 = f64::NAN;
    const TINY: f64 = f64::MIN_POSITIVE;
    let cases: &[(Op, &[f64], f64)] = &[
        (Op::Rsqrt, &[0.0], INF),
        (Op::Rsqrt, &[-0.0], -INF),
        (Op::Rsqrt, &[INF], 0.0),
        (Op::Rsqrt, &[-1.0], NAN),
        (Op::Rsqrt, &[4.0], 0.5),
        (Op::SinPi, &[-0.0], -0.0),
        (Op::SinPi, &[3.0], 0.0),
        (Op::SinPi, &[-3.0], -0.0),
        (Op::SinPi, &[0.5], 1.0),
        (Op::SinPi, &[INF], NAN),
        (Op::SincosPi, &[1.5], -1.0),
        (Op::CosPi, &[0.5], 0.0),
        (Op::CosPi, &[-1.5], 0.0),
        (Op::CosPi, &[1e300], 1.0),
        (Op::TanPi, &[0.25], 1.0),
        (Op::TanPi, &[0.5], INF),
        (Op::TanPi, &[-0.5], -INF),
        (Op::AsinPi, &[1.0], 0.5),
        (Op::AsinPi, &[-0.0], -0.0),
        (Op::AsinPi, &[1.5], NAN),
        (Op::AcosPi, &[1.0], 0.0),
        (Op::AcosPi, &[-1.0], 1.0),
        (Op::AtanPi, &[-INF], -0.5),
        (Op::Atan2Pi, &[-0.0, -1.0], -1.0),
        (Op::Atan2Pi, &[1.0, 0.0], 0.5),
        (Op::Exp2m1, &[-INF], -1.0),
        (Op::Exp2m1, &[-0.0], -0.0),
        (Op::Exp2m1, &[3.0], 7.0),
        (Op::Exp10m1, &[2.0], 99.0),
        (Op::Exp10m1, &[INF], INF),
        (Op::Log2p1, &[-1.0], -INF),
        (Op::Log2p1, &[7.0], 3.0),
        (Op::Log2p1, &[-2.0], NAN),
        (Op::Log10p1, &[99.0], 2.0),
        (Op::Log10p1, &[-0.0], -0.0),
        (Op::ErfcScaled, &[0.0], 1.0),
        (Op::ErfcScaled, &[INF], 0.0),
        (Op::ErfcScaled, &[-INF], INF),
        (Op::ErfcScaled, &[NAN], NAN),
        (Op::ErfcScaled, &[1.0], 0.427_583_576_155_807),
        (Op::ErfcScaled, &[1e10], 5.641_895_835_477_563e-11),
        (Op::Modulo, &[-1.0, 3.0], 2.0),
        (Op::Modulo, &[1.0, -3.0], -2.0),
        (Op::Modulo, &[-6.0, 3.0], 0.0),
        (Op::Modulo, &[6.0, -3.0], -0.0),
        (Op::Modulo, &[1.0, 0.0], NAN),
        (Op::ReduceAdd, &[1.0, 1e300, 1.0, -1e300], 2.0),
        (
            Op::ReduceMul,
            &[3.0, TINY, TINY, 1.0 / TINY, 1.0 / TINY],
            3.0,
        ),
        (Op::ReduceMin, &[3.0, NAN, -1.0], -1.0),
        (Op::ReduceMax, &[3.0, NAN, -1.0], 3.0),
        (Op::ReduceMinimum, &[3.0, NAN, -1.0], NAN),
        (Op::ReduceMaximum, &[3.0, 5.0, -1.0], 5.0),
        (Op::ReduceMaximum, &[-0.0, 0.0, -0.0], 0.0),
    ];
    for (op, operands, expected) in cases {
        let value = evaluate_doubles(*op, operands, PRECISION).unwrap().to_f64();
        let same = value.to_bits() == expected.to_bits() || value.is_nan() && expected.is_nan();
        assert!(
            same,
            "{}{operands:?} = {value:e}, not {expected:e}",
            op.name()
        );
    }
}

#[test]
fn second_results_are_those_of_the_library() {
    let mut cosine = 0.0;
    let pointer = symbol("sincos").unwrap();
    // SAFETY: the prototype of glibc's sincos.
    let sincos: extern "C" fn(f64, &mut f64, &mut f64) = unsafe { std::mem::transmute(pointer) };
    sincos(1.25, &mut 0.0, &mut cosine);
    let second = Op::Sincos.info().second.unwrap();
    assert_eq!(
        evaluate_doubles(second, &[1.25], 53).unwrap().to_f64(),
        cosine
    );
    let second = Op::Modf.info().second.unwrap();
    assert_eq!(
        evaluate_doubles(second, &[-2.75], 53).unwrap().to_f64(),
        -2.0
    );
}
