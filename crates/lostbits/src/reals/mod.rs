//! High-precision arithmetic and error measures.
//!
//! [`evaluate`] computes an operation of the table over the real numbers, rounded once to a
//! precision of choice, by MPFR; [`Bits`], [`Ulps`] and [`Relative`] say how far a computed number is
//! from such a value. The measures count a program's infinity as right where the exact value rounds to
//! it.

mod error;

pub use error::{Bits, Relative, Ulps};
pub use lostbits_reals::evaluate;
