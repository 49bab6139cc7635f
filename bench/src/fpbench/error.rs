//! Bits of error as Herbgrind counts them, in the format of the result.

use lostbits::fpcore::ast::Format;
use rug::Float;

/// What counts as significant.
pub const SIGNIFICANT: f64 = 5.0;

/// log2 of one more than the numbers of the format from the computed to the correctly rounded value.
pub fn bits(computed: f64, exact: &Float, format: Format) -> f64 {
    let (computed_place, exact_place, is_nan, all) = match format {
        Format::Binary32 => {
            let (computed, exact) = (computed as f32, exact.to_f32());
            let places = (place_f32(computed), place_f32(exact));
            (
                places.0,
                places.1,
                (computed.is_nan(), exact.is_nan()),
                32.0,
            )
        }
        _ => {
            let exact = exact.to_f64();
            (
                place(computed),
                place(exact),
                (computed.is_nan(), exact.is_nan()),
                64.0,
            )
        }
    };
    match is_nan {
        (true, true) => 0.0,
        (false, false) => (computed_place.abs_diff(exact_place) as f64 + 1.0).log2(),
        _ => all,
    }
}

fn place(x: f64) -> i64 {
    let magnitude = (x.to_bits() & !(1 << 63)) as i64;
    if x.is_sign_negative() {
        -magnitude
    } else {
        magnitude
    }
}

fn place_f32(x: f32) -> i64 {
    let magnitude = i64::from(x.to_bits() & !(1 << 31));
    if x.is_sign_negative() {
        -magnitude
    } else {
        magnitude
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distances_are_counted_in_the_format() {
        let one = Float::with_val(200, 1);
        assert_eq!(bits(1.0, &one, Format::Binary64), 0.0);
        assert_eq!(bits(1.0f64.next_up(), &one, Format::Binary64), 1.0);
        assert_eq!(bits(f64::from(1f32.next_up()), &one, Format::Binary32), 1.0);
        assert_eq!(bits(f64::NAN, &one, Format::Binary64), 64.0);
        assert!(bits(-1.0, &one, Format::Binary64) > 62.0);
    }
}
