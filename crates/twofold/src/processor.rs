//! Whether the processor has FMA, without the standard library's detection.

use core::sync::atomic::{AtomicU8, Ordering};

static ANSWER: AtomicU8 = AtomicU8::new(UNKNOWN);
const UNKNOWN: u8 = 0;
const NO: u8 = 1;
const YES: u8 = 2;

#[inline(always)]
pub fn has_fma() -> bool {
    match ANSWER.load(Ordering::Relaxed) {
        UNKNOWN => ask(),
        answer => answer == YES,
    }
}

#[cold]
fn ask() -> bool {
    use core::arch::x86_64::{__cpuid, _xgetbv};
    const FMA: u32 = 1 << 12;
    const OSXSAVE: u32 = 1 << 27;
    const AVX_STATE: u64 = 0b110;

    #[target_feature(enable = "xsave")]
    fn enabled() -> u64 {
        // SAFETY: register 0 exists on every processor with this instruction.
        unsafe { _xgetbv(0) }
    }

    let features = __cpuid(1).ecx;
    let named = features & (FMA | OSXSAVE) == FMA | OSXSAVE;
    // SAFETY: OSXSAVE says that the operating system has enabled `xgetbv`.
    let yes = named && unsafe { enabled() } & AVX_STATE == AVX_STATE;
    ANSWER.store(if yes { YES } else { NO }, Ordering::Relaxed);
    yes
}
