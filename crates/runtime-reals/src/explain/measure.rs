//! Bits of error: the logarithm of one more than the numbers of the format that lie between two values.

use lostbits_abi::kind::FpKind;

use super::real::Real;

/// Where there is no number at all.
pub const ALL_BITS: f64 = 64.0;

/// Whether something exceeds a threshold.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Verdict {
    Within,
    Over,
    /// The residue is not known well enough.
    Undecided,
}

/// An error in bits, and whether it is over a threshold.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Measured {
    pub bits: f64,
    pub verdict: Verdict,
}

/// The error of `value` (with `tail`, for x87), its real value being `residue` ± `bound` away.
pub fn error(
    kind: FpKind,
    value: f64,
    tail: f64,
    residue: f64,
    bound: f64,
    limit: f64,
) -> Measured {
    let bits = |residue: f64| between(kind, value, tail, residue);
    if !value.is_finite() || residue.is_nan() {
        return Measured {
            bits: ALL_BITS,
            verdict: Verdict::Over,
        };
    }
    let measured = bits(residue);
    let over = measured > limit;
    // Not a number, or infinite: nothing is known.
    let doubtful = !(bound <= f64::MAX) || {
        let away = if residue < 0.0 { -bound } else { bound };
        let (least, most) = match residue.abs() > bound {
            true => (bits(residue - away), bits(residue + away)),
            false => (0.0, bits(residue + away).max(bits(-(residue + away)))),
        };
        (least > limit) != (most > limit)
    };
    let verdict = match (over, doubtful) {
        (_, true) => Verdict::Undecided,
        (true, _) => Verdict::Over,
        (false, _) => Verdict::Within,
    };
    Measured {
        bits: measured,
        verdict,
    }
}

/// Bits between a value and the nearest of its format to `residue` more.
fn between(kind: FpKind, value: f64, tail: f64, residue: f64) -> f64 {
    if kind == FpKind::X87 {
        let unit = power_of_two((exponent(value) - 63).max(-1074));
        return log2_of_one_more((residue / unit).abs());
    }
    let real = Real::sum(value, tail).plus(residue);
    distance(kind, value, real.high)
}

/// Bits between two doubles seen as numbers of a format.
pub fn distance(kind: FpKind, x: f64, y: f64) -> f64 {
    if x.is_nan() || y.is_nan() {
        return if x.is_nan() && y.is_nan() {
            0.0
        } else {
            ALL_BITS
        };
    }
    let steps = match kind {
        FpKind::Double | FpKind::X87 => ordinal(x).abs_diff(ordinal(y)),
        FpKind::Float => u64::from(short_ordinal(x as f32).abs_diff(short_ordinal(y as f32))),
        FpKind::Half | FpKind::BFloat => {
            let bits = kind.precision() as i32;
            let unit = power_of_two((exponent(x) - bits + 1).max(-1074));
            return log2_of_one_more(((x - y) / unit).abs());
        }
    };
    log2_of_one_more(steps as f64)
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

    #[test]
    fn errors_are_counted_in_numbers_between() {
        assert_eq!(distance(FpKind::Double, 1.0, 1.0), 0.0);
        assert!(near(distance(FpKind::Double, 1.0, 1.0f64.next_up()), 1.0));
        assert!(near(distance(FpKind::Double, -0.0, 0.0), 0.0));
        assert!(near(
            distance(FpKind::Double, 1.0, 1.0 + 31.0 * f64::EPSILON),
            5.0
        ));
        assert!(near(
            distance(FpKind::Float, 1.0, 1.0 + 31.0 * f64::from(f32::EPSILON)),
            5.0
        ));
        assert!(distance(FpKind::Double, 0.0, 1e-33) > 60.0);
        assert_eq!(distance(FpKind::Double, f64::NAN, 1.0), ALL_BITS);
    }

    #[test]
    fn doubt_is_noticed_on_both_sides_of_the_limit() {
        let unit = f64::EPSILON;
        let judge = |residue, bound| error(FpKind::Double, 1.0, 0.0, residue, bound, 5.0).verdict;
        assert_eq!(judge(100.0 * unit, 0.0), Verdict::Over);
        assert_eq!(judge(10.0 * unit, 0.0), Verdict::Within);
        assert_eq!(judge(100.0 * unit, 90.0 * unit), Verdict::Undecided);
        assert_eq!(judge(10.0 * unit, 90.0 * unit), Verdict::Undecided);
        assert_eq!(judge(10.0 * unit, f64::INFINITY), Verdict::Undecided);
        assert_eq!(judge(10.0 * unit, f64::NAN), Verdict::Undecided);
        // Zero, and a residue that is nothing but noise.
        let zero = error(FpKind::Double, 0.0, 0.0, 1e-33, 1e-32, 5.0);
        assert_eq!(zero.verdict, Verdict::Undecided);
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
