//! Sums and differences: one pass that shifts the smaller operand, one that adds; after a difference, one more that
//! brings its leading bit to the top.
//!
//! A difference is computed with one limb more than there is room for: as long as terms are at most 64 bits apart,
//! nothing is cut off before it is known how much they cancel.

use gmp_mpfr_sys::mpfr::{self, mpfr_t};

use super::{
    by_mpfr,
    limbs::{
        add_carry, add_limbs, copy, fill, negate, shift_down, shift_down_longer, shift_right,
        shift_up, subtract_borrow, subtract_limbs,
    },
    processor::has_two_chains,
    shifted::Shifted,
};
use crate::number::{LIMB_BITS, Slot, ZERO, is_regular, limbs_of};

/// The sum of two numbers, of which the second has another sign perhaps, in at most `room` limbs.
pub unsafe fn add(to: &mut Slot, x: &mpfr_t, y: &mpfr_t, sign_of_y: i32, room: usize) -> bool {
    if !is_regular(x) || !is_regular(y) {
        return unsafe { of_specials(to, x, y, sign_of_y) };
    }
    let (larger, smaller, sign) = match x.exp >= y.exp {
        true => (x, y, x.sign),
        false => (y, x, sign_of_y),
    };
    let apart = (larger.exp - smaller.exp) as u64;
    let (a, b) = (limbs_of(larger), limbs_of(smaller));
    unsafe {
        match x.sign == sign_of_y {
            true => sum(to, [a, b], apart, larger.exp, sign, room),
            false => difference(to, [a, b], apart, larger.exp, sign, room),
        }
    }
}

/// One is zero, infinite or not a number. Sums begin with 0: that is frequent.
unsafe fn of_specials(to: &mut Slot, x: &mpfr_t, y: &mpfr_t, sign_of_y: i32) -> bool {
    let (number, sign) = match (x.exp, y.exp) {
        (ZERO, _) if is_regular(y) => (y, sign_of_y),
        (_, ZERO) if is_regular(x) => (x, x.sign),
        _ => {
            let y = mpfr_t {
                sign: sign_of_y,
                ..*y
            };
            return unsafe { by_mpfr(to, mpfr::add, x, &y) };
        }
    };
    let limbs = limbs_of(number);
    unsafe { copy(to.limbs_mut().as_mut_ptr(), limbs.as_ptr(), limbs.len()) };
    to.become_number(0, limbs.len(), sign, number.exp);
    false
}

/// How the smaller term lies below the larger one, all counted from the lowest limb of the result.
struct Layout {
    /// The result's limbs, and whether there would be more.
    count: usize,
    is_cut: bool,
    /// Where the larger term begins; it ends at `count`.
    start: usize,
    /// Where the smaller one begins and ends, shifted.
    low: usize,
    high: usize,
    /// Limbs of the shifted term that are cut off.
    cut: usize,
    bits: u32,
}

impl Layout {
    /// None where nothing of the smaller term is left.
    #[inline(always)]
    fn new(a: &[u64], b: &[u64], apart: u64, room: usize) -> Option<Layout> {
        let limbs = (apart / 64) as usize;
        let bits = (apart % 64) as u32;
        if limbs >= room {
            return None;
        }
        let spills = bits != 0 && b[0] << (64 - bits) != 0;
        let shifted = b.len() + usize::from(bits != 0);
        let needed = a.len().max(limbs + b.len() + usize::from(spills));
        let count = needed.min(room);
        // The shifted term has a lowest limb of zeros if nothing spills.
        let high = count - limbs;
        let cut = shifted.saturating_sub(high);
        Some(Layout {
            count,
            is_cut: needed > room,
            start: count - a.len(),
            low: high - (shifted - cut),
            high,
            cut,
            bits,
        })
    }

    /// The shifted term, if it can be shifted while it is added.
    #[inline(always)]
    fn shifted<'a>(&self, b: &'a [u64]) -> Option<Shifted<'a>> {
        let can = self.bits != 0 && self.start <= self.low && has_two_chains();
        can.then_some(Shifted {
            limbs: b,
            bits: self.bits,
        })
    }

    /// Whether the smaller term is used as it is, and does not reach below the larger one.
    #[inline(always)]
    fn is_plain(&self) -> bool {
        self.bits == 0 && self.start <= self.low
    }

    /// Writes the shifted term to its place.
    #[inline(always)]
    unsafe fn place(&self, out: *mut u64, b: &[u64]) {
        unsafe {
            let to = out.add(self.low);
            let count = self.high - self.low;
            match self.bits {
                0 => copy(to, b.as_ptr().add(self.cut), count),
                bits => shift_right(to, b, self.cut, bits),
            }
        }
    }
}

unsafe fn sum(
    to: &mut Slot,
    [a, b]: [&[u64]; 2],
    apart: u64,
    exponent: i64,
    sign: i32,
    room: usize,
) -> bool {
    let limbs = to.limbs_mut().as_mut_ptr();
    let Some(layout) = Layout::new(a, b, apart, room) else {
        unsafe { copy(limbs, a.as_ptr(), a.len()) };
        to.become_number(0, a.len(), sign, exponent);
        return true;
    };
    unsafe {
        let Layout {
            mut count,
            start,
            low,
            high,
            cut,
            ..
        } = layout;
        let a = a.as_ptr();
        // Below the smaller term.
        let alone = low.saturating_sub(start);
        copy(limbs.add(start), a, alone);
        let mut at = start + alone;
        let mut carry = 0;
        if let Some(shifted) = layout.shifted(b) {
            carry = shifted.add_to(limbs.add(at), a.add(at - start), cut, 0);
            at = high;
        } else if layout.is_plain() {
            let b = b.as_ptr().add(cut);
            carry = add_limbs(limbs.add(at), a.add(at - start), b, high - at);
            at = high;
        } else {
            layout.place(limbs, b);
            if at < high {
                let out = limbs.add(at);
                carry = add_limbs(out, a.add(at - start), out, high - at);
                at = high;
            } else {
                fill(limbs.add(high), at - high, 0);
            }
        }
        carry = add_carry(limbs.add(at), a.add(at - start), count - at, carry);
        let mut is_cut = layout.is_cut;
        if carry != 0 {
            is_cut |= halve(limbs, &mut count, room);
        }
        to.become_trimmed(count, sign, exponent + i64::from(carry));
        is_cut
    }
}

/// Shifts a number down by a bit, and sets the bit above. Gives whether a bit was lost.
#[inline(always)]
unsafe fn halve(limbs: *mut u64, count: &mut usize, room: usize) -> bool {
    unsafe {
        let leaves = *limbs & 1 != 0;
        let has_room = *count < room;
        if leaves && has_room {
            shift_down_longer(limbs, *count);
            *count += 1;
        } else {
            shift_down(limbs, *count);
        }
        *limbs.add(*count - 1) |= 1 << 63;
        leaves && !has_room
    }
}

unsafe fn difference(
    to: &mut Slot,
    [mut a, mut b]: [&[u64]; 2],
    apart: u64,
    exponent: i64,
    mut sign: i32,
    room: usize,
) -> bool {
    if apart == 0 {
        match compare(a, b) {
            0 => {
                to.become_zero();
                return false;
            }
            1.. => {}
            _ => {
                (a, b) = (b, a);
                sign = -sign;
            }
        }
    }
    let Some(layout) = Layout::new(a, b, apart, room + 1) else {
        unsafe { copy(to.limbs_mut().as_mut_ptr(), a.as_ptr(), a.len()) };
        to.become_number(0, a.len(), sign, exponent);
        return true;
    };
    let limbs = to.limbs_mut().as_mut_ptr();
    unsafe {
        let Layout {
            count,
            start,
            low,
            high,
            cut,
            ..
        } = layout;
        let a = a.as_ptr();
        let alone = low.saturating_sub(start);
        copy(limbs.add(start), a, alone);
        let mut at = start + alone;
        let mut borrow;
        if let Some(shifted) = layout.shifted(b) {
            borrow = shifted.subtract_from(limbs.add(at), a.add(at - start), cut, 0);
            at = high;
        } else if layout.is_plain() {
            let b = b.as_ptr().add(cut);
            borrow = subtract_limbs(limbs.add(at), a.add(at - start), b, high - at, 0);
            at = high;
        } else {
            layout.place(limbs, b);
            borrow = negate(limbs, start.min(high));
            if at < high {
                let out = limbs.add(at);
                borrow = subtract_limbs(out, a.add(at - start), out, high - at, borrow);
                at = high;
            } else {
                // Between the terms.
                fill(
                    limbs.add(high),
                    at - high,
                    0u64.wrapping_sub(u64::from(borrow)),
                );
            }
        }
        subtract_borrow(limbs.add(at), a.add(at - start), count - at, borrow);
        raise(to, count, exponent, sign, room) | layout.is_cut
    }
}

/// Both have the same exponent.
fn compare(a: &[u64], b: &[u64]) -> i32 {
    for (x, y) in a.iter().rev().zip(b.iter().rev()) {
        if x != y {
            return if x > y { 1 } else { -1 };
        }
    }
    // What is longer has something below: the lowest limb is not zero, or MPFR's.
    let (longer, sign) = match a.len() >= b.len() {
        true => (&a[..a.len() - b.len()], 1),
        false => (&b[..b.len() - a.len()], -1),
    };
    match longer.iter().all(|limb| *limb == 0) {
        true => 0,
        false => sign,
    }
}

/// Makes the slot a number of so many of its limbs, of which the highest may begin with zeros. Gives whether anything
/// was cut off.
#[inline(always)]
unsafe fn raise(to: &mut Slot, count: usize, exponent: i64, sign: i32, room: usize) -> bool {
    let limbs = to.limbs_mut();
    let mut top = count;
    while top > 0 && limbs[top - 1] == 0 {
        top -= 1;
    }
    if top == 0 {
        to.become_zero();
        return true;
    }
    let bits = limbs[top - 1].leading_zeros();
    if bits != 0 {
        // SAFETY: so many are there.
        unsafe { shift_up(limbs.as_mut_ptr(), top, bits) };
    }
    let mut start = top.saturating_sub(room);
    // At most one limb more than there is room for.
    let is_cut = start != 0 && limbs[0] != 0;
    while limbs[start] == 0 {
        start += 1;
    }
    let exponent = exponent - (count - top) as i64 * LIMB_BITS - i64::from(bits);
    to.become_number(start, top - start, sign, exponent);
    is_cut
}
