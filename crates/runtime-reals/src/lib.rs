//! The runtime with MPFR: what lives inside a program that is analysed with many bits.
//!
//! All of [`lostbits_runtime`], whose manners hold here too, and GMP and MPFR. They are packed into an
//! object of their own (`scripts/pack-runtime.sh`), which is linked in the place of the plain runtime
//! for the modes that need it ([`needs_reals`](lostbits_abi::mode::Mode::needs_reals)). Their names are
//! made local there: a program's own libmpfr is not disturbed. Their memory comes from an [`arena`].
//!
//! MPFR's caches of constants belong to a thread. A signal handler that needs a constant while the thread
//! is computing it is not foreseen.

#![no_std]

mod arena;
mod environment;
mod explain;
mod library;
mod mpfr_memory;
mod zone;

use core::ffi::c_int;

use lostbits_abi::symbols;
pub use lostbits_runtime::*;

export! {
    /// An operation of the table, of operands that are given as unevaluated sums of two doubles.
    REALS_LIBRARY = "__lostbits_reals_library"
    fn reals_library(
        op: u32,
        precision: u32,
        count: u32,
        operands: *const [f64; 2],
        result: *mut [f64; 2]
    ) -> c_int {
        let operands = unsafe { core::slice::from_raw_parts(operands, count as usize) };
        match library::evaluate(op, precision, operands) {
            Some(pair) => {
                unsafe { *result = pair };
                1
            }
            None => 0,
        }
    }
}
