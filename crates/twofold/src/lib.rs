//! Elementary functions in double-double arithmetic, each with a bound on its error.
//!
//! An argument is the exact sum of two doubles, `hi + lo`. A result is such a sum again, with about 100 correct bits and a
//! bound: |f(hi + lo) − (result.hi + result.lo)| ≤ result.error. A function returns `None` for arguments that it does not
//! cover: outside its domain, near overflow and underflow, infinite, or huge for sine and cosine. The caller then uses MPFR.
//!
//! The methods are textbook methods. A table of double-doubles reduces the argument (exact products with short constants,
//! after Cody and Waite); a short series follows, whose small terms need only doubles. The error-free transformations are
//! Knuth's and Dekker's; products use FMA where the processor has it. The bounds were derived by counting rounding errors.
//! They exceed the largest error in the tests by a factor of about two or more.
//!
//! The rounding mode must be to nearest, and subnormals must be enabled. No allocation, no library, no global state except one
//! cached fact about the processor.

#![no_std]

mod double_double;
mod error_function;
mod exponential;
mod hyperbolic;
mod inverse;
mod logarithm;
mod power;
mod processor;
mod product;
#[doc(hidden)]
pub mod tables;
mod trigonometric;

use double_double::{Dd, two_sum};
use product::{Fused, Plain};

/// A value as the sum of two doubles, with a bound on its error.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Bounded {
    pub hi: f64,
    pub lo: f64,
    /// Absolute, never negative.
    pub error: f64,
}

/// The normalised argument, if it is in the range of all steps.
#[inline(always)]
fn argument(hi: f64, lo: f64) -> Option<Dd> {
    let (hi, lo) = two_sum(hi, lo);
    // Outside this range products or their rounding errors would overflow or underflow.
    const LEAST: f64 = f64::from_bits((1023 - 900) << 52);
    const MOST: f64 = f64::from_bits((1023 + 900) << 52);
    let magnitude = f64::from_bits(hi.to_bits() & !(1 << 63));
    let fits = (LEAST..MOST).contains(&magnitude) || (hi == 0.0 && lo == 0.0);
    fits.then_some(Dd { hi, lo })
}

/// Functions in two versions; the processor decides which one is called.
macro_rules! define {
    ($($(#[$doc:meta])* $name:ident ($($hi:ident $lo:ident),+) = $source:ident;)*) => {
        $(
            $(#[$doc])*
            pub fn $name($($hi: f64, $lo: f64),+) -> Option<Bounded> {
                #[target_feature(enable = "fma")]
                fn fused($($hi: f64, $lo: f64),+) -> Option<Bounded> {
                    $source::$name::<Fused>($(argument($hi, $lo)?),+)
                }
                fn plain($($hi: f64, $lo: f64),+) -> Option<Bounded> {
                    $source::$name::<Plain>($(argument($hi, $lo)?),+)
                }
                if processor::has_fma() {
                    // SAFETY: `has_fma` has checked the processor.
                    unsafe { fused($($hi, $lo),+) }
                } else {
                    plain($($hi, $lo),+)
                }
            }
        )*

        /// The versions without FMA, so that tests cover both on any machine.
        #[doc(hidden)]
        pub mod without_fma {
            use super::*;
            $(
                pub fn $name($($hi: f64, $lo: f64),+) -> Option<Bounded> {
                    $source::$name::<Plain>($(argument($hi, $lo)?),+)
                }
            )*
        }
    };
}

define! {
    exp(hi lo) = exponential;
    exp2(hi lo) = exponential;
    expm1(hi lo) = exponential;
    log(hi lo) = logarithm;
    log2(hi lo) = logarithm;
    log10(hi lo) = logarithm;
    log1p(hi lo) = logarithm;
    erf(hi lo) = error_function;
    erfc(hi lo) = error_function;
    sin(hi lo) = trigonometric;
    cos(hi lo) = trigonometric;
    tan(hi lo) = trigonometric;
    asin(hi lo) = inverse;
    acos(hi lo) = inverse;
    atan(hi lo) = inverse;
    /// The angle of the point (x, y); operands in C's order.
    atan2(y_hi y_lo, x_hi x_lo) = inverse;
    sinh(hi lo) = hyperbolic;
    cosh(hi lo) = hyperbolic;
    tanh(hi lo) = hyperbolic;
    asinh(hi lo) = hyperbolic;
    acosh(hi lo) = hyperbolic;
    atanh(hi lo) = hyperbolic;
    sqrt(hi lo) = power;
    cbrt(hi lo) = power;
    hypot(x_hi x_lo, y_hi y_lo) = power;
    pow(x_hi x_lo, y_hi y_lo) = power;
}
