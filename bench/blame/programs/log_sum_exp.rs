// args: 1e-9 40
// Log-sum-exp, and how little one more term changes it.
fn log_sum_exp(terms: &[f64]) -> f64 {
    let largest = terms.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let mut sum = 0.0;
    for term in terms {
        sum += (term - largest).exp();
    }
    largest + sum.ln()
}

fn main() {
    let words: Vec<String> = std::env::args().collect();
    let tiny: f64 = words[1].parse().unwrap();
    let n: u32 = words[2].parse().unwrap();
    let mut terms: Vec<f64> = (0..n).map(|i| 500.0 + f64::from(i) * 0.125).collect();
    let before = log_sum_exp(&terms);
    terms.push(500.0 + tiny.ln());
    let after = log_sum_exp(&terms);
    let change = after - before;
    println!("before {before:.12}");
    println!("change {change:e}");
}
