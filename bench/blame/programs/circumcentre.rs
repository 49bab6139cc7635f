// args: 1e8 1e-6
// The circumcentre of a small triangle far from the origin.
use std::env;

fn square(x: f64, y: f64) -> f64 {
    x * x + y * y
}

fn main() {
    let arguments: Vec<f64> = env::args().skip(1).map(|x| x.parse().unwrap()).collect();
    let (far, _) = (arguments[0] / 1e4, arguments[1]);
    let (ax, ay) = (far + 0.1, far + 0.2);
    let (bx, by) = (far + 1.3, far + 0.4);
    let (cx, cy) = (far + 0.7, far + 1.9);
    let twice = 2.0 * (ax * (by - cy) + bx * (cy - ay) + cx * (ay - by));
    let above = square(ax, ay) * (by - cy) + square(bx, by) * (cy - ay) + square(cx, cy) * (ay - by);
    let centre = above / twice;
    let radius = (centre - ax).abs();
    println!("{:.14e}", twice);
    println!("{:.14e}", centre);
    println!("{:.9}", radius);
}
