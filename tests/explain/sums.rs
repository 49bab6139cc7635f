// sums.c in Rust.
use std::env;

fn naive(numbers: &[f64]) -> f64 {
    let mut sum = 0.0;
    for &x in numbers {
        sum += x; // CAUSE
    }
    sum
}

fn kahan(numbers: &[f64]) -> f64 {
    let (mut sum, mut rest) = (0.0, 0.0);
    for x in numbers {
        let y = x - rest;
        let t = sum + y;
        rest = (t - sum) - y;
        sum = t;
    }
    sum
}

fn main() {
    let words: Vec<String> = env::args().collect();
    let numbers = vec![words[3].parse::<f64>().unwrap(); words[2].parse().unwrap()];
    let sum = if words[1] == "naive" { naive(&numbers) } else { kahan(&numbers) };
    println!("{sum}"); // REACHED
}
