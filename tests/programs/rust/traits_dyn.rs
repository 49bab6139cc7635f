// lostbits: fresh=0
// Trait objects, default methods, generics over a numeric trait, operator overloading.
use std::ops::{Add, Mul, Neg};

trait Curve {
    fn at(&self, x: f64) -> f64;
    fn slope(&self, x: f64) -> f64 {
        (self.at(x + 1e-4) - self.at(x - 1e-4)) / 2e-4
    }
}

struct Line(f64, f32);
struct Polynomial(Vec<f64>);
struct Sum(Box<dyn Curve>, Box<dyn Curve>);

impl Curve for Line {
    fn at(&self, x: f64) -> f64 {
        self.0 * x + f64::from(self.1)
    }
    fn slope(&self, _: f64) -> f64 {
        self.0
    }
}
impl Curve for Polynomial {
    fn at(&self, x: f64) -> f64 {
        self.0.iter().rev().fold(0.0, |sum, c| sum * x + c)
    }
}
impl Curve for Sum {
    fn at(&self, x: f64) -> f64 {
        self.0.at(x) + self.1.at(x)
    }
}
impl<F: Fn(f64) -> f64> Curve for F {
    fn at(&self, x: f64) -> f64 {
        self(x)
    }
}

trait Number: Copy + Add<Output = Self> + Mul<Output = Self> + Neg<Output = Self> + Into<f64> {}
impl Number for f32 {}
impl Number for f64 {}

#[derive(Clone, Copy)]
struct Pair<T>(T, T);
impl<T: Number> Mul for Pair<T> {
    type Output = Pair<T>;
    fn mul(self, o: Self) -> Self {
        Pair(self.0 * o.0 + -(self.1 * o.1), self.0 * o.1 + self.1 * o.0)
    }
}

fn power<T: Number>(z: Pair<T>, n: u32) -> Pair<T> {
    if n == 1 { z } else { z * power(z, n - 1) }
}

fn main() {
    let seed: f64 = std::hint::black_box(0.31);
    let curves: Vec<Box<dyn Curve>> = vec![
        Box::new(Line(seed, 0.7)),
        Box::new(Polynomial(
            (0..7).map(|i| seed / (i as f64 + 1.0)).collect(),
        )),
        Box::new(Sum(Box::new(Line(-1.5, 0.1)), Box::new(f64::sin))),
        Box::new(move |x: f64| (x * seed).exp() - x.powf(0.3)),
    ];
    for step in 1..8 {
        for curve in &curves {
            let (value, slope) = (curve.at(step as f64 * seed), curve.slope(step as f64));
            println!(
                "{value:e} {:016x} {:016x}",
                value.to_bits(),
                slope.to_bits()
            );
        }
        let z = power(Pair(seed, 0.9), step);
        let w = power(Pair(seed as f32, 0.9f32), step);
        println!(
            "{:016x} {:016x} {:08x} {:08x}",
            z.0.to_bits(),
            z.1.to_bits(),
            w.0.to_bits(),
            w.1.to_bits()
        );
    }
}
