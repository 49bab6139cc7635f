//! How strongly an operation amplified its operands' errors, from the operands that the record keeps.
//!
//! What it can miss: a fused operation's second factor and the lanes of a reduction are not in the
//! record, so their cancelled bits are not known; nor are values of `long double`.

use lostbits_abi::{kind::FpKind, ops::Op};

/// How much an operation amplified an error.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Amplification {
    /// This many leading bits of the operands cancelled: the paper's max(e_x, e_y) - e_result.
    Cancelled(u32),
    /// A library function: relative errors grow by two to this power.
    Factor { log2: i32 },
}

/// The value of bits; none for formats of which the record does not hold all.
pub fn real(bits: u64, kind: FpKind) -> Option<f64> {
    match kind {
        FpKind::Double => Some(f64::from_bits(bits)),
        FpKind::Float => Some(f32::from_bits(bits as u32).into()),
        FpKind::BFloat => Some(f32::from_bits((bits as u32 & 0xffff) << 16).into()),
        FpKind::Half => Some(half(bits as u16)),
        FpKind::X87 => None,
    }
}

fn half(bits: u16) -> f64 {
    let sign = if bits >> 15 == 1 { -1.0 } else { 1.0 };
    let (exponent, fraction) = (i32::from(bits >> 10 & 0x1f), f64::from(bits & 0x3ff));
    sign * match exponent {
        0 => fraction * 2f64.powi(-24),
        31 if fraction == 0.0 => f64::INFINITY,
        31 => f64::NAN,
        _ => (1024.0 + fraction) * 2f64.powi(exponent - 25),
    }
}

/// What the operation at an origin did to its operands' errors.
pub fn amplification(op: Op, kind: FpKind, bits: [u64; 2]) -> Option<Amplification> {
    amplification_of_values(op, kind, [real(bits[0], kind)?, real(bits[1], kind)?])
}

/// The same for operands that are known as numbers.
pub fn amplification_of_values(op: Op, kind: FpKind, [x, y]: [f64; 2]) -> Option<Amplification> {
    match op {
        Op::Add => cancelled(x, y, x + y, kind).map(Amplification::Cancelled),
        Op::Sub => cancelled(x, y, x - y, kind).map(Amplification::Cancelled),
        Op::Fma | Op::MulAdd | Op::ReduceAdd => None,
        _ => factor(op, [x, y]),
    }
}

/// How near a decision's operands were to the other branch: the bits that cancel in their
/// difference.
pub fn nearness(op: Op, kind: FpKind, bits: [u64; 2]) -> Option<u32> {
    let x = real(bits[0], kind)?;
    let y = match op {
        Op::Compare => real(bits[1], kind)?,
        Op::Rem | Op::Modulo => nearest_multiple(x, real(bits[1], kind)?, 0.0),
        Op::Remainder => nearest_multiple(x, real(bits[1], kind)?, 0.5),
        _ => nearest_jump(op, x),
    };
    cancelled(x, y, x - y, kind)
}

/// Where the result of a conversion or rounding jumps, nearest to `x`.
fn nearest_jump(op: Op, x: f64) -> f64 {
    use Op::*;
    match op {
        Round | RoundEven | Rint | Nearbyint | Lround | Llround | Lrint | Llrint => x.floor() + 0.5,
        _ => x.round(),
    }
}

/// Where a remainder jumps, nearest to `x`: at multiples of the divisor, or half of it further.
fn nearest_multiple(x: f64, divisor: f64, offset: f64) -> f64 {
    ((x / divisor - offset).round() + offset) * divisor
}

/// None where nothing cancels.
fn cancelled(x: f64, y: f64, result: f64, kind: FpKind) -> Option<u32> {
    if ![x, y, result].iter().all(|value| value.is_finite()) || x == 0.0 || y == 0.0 {
        return None;
    }
    let of = kind.precision();
    let bits = match result {
        0.0 => of,
        _ => u32::try_from(exponent(x).max(exponent(y)) - exponent(result)).unwrap_or(0),
    };
    (bits > 0).then_some(bits.min(of))
}

fn factor(op: Op, operands: [f64; 2]) -> Option<Amplification> {
    let arity = op.info().arity().min(2);
    let largest = op
        .condition(&operands[..arity])
        .into_iter()
        .fold(0.0, f64::max);
    (largest.is_finite() && largest > 1.0).then(|| Amplification::Factor {
        log2: exponent(largest),
    })
}

/// Of a finite value other than zero: e in 1.f · 2^e.
fn exponent(value: f64) -> i32 {
    const SUBNORMAL_SHIFT: i32 = 64;
    let biased = |value: f64| (value.to_bits() >> 52 & 0x7ff) as i32;
    match biased(value) {
        0 => biased(value * 2f64.powi(SUBNORMAL_SHIFT)) - 1023 - SUBNORMAL_SHIFT,
        biased => biased - 1023,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn doubles(x: f64, y: f64) -> [u64; 2] {
        [x.to_bits(), y.to_bits()]
    }

    const fn bits(bits: u32) -> Option<Amplification> {
        Some(Amplification::Cancelled(bits))
    }

    /// The paper's Table 2, execution 2: 50 bits cancel.
    #[test]
    fn the_papers_determinant() {
        let operands = doubles(22.109_052_671_999_983, -22.109052671999997);
        assert_eq!(amplification(Op::Add, FpKind::Double, operands), bits(50));
    }

    #[test]
    fn equal_values_cancel_wholly_and_unlike_ones_not_at_all() {
        let amplify = |x, y| amplification(Op::Sub, FpKind::Double, doubles(x, y));
        assert_eq!(amplify(1.5, 1.5), bits(53));
        assert_eq!(amplify(1.5, -1.5), None);
        assert_eq!(amplify(1.0, 0.0), None);
        assert_eq!(amplify(f64::INFINITY, 1.0), None);
        let float = [1.5f32, 1.25].map(|value| u64::from(value.to_bits()));
        assert_eq!(amplification(Op::Sub, FpKind::Float, float), bits(2));
    }

    #[test]
    fn functions_have_a_factor() {
        let sin = amplification(Op::Sin, FpKind::Double, doubles(std::f64::consts::PI, 0.0));
        let Some(Amplification::Factor { log2 }) = sin else {
            panic!("{sin:?}")
        };
        assert!((50..56).contains(&log2), "{log2}");
        let fma = amplification(Op::Fma, FpKind::Double, doubles(1.0, -1.0));
        assert_eq!(fma, None);
    }

    #[test]
    fn jumps_are_whole_numbers_or_halves() {
        let near = |op, x| nearness(op, FpKind::Double, doubles(x, 0.0));
        assert_eq!(near(Op::ToSigned, 2.999_999_999_999_999_6), Some(52));
        assert_eq!(near(Op::Floor, 3.0), Some(53));
        assert_eq!(near(Op::Round, 2.5), Some(53));
        assert_eq!(near(Op::Round, 3.0), Some(2));
    }

    #[test]
    fn narrow_formats_are_decoded() {
        assert_eq!(real(0x3c00, FpKind::Half), Some(1.0));
        assert_eq!(real(0x8001, FpKind::Half), Some(-(2f64.powi(-24))));
        assert_eq!(real(0x7c00, FpKind::Half), Some(f64::INFINITY));
        assert_eq!(real(0x3f80, FpKind::BFloat), Some(1.0));
        assert_eq!(real(1, FpKind::X87), None);
    }

    #[test]
    fn exponents_reach_below_the_normal_numbers() {
        assert_eq!(exponent(1.0), 0);
        assert_eq!(exponent(-0.75), -1);
        assert_eq!(exponent(f64::MIN_POSITIVE / 4.0), -1024);
        assert_eq!(exponent(f64::from_bits(1)), -1074);
    }
}
