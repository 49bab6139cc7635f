// Sums of generic code are functions of the standard library, as is `sum`.
use std::ops::{Add, Sub};

fn loses<T: Copy + Add<Output = T> + Sub<Output = T>>(x: T, one: T) -> T {
    let sum = one + x;
    sum - one // CAUSE generic
}

fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    let x: f64 = arguments[2].parse().unwrap();
    if arguments[1] == "generic" {
        println!("{}", loses(x, 1.0)); // REACHED generic
    } else {
        let terms = [1e16, x, -1e16];
        let sum: f64 = terms.iter().sum(); // CAUSE sum
        println!("{sum}"); // REACHED sum
    }
}
