/// The mean of some numbers.
pub fn mean(numbers: &[f64]) -> f64 {
    numbers.iter().sum::<f64>() / numbers.len() as f64
}

#[cfg(test)]
mod tests {
    #[test]
    fn mean_of_roots() {
        let numbers = [roots::larger_root(1.0, -3.0, 2.0), 4.0];
        assert_eq!(super::mean(&numbers), 3.0);
    }
}
