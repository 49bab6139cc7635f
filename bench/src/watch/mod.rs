//! How well `lostbits watch` predicts: for subjects of the shapes of Bao and Zhang's programs, which inputs around
//! a change of decision are called unstable, at each threshold, compared with the truth and with two other
//! methods.
//!
//! Each subject is a C program of one input (`bench/watch`), which is watched, and the same computation written
//! once more here, over any kind of number: exact enough (MPFR) for the truth, and with tracked errors for the
//! paper's *approximate* method. Constants are the doubles that the program has.

pub mod numbers;
pub mod ranges;
pub mod subjects;
