//! Numbers: units of error, the order of the doubles, intervals, random numbers, exact operations.
//!
//! [`Bits`], [`Ulps`], [`Relative`] and [`Digits`] measure how far a computed number is from the exact one;
//! each is a type of its own, so that one unit cannot be passed for another. [`ordinal`] numbers the doubles,
//! [`Range`] is an interval of them, [`Random`] draws numbers that depend on the seed alone. [`evaluate`] computes
//! an operation of the table in exact arithmetic, rounded once to a precision of choice, by MPFR.

mod hexadecimal;
mod ordinal;
mod random;
mod range;
mod units;

pub use hexadecimal::hexadecimal;
pub use lostbits_reals::evaluate;
pub use ordinal::{from_ordinal, ordinal, ordinal_f32};
pub use random::Random;
pub use range::Range;
pub use units::{Bits, Digits, Relative, Ulps};
