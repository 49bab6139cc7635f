//! The program's values: their formats, and their way to numbers and back.
//!
//! All by integers: nothing here touches the floating-point environment.

mod near;

use core::ptr::NonNull;

use gmp_mpfr_sys::mpfr::mpfr_t;
use lostbits_abi::{kind::FpKind, numbers::Operand};

use crate::number::{INFINITY, LIMB_BITS, NOT_A_NUMBER, ZERO, is_regular, limbs_of};

/// A value of the program's.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Value {
    pub kind: FpKind,
    /// Of an x87 number, the significand.
    pub bits: u64,
    /// An x87 number's sign and exponent; else 0.
    pub high: u16,
}

/// The shape of a format, the leading bit of the significand included.
#[derive(Clone, Copy)]
struct Format {
    precision: u32,
    /// The exponent of the largest numbers, in 1 ≤ |m| < 2.
    largest: i64,
}

impl Format {
    #[inline(always)]
    const fn of(kind: FpKind) -> Format {
        let largest = match kind {
            FpKind::Half => 15,
            FpKind::BFloat | FpKind::Float => 127,
            FpKind::Double => 1023,
            FpKind::X87 => 16383,
        };
        Format {
            precision: kind.precision(),
            largest,
        }
    }

    /// Of the smallest numbers that are not subnormal.
    #[inline(always)]
    const fn smallest(self) -> i64 {
        1 - self.largest
    }
}

impl Value {
    #[inline(always)]
    pub fn of_double(value: f64) -> Value {
        Value {
            kind: FpKind::Double,
            bits: value.to_bits(),
            high: 0,
        }
    }

    #[inline(always)]
    pub fn of_float(value: f32) -> Value {
        Value {
            kind: FpKind::Float,
            bits: u64::from(value.to_bits()),
            high: 0,
        }
    }

    pub fn of_operand(operand: &Operand) -> Option<Value> {
        Some(Value {
            kind: FpKind::from_u8(operand.kind as u8)?,
            bits: operand.bits,
            high: operand.high as u16,
        })
    }

    /// Sign, biased exponent and significand, as they are stored; the significand's leading bit only
    /// where it is.
    #[inline(always)]
    fn fields(self) -> (bool, u64, u64) {
        if self.kind == FpKind::X87 {
            let exponent = u64::from(self.high & 0x7fff);
            return (self.high >> 15 != 0, exponent, self.bits);
        }
        let stored = self.kind.precision() - 1;
        let fraction = self.bits & ((1 << stored) - 1);
        let exponent_bits = self.kind.storage_bits() - 1 - stored;
        let exponent = (self.bits >> stored) & ((1 << exponent_bits) - 1);
        let sign = (self.bits >> (self.kind.storage_bits() - 1)) & 1 != 0;
        (sign, exponent, fraction)
    }

    /// The number without its pointer, and its only limb.
    #[inline(always)]
    pub fn parts(self) -> (mpfr_t, u64) {
        let format = Format::of(self.kind);
        let (negative, biased, stored) = self.fields();
        let is_x87 = self.kind == FpKind::X87;
        let top = 2 * format.largest as u64 + 1;
        let implied = if is_x87 || biased == 0 {
            0
        } else {
            1 << (format.precision - 1)
        };
        let significand = stored | implied;
        let fraction = if is_x87 { stored << 1 } else { stored };
        let mut number = mpfr_t {
            prec: i64::from(format.precision),
            sign: if negative { -1 } else { 1 },
            exp: ZERO,
            d: NonNull::dangling(),
        };
        if biased == top {
            number.exp = if fraction == 0 {
                INFINITY
            } else {
                NOT_A_NUMBER
            };
            return (number, 0);
        }
        if significand == 0 {
            return (number, 0);
        }
        let shift = significand.leading_zeros();
        // The weight of the significand's last bit, then of the number's top.
        let last = biased.max(1) as i64 - format.largest - i64::from(format.precision - 1);
        number.exp = last + LIMB_BITS - i64::from(shift);
        (number, significand << shift)
    }

    /// The value of a format that is nearest to a number (ties to even).
    #[inline(always)]
    pub fn nearest(kind: FpKind, number: &mpfr_t) -> Value {
        let format = Format::of(kind);
        let negative = number.sign < 0;
        if !is_regular(number) {
            return Value::special(kind, negative, number.exp);
        }
        let limbs = limbs_of(number);
        let top = limbs[limbs.len() - 1];
        let rest_is_zero = limbs[..limbs.len() - 1].iter().all(|limb| *limb == 0);
        let exponent = number.exp - 1;
        if exponent > format.largest {
            return Value::special(kind, negative, INFINITY);
        }
        let missing = (format.smallest() - exponent).max(0);
        let kept = i64::from(format.precision) - missing;
        let significand = match kept {
            1.. => {
                let kept = kept as u32;
                let (whole, rest) = match kept {
                    64 => (top, 0),
                    _ => (top >> (64 - kept), top << kept),
                };
                // `whole` may become the next power of 2; the exponent then follows by itself.
                round(whole, rest, rest_is_zero, limbs)
            }
            0 => u64::from(top > 1 << 63 || !rest_is_zero).into(),
            _ => 0,
        };
        Value::assemble(kind, negative, exponent.max(format.smallest()), significand)
    }

    fn special(kind: FpKind, negative: bool, mark: i64) -> Value {
        let format = Format::of(kind);
        let top = 2 * format.largest as u128 + 1;
        let stored = u32::from(kind != FpKind::X87);
        let fraction_bits = format.precision - stored;
        let leading: u128 = if stored == 0 { 1 << 63 } else { 0 };
        let word = match mark {
            ZERO => 0,
            INFINITY => top << fraction_bits | leading,
            _ => top << fraction_bits | leading | 1 << (format.precision - 2),
        };
        Value::from_word(kind, negative, word)
    }

    /// Of a significand with its leading bit, if it has one, at `precision - 1` (or one above).
    #[inline(always)]
    fn assemble(kind: FpKind, negative: bool, exponent: i64, significand: u128) -> Value {
        let format = Format::of(kind);
        let leading = 1u128 << (format.precision - 1);
        let biased = (exponent + format.largest) as u128;
        if kind == FpKind::X87 {
            let (biased, significand) = match significand {
                s if s >> 64 != 0 => (biased + 1, s >> 1),
                s if s & leading == 0 => (0, s),
                s => (biased, s),
            };
            if biased > 2 * format.largest as u128 {
                return Value::special(kind, negative, INFINITY);
            }
            return Value::from_word(kind, negative, biased << 64 | significand);
        }
        // A subnormal number has the smallest exponent's weight and 0 in its place.
        let word = ((biased - 1) << (format.precision - 1)) + significand;
        // A carry into the largest exponent makes infinity's bits.
        Value::from_word(kind, negative, word)
    }

    #[inline(always)]
    fn from_word(kind: FpKind, negative: bool, word: u128) -> Value {
        let sign = u128::from(negative) << (kind.storage_bits() - 1);
        let word = word | sign;
        Value {
            kind,
            bits: word as u64,
            high: if kind == FpKind::X87 {
                (word >> 64) as u16
            } else {
                0
            },
        }
    }

    #[inline(always)]
    pub fn is_not_a_number(self) -> bool {
        let (_, exponent, stored) = self.fields();
        let fraction = match self.kind {
            FpKind::X87 => stored << 1,
            _ => stored,
        };
        exponent == 2 * Format::of(self.kind).largest as u64 + 1 && fraction != 0
    }

    #[inline(always)]
    pub fn is_finite(self) -> bool {
        self.fields().1 != 2 * Format::of(self.kind).largest as u64 + 1
    }

    /// How many values of the format lie between two, one of them included; the most there is where one
    /// only is not a number.
    #[inline(always)]
    pub fn distance(self, other: Value) -> u64 {
        match (self.is_not_a_number(), other.is_not_a_number()) {
            (true, true) => 0,
            (false, false) if self.kind != FpKind::X87 => {
                let sign = 1 << (self.kind.storage_bits() - 1);
                let magnitude = |value: Value| (value.bits & !sign) as i64;
                match (self.bits ^ other.bits) & sign {
                    0 => magnitude(self).abs_diff(magnitude(other)),
                    _ => magnitude(self).unsigned_abs() + magnitude(other).unsigned_abs(),
                }
            }
            (false, false) => {
                let distance = self.position().abs_diff(other.position());
                u64::try_from(distance).unwrap_or(u64::MAX)
            }
            _ => u64::MAX,
        }
    }

    /// Of an x87 number among all; both zeros are at 0.
    fn position(self) -> i128 {
        let (negative, exponent, stored) = self.fields();
        let magnitude = i128::from(exponent) << 63 | i128::from(stored & !(1 << 63));
        if negative { -magnitude } else { magnitude }
    }

    /// What a number beside this value in memory is recognised by.
    #[inline(always)]
    pub fn fingerprint(self) -> u64 {
        self.bits ^ u64::from(self.high).wrapping_mul(0x9e37_79b9_7f4a_7c15)
    }
}

/// `whole` and what was cut off, to nearest.
#[inline(always)]
fn round(whole: u64, rest: u64, lower_is_zero: bool, limbs: &[u64]) -> u128 {
    const HALF: u64 = 1 << 63;
    let whole_wide = u128::from(whole);
    // With 64 bits kept, what is cut off begins in the next limb.
    let (rest, lower_is_zero) = match (rest, lower_is_zero, limbs) {
        (0, false, [lower @ .., next, _]) if whole >> 63 != 0 => {
            (*next, lower.iter().all(|limb| *limb == 0))
        }
        _ => (rest, lower_is_zero),
    };
    let up = rest > HALF || (rest == HALF && (!lower_is_zero || whole & 1 != 0));
    whole_wide + u128::from(up)
}

#[cfg(test)]
mod tests {
    use rug::{Float, ops::Pow};

    use gmp_mpfr_sys::mpfr;

    use super::*;
    use crate::number::{Short, Slot};

    /// A stream of numbers that looks random (xorshift).
    fn random(seed: &mut u64) -> u64 {
        *seed ^= *seed << 13;
        *seed ^= *seed >> 7;
        *seed ^= *seed << 17;
        *seed
    }

    const KINDS: [FpKind; 5] = [
        FpKind::Half,
        FpKind::BFloat,
        FpKind::Float,
        FpKind::Double,
        FpKind::X87,
    ];

    fn value(kind: FpKind, bits: u64, high: u16) -> Value {
        match kind {
            // The leading bit is there unless the exponent is 0.
            FpKind::X87 => Value {
                kind,
                bits: match high & 0x7fff {
                    0 => bits & !(1 << 63),
                    _ => bits | 1 << 63,
                },
                high,
            },
            _ => Value {
                kind,
                bits: bits & (u64::MAX >> (64 - kind.storage_bits())),
                high: 0,
            },
        }
    }

    #[test]
    fn every_value_is_the_nearest_to_its_own_number() {
        let mut seed = 1;
        for kind in KINDS {
            for round in 0..20_000u64 {
                let (mut bits, mut high) = (random(&mut seed), random(&mut seed) as u16);
                if round % 4 == 0 {
                    // Subnormal numbers and their neighbours.
                    bits >>= 64 - kind.storage_bits().min(64) + (round % 70) as u32 % 12;
                    high &= 0x8001;
                }
                let value = value(kind, bits, high);
                let nearest = Value::nearest(kind, Short::new().set(value));
                if value.is_not_a_number() {
                    assert!(nearest.is_not_a_number(), "{value:x?}");
                } else {
                    assert_eq!(nearest, value);
                    assert_eq!(value.distance(nearest), 0);
                }
            }
        }
    }

    /// Numbers of 200 bits, of few bits, halfway between doubles, and beyond both ends.
    fn number(seed: &mut u64) -> Float {
        let mut number = Float::with_val(200, random(seed)) << 136u32;
        number += Float::with_val(200, random(seed)) << 72u32;
        number += random(seed);
        let kept = [200, 54, 53, 25, 24, 12, 65][(random(seed) % 7) as usize];
        number.set_prec(kept);
        number.set_prec(200);
        if random(seed).is_multiple_of(8) {
            number += Float::with_val(200, 2).pow(3);
        }
        let exponent = match random(seed) % 4 {
            0 => -1300 + (random(seed) % 300) as i32,
            1 => -350 + (random(seed) % 60) as i32,
            2 => 900 + (random(seed) % 200) as i32,
            _ => (random(seed) % 400) as i32 - 300,
        };
        number >>= 200;
        number <<= exponent;
        if random(seed).is_multiple_of(2) {
            -number
        } else {
            number
        }
    }

    #[test]
    fn rounding_agrees_with_mpfr() {
        let mut seed = 7;
        for _ in 0..50_000 {
            let number = number(&mut seed);
            let mut slot = Slot::new();
            // SAFETY: a regular number of its own.
            let raw = unsafe { &*number.as_raw() };
            slot.set(raw.prec, raw.sign, raw.exp, limbs_of(raw));
            slot.shorten();
            let double = Value::nearest(FpKind::Double, &slot.number);
            assert_eq!(double, Value::of_double(number.to_f64()), "{number:?}");
            let float = Value::nearest(FpKind::Float, &slot.number);
            assert_eq!(float, Value::of_float(number.to_f32()), "{number:?}");
            let extended = Value::nearest(FpKind::X87, &slot.number);
            let exact = Float::with_val(64, &number);
            let mut back = Slot::new();
            back.set_value(extended);
            assert_eq!(
                unsafe { mpfr::cmp(&back.number, exact.as_raw()) },
                0,
                "{number:?}"
            );
        }
    }

    #[test]
    fn short_numbers_have_the_same_value() {
        for (number, bits) in [
            (Float::with_val(1000, 1.5), 64),
            (Float::with_val(1000, 0.1) * Float::with_val(1000, 0.3), 128),
            (Float::with_val(1000, 1) / 3u32, 1000),
        ] {
            let mut slot = Slot::new();
            let raw = unsafe { &*number.as_raw() };
            slot.set(raw.prec, raw.sign, raw.exp, limbs_of(raw));
            slot.shorten();
            assert_eq!(slot.number.prec, bits);
            assert_eq!(unsafe { mpfr::cmp(&slot.number, number.as_raw()) }, 0);
        }
    }

    #[test]
    fn distances_count_values() {
        let distance = |a: f64, b: f64| Value::of_double(a).distance(Value::of_double(b));
        assert_eq!(distance(1.0, 1.0 + f64::EPSILON), 1);
        assert_eq!(distance(-f64::from_bits(1), f64::from_bits(2)), 3);
        assert_eq!(distance(0.0, -0.0), 0);
        assert_eq!(distance(f64::NAN, f64::NAN), 0);
        assert_eq!(distance(f64::NAN, 1.0), u64::MAX);
        let one = value(FpKind::X87, 1 << 63, 0x3fff);
        let next = value(FpKind::X87, 1 << 63 | 1, 0x3fff);
        let two = value(FpKind::X87, 1 << 63, 0x4000);
        assert_eq!((one.distance(next), one.distance(two)), (1, 1 << 63));
    }

    #[test]
    fn integers_fit_or_do_not() {
        let integer = |number: f64, width: u32, signed: bool| {
            let mut slot = Slot::new();
            slot.set_value(Value::of_double(number));
            slot.to_integer(width, signed)
        };
        assert_eq!(integer(-3.0, 32, true), Some(-3i64 as u64));
        assert_eq!(integer(2147483648.0, 32, true), None);
        assert_eq!(
            integer(-2147483648.0, 32, true),
            Some(-2147483648i64 as u64)
        );
        assert_eq!(integer(4294967295.0, 32, false), Some(4294967295));
        assert_eq!(integer(-1.0, 32, false), None);
        assert_eq!(
            integer(18446744073709549568.0, 64, false),
            Some(18446744073709549568)
        );
        assert_eq!(integer(0.0, 8, true), Some(0));
        assert_eq!(integer(f64::NAN, 64, true), None);
    }
}
