//! Errors in ulps and bits, counted as Herbie does: the numbers of the format between the computed and the correctly
//! rounded value.

use super::machine::Width;
use crate::numeric;

/// Bits of error where one of the two is NaN.
pub fn most(width: Width) -> f64 {
    match width {
        Width::Single => 32.0,
        Width::Double => 64.0,
    }
}

/// The place of a number in the order of its format.
pub fn ordinal(x: f64, width: Width) -> i64 {
    match width {
        Width::Double => numeric::ordinal(x),
        Width::Single => i64::from(numeric::ordinal_f32(x as f32)),
    }
}

/// The number at a place.
pub fn from_ordinal(place: i64, width: Width) -> f64 {
    match width {
        Width::Double => numeric::from_ordinal(place),
        Width::Single => {
            let magnitude = f64::from(f32::from_bits(place.unsigned_abs() as u32));
            if place < 0 { -magnitude } else { magnitude }
        }
    }
}

/// The numbers from the computed to the exact value, which is rounded already. None if one is NaN.
pub fn ulps(computed: f64, exact: f64, width: Width) -> Option<f64> {
    match (computed.is_nan(), exact.is_nan()) {
        (true, true) => Some(0.0),
        (false, false) => Some(ordinal(computed, width).abs_diff(ordinal(exact, width)) as f64),
        _ => None,
    }
}

/// log2 of one more than the ulps: 0 for a correctly rounded result, 64 for a NaN.
pub fn bits(computed: f64, exact: f64, width: Width) -> f64 {
    let all = most(width);
    ulps(computed, exact, width).map_or(all, |ulps| (ulps + 1.0).log2().min(all))
}
