//! The program's floating-point environment, left as it was.
//!
//! MPFR computes with integers, but here and there estimates with doubles: that would raise flags, trap
//! where the program has traps enabled, and go wrong under another rounding.

use core::arch::asm;

/// Rounding to nearest, all exceptions masked, no flags.
static DEFAULT: u32 = 0x1f80;

/// Does `work` in the default environment and restores the program's.
pub fn undisturbed<T>(work: impl FnOnce() -> T) -> T {
    let mut programs = 0u32;
    // SAFETY: the control word is put back.
    unsafe {
        asm!("stmxcsr [{}]", in(reg) &raw mut programs, options(nostack, preserves_flags));
        asm!("ldmxcsr [{}]", in(reg) &raw const DEFAULT, options(nostack, preserves_flags));
    }
    let result = work();
    unsafe {
        asm!("ldmxcsr [{}]", in(reg) &raw const programs, options(nostack, preserves_flags));
    }
    result
}
