//! Exact values as sums of two doubles, for verdicts.

/// `high + low`, the low part much smaller.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct DoubleDouble {
    pub high: f64,
    pub low: f64,
}

impl DoubleDouble {
    pub const ZERO: DoubleDouble = DoubleDouble {
        high: 0.0,
        low: 0.0,
    };

    /// The exact sum of two doubles.
    pub fn sum(x: f64, y: f64) -> DoubleDouble {
        let high = x + y;
        if !high.is_finite() {
            return DoubleDouble { high, low: 0.0 };
        }
        let of_y = high - x;
        let low = (x - (high - of_y)) + (y - of_y);
        DoubleDouble { high, low }
    }

    pub fn plus(self, more: f64) -> DoubleDouble {
        let sum = DoubleDouble::sum(self.high, more);
        DoubleDouble::sum(sum.high, sum.low + self.low)
    }

    pub fn minus(self, other: DoubleDouble) -> DoubleDouble {
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
    pub fn truncated(self) -> DoubleDouble {
        let high = truncate(self.high);
        if high != self.high {
            return DoubleDouble { high, low: 0.0 };
        }
        // The high part is whole: the low part decides.
        let mut low = truncate(self.low);
        if low != self.low && self.sign() * DoubleDouble::sum(self.low, 0.0).sign() < 0 {
            low += if self.low < 0.0 { -1.0 } else { 1.0 };
        }
        DoubleDouble::sum(high, low)
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
    fn truncation_uses_both_parts() {
        let of = |high: f64, low: f64| {
            let whole = DoubleDouble { high, low }.truncated();
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
        let sum = DoubleDouble::sum(1.0, 1e-20).plus(-1.0);
        assert_eq!((sum.high, sum.low), (1e-20, 0.0));
        assert_eq!(sum.minus(sum).sign(), 0);
    }
}
