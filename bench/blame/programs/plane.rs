// args: 1e-7 3
// The angle between two nearly parallel planes by the cosine of their normals, and their line.
#[derive(Clone, Copy)]
struct P(f64, f64, f64);
fn cross(a: P, b: P) -> P {
    P(a.1 * b.2 - a.2 * b.1, a.2 * b.0 - a.0 * b.2, a.0 * b.1 - a.1 * b.0)
}
fn dot(a: P, b: P) -> f64 {
    a.0 * b.0 + a.1 * b.1 + a.2 * b.2
}
fn length(a: P) -> f64 {
    dot(a, a).sqrt()
}
fn main() {
    let words: Vec<String> = std::env::args().collect();
    let tilt: f64 = words[1].parse().unwrap();
    let scale: f64 = words[2].parse().unwrap();
    let a = P(scale, 2.0 * scale, 0.3);
    let b = P(scale + tilt, 2.0 * scale - tilt, 0.3 + tilt * 0.7);
    let angle = (dot(a, b) / (length(a) * length(b))).acos();
    let line = cross(a, b);
    println!("angle {angle:.8e}");
    println!("direction {:.8e} {:.8e} {:.8e}", line.0, line.1, line.2);
}
