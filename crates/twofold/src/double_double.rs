//! Arithmetic on double-doubles: hi + lo with |lo| at most half a unit in the last place of hi.
//!
//! With u = 2^-53, relative errors are at most 3u² for sums, 5u² for products, 8u² for quotients and roots (Joldes, Muller,
//! Popescu 2017 prove sharper bounds).

use crate::Bounded;
use crate::product::Product;

#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Dd {
    pub hi: f64,
    pub lo: f64,
}

/// s + e = a + b exactly.
#[inline(always)]
pub fn two_sum(a: f64, b: f64) -> (f64, f64) {
    let s = a + b;
    let part = s - a;
    (s, (a - (s - part)) + (b - part))
}

/// As [`two_sum`], for |a| ≥ |b| or a = 0.
#[inline(always)]
pub fn fast_two_sum(a: f64, b: f64) -> (f64, f64) {
    let s = a + b;
    (s, b - (s - a))
}

#[inline(always)]
pub fn abs(x: f64) -> f64 {
    f64::from_bits(x.to_bits() & !(1 << 63))
}

/// 2^n for the exponents of normal numbers.
#[inline(always)]
pub const fn power_of_two(n: i32) -> f64 {
    f64::from_bits(((1023 + n) as u64) << 52)
}

/// The nearest whole number, for |x| < 2^51.
#[inline(always)]
pub fn nearest(x: f64) -> f64 {
    const SHIFT: f64 = 6_755_399_441_055_744.0; // 1.5·2^52
    (x + SHIFT) - SHIFT
}

impl Dd {
    pub const ZERO: Dd = Dd::new(0.0, 0.0);
    pub const ONE: Dd = Dd::new(1.0, 0.0);

    #[inline(always)]
    pub const fn new(hi: f64, lo: f64) -> Dd {
        Dd { hi, lo }
    }

    #[inline(always)]
    pub fn sum(a: f64, b: f64) -> Dd {
        let (hi, lo) = two_sum(a, b);
        Dd { hi, lo }
    }

    #[inline(always)]
    fn normal(hi: f64, lo: f64) -> Dd {
        let (hi, lo) = fast_two_sum(hi, lo);
        Dd { hi, lo }
    }

    #[inline(always)]
    pub fn neg(self) -> Dd {
        Dd::new(-self.hi, -self.lo)
    }

    #[inline(always)]
    pub fn abs(self) -> Dd {
        if self.is_negative() { self.neg() } else { self }
    }

    #[inline(always)]
    pub fn is_negative(self) -> bool {
        self.hi.is_sign_negative()
    }

    /// With the sign of another number.
    #[inline(always)]
    pub fn signed_like(self, other: Dd) -> Dd {
        if other.is_negative() {
            self.neg()
        } else {
            self
        }
    }

    #[inline(always)]
    pub fn add(self, other: Dd) -> Dd {
        let (s, e) = two_sum(self.hi, other.hi);
        let (t, f) = two_sum(self.lo, other.lo);
        let (s, e) = fast_two_sum(s, e + t);
        Dd::normal(s, e + f)
    }

    #[inline(always)]
    pub fn sub(self, other: Dd) -> Dd {
        self.add(other.neg())
    }

    #[inline(always)]
    pub fn add_f64(self, other: f64) -> Dd {
        let (s, e) = two_sum(self.hi, other);
        Dd::normal(s, e + self.lo)
    }

    #[inline(always)]
    pub fn mul<P: Product>(self, other: Dd) -> Dd {
        let (p, e) = P::product(self.hi, other.hi);
        Dd::normal(p, e + (self.hi * other.lo + self.lo * other.hi))
    }

    #[inline(always)]
    pub fn mul_f64<P: Product>(self, other: f64) -> Dd {
        let (p, e) = P::product(self.hi, other);
        Dd::normal(p, e + self.lo * other)
    }

    #[inline(always)]
    pub fn square<P: Product>(self) -> Dd {
        let (p, e) = P::product(self.hi, self.hi);
        Dd::normal(p, e + 2.0 * (self.hi * self.lo))
    }

    /// Exact for powers of two.
    #[inline(always)]
    pub fn scale(self, factor: f64) -> Dd {
        Dd::new(self.hi * factor, self.lo * factor)
    }

    #[inline(always)]
    pub fn div<P: Product>(self, other: Dd) -> Dd {
        let quotient = self.hi / other.hi;
        let (p, e) = P::product(quotient, other.hi);
        let rest = (self.hi - p) - e + self.lo - quotient * other.lo;
        Dd::normal(quotient, rest / other.hi)
    }

    /// For numbers ≥ 0.
    #[inline(always)]
    pub fn sqrt<P: Product>(self) -> Dd {
        if self.hi == 0.0 {
            return Dd::ZERO;
        }
        let root = hardware_sqrt(self.hi);
        let (p, e) = P::product(root, root);
        let rest = (self.hi - p) - e + self.lo;
        Dd::normal(root, rest / (2.0 * root))
    }

    /// With a relative bound on its error.
    #[inline(always)]
    pub fn within(self, relative: f64) -> Bounded {
        self.bounded(abs(self.hi) * relative)
    }

    #[inline(always)]
    pub fn bounded(self, error: f64) -> Bounded {
        Bounded {
            hi: self.hi,
            lo: self.lo,
            error,
        }
    }
}

#[inline(always)]
pub fn hardware_sqrt(x: f64) -> f64 {
    use core::arch::x86_64::{_mm_cvtsd_f64, _mm_set_sd, _mm_sqrt_sd};
    // SAFETY: every x86-64 processor has SSE2.
    unsafe {
        let x = _mm_set_sd(x);
        _mm_cvtsd_f64(_mm_sqrt_sd(x, x))
    }
}
