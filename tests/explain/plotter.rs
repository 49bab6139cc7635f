// plotter.c in Rust.
use std::{env, ops::Sub};

#[derive(Clone, Copy)]
struct Complex {
    re: f64,
    im: f64,
}

impl Sub for Complex {
    type Output = Complex;
    fn sub(self, other: Complex) -> Complex {
        Complex { re: self.re - other.re, im: self.im - other.im } // CAUSE
    }
}

#[inline(never)]
fn square_root(z: Complex) -> Complex {
    let length = (z.re * z.re + z.im * z.im).sqrt();
    let rest = length - z.re; // CAUSE
    Complex { re: (length + z.re).sqrt() / 2f64.sqrt(), im: rest.sqrt() / 2f64.sqrt() }
}

fn colour(x: f64, y: f64) -> f64 {
    let (size, angle) = ((-20.0 * x).exp(), -20.0 * y);
    let shifted = Complex { re: x - size * angle.sin(), im: size * angle.cos() };
    let d = square_root(Complex { re: x, im: 0.0 }) - square_root(shifted);
    (-d.im).atan2(d.re)
}

fn main() {
    let words: Vec<String> = env::args().collect();
    let pixels: u32 = words[1].parse().unwrap();
    let right: f64 = words[2].parse().unwrap();
    for row in 0..pixels {
        for column in 1..=pixels {
            let (x, y) = (f64::from(column) / f64::from(pixels), f64::from(row) / f64::from(pixels));
            println!("{:.3}", colour(right * x, 6.0 * y - 3.0)); // REACHED
        }
    }
}
