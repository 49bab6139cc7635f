// args: 2000 1e-3
// Implicit Euler with a numerical Jacobian whose step is much too small.
fn slope(y: f64) -> f64 {
    -50.0 * (y - y.cos())
}
fn main() {
    let words: Vec<String> = std::env::args().collect();
    let steps: usize = words[1].parse().unwrap();
    let h: f64 = words[2].parse().unwrap();
    let mut y = 0.0;
    let mut jacobian = 0.0;
    for _ in 0..steps {
        let tiny = 1e-13;
        jacobian = (slope(y + tiny) - slope(y)) / tiny;
        let residual = -h * slope(y);
        y -= residual / (1.0 - h * jacobian);
    }
    println!("y {y:.9}");
    println!("jacobian {jacobian:.6}");
}
