// args: 1e-6 1.5
// 1 - cos x, written naively and with half the angle.
fn naive(x: f64) -> f64 {
    let rise = 1.0 - x.cos();
    rise / (x * x)
}

fn stable(x: f64) -> f64 {
    let half = (x / 2.0).sin();
    2.0 * half * half / (x * x)
}

fn main() {
    let words: Vec<String> = std::env::args().collect();
    let small: f64 = words[1].parse().unwrap();
    let large: f64 = words[2].parse().unwrap();
    println!("{:.15} {:.15}", naive(small), stable(small));
    println!("{:.15} {:.15}", naive(large), stable(large));
}
