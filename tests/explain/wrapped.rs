//! A function that is seen as one operation, with a reference.

#[inline(never)]
fn rough_log1p(x: f64) -> f64 {
    (1.0 + x).ln()
}

#[inline(never)]
pub fn exact_log1p(x: f64) -> f64 {
    x.ln_1p()
}

fn main() {
    for word in std::env::args().skip(1) {
        let x: f64 = word.parse().unwrap();
        let y = rough_log1p(x * 3.0); // CAUSE
        println!("{:e}", y / 7.0); // REACHED
    }
    std::hint::black_box(exact_log1p as fn(f64) -> f64);
}
