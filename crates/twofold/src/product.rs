//! Exact products of two doubles.

/// A method to compute a product and its rounding error.
pub trait Product {
    /// p + e = a·b exactly, where p is the rounded product, if nothing overflows or underflows.
    fn product(a: f64, b: f64) -> (f64, f64);
}

/// With the processor's fused multiply-add.
pub struct Fused;
/// By Dekker's splitting.
pub struct Plain;

impl Product for Fused {
    #[inline(always)]
    fn product(a: f64, b: f64) -> (f64, f64) {
        use core::arch::x86_64::{_mm_cvtsd_f64, _mm_fmsub_sd, _mm_set_sd};
        let p = a * b;
        // SAFETY: `define!` in lib.rs uses this type only in functions that run after `has_fma` returned true.
        let e = unsafe { _mm_cvtsd_f64(_mm_fmsub_sd(_mm_set_sd(a), _mm_set_sd(b), _mm_set_sd(p))) };
        (p, e)
    }
}

impl Product for Plain {
    #[inline(always)]
    fn product(a: f64, b: f64) -> (f64, f64) {
        let p = a * b;
        let (a_high, a_low) = split(a);
        let (b_high, b_low) = split(b);
        let e = ((a_high * b_high - p) + a_high * b_low + a_low * b_high) + a_low * b_low;
        (p, e)
    }
}

/// Splits a double into two halves of 26 bits (Veltkamp).
#[inline(always)]
fn split(a: f64) -> (f64, f64) {
    const SPLITTER: f64 = ((1u64 << 27) + 1) as f64;
    let scaled = a * SPLITTER;
    let high = scaled - (scaled - a);
    (high, a - high)
}
