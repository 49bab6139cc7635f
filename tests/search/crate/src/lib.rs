//! Public functions as crates have them, none of them `extern "C"`.

pub mod stats;
mod hidden;
#[path = "inner/odd.rs"]
pub mod other;

pub use hidden::gap as renamed_gap;

pub trait Special {
    fn less_one(self) -> Self;
}

macro_rules! implement {
    ($kind:ty) => {
        impl Special for $kind {
            fn less_one(self) -> Self {
                self.exp() - 1.0
            }
        }
    };
}
implement!(f64);

#[derive(Default)]
pub struct Model {
    pub bias: f64,
}

impl Model {
    pub fn new(bias: f64) -> Model {
        Model { bias }
    }

    pub fn logistic(&self, x: f64) -> f64 {
        1.0 / (1.0 + (-x - self.bias).exp())
    }
}

pub fn both(x: f64) -> (f64, f64) {
    (1.0 - x.cos(), x.cos())
}

pub fn root(a: f64, b: f64, c: f64) -> Result<f64, String> {
    let square = b * b - 4.0 * a * c;
    match square < 0.0 {
        true => Err("no real root".to_owned()),
        false => Ok((-b + square.sqrt()) / (2.0 * a)),
    }
}

pub fn versine<T: Into<f64>>(x: T) -> f64 {
    1.0 - x.into().cos()
}

pub fn slope(f: impl Fn(f64) -> f64, x: f64) -> f64 {
    (f(x + 1e-6) - f(x - 1e-6)) / 2e-6
}

pub fn length(text: &str) -> f64 {
    text.len() as f64
}

/// Not for numbers.
pub fn unusual<T: AsRef<str>>(x: T) -> f64 {
    x.as_ref().len() as f64
}

/// The series of the error function, which cancels.
pub fn erf(x: f64) -> f64 {
    let (mut term, mut sum, mut n) = (x, x, 0.0);
    while term.abs() > sum.abs() * 1e-17 && n < 500.0 {
        n += 1.0;
        term *= -x * x / n;
        sum += term / (2.0 * n + 1.0);
    }
    sum * std::f64::consts::FRAC_2_SQRT_PI
}

pub fn checked_root(x: f64) -> f64 {
    assert!(x >= 0.0, "outside the domain");
    x.sqrt()
}

#[cfg(test)]
mod tests {
    pub fn nothing(x: f64) -> f64 {
        x
    }
}
