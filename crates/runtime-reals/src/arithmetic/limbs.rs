//! Rows of limbs, the lowest first: the few things that are done with them, in line.

use core::arch::{
    asm,
    x86_64::{_addcarry_u64, _subborrow_u64},
};

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
pub unsafe fn fresh(limb: *const u64) -> u64 {
    unsafe { limb.read_volatile() }
}

/// A limb of which the compiler forgets how it was made: two shifts and an OR would else become one instruction that many
/// processors are slow at.
#[inline(always)]
fn apart(mut limb: u64) -> u64 {
    // SAFETY: does nothing.
    unsafe { asm!("/* {} */", inout(reg) limb, options(pure, nomem, nostack, preserves_flags)) };
    limb
}

/// Shifts up in place, by 1 to 63 bits: what leaves the top is lost, zeros come in below.
#[inline(always)]
pub unsafe fn shift_up(limbs: *mut u64, count: usize, bits: u32) {
    unsafe {
        let mut here = fresh(limbs.add(count - 1));
        for at in (1..count).rev() {
            let below = fresh(limbs.add(at - 1));
            *limbs.add(at) = here << bits | apart(below >> (64 - bits));
            here = below;
        }
        *limbs = here << bits;
    }
}

/// Shifts down by a bit in place.
#[inline(always)]
pub unsafe fn shift_down(limbs: *mut u64, count: usize) {
    unsafe {
        let mut here = fresh(limbs);
        for at in 1..count {
            let above = fresh(limbs.add(at));
            *limbs.add(at - 1) = here >> 1 | apart(above << 63);
            here = above;
        }
        *limbs.add(count - 1) = here >> 1;
    }
}

/// The same with a limb more, below, for the bit that leaves.
#[inline(always)]
pub unsafe fn shift_down_longer(limbs: *mut u64, count: usize) {
    unsafe {
        let mut above = 0;
        for at in (0..count).rev() {
            let here = fresh(limbs.add(at));
            *limbs.add(at + 1) = here >> 1 | apart(above << 63);
            above = here;
        }
        *limbs = above << 63;
    }
}

/// Writes `from`, shifted down by 1 to 63 bits and so longer by a limb, without its lowest `cut` limbs.
#[inline(always)]
pub unsafe fn shift_right(to: *mut u64, from: &[u64], cut: usize, bits: u32) {
    let count = from.len() + 1 - cut;
    let from = from.as_ptr();
    unsafe {
        // Limb `at` is made of limbs `at + cut - 1` and `at + cut`.
        let mut below = match cut {
            0 => 0,
            _ => fresh(from.add(cut - 1)),
        };
        for at in 0..count - 1 {
            let here = fresh(from.add(at + cut));
            *to.add(at) = below >> bits | apart(here << (64 - bits));
            below = here;
        }
        *to.add(count - 1) = below >> bits;
    }
}

/// to = a + b
#[inline(always)]
pub unsafe fn add_limbs(to: *mut u64, a: *const u64, b: *const u64, count: usize) -> u8 {
    let mut carry = 0;
    let mut at = 0;
    unsafe {
        let one =
            |carry: u8, at: usize| _addcarry_u64(carry, *a.add(at), *b.add(at), &mut *to.add(at));
        while at + 4 <= count {
            carry = one(carry, at);
            carry = one(carry, at + 1);
            carry = one(carry, at + 2);
            carry = one(carry, at + 3);
            at += 4;
        }
        while at < count {
            carry = one(carry, at);
            at += 1;
        }
    }
    carry
}

/// to = from + carry
#[inline(always)]
pub unsafe fn add_carry(to: *mut u64, from: *const u64, count: usize, mut carry: u8) -> u8 {
    let mut at = 0;
    unsafe {
        while carry != 0 && at < count {
            carry = _addcarry_u64(carry, *from.add(at), 0, &mut *to.add(at));
            at += 1;
        }
        copy(to.add(at), from.add(at), count - at);
    }
    carry
}

/// to = a − b − borrow
#[inline(always)]
pub unsafe fn subtract_limbs(
    to: *mut u64,
    a: *const u64,
    b: *const u64,
    count: usize,
    mut borrow: u8,
) -> u8 {
    let mut at = 0;
    unsafe {
        let one = |borrow: u8, at: usize| {
            _subborrow_u64(borrow, *a.add(at), *b.add(at), &mut *to.add(at))
        };
        while at + 4 <= count {
            borrow = one(borrow, at);
            borrow = one(borrow, at + 1);
            borrow = one(borrow, at + 2);
            borrow = one(borrow, at + 3);
            at += 4;
        }
        while at < count {
            borrow = one(borrow, at);
            at += 1;
        }
    }
    borrow
}

/// to = from − borrow
#[inline(always)]
pub unsafe fn subtract_borrow(to: *mut u64, from: *const u64, count: usize, mut borrow: u8) {
    let mut at = 0;
    unsafe {
        while borrow != 0 && at < count {
            borrow = _subborrow_u64(borrow, *from.add(at), 0, &mut *to.add(at));
            at += 1;
        }
        copy(to.add(at), from.add(at), count - at);
    }
}

/// to = −to, of the lowest limbs; gives whether anything is borrowed from those above.
#[inline(always)]
pub unsafe fn negate(to: *mut u64, count: usize) -> u8 {
    let mut borrow = 0;
    for at in 0..count {
        unsafe {
            let place = &mut *to.add(at);
            borrow = _subborrow_u64(borrow, 0, *place, place);
        }
    }
    borrow
}
