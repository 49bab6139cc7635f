//! Elementary functions in double-double arithmetic, each with a bound on its error.
//!
//! An argument is the exact sum of two doubles, `hi + lo`; a result is such a sum again, about 100 bits
//! of the exact value, with a bound: |f(hi + lo) − (result.hi + result.lo)| ≤ result.error. Where a function
//! does not know (outside of its domain, near overflow and underflow, infinite arguments, huge ones for
//! sine and cosine) it gives `None`, and the caller goes to MPFR.
//!
//! The methods are the textbook ones: an argument is reduced by a table of double-doubles (exact products with short
//! constants, after Cody and Waite), and a short series follows whose small terms need only doubles.
//! The error-free transformations are Knuth's and Dekker's; products use FMA where the processor has it.
//! The bounds were derived by counting rounding errors and have slack of about a factor of two or more over
//! the largest error that the tests see.
//!
//! Rounding must be to nearest, subnormals must be on. No allocation, no library, no global state but one
//! cached answer of the processor.

#![no_std]

mod double_double;
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

/// A value as the sum of two doubles, and how far from the exact value it may be.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Bounded {
    pub hi: f64,
    pub lo: f64,
    /// Absolute, never negative.
    pub error: f64,
}

/// The argument in its normal form, where it is a number that all steps can work with.
#[inline(always)]
fn argument(hi: f64, lo: f64) -> Option<Dd> {
    let (hi, lo) = two_sum(hi, lo);
    // Beyond, products or their rounding errors would leave the range of doubles.
    const LEAST: f64 = f64::from_bits((1023 - 900) << 52);
    const MOST: f64 = f64::from_bits((1023 + 900) << 52);
    let magnitude = f64::from_bits(hi.to_bits() & !(1 << 63));
    let fits = (LEAST..MOST).contains(&magnitude) || (hi == 0.0 && lo == 0.0);
    fits.then_some(Dd { hi, lo })
}

/// Functions in two versions, of which the processor decides.
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
                    // SAFETY: the processor has the feature.
                    unsafe { fused($($hi, $lo),+) }
                } else {
                    plain($($hi, $lo),+)
                }
            }
        )*

        /// The versions without FMA, so that both can be tested on any machine.
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
    sin(hi lo) = trigonometric;
    cos(hi lo) = trigonometric;
    tan(hi lo) = trigonometric;
    asin(hi lo) = inverse;
    acos(hi lo) = inverse;
    atan(hi lo) = inverse;
    /// The angle of the point (x, y); the operands are in C's order.
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
