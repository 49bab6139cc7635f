//! What the processor at hand can do beyond the least that an x86-64 can.

use core::{
    arch::x86_64::__cpuid_count,
    sync::atomic::{AtomicU8, Ordering::Relaxed},
};

static PROCESSOR: AtomicU8 = AtomicU8::new(UNKNOWN);
const UNKNOWN: u8 = 0;
const WITHOUT: u8 = 1;
const WITH: u8 = 2;

/// Whether the processor has MULX, SHLX, ADCX and ADOX (BMI2, ADX).
#[inline(always)]
pub fn has_two_chains() -> bool {
    match PROCESSOR.load(Relaxed) {
        UNKNOWN => look_at_processor(),
        known => known == WITH,
    }
}

#[cold]
fn look_at_processor() -> bool {
    const BMI2: u32 = 1 << 8;
    const ADX: u32 = 1 << 19;
    let most = __cpuid_count(0, 0).eax;
    let has = most >= 7 && __cpuid_count(7, 0).ebx & (BMI2 | ADX) == BMI2 | ADX;
    PROCESSOR.store(if has { WITH } else { WITHOUT }, Relaxed);
    has
}
