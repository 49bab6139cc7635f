fn main() {
    let x: f64 = std::env::args().nth(1).unwrap().parse().unwrap();
    println!("{:.10e}", 1.0 - 1.0 / (1.0 + (-x).exp()));
}
