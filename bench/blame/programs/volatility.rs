// args: 200000
// Prices: a moving volatility from running sums, and a return over many small steps.
use std::env;

fn main() {
    let n: usize = env::args().nth(1).unwrap().parse().unwrap();
    let mut seed: u32 = 12345;
    let mut price = 1.0e5;
    let mut sum = 0.0;
    let mut squares = 0.0;
    let mut growth = 1.0;
    for _ in 0..n / 10 {
        seed = seed.wrapping_mul(1664525).wrapping_add(1013904223);
        let step = (f64::from(seed >> 8) / 16777216.0 - 0.5) * 1e-6;
        price *= 1.0 + step;
        sum += price;
        squares += price * price;
        growth *= 1.0 + 1e-9;
    }
    let count = (n / 10) as f64;
    let mean = sum / count;
    let variance = squares / count - mean * mean;
    println!("{:.12e}", mean);
    println!("{:.12e}", variance);
    println!("{:.12e}", growth - 1.0);
}
