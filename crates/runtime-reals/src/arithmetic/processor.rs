//! What the processor at hand can do beyond the least that an x86-64 can.

use core::{
    arch::{asm, x86_64::__cpuid_count},
    sync::atomic::{AtomicU8, Ordering::Relaxed},
};

/// What is known, in bits; 0 until it was looked at.
static PROCESSOR: AtomicU8 = AtomicU8::new(0);
const LOOKED: u8 = 1;
const TWO_CHAINS: u8 = 2;
const DIGITS: u8 = 4;

/// Whether the processor has MULX, SHLX, ADCX and ADOX (BMI2, ADX).
#[inline(always)]
pub fn has_two_chains() -> bool {
    abilities() & TWO_CHAINS != 0
}

/// Whether it multiplies digits of 52 bits in vectors of 512, and permutes their bytes (AVX-512 F, BW, IFMA, VBMI).
#[inline(always)]
pub fn has_digits() -> bool {
    abilities() & DIGITS != 0
}

#[inline(always)]
fn abilities() -> u8 {
    match PROCESSOR.load(Relaxed) {
        0 => look_at_processor(),
        known => known,
    }
}

#[cold]
fn look_at_processor() -> u8 {
    const OSXSAVE: u32 = 1 << 27;
    const BMI2_ADX: u32 = 1 << 8 | 1 << 19;
    const F_IFMA_BW: u32 = 1 << 16 | 1 << 21 | 1 << 30;
    const VBMI: u32 = 1 << 1;
    let mut abilities = LOOKED;
    if __cpuid_count(0, 0).eax >= 7 {
        let extended = __cpuid_count(7, 0);
        let has_all = |bits: u32| extended.ebx & bits == bits;
        if has_all(BMI2_ADX) {
            abilities |= TWO_CHAINS;
        }
        let is_saved = __cpuid_count(1, 0).ecx & OSXSAVE != 0 && saves_vectors();
        if is_saved && has_all(F_IFMA_BW) && extended.ecx & VBMI != 0 {
            abilities |= DIGITS;
        }
    }
    PROCESSOR.store(abilities, Relaxed);
    abilities
}

/// Whether the system keeps all of a thread's vectors of 512 bits.
fn saves_vectors() -> bool {
    const ALL: u32 = 0b1110_0110;
    let low: u32;
    // SAFETY: the system has switched this instruction on.
    unsafe {
        asm!("xgetbv", in("ecx") 0, out("eax") low, out("edx") _, options(nomem, nostack));
    }
    low & ALL == ALL
}
