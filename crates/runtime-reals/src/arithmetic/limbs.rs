//! Rows of limbs, the lowest first: the few things that are done with them, in line.

use core::arch::asm;

/// Most numbers are too short for a call of `memcpy`.
#[inline(always)]
pub unsafe fn copy(to: *mut u64, from: *const u64, count: usize) {
    let mut at = 0;
    unsafe {
        while at + 4 <= count {
            let limbs = [0, 1, 2, 3].map(|next| fresh(from.add(at + next)));
            for (next, limb) in limbs.into_iter().enumerate() {
                *to.add(at + next) = limb;
            }
            at += 4;
        }
        while at < count {
            *to.add(at) = fresh(from.add(at));
            at += 1;
        }
    }
}

#[inline(always)]
pub unsafe fn fill(to: *mut u64, count: usize, limb: u64) {
    for at in 0..count {
        unsafe { *to.add(at) = limb };
    }
}

/// Reads a limb that may have been written just before: by itself, because a processor waits if what it reads at once
/// was written in parts. (So there are no vectors here.)
#[inline(always)]
unsafe fn fresh(limb: *const u64) -> u64 {
    unsafe { limb.read_volatile() }
}

/// Writes `from`, shifted up by 1 to 63 bits; what leaves the top is lost, zeros come in below.
pub unsafe fn shift_up(to: *mut u64, from: &[u64], bits: u32) {
    let mut below = 0;
    for (at, limb) in from.iter().enumerate() {
        unsafe { *to.add(at) = limb << bits | below >> (64 - bits) };
        below = *limb;
    }
}

/// Writes `from`, shifted down by 0 to 63 bits and so longer by a limb.
pub unsafe fn shift_down(to: *mut u64, from: &[u64], bits: u32) {
    let mut below = 0;
    for (at, limb) in from.iter().enumerate() {
        unsafe { *to.add(at) = below >> bits | (limb << 1) << (63 - bits) };
        below = *limb;
    }
    unsafe { *to.add(from.len()) = below >> bits };
}

/// to = a ± b ± carry, limb by limb: first one by one, then by four, with the processor's carry all the way.
macro_rules! rows {
    ($(#[$doc:meta])* $name:ident $step:literal) => {
        $(#[$doc])*
        #[inline(always)]
        pub unsafe fn $name(
            to: *mut u64,
            a: *const u64,
            b: *const u64,
            count: usize,
            mut carry: u8,
        ) -> u8 {
            unsafe {
                asm!(
                    "xor {at:e}, {at:e}",
                    // The carry becomes the processor's.
                    "add {carry}, 255",
                    "jrcxz 3f",
                    "2:",
                    "mov {x}, [{a} + 8 * {at}]",
                    concat!($step, " {x}, [{b} + 8 * {at}]"),
                    "mov [{to} + 8 * {at}], {x}",
                    "lea {at}, [{at} + 1]",
                    "dec rcx",
                    "jnz 2b",
                    "3:",
                    "mov rcx, {quads}",
                    "jrcxz 5f",
                    "4:",
                    "mov {x}, [{a} + 8 * {at}]",
                    concat!($step, " {x}, [{b} + 8 * {at}]"),
                    "mov [{to} + 8 * {at}], {x}",
                    "mov {x}, [{a} + 8 * {at} + 8]",
                    concat!($step, " {x}, [{b} + 8 * {at} + 8]"),
                    "mov [{to} + 8 * {at} + 8], {x}",
                    "mov {x}, [{a} + 8 * {at} + 16]",
                    concat!($step, " {x}, [{b} + 8 * {at} + 16]"),
                    "mov [{to} + 8 * {at} + 16], {x}",
                    "mov {x}, [{a} + 8 * {at} + 24]",
                    concat!($step, " {x}, [{b} + 8 * {at} + 24]"),
                    "mov [{to} + 8 * {at} + 24], {x}",
                    "lea {at}, [{at} + 4]",
                    "dec rcx",
                    "jnz 4b",
                    "5:",
                    "setc {carry}",
                    to = in(reg) to,
                    a = in(reg) a,
                    b = in(reg) b,
                    quads = in(reg) count / 4,
                    at = out(reg) _,
                    x = out(reg) _,
                    carry = inout(reg_byte) carry,
                    inout("rcx") count % 4 => _,
                    options(nostack)
                );
            }
            carry
        }
    };
}

rows! {
    /// to = a + b + carry
    add_limbs "adc"
}

rows! {
    /// to = a − b − borrow
    subtract_limbs "sbb"
}

/// to = from + carry
#[inline(always)]
pub unsafe fn add_carry(to: *mut u64, from: *const u64, count: usize, carry: u8) -> u8 {
    unsafe { pass_on(to, from, count, carry, u64::overflowing_add) }
}

/// to = from − borrow
#[inline(always)]
pub unsafe fn subtract_borrow(to: *mut u64, from: *const u64, count: usize, borrow: u8) -> u8 {
    unsafe { pass_on(to, from, count, borrow, u64::overflowing_sub) }
}

/// A carry seldom goes far.
#[inline(always)]
unsafe fn pass_on(
    to: *mut u64,
    from: *const u64,
    count: usize,
    carry: u8,
    step: impl Fn(u64, u64) -> (u64, bool),
) -> u8 {
    let mut carry = carry != 0;
    let mut at = 0;
    unsafe {
        while carry && at < count {
            (*to.add(at), carry) = step(*from.add(at), 1);
            at += 1;
        }
        copy(to.add(at), from.add(at), count - at);
    }
    carry.into()
}

/// to = −from; gives whether anything is borrowed from what is above.
#[inline(always)]
pub unsafe fn negate(to: *mut u64, from: *const u64, count: usize) -> u8 {
    let mut borrow = false;
    for at in 0..count {
        unsafe {
            let limb = fresh(from.add(at));
            *to.add(at) = limb.wrapping_neg().wrapping_sub(borrow.into());
            borrow |= limb != 0;
        }
    }
    borrow.into()
}
