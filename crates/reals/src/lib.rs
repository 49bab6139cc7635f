//! The operations of the table in exact arithmetic, by MPFR.
//!
//! [`evaluate`] computes an operation and rounds once, to any precision. The tool judges results with it. The runtime of the
//! high-precision modes uses it inside the analysed program: hence `no_std`, and memory only from GMP's allocation functions,
//! which the runtime replaces.
//!
//! MPFR's exponents (up to ±2^30) reach far beyond any hardware format. Nothing overflows or becomes subnormal here where the
//! program's arithmetic does: a shadow of 1e400 is that number, not infinity.

#![no_std]

mod evaluate;
mod special;

pub use evaluate::{evaluate, evaluate_into};
