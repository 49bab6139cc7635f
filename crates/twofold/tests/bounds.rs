//! Compares every function with MPFR, with FMA and without: the bounds hold, and they are tight enough to be useful.

use rug::{Float, ops::Pow};
use twofold::Bounded;

const POINTS: usize = 100_000;
/// Enough for every drawn sum to be exact.
const PRECISION: u32 = 220;

/// xorshift64*.
struct Random(u64);

impl Random {
    fn bits(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }

    fn unit(&mut self) -> f64 {
        (self.bits() >> 11) as f64 / (1u64 << 53) as f64
    }

    fn sign(&mut self) -> f64 {
        if self.bits() & 1 == 0 { 1.0 } else { -1.0 }
    }

    /// A low half: often 0, often tiny, sometimes not normalised.
    fn low(&mut self, high: f64) -> f64 {
        let size = match self.bits() % 8 {
            0..=2 => return 0.0,
            3 => 2f64.powi(-40),
            4 => 2f64.powi(-80),
            _ => 2f64.powi(-53),
        };
        high * size * (self.unit() * 2.0 - 1.0)
    }

    /// A point of the domain: uniform, by magnitude, or next to a special value.
    fn from(&mut self, domain: &Domain) -> (f64, f64) {
        let high = match self.bits() % 4 {
            0 => domain.low + (domain.high - domain.low) * self.unit(),
            1 | 2 => {
                let largest = domain.low.abs().max(domain.high.abs()).log2().min(899.0);
                let exponent = (largest + domain.depth) * self.unit() - domain.depth;
                self.sign() * exponent.exp2()
            }
            _ => {
                let special = domain.special[self.bits() as usize % domain.special.len()];
                let distance = (-60.0 * self.unit()).exp2() * special.abs().max(1.0);
                special + self.sign() * distance * f64::from(!self.bits().is_multiple_of(5))
            }
        };
        if domain.is_whole {
            return (high.round(), 0.0);
        }
        (high, self.low(high))
    }
}

struct Domain {
    low: f64,
    high: f64,
    /// Magnitudes go down to 2^-depth.
    depth: f64,
    special: &'static [f64],
    is_whole: bool,
}

const REAL: Domain = Domain {
    low: -750.0,
    high: 750.0,
    depth: 130.0,
    special: &[
        0.0, 0.0054, -0.0054, 0.0108, -0.0108, 0.3466, 1.0, -1.0, -637.0, 692.0,
    ],
    is_whole: false,
};
const UNIT: Domain = Domain {
    low: -1.0,
    high: 1.0,
    depth: 130.0,
    special: &[0.0, 1.0, -1.0, 0.5, 0.707, 0.0078125, 0.0234375],
    is_whole: false,
};
const POSITIVE: Domain = Domain {
    low: 0.0,
    high: 1e9,
    depth: 800.0,
    special: &[
        1.0,
        1.0039,
        0.9961,
        2.0,
        std::f64::consts::FRAC_1_SQRT_2,
        std::f64::consts::SQRT_2,
        10.0,
        1e-3,
    ],
    is_whole: false,
};
const ANGLES: Domain = Domain {
    low: -2e6,
    high: 2e6,
    depth: 130.0,
    special: &[
        0.0,
        std::f64::consts::FRAC_PI_2,
        -std::f64::consts::PI,
        1e5 * std::f64::consts::PI,
        0.00613,
        1_048_575.0,
    ],
    is_whole: false,
};
const WIDE: Domain = Domain {
    low: -1e6,
    high: 1e6,
    depth: 300.0,
    special: &[0.0, 1.0, -1.0, 64.0, 0.0078125, 1e30],
    is_whole: false,
};
const NORMAL: Domain = Domain {
    low: -13.0,
    high: 26.0,
    depth: 130.0,
    special: &[0.0, 1.0, -1.0, 0.03125, 12.0, -12.0, 11.96875, 25.0],
    is_whole: false,
};
const SHIFTED: Domain = Domain {
    low: -1.0,
    high: 100.0,
    depth: 130.0,
    special: &[-1.0, 0.0, 0.0055, -0.0055, 1.0, 3.0],
    is_whole: false,
};

/// Exponents, small and large.
const WHOLE: Domain = Domain {
    low: -300.0,
    high: 300.0,
    depth: 2.0,
    special: &[2.0, 3.0, -1.0, -2.0, 7.0, 32.0, -32.0, 33.0],
    is_whole: true,
};

type Function = fn(&[(f64, f64)]) -> Option<Bounded>;
type Exact = fn(&[Float]) -> Float;

struct Case {
    name: &'static str,
    with_fma: Function,
    without: Function,
    exact: Exact,
    domains: &'static [&'static Domain],
    /// Correct bits of the result in at least half of the cases.
    typical_bits: f64,
}

macro_rules! case {
    ($name:ident, $exact:expr, [$($domain:expr),+], $bits:expr) => {{
        Case {
            name: stringify!($name),
            with_fma: case!(@call twofold::$name, $($domain),+),
            without: case!(@call twofold::without_fma::$name, $($domain),+),
            exact: $exact,
            domains: &[$(&$domain),+],
            typical_bits: $bits,
        }
    }};
    (@call $path:path, $one:expr) => { |x| $path(x[0].0, x[0].1) };
    (@call $path:path, $one:expr, $two:expr) => { |x| $path(x[0].0, x[0].1, x[1].0, x[1].1) };
}

fn cases() -> Vec<Case> {
    vec![
        case!(exp, |x| x[0].clone().exp(), [REAL], 100.0),
        case!(exp2, |x| x[0].clone().exp2(), [REAL], 100.0),
        case!(expm1, |x| x[0].clone().exp_m1(), [REAL], 97.0),
        case!(log, |x| x[0].clone().ln(), [POSITIVE], 99.0),
        case!(log2, |x| x[0].clone().log2(), [POSITIVE], 99.0),
        case!(log10, |x| x[0].clone().log10(), [POSITIVE], 99.0),
        case!(log1p, |x| x[0].clone().ln_1p(), [SHIFTED], 96.0),
        case!(erf, |x| x[0].clone().erf(), [SHIFTED], 96.0),
        case!(erfc, |x| x[0].clone().erfc(), [NORMAL], 91.0),
        case!(sin, |x| x[0].clone().sin(), [ANGLES], 96.0),
        case!(cos, |x| x[0].clone().cos(), [ANGLES], 96.0),
        case!(tan, |x| x[0].clone().tan(), [ANGLES], 95.0),
        case!(asin, |x| x[0].clone().asin(), [UNIT], 97.0),
        case!(acos, |x| x[0].clone().acos(), [UNIT], 97.0),
        case!(atan, |x| x[0].clone().atan(), [WIDE], 98.0),
        case!(atan2, |x| x[0].clone().atan2(&x[1]), [WIDE, WIDE], 98.0),
        case!(sinh, |x| x[0].clone().sinh(), [REAL], 96.0),
        case!(cosh, |x| x[0].clone().cosh(), [REAL], 98.0),
        case!(tanh, |x| x[0].clone().tanh(), [REAL], 96.0),
        case!(asinh, |x| x[0].clone().asinh(), [WIDE], 96.0),
        case!(acosh, |x| x[0].clone().acosh(), [POSITIVE], 96.0),
        case!(atanh, |x| x[0].clone().atanh(), [UNIT], 96.0),
        case!(sqrt, |x| x[0].clone().sqrt(), [POSITIVE], 100.0),
        case!(cbrt, |x| x[0].clone().cbrt(), [WIDE], 100.0),
        case!(hypot, |x| x[0].clone().hypot(&x[1]), [WIDE, WIDE], 100.0),
        case!(pow, |x| x[0].clone().pow(&x[1]), [POSITIVE, SHIFTED], 91.0),
        case!(pow, |x| x[0].clone().pow(&x[1]), [WIDE, WHOLE], 91.0),
    ]
}

/// The ratio of error to bound, and the correct bits; `None` where the function does not cover the point.
fn measure(function: Function, exact: Exact, point: &[(f64, f64)]) -> Option<(f64, f64)> {
    let result = function(point)?;
    let exactly = |high: f64, low: f64| Float::with_val(PRECISION, high) + low;
    let operands: Vec<Float> = point
        .iter()
        .map(|(high, low)| exactly(*high, *low))
        .collect();
    let value = exact(&operands);
    let computed = exactly(result.hi, result.lo);
    let error = Float::with_val(64, &computed - &value).abs();
    assert!(
        result.error >= 0.0 && value.is_finite(),
        "{point:?}: {result:?}, {value}"
    );
    let bits = if result.error == 0.0 {
        f64::INFINITY
    } else {
        -Float::with_val(64, result.error / Float::with_val(64, value.abs_ref()))
            .log2()
            .to_f64()
    };
    let ratio = if error.is_zero() {
        0.0
    } else {
        (error / result.error).to_f64()
    };
    Some((ratio, bits))
}

fn check(case: &Case, function: Function, points: usize) -> Result<(), String> {
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    let (mut covered, mut worst, mut bits) = (0, (0.0, Vec::new()), Vec::new());
    for _ in 0..points {
        let point: Vec<(f64, f64)> = case
            .domains
            .iter()
            .map(|domain| random.from(domain))
            .collect();
        let Some((ratio, correct)) = measure(function, case.exact, &point) else {
            continue;
        };
        covered += 1;
        bits.push(correct);
        if ratio > worst.0 {
            worst = (ratio, point);
        }
    }
    bits.sort_by(f64::total_cmp);
    let median = bits[bits.len() / 2];
    println!(
        "{:6} covered {:5.1} %  worst error/bound {:.3}  median bits {median:.1}",
        case.name,
        100.0 * covered as f64 / points as f64,
        worst.0
    );
    let name = case.name;
    match () {
        _ if worst.0 > 1.0 => Err(format!("{name}: the bound does not hold at {:?}", worst.1)),
        _ if median < case.typical_bits => Err(format!("{name}: only {median} correct bits")),
        _ if covered * 4 < points => Err(format!("{name}: covers too few points")),
        _ => Ok(()),
    }
}

#[test]
fn bounds_hold() {
    let failures: Vec<String> = cases()
        .iter()
        .flat_map(|case| {
            [
                check(case, case.with_fma, POINTS / 4),
                check(case, case.without, POINTS / 20),
            ]
        })
        .filter_map(Result::err)
        .collect();
    assert!(failures.is_empty(), "{failures:#?}");
}

/// More points: `cargo test --release -p twofold -- --ignored`.
#[test]
#[ignore = "takes minutes"]
fn bounds_hold_at_many_points() {
    for case in cases() {
        check(&case, case.with_fma, POINTS).unwrap();
        check(&case, case.without, POINTS).unwrap();
    }
}

#[test]
fn arguments_outside_the_domain_give_none() {
    let (inf, nan) = (f64::INFINITY, f64::NAN);
    for case in cases() {
        for function in [case.with_fma, case.without] {
            for bad in [inf, -inf, nan, 1e300, 1e-300, 5e-324] {
                assert_eq!(
                    function(&[(bad, 0.0), (1.5, 0.0)]),
                    None,
                    "{} of {bad}",
                    case.name
                );
            }
        }
    }
    assert_eq!(twofold::log(-1.0, 0.0), None);
    assert_eq!(twofold::sqrt(-1.0, 0.0), None);
    assert_eq!(twofold::sin(1e7, 0.0), None);
    assert_eq!(twofold::exp(800.0, 0.0), None);
    assert_eq!(twofold::pow(-2.0, 0.0, 0.5, 0.0), None);
    assert_eq!(twofold::acos(1.0, 1e-20), None);
}

#[test]
fn exact_cases_are_exact() {
    let exact = |result: Option<Bounded>, value: f64| {
        let result = result.unwrap();
        assert_eq!((result.hi, result.lo), (value, 0.0));
    };
    exact(twofold::sin(0.0, 0.0), 0.0);
    exact(twofold::cos(0.0, 0.0), 1.0);
    exact(twofold::exp(0.0, 0.0), 1.0);
    exact(twofold::erf(0.0, 0.0), 0.0);
    exact(twofold::erfc(0.0, 0.0), 1.0);
    exact(twofold::erfc(-30.0, 0.0), 2.0);
    exact(twofold::log(1.0, 0.0), 0.0);
    exact(twofold::log2(8.0, 0.0), 3.0);
    exact(twofold::sqrt(9.0, 0.0), 3.0);
    exact(twofold::pow(3.0, 0.0, 4.0, 0.0), 81.0);
    exact(twofold::acosh(1.0, 0.0), 0.0);
    exact(twofold::tanh(0.0, 0.0), 0.0);
    exact(twofold::cbrt(-27.0, 0.0), -3.0);
}
