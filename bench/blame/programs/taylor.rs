// args: -20 120
// The exponential function by its series.
fn series(x: f64, terms: u32) -> f64 {
    let mut term = 1.0;
    let mut sum = 1.0;
    for k in 1..terms {
        term *= x / f64::from(k);
        sum += term;
    }
    sum
}

fn main() {
    let words: Vec<String> = std::env::args().collect();
    let x: f64 = words[1].parse().unwrap();
    let terms: u32 = words[2].parse().unwrap();
    let direct = series(x, terms);
    let inverted = 1.0 / series(-x, terms);
    println!("direct {direct:.12e}");
    println!("inverted {inverted:.12e}");
}
