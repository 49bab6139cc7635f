//! Arrays of limbs, the lowest first: the few operations on them, inlined.
//!
//! # Safety of all functions here
//!
//! The sources have `count` limbs, and the destination has room for as many (one more for [`shift_down`]). A destination
//! may be one of its sources or overlap none of them. All limbs are in a slot, a scratch area or an array of the caller,
//! which knows their lengths from [`Number`](crate::number::Number).

use core::arch::asm;

/// Most numbers are too short for a call of `memcpy`.
///
/// # Safety
///
/// See the module.
#[inline(always)]
pub unsafe fn copy(to: *mut u64, from: *const u64, count: usize) {
    let mut at = 0;
    // SAFETY: `at` stays below `count`.
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

/// # Safety
///
/// See the module.
#[inline(always)]
pub unsafe fn fill(to: *mut u64, count: usize, limb: u64) {
    for at in 0..count {
        // SAFETY: `at` is below `count`.
        unsafe { *to.add(at) = limb };
    }
}

/// Reads a limb that may have been written just before. One limb at a time: a wider load over several narrow stores stalls
/// (no store forwarding), so this must not become a vector load.
///
/// # Safety
///
/// `limb` is readable.
#[inline(always)]
unsafe fn fresh(limb: *const u64) -> u64 {
    // SAFETY: the caller's promise.
    unsafe { limb.read_volatile() }
}

/// Writes `from`, shifted up by 1 to 63 bits: bits that leave the top are lost, zeros enter below.
///
/// # Safety
///
/// See the module.
pub unsafe fn shift_up(to: *mut u64, from: &[u64], bits: u32) {
    let mut below = 0;
    for (at, limb) in from.iter().enumerate() {
        // SAFETY: `at` is below the length of `from`.
        unsafe { *to.add(at) = limb << bits | below >> (64 - bits) };
        below = *limb;
    }
}

/// Writes `from`, shifted down by 0 to 63 bits, with one limb more.
///
/// # Safety
///
/// See the module.
pub unsafe fn shift_down(to: *mut u64, from: &[u64], bits: u32) {
    let mut below = 0;
    for (at, limb) in from.iter().enumerate() {
        // SAFETY: `at` is below the length of `from`.
        unsafe { *to.add(at) = below >> bits | (limb << 1) << (63 - bits) };
        below = *limb;
    }
    // SAFETY: the destination has room for one limb more.
    unsafe { *to.add(from.len()) = below >> bits };
}

/// to = a ± b ± carry: first `count % 4` limbs one by one, then four at a time, with the carry in the processor's flag
/// throughout.
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
            // SAFETY: reads and writes the limbs 0..count of the three arrays. Returns the carry in a register; no other
            // memory, no stack.
            unsafe {
                asm!(
                    "xor {at:e}, {at:e}",
                    // Puts the carry into the flag.
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
    /// to = a + b + carry; returns the carry.
    ///
    /// # Safety
    ///
    /// See the module.
    add_limbs "adc"
}

rows! {
    /// to = a − b − borrow; returns the borrow.
    ///
    /// # Safety
    ///
    /// See the module.
    subtract_limbs "sbb"
}

/// to = from + carry; returns the carry.
///
/// # Safety
///
/// See the module.
#[inline(always)]
pub unsafe fn add_carry(to: *mut u64, from: *const u64, count: usize, carry: u8) -> u8 {
    // SAFETY: the caller's promise is the same.
    unsafe { propagate(to, from, count, carry, u64::overflowing_add) }
}

/// to = from − borrow; returns the borrow.
///
/// # Safety
///
/// See the module.
#[inline(always)]
pub unsafe fn subtract_borrow(to: *mut u64, from: *const u64, count: usize, borrow: u8) -> u8 {
    // SAFETY: the caller's promise is the same.
    unsafe { propagate(to, from, count, borrow, u64::overflowing_sub) }
}

/// A carry seldom goes far: the rest is copied.
///
/// # Safety
///
/// See the module.
#[inline(always)]
unsafe fn propagate(
    to: *mut u64,
    from: *const u64,
    count: usize,
    carry: u8,
    step: impl Fn(u64, u64) -> (u64, bool),
) -> u8 {
    let mut carry = carry != 0;
    let mut at = 0;
    // SAFETY: `at` stays at or below `count`.
    unsafe {
        while carry && at < count {
            (*to.add(at), carry) = step(*from.add(at), 1);
            at += 1;
        }
        copy(to.add(at), from.add(at), count - at);
    }
    carry.into()
}

/// to = −from; returns the borrow.
///
/// # Safety
///
/// See the module.
#[inline(always)]
pub unsafe fn negate(to: *mut u64, from: *const u64, count: usize) -> u8 {
    let mut borrow = false;
    for at in 0..count {
        // SAFETY: `at` is below `count`.
        unsafe {
            let limb = fresh(from.add(at));
            *to.add(at) = limb.wrapping_neg().wrapping_sub(borrow.into());
            borrow |= limb != 0;
        }
    }
    borrow.into()
}
