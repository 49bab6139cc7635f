//! Keeps the program's floating-point environment unchanged.
//!
//! MPFR computes with integers, but estimates with doubles in a few places. That would raise flags, trap where the program
//! has traps enabled, and give wrong estimates under another rounding mode.

use core::arch::asm;

/// Rounding to nearest, all exceptions masked, no flags.
const DEFAULT: u32 = 0x1f80;
/// The status flags of the control word.
const FLAGS: u32 = 0x3f;

/// Runs `work` in the default environment, then restores the program's.
pub fn in_default_environment<T>(work: impl FnOnce() -> T) -> T {
    let programs = control();
    // Most programs use the default environment and have long raised the one flag that we raise. Reading the word is much
    // cheaper than writing it.
    if programs & !FLAGS != DEFAULT {
        set_control(DEFAULT);
    }
    let result = work();
    if control() != programs {
        set_control(programs);
    }
    result
}

/// Clears flags that only shadow code can have raised: invalid where no operation made a NaN, overflow and division by zero
/// where none made an infinity.
pub fn clear_flags_of_shadow_code(made_not_a_number: bool, made_infinity: bool) {
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
    // SAFETY: `stmxcsr` writes four bytes, the size of `word`.
    unsafe { asm!("stmxcsr [{}]", in(reg) &raw mut word, options(nostack, preserves_flags)) };
    word
}

#[inline]
fn set_control(word: u32) {
    // SAFETY: `word` is a valid control word: DEFAULT, or one that `control` read with fewer flags.
    unsafe { asm!("ldmxcsr [{}]", in(reg) &raw const word, options(nostack, preserves_flags)) };
}
