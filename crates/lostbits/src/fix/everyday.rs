//! How much of a range people use: magnitudes from 1e-6 to 1e6, each decade as much as the next.
//!
//! The numbers of a format are spread evenly over its exponents, so of all numbers up to 4 only one in 500 is above 0.25.

/// The place of a number among those that people use, from -1 to 1.
pub fn place(x: f64) -> f64 {
    let size = ((x.abs().log10() + DECADES / 2.0) / DECADES).clamp(0.0, 1.0);
    size.copysign(x)
}

/// The number at a place.
pub fn number(place: f64) -> f64 {
    10f64
        .powf(place.abs() * DECADES - DECADES / 2.0)
        .copysign(place)
}

const DECADES: f64 = 12.0;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_and_numbers_agree() {
        for x in [-1e6, -3.5, -1e-5, 1e-3, 0.25, 4.0, 1e5] {
            assert!((number(place(x)) / x - 1.0).abs() < 1e-12, "{x}");
        }
        assert_eq!([place(-1e300), place(0.0), place(1e-7)], [-1.0, 0.0, 0.0]);
    }
}
