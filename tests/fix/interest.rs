/// What compound interest adds to a unit of money in n periods.
fn growth(rate: f64, n: f64) -> f64 {
    (1.0 + rate).powf(n) - 1.0
}

fn main() {
    let mut words = std::env::args().skip(1);
    let mut next = || -> f64 { words.next().unwrap().parse().unwrap() };
    let (rate, n) = (next(), next());
    println!("{:.10e}", growth(rate, n));
}
