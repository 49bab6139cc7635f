// baz.c in Rust, through closures and a vector.
use std::env;

fn baz(f: &dyn Fn(f64) -> f64, x: f64) -> f64 {
    let z = f(x);
    (z + std::f64::consts::PI) - z // CAUSE
}

fn main() {
    let pole = |x: f64| 1.0 / (x - 113.0);
    let inputs: Vec<f64> = env::args().skip(1).map(|word| word.parse().unwrap()).collect();
    for x in inputs {
        println!("{}", baz(&pole, x)); // REACHED
    }
}
