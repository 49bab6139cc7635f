//! Instructions beyond the x86-64 baseline that this processor has.

use core::{
    arch::{asm, x86_64::__cpuid_count},
    sync::atomic::{AtomicU8, Ordering::Relaxed},
};

/// A set of the bits below; 0 until `detect` ran.
static PROCESSOR: AtomicU8 = AtomicU8::new(0);
const DETECTED: u8 = 1;
const ADX: u8 = 2;
const IFMA: u8 = 4;

/// Whether the processor has MULX, SHLX, ADCX and ADOX (BMI2, ADX).
#[inline(always)]
pub fn has_adx() -> bool {
    abilities() & ADX != 0
}
/// Whether the processor has AVX-512 F, BW, IFMA and VBMI: products of 52-bit digits in vectors of 512 bits, and
/// permutations of their bytes.
/// Whether it multiplies digits of 52 bits in vectors of 512, and permutes their bytes (AVX-512 F, BW, IFMA, VBMI).
#[inline(always)]
pub fn has_ifma() -> bool {
    abilities() & IFMA != 0
}

#[inline(always)]
fn abilities() -> u8 {
    match PROCESSOR.load(Relaxed) {
        0 => detect(),
        known => known,
    }
}

#[cold]
fn detect() -> u8 {
    const OSXSAVE: u32 = 1 << 27;
    const BMI2_ADX: u32 = 1 << 8 | 1 << 19;
    const F_IFMA_BW: u32 = 1 << 16 | 1 << 21 | 1 << 30;
    const VBMI: u32 = 1 << 1;
    let mut abilities = DETECTED;
    if __cpuid_count(0, 0).eax >= 7 {
        let extended = __cpuid_count(7, 0);
        let has_all = |bits: u32| extended.ebx & bits == bits;
        if has_all(BMI2_ADX) {
            abilities |= ADX;
        }
        let is_saved = __cpuid_count(1, 0).ecx & OSXSAVE != 0 && saves_vectors();
        if is_saved && has_all(F_IFMA_BW) && extended.ecx & VBMI != 0 {
            abilities |= IFMA;
        }
    }
    PROCESSOR.store(abilities, Relaxed);
    abilities
}

/// Whether the operating system saves the 512-bit registers of a thread.
fn saves_vectors() -> bool {
    const ALL: u32 = 0b1110_0110;
    let low: u32;
    // SAFETY: the caller has checked OSXSAVE, so `xgetbv` is enabled; register 0 always exists.
    unsafe {
        asm!("xgetbv", in("ecx") 0, out("eax") low, out("edx") _, options(nomem, nostack));
    }
    low & ALL == ALL
}
