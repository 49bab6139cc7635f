// args: 4517603.7 36
// The area of a small plot in the coordinates of a country.
fn area(x: &[f64], y: &[f64]) -> f64 {
    let mut twice = 0.0;
    for i in 0..x.len() {
        let j = (i + 1) % x.len();
        let left = x[i] * y[j];
        let right = x[j] * y[i];
        twice += left - right;
    }
    twice / 2.0
}

fn main() {
    let words: Vec<String> = std::env::args().collect();
    let north: f64 = words[1].parse().unwrap();
    let n: u32 = words[2].parse().unwrap();
    let angle = std::f64::consts::TAU / f64::from(n);
    let mut x = Vec::new();
    let mut y = Vec::new();
    for i in 0..n {
        let turn = angle * f64::from(i);
        x.push(512300.5 + 3.0 * turn.cos());
        y.push(north + 3.0 * turn.sin());
    }
    println!("{:.12}", area(&x, &y));
}
