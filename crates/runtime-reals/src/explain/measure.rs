//! Bits of error: the logarithm of one more than the numbers of the format that lie between two values.

use lostbits_abi::kind::FpKind;

/// Where there is no number at all.
pub const ALL_BITS: f64 = 64.0;

const SIGN: u64 = 1 << 63;
const EXPONENT: u64 = 0x7ff << 52;

pub use lostbits_abi::explain::ALLOWANCE;

/// Whether something exceeds a threshold.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Verdict {
    Within,
    Over,
    /// The residue is not known well enough.
    Undecided,
}

/// A value as an event has it: its real value is `residue` ± `bound` away.
#[derive(Clone, Copy, Debug)]
pub struct Value {
    pub kind: FpKind,
    pub value: f64,
    pub residue: f64,
    pub bound: f64,
}

/// A threshold in bits, as numbers of the format in between.
pub fn steps_of(bits: f64) -> f64 {
    let whole = bits as i32;
    let part = bits - f64::from(whole);
    // Linear between powers of two: thresholds are whole numbers, mostly.
    power_of_two(whole) * (1.0 + part) - 1.0
}

impl Value {
    /// Whether the error is more than so many steps.
    pub fn verdict(&self, limit: f64) -> Verdict {
        if self.value.is_finite() && self.residue.is_nan() && !self.bound.is_finite() {
            // The real value lies beyond the doubles, or nobody knows: numbers with more room will tell.
            return Verdict::Undecided;
        }
        if !self.value.is_finite() || self.residue.is_nan() {
            return Verdict::Over;
        }
        if let Some(clear) = self.clear_verdict(limit) {
            return clear;
        }
        let steps = self.steps(self.residue);
        let over = steps > limit;
        let negligible = self.bound <= self.value.abs() * 1e-19;
        if negligible && (steps - limit).abs() > 1.5 {
            return if over { Verdict::Over } else { Verdict::Within };
        }
        match (over, self.is_doubtful(limit)) {
            (_, true) => Verdict::Undecided,
            (true, _) => Verdict::Over,
            (false, _) => Verdict::Within,
        }
    }

    /// The verdict where it is so clear that no numbers need be counted.
    #[inline]
    fn clear_verdict(&self, limit: f64) -> Option<Verdict> {
        let least_normal = match self.kind {
            FpKind::Double => f64::MIN_POSITIVE,
            FpKind::Float => f64::from(f32::MIN_POSITIVE),
            _ => return None,
        };
        let size = self.value.abs();
        if size < least_normal {
            return None;
        }
        // A step is between size / 2^p and size / 2^(p-1), beyond the next power of two at most twice as
        // large, below the last half as large.
        let precision = self.kind.precision() as i32;
        let doubt = ALLOWANCE * self.bound;
        if (self.residue.abs() - doubt) * power_of_two(precision - 1) > size * (2.0 * limit + 4.0) {
            return Some(Verdict::Over);
        }
        if (self.residue.abs() + doubt) * power_of_two(precision + 1) < size * limit {
            return Some(Verdict::Within);
        }
        None
    }

    fn is_doubtful(&self, limit: f64) -> bool {
        // Not a number, or infinite: nothing is known.
        if !(self.bound <= f64::MAX) {
            return true;
        }
        let bound = ALLOWANCE * self.bound;
        let away = if self.residue < 0.0 { -bound } else { bound };
        let most = self.residue + away;
        let (least, most) = match self.residue.abs() > bound {
            true => (self.steps(self.residue - away), self.steps(most)),
            false => (0.0, self.steps(most).max(self.steps(-most))),
        };
        (least > limit) != (most > limit)
    }

    /// To a tenth of a bit, for sums.
    #[inline(always)]
    pub fn about_bits(&self) -> f64 {
        let (value, residue) = (self.value.to_bits() & !SIGN, self.residue.to_bits() & !SIGN);
        let of_one_step =
            (value & EXPONENT).wrapping_sub(u64::from(self.kind.precision() - 1) << 52);
        // Where steps are of one size, and there are many of them. The bits of a number are its logarithm,
        // nearly.
        match residue < value && residue > of_one_step && value < EXPONENT {
            true => (residue - of_one_step) as i64 as f64 * power_of_two(-52),
            false => self.bits(),
        }
    }

    pub fn bits(&self) -> f64 {
        if !self.value.is_finite() || self.residue.is_nan() {
            return ALL_BITS;
        }
        log2_of_one_more(self.steps(self.residue))
    }

    /// Numbers of the format between the value and the nearest to `residue` more.
    fn steps(&self, residue: f64) -> f64 {
        match self.kind {
            FpKind::Double => ordinal(self.value).abs_diff(ordinal(self.value + residue)) as f64,
            FpKind::Float => {
                let real = (self.value + residue) as f32;
                f64::from(short_ordinal(self.value as f32).abs_diff(short_ordinal(real)))
            }
            FpKind::X87 | FpKind::Half | FpKind::BFloat => {
                let precision = self.kind.precision() as i32;
                let unit = power_of_two((exponent(self.value) - precision + 1).max(-1074));
                (residue / unit).abs()
            }
        }
    }
}

/// The number of a double in the order of all.
fn ordinal(x: f64) -> i64 {
    let bits = x.to_bits() as i64;
    if bits < 0 { i64::MIN - bits } else { bits }
}

fn short_ordinal(x: f32) -> i32 {
    let bits = x.to_bits() as i32;
    if bits < 0 { i32::MIN - bits } else { bits }
}

/// The exponent of a double; of zero, the least.
pub fn exponent(x: f64) -> i32 {
    let biased = ((x.to_bits() >> 52) & 0x7ff) as i32;
    match biased {
        0 => {
            let fraction = x.to_bits() << 12;
            -1023 - fraction.leading_zeros().min(51) as i32
        }
        biased => biased - 1023,
    }
}

/// 2 to a power, as far as doubles go.
#[inline]
pub fn power_of_two(power: i32) -> f64 {
    match power {
        ..-1074 => 0.0,
        -1074..-1022 => f64::from_bits(1 << (power + 1074)),
        -1022..=1023 => f64::from_bits(((power + 1023) as u64) << 52),
        _ => f64::INFINITY,
    }
}

/// log2(1 + x) to about five digits, for x ≥ 0.
pub fn log2_of_one_more(x: f64) -> f64 {
    let y = 1.0 + x;
    if !y.is_finite() {
        return ALL_BITS;
    }
    let exponent = exponent(y);
    let fraction = y / power_of_two(exponent);
    let s = (fraction - 1.0) / (fraction + 1.0);
    let square = s * s;
    let series =
        s * (1.0 + square * (1.0 / 3.0 + square * (0.2 + square * (1.0 / 7.0 + square / 9.0))));
    (f64::from(exponent) + series * (2.0 * core::f64::consts::LOG2_E)).min(ALL_BITS)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn near(x: f64, y: f64) -> bool {
        (x - y).abs() < 1e-4
    }

    fn off(kind: FpKind, value: f64, residue: f64, bound: f64) -> Value {
        Value {
            kind,
            value,
            residue,
            bound,
        }
    }

    #[test]
    fn errors_are_counted_in_numbers_between() {
        let bits = |kind, value, residue| off(kind, value, residue, 0.0).bits();
        assert_eq!(bits(FpKind::Double, 1.0, 0.0), 0.0);
        assert!(near(bits(FpKind::Double, 1.0, f64::EPSILON), 1.0));
        assert!(near(bits(FpKind::Double, 1.0, 31.0 * f64::EPSILON), 5.0));
        let short = f64::from(f32::EPSILON);
        assert!(near(bits(FpKind::Float, 1.0, 31.0 * short), 5.0));
        assert!(near(
            bits(FpKind::X87, 1.0, 31.0 * f64::EPSILON / 2048.0),
            5.0
        ));
        assert!(bits(FpKind::Double, 0.0, 1e-33) > 60.0);
        assert_eq!(bits(FpKind::Double, f64::NAN, 1.0), ALL_BITS);
    }

    #[test]
    fn doubt_is_noticed_on_both_sides_of_the_limit() {
        let unit = f64::EPSILON;
        let limit = steps_of(5.0);
        assert_eq!(limit, 31.0);
        let judge = |residue, bound| off(FpKind::Double, 1.0, residue, bound).verdict(limit);
        assert_eq!(judge(100.0 * unit, 0.0), Verdict::Over);
        assert_eq!(judge(31.0 * unit, 0.0), Verdict::Within);
        assert_eq!(judge(32.0 * unit, 0.0), Verdict::Over);
        assert_eq!(judge(10.0 * unit, 0.0), Verdict::Within);
        assert_eq!(judge(100.0 * unit, 90.0 * unit), Verdict::Undecided);
        assert_eq!(judge(10.0 * unit, 90.0 * unit), Verdict::Undecided);
        assert_eq!(judge(10.0 * unit, f64::INFINITY), Verdict::Undecided);
        assert_eq!(judge(10.0 * unit, f64::NAN), Verdict::Undecided);
        // Zero, and a residue that is nothing but noise.
        let zero = off(FpKind::Double, 0.0, 1e-33, 1e-32);
        assert_eq!(zero.verdict(limit), Verdict::Undecided);
    }

    #[test]
    fn logarithms_are_good_to_four_digits() {
        for (x, y) in [
            (0.0, 0.0),
            (1.0, 1.0),
            (31.0, 5.0),
            (1e6, 19.931_570),
            (0.5, 0.584_962),
        ] {
            assert!(near(log2_of_one_more(x), y), "{x}");
        }
    }

    #[test]
    fn exponents_and_powers() {
        for power in [-1074, -1030, -1022, -5, 0, 7, 1023] {
            assert_eq!(exponent(power_of_two(power)), power);
        }
    }
}
