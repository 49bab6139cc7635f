//! Condition numbers of the operations, after Atomu (POPL 2020, Table 2).
//!
//! The condition number of f for an operand x is |x · ∂f/∂x / f|: the factor from the relative
//! error of x to that of f. Each function takes the operands of its operation (finite, see
//! [`Op::condition`](super::Op::condition)) and gives one number for each. Where the formula is 0/0
//! its limit is used; an operand 0 has no relative error to amplify, so that where no limit exists
//! its number is 0. Functions with jumps have 0 where they are constant and infinity at the jump.
//!
//! What they can miss: beyond |x| ≈ 2^30 the formulas of periodic functions are as good as libm's
//! argument reduction (glibc's is exact); the Bessel functions of glibc lose digits next to their
//! zeros, and the condition numbers there with them.

use std::f64::consts::{FRAC_2_SQRT_PI, LN_2, LN_10, PI};

/// Operands as a formula wants to see them.
pub trait Operands<'a> {
    fn of(operands: &'a [f64]) -> Self;
}

impl<'a, const N: usize> Operands<'a> for [f64; N] {
    fn of(operands: &'a [f64]) -> Self {
        std::array::from_fn(|index| operands[index])
    }
}

impl<'a> Operands<'a> for &'a [f64] {
    fn of(operands: &'a [f64]) -> Self {
        operands
    }
}

/// Results of all formulas in one shape.
pub trait Padded {
    fn padded(self) -> [f64; 3];
}

impl<const N: usize> Padded for [f64; N] {
    fn padded(self) -> [f64; 3] {
        std::array::from_fn(|index| self.get(index).copied().unwrap_or(0.0))
    }
}

// What Rust's standard library lacks, or computes less accurately than libm.
unsafe extern "C" {
    #[link_name = "acosh"]
    safe fn libm_acosh(x: f64) -> f64;
    #[link_name = "asinh"]
    safe fn libm_asinh(x: f64) -> f64;
    #[link_name = "atanh"]
    safe fn libm_atanh(x: f64) -> f64;
    #[link_name = "erf"]
    safe fn libm_erf(x: f64) -> f64;
    #[link_name = "erfc"]
    safe fn libm_erfc(x: f64) -> f64;
    #[link_name = "j0"]
    safe fn bessel_j0(x: f64) -> f64;
    #[link_name = "j1"]
    safe fn bessel_j1(x: f64) -> f64;
    #[link_name = "jn"]
    safe fn bessel_jn(n: i32, x: f64) -> f64;
    #[link_name = "y0"]
    safe fn bessel_y0(x: f64) -> f64;
    #[link_name = "y1"]
    safe fn bessel_y1(x: f64) -> f64;
    #[link_name = "yn"]
    safe fn bessel_yn(n: i32, x: f64) -> f64;
    fn lgamma_r(x: f64, sign: *mut i32) -> f64;
    #[link_name = "remainder"]
    safe fn ieee_remainder(x: f64, y: f64) -> f64;
}

/// |part / whole|, with 0 for an operand 0.
fn share(part: f64, whole: f64) -> f64 {
    if part == 0.0 {
        0.0
    } else {
        (part / whole).abs()
    }
}

pub fn passed([_]: [f64; 1]) -> [f64; 1] {
    [1.0]
}

/// Of a function of three operands nothing is known of: as if it kept relative errors.
pub fn all_three([_, _, _]: [f64; 3]) -> [f64; 3] {
    [1.0; 3]
}

pub fn both([_, _]: [f64; 2]) -> [f64; 2] {
    [1.0, 1.0]
}

/// Of two operands only the first has a value to pass on.
pub fn first([_, _]: [f64; 2]) -> [f64; 2] {
    [1.0, 0.0]
}

pub fn constant([_]: [f64; 1]) -> [f64; 1] {
    [0.0]
}

// ---------------------------------------------------------------------------- sums

pub fn add([x, y]: [f64; 2]) -> [f64; 2] {
    // Halved, the sum cannot overflow; doubled, tiny operands lose no bit by it.
    let scale = if x.abs().max(y.abs()) > 1.0 { 0.5 } else { 2.0 };
    let (x, y) = (x * scale, y * scale);
    [share(x, x + y), share(y, x + y)]
}

pub fn sub([x, y]: [f64; 2]) -> [f64; 2] {
    add([x, -y])
}

pub fn fma([x, y, z]: [f64; 3]) -> [f64; 3] {
    // Bring the larger term near 1, so that neither product nor sum leaves the range.
    let product_exponent = exponent(x) + exponent(y);
    let terms = [x != 0.0 && y != 0.0, z != 0.0];
    let scale = match terms {
        [true, true] => product_exponent.max(exponent(z)),
        [true, false] => product_exponent,
        [false, true] => exponent(z),
        [false, false] => return [0.0; 3],
    };
    let (x, y) = (scaled(x, -exponent(x)), scaled(y, exponent(x) - scale));
    let z = scaled(z, -scale);
    let sum = x.mul_add(y, z);
    let product = share(x * y, sum);
    [product, product, share(z, sum)]
}

/// The exponent of a number, 0 for 0; subnormals count as their own magnitude.
fn exponent(x: f64) -> i32 {
    if x == 0.0 {
        return 0;
    }
    let bits = |x: f64| ((x.to_bits() >> 52) & 0x7ff) as i32 - 1023;
    if x.is_normal() {
        bits(x)
    } else {
        bits(x * TWO_POW_64) - 64
    }
}

const TWO_POW_64: f64 = 18_446_744_073_709_551_616.0;

/// x · 2^n in steps that stay in the range of powers.
fn scaled(mut x: f64, mut n: i32) -> f64 {
    while n != 0 {
        let step = n.clamp(-1000, 1000);
        x *= f64::from_bits(((1023 + step) as u64) << 52);
        n -= step;
    }
    x
}

pub fn fdim([x, y]: [f64; 2]) -> [f64; 2] {
    if x < y { [0.0, 0.0] } else { sub([x, y]) }
}

pub fn min([x, y]: [f64; 2]) -> [f64; 2] {
    [f64::from(x <= y), f64::from(y <= x)]
}

pub fn max([x, y]: [f64; 2]) -> [f64; 2] {
    min([-x, -y])
}

// ---------------------------------------------------------------------------- remainders

/// x − n·y for a whole n that is constant nearby.
fn remainder_of(x: f64, y: f64, remainder: f64) -> [f64; 2] {
    if y == 0.0 {
        return [f64::NAN; 2];
    }
    [share(x, remainder), share(x - remainder, remainder)]
}

pub fn fmod([x, y]: [f64; 2]) -> [f64; 2] {
    remainder_of(x, y, x % y)
}

pub fn remainder([x, y]: [f64; 2]) -> [f64; 2] {
    let remainder = ieee_remainder(x, y);
    if 2.0 * remainder.abs() == y.abs() {
        return [f64::INFINITY; 2]; // halfway: the sign jumps
    }
    remainder_of(x, y, remainder)
}

/// Fortran's MODULO: the sign is that of y.
pub fn modulo([x, y]: [f64; 2]) -> [f64; 2] {
    let truncated = x % y;
    let opposite = truncated != 0.0 && (truncated < 0.0) != (y < 0.0);
    remainder_of(x, y, if opposite { truncated + y } else { truncated })
}

// ---------------------------------------------------------------------------- jumps

pub fn compare([x, y]: [f64; 2]) -> [f64; 2] {
    let number = |operand: f64| {
        if x == y && operand != 0.0 {
            f64::INFINITY
        } else {
            0.0
        }
    };
    [number(x), number(y)]
}

fn jump(x: f64, at: bool) -> [f64; 1] {
    const ALL_WHOLE: f64 = 4_503_599_627_370_496.0; // 2^52
    if x.abs() >= ALL_WHOLE {
        [1.0] // rounding does nothing: the operand passes
    } else if at && x != 0.0 {
        [f64::INFINITY]
    } else {
        [0.0]
    }
}

pub fn jumps_at_integers([x]: [f64; 1]) -> [f64; 1] {
    jump(x, x == x.trunc())
}

pub fn jumps_at_halves([x]: [f64; 1]) -> [f64; 1] {
    jump(x, (x - x.trunc()).abs() == 0.5)
}

fn is_power_of_two(x: f64) -> bool {
    x != 0.0 && scaled(x.abs(), -exponent(x)) == 1.0
}

pub fn jumps_at_powers([x]: [f64; 1]) -> [f64; 1] {
    [if is_power_of_two(x) {
        f64::INFINITY
    } else {
        0.0
    }]
}

pub fn frexp([x]: [f64; 1]) -> [f64; 1] {
    [if is_power_of_two(x) {
        f64::INFINITY
    } else {
        1.0
    }]
}

pub fn modf([x]: [f64; 1]) -> [f64; 1] {
    [if x == 0.0 {
        1.0
    } else {
        share(x, x - x.trunc())
    }]
}

// ---------------------------------------------------------------------------- roots, distances

pub fn sqrt([x]: [f64; 1]) -> [f64; 1] {
    [if x < 0.0 { f64::NAN } else { 0.5 }]
}

pub fn cbrt([_]: [f64; 1]) -> [f64; 1] {
    [1.0 / 3.0]
}

pub fn hypot([x, y]: [f64; 2]) -> [f64; 2] {
    let scale = -exponent(x.abs().max(y.abs()));
    let (x, y) = (scaled(x, scale), scaled(y, scale));
    let square = x * x + y * y;
    [share(x * x, square), share(y * y, square)]
}

// ---------------------------------------------------------------------------- circular functions

pub fn sin([x]: [f64; 1]) -> [f64; 1] {
    [if x == 0.0 { 1.0 } else { (x / x.tan()).abs() }]
}

pub fn cos([x]: [f64; 1]) -> [f64; 1] {
    [(x * x.tan()).abs()]
}

pub fn tan([x]: [f64; 1]) -> [f64; 1] {
    let (sine, cosine) = x.sin_cos();
    [if x == 0.0 {
        1.0
    } else {
        (x / sine / cosine).abs()
    }]
}

/// |sin πx|, exact at multiples of 1/2.
fn sine_of_pi_times(x: f64) -> f64 {
    let distance = (x - x.round()).abs(); // to the nearest whole number, at most 1/2
    if distance <= 0.25 {
        (PI * distance).sin()
    } else {
        (PI * (0.5 - distance)).cos()
    }
}

/// |cos πx|, exact at multiples of 1/2.
fn cosine_of_pi_times(x: f64) -> f64 {
    let distance = (x - x.round()).abs();
    if distance <= 0.25 {
        (PI * distance).cos()
    } else {
        (PI * (0.5 - distance)).sin()
    }
}

pub fn sinpi([x]: [f64; 1]) -> [f64; 1] {
    [if x == 0.0 {
        1.0
    } else {
        (PI * x * cosine_of_pi_times(x) / sine_of_pi_times(x)).abs()
    }]
}

pub fn cospi([x]: [f64; 1]) -> [f64; 1] {
    [(PI * x * sine_of_pi_times(x) / cosine_of_pi_times(x)).abs()]
}

pub fn tanpi([x]: [f64; 1]) -> [f64; 1] {
    let slope = PI * x / sine_of_pi_times(x) / cosine_of_pi_times(x);
    [if x == 0.0 { 1.0 } else { slope.abs() }]
}

/// √(1 − x²) without cancellation; NaN outside −1 … 1.
fn leg(x: f64) -> f64 {
    ((1.0 - x) * (1.0 + x)).sqrt()
}

pub fn asin([x]: [f64; 1]) -> [f64; 1] {
    [if x == 0.0 {
        1.0
    } else {
        (x / leg(x) / x.asin()).abs()
    }]
}

pub fn acos([x]: [f64; 1]) -> [f64; 1] {
    let angle = x.acos();
    [if x == 1.0 {
        f64::INFINITY
    } else {
        (x / leg(x) / angle).abs()
    }]
}

pub fn atan([x]: [f64; 1]) -> [f64; 1] {
    [if x.abs() < 1e-9 {
        1.0
    } else {
        1.0 / ((x + 1.0 / x) * x.atan()).abs()
    }]
}

pub fn atan2([y, x]: [f64; 2]) -> [f64; 2] {
    let angle = y.atan2(x);
    let number = if x == 0.0 {
        0.0
    } else if angle.abs() < 1e-9 {
        1.0 // sin θ cos θ / θ, also where θ underflows
    } else {
        // sin θ cos θ from the sides' ratio: from θ itself it would be lost near π.
        let ratio = y / x;
        let product = if ratio.abs() > 1.0 {
            1.0 / (ratio + 1.0 / ratio)
        } else {
            ratio / (1.0 + ratio * ratio)
        };
        (product / angle).abs()
    };
    [number, number]
}

// ---------------------------------------------------------------------------- hyperbolic functions

pub fn sinh([x]: [f64; 1]) -> [f64; 1] {
    [if x == 0.0 { 1.0 } else { (x / x.tanh()).abs() }]
}

pub fn cosh([x]: [f64; 1]) -> [f64; 1] {
    [(x * x.tanh()).abs()]
}

pub fn tanh([x]: [f64; 1]) -> [f64; 1] {
    [if x.abs() < 1e-9 {
        1.0
    } else {
        (2.0 * x / (2.0 * x).sinh()).abs()
    }]
}

pub fn asinh([x]: [f64; 1]) -> [f64; 1] {
    [if x == 0.0 {
        1.0
    } else {
        (x / x.hypot(1.0) / libm_asinh(x)).abs()
    }]
}

pub fn acosh([x]: [f64; 1]) -> [f64; 1] {
    [(x / (x - 1.0).sqrt() / (x + 1.0).sqrt() / libm_acosh(x)).abs()]
}

pub fn atanh([x]: [f64; 1]) -> [f64; 1] {
    [if x == 0.0 {
        1.0
    } else {
        (x / ((1.0 - x) * (1.0 + x)) / libm_atanh(x)).abs()
    }]
}

// ---------------------------------------------------------------------------- exponentials, logarithms

pub fn exp([x]: [f64; 1]) -> [f64; 1] {
    [x.abs()]
}

pub fn exp2([x]: [f64; 1]) -> [f64; 1] {
    [(x * LN_2).abs()]
}

pub fn exp10([x]: [f64; 1]) -> [f64; 1] {
    [(x * LN_10).abs()]
}

pub fn expm1([x]: [f64; 1]) -> [f64; 1] {
    [if x == 0.0 {
        1.0
    } else {
        (x / (-x).exp_m1()).abs()
    }]
}

pub fn exp2m1([x]: [f64; 1]) -> [f64; 1] {
    expm1([x * LN_2])
}

pub fn exp10m1([x]: [f64; 1]) -> [f64; 1] {
    expm1([x * LN_10])
}

/// To any base.
pub fn log([x]: [f64; 1]) -> [f64; 1] {
    [(1.0 / x.ln()).abs()]
}

/// To any base.
pub fn log1p([x]: [f64; 1]) -> [f64; 1] {
    [match x {
        0.0 => 1.0,
        -1.0 => f64::INFINITY,
        _ => (x / (1.0 + x) / x.ln_1p()).abs(),
    }]
}

/// For a negative base the exponent is a whole number, and the condition number of x^|y| is used.
pub fn pow([x, y]: [f64; 2]) -> [f64; 2] {
    if x < 0.0 && y != y.trunc() {
        return [f64::NAN; 2];
    }
    let of_exponent = if y == 0.0 {
        0.0
    } else {
        (y * x.abs().ln()).abs()
    };
    [y.abs(), of_exponent]
}

pub fn powi([_, n]: [f64; 2]) -> [f64; 2] {
    [n.abs(), 0.0]
}

// ---------------------------------------------------------------------------- error, gamma, Bessel functions

pub fn erf([x]: [f64; 1]) -> [f64; 1] {
    [if x == 0.0 {
        1.0
    } else {
        (FRAC_2_SQRT_PI * x * (-x * x).exp() / libm_erf(x)).abs()
    }]
}

pub fn erfc([x]: [f64; 1]) -> [f64; 1] {
    [if x > TAIL {
        2.0 * x * tail_fraction(x, 1)
    } else {
        (FRAC_2_SQRT_PI * x * (-x * x).exp() / libm_erfc(x)).abs()
    }]
}

/// x(ln f)' = 2x² − 2x/(√π f) cancels almost wholly for large x, except as a continued fraction.
pub fn erfc_scaled([x]: [f64; 1]) -> [f64; 1] {
    [if x > TAIL {
        x / tail_fraction(x, 2)
    } else {
        let scaled = (x * x).exp() * libm_erfc(x);
        (2.0 * x * x - FRAC_2_SQRT_PI * x / scaled).abs()
    }]
}

/// From here on [`tail_fraction`] converges fast enough.
const TAIL: f64 = 2.0;

/// x + (k/2)/(x + ((k+1)/2)/(x + …)); from k = 1 it is 1/(√π e^x² erfc x).
fn tail_fraction(x: f64, k: u32) -> f64 {
    (k..200)
        .rev()
        .fold(x, |rest, k| x + 0.5 * f64::from(k) / rest)
}

pub fn lgamma([x]: [f64; 1]) -> [f64; 1] {
    if x == 0.0 {
        return [0.0];
    }
    let mut sign = 0;
    // SAFETY: the pointer is to a live integer.
    let value = unsafe { lgamma_r(x, &mut sign) };
    [if value.is_infinite() {
        f64::INFINITY
    } else {
        (x * digamma(x) / value).abs()
    }]
}

pub fn tgamma([x]: [f64; 1]) -> [f64; 1] {
    [if x == 0.0 {
        1.0
    } else {
        (x * digamma(x)).abs()
    }]
}

/// The logarithmic derivative of the gamma function; infinite at its poles.
fn digamma(x: f64) -> f64 {
    if x <= 0.0 {
        let distance = x - x.round();
        let cotangent = if distance.abs() <= 0.25 {
            1.0 / (PI * distance).tan()
        } else {
            (PI * (0.5_f64.copysign(distance) - distance)).tan()
        };
        return digamma(1.0 - x) - PI * cotangent;
    }
    let (mut x, mut below) = (x, 0.0);
    while x < 12.0 {
        below -= 1.0 / x;
        x += 1.0;
    }
    // Stirling's series; beyond x = 12 the next term is below 2^-53.
    let t = 1.0 / x / x;
    let series = t
        * (1.0 / 12.0
            - t * (1.0 / 120.0
                - t * (1.0 / 252.0 - t * (1.0 / 240.0 - t * (1.0 / 132.0 - t * 691.0 / 32760.0)))));
    below + x.ln() - 0.5 / x - series
}

pub fn j0([x]: [f64; 1]) -> [f64; 1] {
    [share(x * bessel_j1(x), bessel_j0(x))]
}

pub fn j1([x]: [f64; 1]) -> [f64; 1] {
    [if x == 0.0 {
        1.0
    } else {
        (x * bessel_j0(x) / bessel_j1(x) - 1.0).abs()
    }]
}

pub fn y0([x]: [f64; 1]) -> [f64; 1] {
    [if x == 0.0 {
        0.0
    } else {
        (x * bessel_y1(x) / bessel_y0(x)).abs()
    }]
}

pub fn y1([x]: [f64; 1]) -> [f64; 1] {
    [if x == 0.0 {
        1.0
    } else {
        (x * bessel_y0(x) / bessel_y1(x) - 1.0).abs()
    }]
}

pub fn jn([n, x]: [f64; 2]) -> [f64; 2] {
    let n = n as i32;
    bessel(n, x, bessel_jn(n - 1, x) / bessel_jn(n, x))
}

pub fn yn([n, x]: [f64; 2]) -> [f64; 2] {
    let n = n as i32;
    bessel(n, x, bessel_yn(n - 1, x) / bessel_yn(n, x))
}

/// Close to 0, where values underflow or overflow, the functions go as x^±n.
fn bessel(n: i32, x: f64, ratio: f64) -> [f64; 2] {
    let order = f64::from(n);
    let usable = x != 0.0 && ratio.is_finite() && ratio != 0.0;
    let number = if usable { x * ratio - order } else { order };
    [0.0, number.abs()]
}

// ---------------------------------------------------------------------------- reductions

// For the lane where it is largest.

pub fn reduce_add(lanes: &[f64]) -> [f64; 1] {
    let largest = lanes.iter().map(|lane| exponent(*lane)).max().unwrap_or(0);
    const SPARE: i32 = 64; // so that no sum of lanes overflows
    let lanes = || lanes.iter().map(|lane| scaled(*lane, -largest - SPARE));
    let sum = compensated_sum(lanes());
    [lanes().map(|lane| share(lane, sum)).fold(0.0, f64::max)]
}

/// Neumaier's sum: a plain one would itself lose what is to be measured.
fn compensated_sum(terms: impl Iterator<Item = f64>) -> f64 {
    let (mut sum, mut lost) = (0.0, 0.0);
    for term in terms {
        let next: f64 = sum + term;
        let rounded_off = next - sum;
        lost += (sum - (next - rounded_off)) + (term - rounded_off);
        sum = next;
    }
    sum + lost
}

pub fn reduce_mul(_: &[f64]) -> [f64; 1] {
    [1.0]
}

pub fn reduce_extreme(_: &[f64]) -> [f64; 1] {
    [1.0]
}
