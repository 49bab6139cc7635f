//! The program's values: their formats, and conversions to and from numbers.
//!
//! All by integers: nothing here touches the floating-point environment.

mod near;

use lostbits_abi::{kind::FpKind, numbers::Operand};

use crate::number::{INFINITY, NAN, Number, ZERO};

/// A value of the program.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Value {
    pub kind: FpKind,
    /// For x87, the significand.
    pub bits: u64,
    /// For x87, sign and exponent; otherwise 0.
    pub high: u16,
}

/// The shape of a format.
#[derive(Clone, Copy)]
struct Format {
    /// Bits of the significand, the leading one included.
    precision: u32,
    /// The exponent e of the largest numbers m·2^e, 1 ≤ |m| < 2.
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

    /// The exponent of the smallest normal numbers.
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

    /// Sign, biased exponent and significand as stored; the leading bit is included only for x87.
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

    /// Whether it is negative, its significand, and the weight of the significand's last bit. For zeros, infinities and NaN:
    /// 0 and a mark.
    #[inline(always)]
    pub fn parts(self) -> (bool, u64, i64) {
        let format = Format::of(self.kind);
        let (negative, biased, stored) = self.fields();
        let is_x87 = self.kind == FpKind::X87;
        if biased == 2 * format.largest as u64 + 1 {
            let fraction = if is_x87 { stored << 1 } else { stored };
            let mark = match fraction {
                0 => INFINITY,
                _ => NAN,
            };
            return (negative, 0, mark);
        }
        let implied = match is_x87 || biased == 0 {
            true => 0,
            false => 1 << (format.precision - 1),
        };
        let significand = stored | implied;
        let weight = match significand {
            0 => ZERO,
            _ => biased.max(1) as i64 - format.largest - i64::from(format.precision - 1),
        };
        (negative, significand, weight)
    }

    /// The value of a format nearest to a number (ties to even).
    #[inline(always)]
    pub fn nearest(kind: FpKind, number: &Number) -> Value {
        let negative = number.sign < 0;
        if !number.is_regular() {
            return Value::special(kind, negative, number.size);
        }
        let (beginning, more) = number.leading_128();
        Value::rounded(kind, negative, beginning, more, number.size)
    }

    /// The value nearest to a number with the leading bits `beginning`, the first of which is set; `more` says that nonzero
    /// bits may follow. `size` is [`Number::size`].
    #[inline(always)]
    pub fn rounded(kind: FpKind, negative: bool, beginning: u128, more: bool, size: i64) -> Value {
        let format = Format::of(kind);
        let exponent = size - 1;
        if exponent > format.largest {
            return Value::special(kind, negative, INFINITY);
        }
        let missing = (format.smallest() - exponent).max(0);
        let kept = i64::from(format.precision) - missing;
        let significand = match kept {
            // Rounding up to the next power of two also raises the exponent, by the carry.
            1.. => round(beginning, kept as u32, more),
            0 => u64::from(beginning > HALF || more).into(),
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

    /// From a significand whose leading bit, if any, is at `precision - 1` or one above.
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
        // A subnormal number has the weight of the smallest exponent, and 0 as biased exponent.
        let word = ((biased - 1) << (format.precision - 1)) + significand;
        // A carry into the largest exponent gives infinity.
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
    pub fn is_nan(self) -> bool {
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

    /// The distance in ulps: how many values of the format lie between two, one end included. The maximum where only one is
    /// NaN.
    #[inline(always)]
    pub fn distance(self, other: Value) -> u64 {
        match (self.is_nan(), other.is_nan()) {
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

    /// The index of an x87 number among all; both zeros are at 0.
    fn position(self) -> i128 {
        let (negative, exponent, stored) = self.fields();
        let magnitude = i128::from(exponent) << 63 | i128::from(stored & !(1 << 63));
        if negative { -magnitude } else { magnitude }
    }

    /// Identifies the value beside its number in memory.
    #[inline(always)]
    pub fn fingerprint(self) -> u64 {
        self.bits ^ u64::from(self.high).wrapping_mul(0x9e37_79b9_7f4a_7c15)
    }
}

const HALF: u128 = 1 << 127;

/// The highest `kept` bits, rounded to nearest; `more` says that nonzero bits may follow.
#[inline(always)]
fn round(bits: u128, kept: u32, more: bool) -> u128 {
    let (whole, rest) = (bits >> (128 - kept), bits << kept);
    let up = rest > HALF || (rest == HALF && (more || whole & 1 != 0));
    whole + u128::from(up)
}

#[cfg(test)]
mod tests {
    use rug::{Float, ops::Pow};

    use gmp_mpfr_sys::mpfr;

    use super::*;
    use crate::{
        exchange::{self, Scratch},
        number::{Short, Slot},
    };

    /// A pseudo-random stream (xorshift).
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
            // The leading bit is set unless the exponent is 0.
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
                if value.is_nan() {
                    assert!(nearest.is_nan(), "{value:x?}");
                } else {
                    assert_eq!(nearest, value);
                    assert_eq!(value.distance(nearest), 0);
                }
            }
        }
    }

    /// Numbers of 200 bits, of few bits, halfway between doubles, and outside the range of doubles at both ends.
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
            // SAFETY: `number` is a valid MPFR number.
            exchange::take(&mut slot, unsafe { &*number.as_raw() });
            let double = Value::nearest(FpKind::Double, &slot.number);
            assert_eq!(double, Value::of_double(number.to_f64()), "{number:?}");
            let float = Value::nearest(FpKind::Float, &slot.number);
            assert_eq!(float, Value::of_float(number.to_f32()), "{number:?}");
            let extended = Value::nearest(FpKind::X87, &slot.number);
            let exact = Float::with_val(64, &number);
            let mut back = Slot::new();
            back.set_value(extended);
            assert!(is_same(&back, &exact), "{number:?}");
        }
    }

    #[test]
    fn trimming_limbs_keeps_the_value() {
        for (number, limbs) in [
            (Float::with_val(1000, 1.5), 2),
            (Float::with_val(1000, 0.1) * Float::with_val(1000, 0.3), 2),
            (Float::with_val(1000, 1) / 3u32, 17),
            (Float::with_val(500, 1) / 3u32, 8),
        ] {
            let mut slot = Slot::new();
            // SAFETY: `number` is a valid MPFR number.
            exchange::take(&mut slot, unsafe { &*number.as_raw() });
            assert_eq!(slot.number.len(), limbs, "{number}");
            assert!(is_same(&slot, &number));
        }
    }

    fn is_same(slot: &Slot, number: &Float) -> bool {
        let mut scratch = Scratch::new();
        let lent = scratch.lend(&slot.number);
        // SAFETY: both are valid MPFR numbers.
        unsafe { mpfr::cmp(&lent, number.as_raw()) == 0 }
    }

    #[test]
    fn distances_are_in_ulps() {
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
    fn only_numbers_within_the_range_become_integers() {
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
