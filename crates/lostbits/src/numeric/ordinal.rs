//! The order of the doubles.

/// The position of a double among all doubles: neighbours differ by one, both zeros are at 0.
pub fn ordinal(value: f64) -> i64 {
    let magnitude = (value.to_bits() & !(1 << 63)) as i64;
    if value.is_sign_negative() {
        -magnitude
    } else {
        magnitude
    }
}

/// The position of a single-precision number among all of them.
pub fn ordinal_f32(value: f32) -> i32 {
    let magnitude = (value.to_bits() & !(1 << 31)) as i32;
    if value.is_sign_negative() {
        -magnitude
    } else {
        magnitude
    }
}

/// The double at a position.
pub fn from_ordinal(ordinal: i64) -> f64 {
    let magnitude = f64::from_bits(ordinal.unsigned_abs());
    if ordinal < 0 { -magnitude } else { magnitude }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neighbours_differ_by_one() {
        for value in [0.0, 1.0, -1.0, f64::MAX, f64::MIN_POSITIVE, -5e-324] {
            assert_eq!(from_ordinal(ordinal(value)), value);
            assert_eq!(ordinal(value.next_up()), ordinal(value) + 1, "{value:e}");
        }
        assert_eq!(ordinal(5e-324), 1);
        assert_eq!(ordinal(-5e-324), -1);
        assert_eq!(ordinal(-0.0), 0);
        assert_eq!(ordinal_f32(1f32.next_up()), ordinal_f32(1.0) + 1);
        assert_eq!(ordinal_f32(-f32::from_bits(1)), -1);
    }
}
