//! The operations of the table over the real numbers, by MPFR.
//!
//! [`evaluate`] computes an operation rounded once to a precision of choice. The tool uses it to judge
//! results, and the runtime of the modes that need it inside the analysed program; hence `no_std`, and
//! memory only from GMP's allocation functions, which the runtime replaces.
//!
//! MPFR's exponents (to ±2^30) reach far beyond any hardware format, so that nothing overflows or becomes
//! subnormal here where the program's own arithmetic did: a shadow of 1e400 is such a number, not
//! infinity.

#![no_std]

mod evaluate;
mod special;

pub use evaluate::{evaluate, evaluate_into};
