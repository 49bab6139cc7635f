//! Reals as sums of two doubles, for verdicts.

/// `high + low`, the low part much smaller.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Real {
    pub high: f64,
    pub low: f64,
}

impl Real {
    pub const ZERO: Real = Real {
        high: 0.0,
        low: 0.0,
    };

    /// The sum of any two doubles.
    pub fn sum(x: f64, y: f64) -> Real {
        let high = x + y;
        if !high.is_finite() {
            return Real { high, low: 0.0 };
        }
        let of_y = high - x;
        let low = (x - (high - of_y)) + (y - of_y);
        Real { high, low }
    }

    pub fn plus(self, more: f64) -> Real {
        let sum = Real::sum(self.high, more);
        Real::sum(sum.high, sum.low + self.low)
    }

    pub fn minus(self, other: Real) -> Real {
        self.plus(-other.high).plus(-other.low)
    }

    /// −1, 0 or 1.
    pub fn sign(self) -> i32 {
        let of = |x: f64| i32::from(x > 0.0) - i32::from(x < 0.0);
        match of(self.high) {
            0 => of(self.low),
            sign => sign,
        }
    }

    /// Rounded towards zero.
    pub fn truncated(self) -> Real {
        let high = truncate(self.high);
        if high != self.high {
            return Real { high, low: 0.0 };
        }
        // The high part is whole: the low one decides.
        let mut low = truncate(self.low);
        if low != self.low && self.sign() * Real::sum(self.low, 0.0).sign() < 0 {
            low += if self.low < 0.0 { -1.0 } else { 1.0 };
        }
        Real::sum(high, low)
    }
}

/// A double rounded towards zero.
pub fn truncate(x: f64) -> f64 {
    const WHOLE: f64 = 4_503_599_627_370_496.0;
    if x.abs() < WHOLE {
        (x as i64) as f64
    } else {
        x
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn truncation_looks_at_both_parts() {
        let of = |high: f64, low: f64| {
            let whole = Real { high, low }.truncated();
            whole.high + whole.low
        };
        assert_eq!(of(3.0, -1e-20), 2.0);
        assert_eq!(of(3.0, 1e-20), 3.0);
        assert_eq!(of(-3.0, 1e-20), -2.0);
        assert_eq!(of(-3.0, -1e-20), -3.0);
        assert_eq!(of(2.5, 1e-17), 2.0);
        assert_eq!(of(0.0, -1e-20), 0.0);
    }

    #[test]
    fn sums_are_exact() {
        let sum = Real::sum(1.0, 1e-20).plus(-1.0);
        assert_eq!((sum.high, sum.low), (1e-20, 0.0));
        assert_eq!(sum.minus(sum).sign(), 0);
    }
}
