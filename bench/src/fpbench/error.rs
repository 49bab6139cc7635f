//! Bits of error as Herbgrind counts them, in the format of the result.

use lostbits::fpcore::ast::Format;
use rug::Float;

/// What counts as significant.
pub const SIGNIFICANT: f64 = 5.0;

/// log2 of one more than the numbers of the format from the computed to the correctly rounded value.
pub fn bits(computed: &Float, exact: &Float, format: Format) -> f64 {
    let distance = match format {
        Format::Binary32 => between(computed.to_f32(), exact.to_f32(), f32::is_nan, place_f32),
        Format::Binary80 => extended(computed, exact),
        _ => between(computed.to_f64(), exact.to_f64(), f64::is_nan, place),
    };
    let all = if format == Format::Binary32 {
        32.0
    } else {
        64.0
    };
    distance.map_or(all, |distance| (distance + 1.0).log2().min(all))
}

/// The numbers between two; none where only one of them is a number.
fn between<T: Copy>(
    computed: T,
    exact: T,
    is_nan: fn(T) -> bool,
    place: fn(T) -> i64,
) -> Option<f64> {
    match (is_nan(computed), is_nan(exact)) {
        (true, true) => Some(0.0),
        (false, false) => Some(place(computed).abs_diff(place(exact)) as f64),
        _ => None,
    }
}

/// In units of the last of 64 bits, which is what counting comes to where the exponents are alike.
fn extended(computed: &Float, exact: &Float) -> Option<f64> {
    if computed.is_nan() && exact.is_nan() {
        return Some(0.0);
    }
    let rounded = Float::with_val(64, exact);
    if *computed == rounded {
        return Some(0.0);
    }
    let exponent = rounded.get_exp().filter(|_| computed.is_finite())?;
    let distance = Float::with_val(64, computed - &rounded).abs() >> (exponent - 64);
    Some(distance.to_f64())
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
        let bits = |x: f64, exact: &Float, format| bits(&Float::with_val(64, x), exact, format);
        assert_eq!(bits(1.0, &one, Format::Binary64), 0.0);
        assert_eq!(bits(1.0f64.next_up(), &one, Format::Binary64), 1.0);
        assert_eq!(bits(f64::from(1f32.next_up()), &one, Format::Binary32), 1.0);
        assert_eq!(
            bits(1.0f64.next_up(), &one, Format::Binary80),
            2049f64.log2()
        );
        assert_eq!(bits(f64::NAN, &one, Format::Binary64), 64.0);
        assert!(bits(-1.0, &one, Format::Binary64) > 62.0);
    }
}
