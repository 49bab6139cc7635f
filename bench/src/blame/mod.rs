//! `make bench-blame`: does `lostbits explain` blame the lines that make the error?
//!
//! The truth comes from interventions that share nothing with lostbits: the program's own LLVM IR, unoptimised and rewritten so that
//! each operation on doubles calls `bench/blame/interventions.c`, in which chosen source lines do not round.

pub mod explained;
pub mod judged;
pub mod model;
pub mod program;
pub mod truth;

mod lines;
mod printed;
mod rewrite;
