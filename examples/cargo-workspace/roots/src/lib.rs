/// The larger root of `a x^2 + b x + c = 0`.
///
/// ```
/// assert_eq!(roots::larger_root(1.0, -3.0, 2.0), 2.0);
/// ```
pub fn larger_root(a: f64, b: f64, c: f64) -> f64 {
    let discriminant = b * b - 4.0 * a * c;
    (-b + discriminant.sqrt()) / (2.0 * a)
}

#[cfg(test)]
mod tests {
    #[test]
    fn large_coefficients() {
        // -1e-8 is right.
        assert!(super::larger_root(1.0, 1e8, 1.0).abs() < 1e-6);
    }
}
