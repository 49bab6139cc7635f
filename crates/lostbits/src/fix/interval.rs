//! Intervals of doubles, rounded outwards: which values an expression can have over the given ranges.
//!
//! They decide which conditional rules may be applied ([`super::analysis`]). An interval holds the value of the exact
//! expression wherever the original expression is defined; `nonzero` says that it is never 0 there, which an interval
//! around 0 cannot. Arithmetic is widened by one number in each direction, library functions by [`SLACK`] of
//! their value: sound as long as libm errs by less than that (glibc's documented errors are below 10 ulps).

use std::f64::consts::PI;

use lostbits_abi::ops::Op;

use super::machine::{self, Width};

/// Relative widening after a call of libm.
const SLACK: f64 = 1e-14;

#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Interval {
    pub low: f64,
    pub high: f64,
    /// 0 is not among the values, even if it lies between the ends.
    pub nonzero: bool,
}

impl Interval {
    /// Nothing is known.
    pub const ALL: Interval = Interval {
        low: f64::NEG_INFINITY,
        high: f64::INFINITY,
        nonzero: false,
    };

    pub fn new(low: f64, high: f64) -> Interval {
        if low.is_nan() || high.is_nan() {
            return Interval::ALL;
        }
        Interval {
            low,
            high,
            nonzero: low > 0.0 || high < 0.0,
        }
    }

    pub fn point(x: f64) -> Interval {
        Interval::new(x, x)
    }

    fn with_nonzero(mut self, nonzero: bool) -> Interval {
        self.nonzero |= nonzero;
        self
    }

    pub fn is_nonnegative(self) -> bool {
        self.low >= 0.0
    }

    pub fn is_positive(self) -> bool {
        self.low > 0.0 || (self.low >= 0.0 && self.nonzero)
    }

    pub fn is_negative(self) -> bool {
        self.high < 0.0 || (self.high <= 0.0 && self.nonzero)
    }

    /// What both say. Where they contradict each other nothing is left, and the first is kept.
    pub fn intersected(self, other: Interval) -> Interval {
        let (low, high) = (self.low.max(other.low), self.high.min(other.high));
        if low > high {
            return self;
        }
        Interval::new(low, high).with_nonzero(self.nonzero || other.nonzero)
    }

    /// Whether another interval inside says something new: a sign, or an end that is closer by more than a thousandth.
    pub fn is_much_wider_than(self, inner: Interval) -> bool {
        let differs = |outer: f64, inner: f64| {
            outer != inner
                && (outer.is_infinite()
                    || inner == 0.0
                    || (outer - inner).abs() > 1e-3 * outer.abs().max(inner.abs()))
        };
        self.nonzero != inner.nonzero
            || differs(self.low, inner.low)
            || differs(self.high, inner.high)
    }

    fn rounded(low: f64, high: f64) -> Interval {
        let (low, high) = Interval::within_overflow(low, high);
        let low = if low.is_finite() {
            low.next_down()
        } else {
            low
        };
        let high = if high.is_finite() {
            high.next_up()
        } else {
            high
        };
        Interval::new(low, high)
    }

    /// An end that overflows in the direction of the other is the largest number: exact values are finite.
    fn within_overflow(low: f64, high: f64) -> (f64, f64) {
        (low.min(f64::MAX), high.max(-f64::MAX))
    }

    /// Widened by what a library function may be off.
    fn called(low: f64, high: f64) -> Interval {
        let (low, high) = Interval::within_overflow(low, high);
        let slack = |x: f64| x.abs() * SLACK + f64::MIN_POSITIVE;
        Interval::new(low - slack(low), high + slack(high))
    }

    fn magnitude(self) -> Interval {
        let nonzero = self.nonzero;
        let of = if self.low >= 0.0 {
            self
        } else if self.high <= 0.0 {
            Interval::new(-self.high, -self.low)
        } else {
            Interval::new(0.0, self.high.max(-self.low))
        };
        of.with_nonzero(nonzero)
    }
}

/// The values of an operation.
pub fn operation(op: Op, x: &[Interval]) -> Interval {
    match *x {
        [x] => unary(op, x),
        [x, y] => binary(op, x, y),
        [x, y, z] if op == Op::Fma => binary(Op::Add, binary(Op::Mul, x, y), z),
        _ => Interval::ALL,
    }
}

fn unary(op: Op, x: Interval) -> Interval {
    use Op::*;
    let rising = |f: fn(f64) -> f64, x: Interval| Interval::called(f(x.low), f(x.high));
    let within = |low: f64, high: f64| Interval::new(x.low.max(low), x.high.min(high));
    let odd = matches!(
        op,
        Neg | Abs | Cbrt | Sinh | Tanh | Asinh | Atan | Expm1 | Asin | Atanh | Log1p | Sqrt | Erf
    ) || (op == Tan && x.low >= -1.5 && x.high <= 1.5);
    let of = match op {
        Neg => Interval::new(-x.high, -x.low),
        Abs => x.magnitude(),
        Sqrt => {
            let inside = within(0.0, f64::INFINITY);
            Interval::rounded(inside.low.sqrt(), inside.high.sqrt())
                .intersected(Interval::new(0.0, f64::INFINITY))
        }
        Cbrt => rising(f64::cbrt, x),
        Exp => rising(f64::exp, x).intersected(POSITIVE),
        Floor => Interval::new(x.low.floor(), x.high.floor()),
        Exp2 => rising(f64::exp2, x).intersected(POSITIVE),
        Expm1 => rising(f64::exp_m1, x),
        Log => rising(f64::ln, within(0.0, f64::INFINITY)),
        Log2 => rising(f64::log2, within(0.0, f64::INFINITY)),
        Log10 => rising(f64::log10, within(0.0, f64::INFINITY)),
        Log1p => rising(f64::ln_1p, within(-1.0, f64::INFINITY)),
        Sinh => rising(f64::sinh, x),
        Tanh => rising(f64::tanh, x).intersected(Interval::new(-1.0, 1.0)),
        Cosh => {
            let size = x.magnitude();
            rising(f64::cosh, size).intersected(Interval::new(1.0, f64::INFINITY))
        }
        Atan => rising(f64::atan, x),
        Asin => rising(f64::asin, within(-1.0, 1.0)),
        Acos => {
            let inside = within(-1.0, 1.0);
            Interval::called(inside.high.acos(), inside.low.acos())
                .intersected(Interval::new(0.0, f64::INFINITY))
        }
        Asinh => by_libm(op, x),
        Atanh => by_libm(op, within(-1.0, 1.0)),
        Acosh => {
            by_libm(op, within(1.0, f64::INFINITY)).intersected(Interval::new(0.0, f64::INFINITY))
        }
        Tan if x.low >= -1.5 && x.high <= 1.5 => rising(f64::tan, x),
        Erf => by_libm(op, x).intersected(Interval::new(-1.0, 1.0)),
        Sin => sine(x),
        Cos => cosine(x),
        _ => return Interval::ALL,
    };
    // Odd functions and roots are 0 at 0 only; so is the logarithm of 1 + x.
    let of = if odd && op != Neg && x.is_nonnegative() {
        of.intersected(Interval::new(0.0, f64::INFINITY))
    } else {
        of
    };
    let of = if odd && x.high <= 0.0 && !matches!(op, Abs | Sqrt | Neg) {
        of.intersected(Interval::new(f64::NEG_INFINITY, 0.0))
    } else {
        of
    };
    of.with_nonzero(odd && x.nonzero)
}

/// A rising function that Rust's library computes otherwise than libm, or not at all.
fn by_libm(op: Op, x: Interval) -> Interval {
    let at = |end: f64| machine::apply(op, &[end], Width::Double).unwrap_or(f64::NAN);
    Interval::called(at(x.low), at(x.high))
}

const POSITIVE: Interval = Interval {
    low: 0.0,
    high: f64::INFINITY,
    nonzero: true,
};

fn sine(x: Interval) -> Interval {
    let half = std::f64::consts::FRAC_PI_2;
    let all = Interval::new(-1.0, 1.0);
    if x.low >= -half && x.high <= half {
        let of = Interval::called(x.low.sin(), x.high.sin()).intersected(all);
        return of.with_nonzero(x.nonzero);
    }
    if x.low >= 0.0 && x.high <= PI {
        let least = x.low.sin().min(x.high.sin());
        let of = Interval::new((least * (1.0 - SLACK)).max(0.0), 1.0);
        return of.with_nonzero(x.nonzero);
    }
    all
}

fn cosine(x: Interval) -> Interval {
    let size = x.magnitude();
    if size.high <= PI {
        return Interval::called(size.high.cos(), size.low.cos())
            .intersected(Interval::new(-1.0, 1.0));
    }
    Interval::new(-1.0, 1.0)
}

fn binary(op: Op, x: Interval, y: Interval) -> Interval {
    use Op::*;
    match op {
        Add => Interval::rounded(x.low + y.low, x.high + y.high)
            .keeping_sign(x.is_nonnegative() && y.is_nonnegative(), 1.0)
            .keeping_sign(x.high <= 0.0 && y.high <= 0.0, -1.0)
            .with_nonzero(
                (x.is_positive() && y.is_nonnegative())
                    || (x.is_nonnegative() && y.is_positive())
                    || (x.is_negative() && y.high <= 0.0)
                    || (x.high <= 0.0 && y.is_negative()),
            ),
        Sub => binary(Add, x, unary(Neg, y)),
        Mul => product(x, y),
        Div => quotient(x, y),
        Hypot => {
            let (x, y) = (x.magnitude(), y.magnitude());
            Interval::called(x.low.hypot(y.low), x.high.hypot(y.high))
                .intersected(Interval::new(0.0, f64::INFINITY))
                .with_nonzero(x.nonzero || y.nonzero)
        }
        Pow => power(x, y),
        Fmin => {
            Interval::new(x.low.min(y.low), x.high.min(y.high)).with_nonzero(x.nonzero && y.nonzero)
        }
        Fmax => {
            Interval::new(x.low.max(y.low), x.high.max(y.high)).with_nonzero(x.nonzero && y.nonzero)
        }
        Atan2 => Interval::called(-std::f64::consts::PI, std::f64::consts::PI),
        _ => Interval::ALL,
    }
}

impl Interval {
    fn keeping_sign(self, holds: bool, sign: f64) -> Interval {
        match (holds, sign > 0.0) {
            (false, _) => self,
            (true, true) => self.intersected(Interval::new(0.0, f64::INFINITY)),
            (true, false) => self.intersected(Interval::new(f64::NEG_INFINITY, 0.0)),
        }
    }
}

/// 0 · ∞ is 0: an infinite end means that values have no bound, never that one is infinite.
fn product(x: Interval, y: Interval) -> Interval {
    let times = |a: f64, b: f64| if a == 0.0 || b == 0.0 { 0.0 } else { a * b };
    let ends = [
        times(x.low, y.low),
        times(x.low, y.high),
        times(x.high, y.low),
        times(x.high, y.high),
    ];
    let low = ends.iter().copied().fold(f64::INFINITY, f64::min);
    let high = ends.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let same_sign = (x.is_nonnegative() && y.is_nonnegative()) || (x.high <= 0.0 && y.high <= 0.0);
    let other_sign = (x.is_nonnegative() && y.high <= 0.0) || (x.high <= 0.0 && y.is_nonnegative());
    Interval::rounded(low, high)
        .keeping_sign(same_sign, 1.0)
        .keeping_sign(other_sign, -1.0)
        .with_nonzero(x.nonzero && y.nonzero)
}

fn quotient(x: Interval, y: Interval) -> Interval {
    let inverse = if y.low > 0.0 || y.high < 0.0 {
        Interval::rounded(1.0 / y.high, 1.0 / y.low)
    } else if y.low >= 0.0 {
        Interval::rounded(1.0 / y.high, f64::INFINITY).keeping_sign(true, 1.0)
    } else if y.high <= 0.0 {
        Interval::rounded(f64::NEG_INFINITY, 1.0 / y.low).keeping_sign(true, -1.0)
    } else {
        Interval::ALL
    };
    let inverse = inverse.with_nonzero(true);
    let of = product(x, inverse);
    Interval {
        nonzero: x.nonzero || of.low > 0.0 || of.high < 0.0,
        ..of
    }
}

fn power(x: Interval, y: Interval) -> Interval {
    if x.is_positive() {
        let ends = [
            x.low.powf(y.low),
            x.low.powf(y.high),
            x.high.powf(y.low),
            x.high.powf(y.high),
        ];
        if ends.iter().any(|end| end.is_nan()) {
            return POSITIVE;
        }
        let low = ends.iter().copied().fold(f64::INFINITY, f64::min);
        let high = ends.iter().copied().fold(0.0, f64::max);
        let around_one = x.low <= 1.0 && x.high >= 1.0;
        let (low, high) = match around_one {
            true => (low.min(1.0), high.max(1.0)),
            false => (low, high),
        };
        return Interval::called(low, high).intersected(POSITIVE);
    }
    let even = y.low == y.high && y.low % 2.0 == 0.0;
    if even || x.is_nonnegative() {
        return Interval::new(0.0, f64::INFINITY).with_nonzero(x.nonzero);
    }
    Interval::ALL
}
