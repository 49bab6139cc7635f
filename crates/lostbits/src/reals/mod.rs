//! High-precision arithmetic and error measures.
//!
//! [`evaluate`] computes an operation of the table over the real numbers, rounded once to a
//! precision of choice, by MPFR; [`Bits`], [`Ulps`] and [`Relative`] say how far a computed number is
//! from such a value.
//!
//! MPFR's exponents (to ±2^30) reach far beyond any hardware format, so that nothing overflows or becomes
//! subnormal here where the program's own arithmetic did: a shadow of 1e400 is such a number, not
//! infinity. The measures count a program's infinity as right where the exact value rounds to it.

mod error;
mod evaluate;
mod special;

pub use error::{Bits, Relative, Ulps};
pub use evaluate::evaluate;
