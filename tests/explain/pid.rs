// pid.c in Rust.
use std::env;

fn main() {
    let seconds: f64 = env::args().nth(1).unwrap().parse().unwrap();
    let (mut t, mut steps) = (0.0, 0);
    while t < seconds { // REACHED
        t += 0.2; // CAUSE
        steps += 1;
    }
    println!("{steps} steps");
}
