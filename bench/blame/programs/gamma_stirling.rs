// args: 150 148
// A binomial coefficient and a Beta value by differences of logarithms of gamma.
fn ln_gamma(x: f64) -> f64 {
    let mut shift = 0.0;
    let mut y = x;
    while y < 12.0 {
        shift += y.ln();
        y += 1.0;
    }
    let z = 1.0 / (y * y);
    let series = (1.0 / 12.0 - z * (1.0 / 360.0 - z * (1.0 / 1260.0 - z / 1680.0))) / y;
    (y - 0.5) * y.ln() - y + 0.918938533204672742 + series - shift
}
fn main() {
    let words: Vec<String> = std::env::args().collect();
    let n: f64 = words[1].parse().unwrap();
    let k: f64 = words[2].parse().unwrap();
    let scale = 1e9;
    let c = (ln_gamma(n + 1.0) - ln_gamma(k + 1.0) - ln_gamma(n - k + 1.0)).exp();
    println!("choose {c:.9}");
    let ratio = (ln_gamma(scale + n + 0.5) - ln_gamma(scale + n)).exp();
    println!("ratio {ratio:.10}");
}
