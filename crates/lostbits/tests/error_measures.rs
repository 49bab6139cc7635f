//! Properties of the error measures, from bit patterns and their neighbours.

use lostbits::numeric::{Bits, Relative, Ulps};
use lostbits_abi::kind::FpKind;
use proptest::prelude::*;
use rug::{Float, float::Special};

/// Any double: all bit patterns, so that subnormals, infinities and NaN occur, and the special ones
/// often.
fn any_double() -> impl Strategy<Value = f64> {
    prop_oneof![
        8 => any::<u64>().prop_map(f64::from_bits),
        1 => (0u64..4).prop_map(f64::from_bits),
        1 => prop::sample::select(vec![0.0, -0.0, 1.0, f64::MAX, f64::INFINITY, f64::NEG_INFINITY, f64::NAN]),
    ]
}

fn finite_double() -> impl Strategy<Value = f64> {
    any_double().prop_filter("finite", |x| x.is_finite())
}

fn exactly(x: f64) -> Float {
    Float::with_val(53, x)
}

proptest! {
    #[test]
    fn a_value_has_no_error_against_itself(x in any_double()) {
        prop_assert_eq!(Bits::between(x, &exactly(x)), Bits::NONE);
        prop_assert_eq!(Ulps::between(x, &exactly(x)), Ulps::NONE);
        prop_assert_eq!(Relative::between(x, &exactly(x)), Relative::NONE);
    }

    #[test]
    fn measures_are_never_nan_nor_negative(x in any_double(), y in any_double()) {
        for error in [
            Bits::between(x, &exactly(y)).get(),
            Ulps::between(x, &exactly(y)).get(),
            Relative::between(x, &exactly(y)).get(),
        ] {
            prop_assert!(error >= 0.0, "{}", error);
        }
        prop_assert!(Bits::between(x, &exactly(y)) <= Bits::ALL);
    }

    #[test]
    fn only_equal_values_have_no_error(x in any_double(), y in any_double()) {
        let equal = x == y || x.is_nan() && y.is_nan();
        prop_assert_eq!(Bits::between(x, &exactly(y)) == Bits::NONE, equal);
        prop_assert_eq!(Ulps::between(x, &exactly(y)) == Ulps::NONE, equal);
        // A quotient may underflow where the distance is tiny beside the value; not for doubles.
        prop_assert_eq!(Relative::between(x, &exactly(y)) == Relative::NONE, equal);
    }

    #[test]
    fn neighbours_are_one_bit_and_at_most_one_ulp_apart(x in finite_double()) {
        let up = x.next_up();
        prop_assume!(up.is_finite());
        prop_assert_eq!(Bits::between(up, &exactly(x)).get(), 1.0);
        // Half of it from a power of two down, where the spacing changes.
        let ulps = Ulps::between(up, &exactly(x)).get();
        prop_assert!(ulps == 1.0 || ulps == 0.5, "{}", ulps);
    }

    #[test]
    fn bits_do_not_mind_which_is_exact(x in any_double(), y in any_double()) {
        prop_assert_eq!(Bits::between(x, &exactly(y)), Bits::between(y, &exactly(x)));
    }

    #[test]
    fn rounding_costs_at_most_half_an_ulp(x in finite_double(), y in 1e-3f64..1e3) {
        let exact = Float::with_val(120, exactly(x) * exactly(y).sqrt());
        let rounded = exact.to_f64();
        prop_assert!(Ulps::between(rounded, &exact).get() <= 0.5);
        prop_assert_eq!(Bits::between(rounded, &exact), Bits::NONE);
    }

    #[test]
    fn rounding_to_float_costs_at_most_half_its_ulp(x in any::<f32>()) {
        prop_assume!(x.is_finite());
        let exact = Float::with_val(80, exactly(x.into()) / 3u32);
        prop_assert!(Ulps::in_format(FpKind::Float, exact.to_f32().into(), &exact).get() <= 0.5);
    }

    #[test]
    fn relative_error_is_free_of_scale(x in 1.0f64..2.0, y in 1.0f64..2.0, shift in -1000i32..1000) {
        let scale = Float::with_val(53, 1) << shift;
        let scaled = |x: f64| (exactly(x) * &scale).to_f64();
        prop_assert_eq!(
            Relative::between(scaled(x), &exactly(scaled(y))),
            Relative::between(x, &exactly(y))
        );
    }
}

#[test]
fn nan_and_infinity_on_one_side_are_the_largest_error() {
    for (computed, exact) in [
        (f64::NAN, 1.0),
        (1.0, f64::NAN),
        (f64::INFINITY, 1.0),
        (1.0, f64::INFINITY),
        (f64::INFINITY, f64::NEG_INFINITY),
        (f64::NAN, f64::INFINITY),
    ] {
        assert_eq!(
            Ulps::between(computed, &exactly(exact)).get(),
            f64::INFINITY
        );
        assert_eq!(
            Relative::between(computed, &exactly(exact)).get(),
            f64::INFINITY
        );
        assert!(Bits::between(computed, &exactly(exact)).get() > 52.0);
    }
}

#[test]
fn an_infinity_is_right_where_the_exact_value_rounds_to_it() {
    let beyond = Float::with_val(53, f64::MAX) * 4u32;
    assert_eq!(Ulps::between(f64::INFINITY, &beyond), Ulps::NONE);
    assert_eq!(Bits::between(f64::INFINITY, &beyond), Bits::NONE);
    assert_eq!(
        Ulps::between(f64::NEG_INFINITY, &beyond).get(),
        f64::INFINITY
    );
    // The largest double is far off, and finitely so.
    assert!(Ulps::between(f64::MAX, &beyond).get() > 1e15);
}

#[test]
fn around_zero_the_unit_is_the_smallest_subnormal() {
    let zero = Float::with_val(53, Special::Zero);
    assert_eq!(Ulps::between(f64::from_bits(3), &zero).get(), 3.0);
    assert_eq!(Ulps::between(-0.0, &zero), Ulps::NONE);
    assert_eq!(
        Relative::between(f64::from_bits(3), &zero).get(),
        f64::INFINITY
    );
    let tiny = Float::with_val(53, 1) >> 1076; // a quarter of the smallest subnormal
    assert_eq!(Ulps::between(0.0, &tiny).get(), 0.25);
    assert_eq!(Relative::between(0.0, &tiny).get(), 1.0);
}

#[test]
fn values_that_were_worked_out_by_hand() {
    // 1 + 2^-50 is four ulps from 1; five doubles with both ends.
    let computed = 1.0 + 4.0 * f64::EPSILON;
    assert_eq!(Ulps::between(computed, &exactly(1.0)).get(), 4.0);
    assert_eq!(Bits::between(computed, &exactly(1.0)).get(), 5f64.log2());
    assert_eq!(
        Relative::between(computed, &exactly(1.0)).get(),
        4.0 * f64::EPSILON
    );
    assert_eq!(Relative::between(3.0, &exactly(-2.0)).get(), 2.5);
}

#[test]
fn measures_say_their_unit() {
    let off = exactly(1.0 + 4.0 * f64::EPSILON);
    assert_eq!(Bits::between(1.0, &off).to_string(), "2.3 bits");
    assert_eq!(Ulps::between(1.0, &off).to_string(), "4.00 ulp");
    assert_eq!(Relative::between(1.0, &off).to_string(), "8.88e-16");
    assert_eq!(Ulps::between(f64::NAN, &off).to_string(), "infinite ulp");
    assert_eq!(Relative::between(1.5, &exactly(1.0)).to_string(), "0.50");
    assert_eq!(Ulps::NONE.to_string(), "0 ulp");
}
