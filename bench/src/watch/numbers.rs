//! Kinds of numbers with which a subject is computed: high-precision numbers, and doubles with a tracked error.

use std::cmp::Ordering;

use rug::Float;

/// Precision in bits: far more than any subject loses.
const PRECISION: u32 = 500;

pub trait Number: Clone {
    fn of(value: f64) -> Self;
    fn plus(&self, other: &Self) -> Self;
    fn minus(&self, other: &Self) -> Self;
    fn times(&self, other: &Self) -> Self;
    fn over(&self, other: &Self) -> Self;
    /// `self > other`; sets `doubt` if the errors leave it undecided.
    fn exceeds(&self, other: &Self, doubt: &mut bool) -> bool;
    /// The integral part; likewise.
    fn truncated(&self, doubt: &mut bool) -> i64;
}

#[derive(Clone)]
pub struct Real(Float);

impl Number for Real {
    fn of(value: f64) -> Real {
        Real(Float::with_val(PRECISION, value))
    }

    fn plus(&self, other: &Real) -> Real {
        Real(Float::with_val(PRECISION, &self.0 + &other.0))
    }

    fn minus(&self, other: &Real) -> Real {
        Real(Float::with_val(PRECISION, &self.0 - &other.0))
    }

    fn times(&self, other: &Real) -> Real {
        Real(Float::with_val(PRECISION, &self.0 * &other.0))
    }

    fn over(&self, other: &Real) -> Real {
        Real(Float::with_val(PRECISION, &self.0 / &other.0))
    }

    fn exceeds(&self, other: &Real, _: &mut bool) -> bool {
        self.0.partial_cmp(&other.0) == Some(Ordering::Greater)
    }

    fn truncated(&self, _: &mut bool) -> i64 {
        let whole = self.0.clone().trunc().to_integer();
        whole.and_then(|whole| whole.to_i64()).unwrap_or(i64::MAX)
    }
}

/// The paper's approximate method: each value has its error as a second double; rounding is
/// assumed to add one unit in the last place.
#[derive(Clone, Copy)]
pub struct Tracked {
    value: f64,
    error: f64,
}

impl Tracked {
    fn new(value: f64, inherited: f64) -> Tracked {
        let unit = (value.abs().next_up() - value.abs()).abs();
        Tracked {
            value,
            error: inherited + unit,
        }
    }
}

impl Number for Tracked {
    fn of(value: f64) -> Tracked {
        Tracked { value, error: 0.0 }
    }

    fn plus(&self, other: &Tracked) -> Tracked {
        Tracked::new(self.value + other.value, self.error + other.error)
    }

    fn minus(&self, other: &Tracked) -> Tracked {
        Tracked::new(self.value - other.value, self.error + other.error)
    }

    fn times(&self, other: &Tracked) -> Tracked {
        let inherited = self.value.abs() * other.error + other.value.abs() * self.error;
        Tracked::new(
            self.value * other.value,
            inherited + self.error * other.error,
        )
    }

    fn over(&self, other: &Tracked) -> Tracked {
        let value = self.value / other.value;
        Tracked::new(
            value,
            (self.error + value.abs() * other.error) / other.value.abs(),
        )
    }

    fn exceeds(&self, other: &Tracked, doubt: &mut bool) -> bool {
        let apart = (self.value - other.value).abs();
        *doubt |= apart <= self.error + other.error;
        self.value > other.value
    }

    fn truncated(&self, doubt: &mut bool) -> i64 {
        let to_jump = (self.value - self.value.round()).abs();
        *doubt |= to_jump <= self.error;
        self.value as i64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tracked_errors_cover_the_true_ones() {
        let third = |x: f64| Tracked::of(x).over(&Tracked::of(3.0));
        let nearly = third(1.0)
            .plus(&third(1.0))
            .plus(&third(1.0))
            .minus(&Tracked::of(1.0));
        assert!(nearly.error > nearly.value.abs());
        let mut doubt = false;
        nearly.exceeds(&Tracked::of(0.0), &mut doubt);
        assert!(doubt);
        let mut clear = false;
        third(1.0).exceeds(&Tracked::of(0.25), &mut clear);
        assert!(!clear);
    }
}
