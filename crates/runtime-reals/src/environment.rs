//! The program's floating-point environment, left as it was.
//!
//! MPFR computes with integers, but here and there estimates with doubles: that would raise flags, trap
//! where the program has traps enabled, and go wrong under another rounding.

use core::arch::asm;

/// Rounding to nearest, all exceptions masked, no flags.
const DEFAULT: u32 = 0x1f80;
/// The bits of the control word that say what has happened, not how to compute.
const FLAGS: u32 = 0x3f;

/// Does `work` in the default environment and restores the program's.
pub fn undisturbed<T>(work: impl FnOnce() -> T) -> T {
    let programs = control();
    // Most programs compute in the default environment and have long raised the one flag that we raise:
    // to read the word is much cheaper than to write it.
    if programs & !FLAGS != DEFAULT {
        set_control(DEFAULT);
    }
    let result = work();
    if control() != programs {
        set_control(programs);
    }
    result
}

/// Lowers flags that the program cannot have raised, because it made no such number.
pub fn take_back(made_not_a_number: bool, made_infinity: bool) {
    const INVALID: u32 = 1;
    const BY_ZERO_AND_OVERFLOW: u32 = 1 << 2 | 1 << 3;
    let mut lowered = 0;
    if !made_not_a_number {
        lowered |= INVALID;
    }
    if !made_infinity {
        lowered |= BY_ZERO_AND_OVERFLOW;
    }
    set_control(control() & !lowered);
}

#[inline]
fn control() -> u32 {
    let mut word = 0u32;
    // SAFETY: writes to the word.
    unsafe { asm!("stmxcsr [{}]", in(reg) &raw mut word, options(nostack, preserves_flags)) };
    word
}

#[inline]
fn set_control(word: u32) {
    // SAFETY: whoever calls this puts the program's word back.
    unsafe { asm!("ldmxcsr [{}]", in(reg) &raw const word, options(nostack, preserves_flags)) };
}
