//! Passes numbers to MPFR and takes its results. MPFR's numbers have their leading bit at the top of a limb: operands are
//! shifted up, results down.

use core::{mem::MaybeUninit, ptr::NonNull};

use gmp_mpfr_sys::mpfr::mpfr_t;

use crate::{
    arithmetic::{shift_down, shift_up},
    number::{self, LIMB_BITS, MOST_LIMBS, Number, Slot},
    settings,
};

/// MPFR's marks in place of an exponent (`__MPFR_EXP_ZERO` and so on in its header).
const MPFR_ZERO: i64 = -i64::MAX;
const MPFR_NAN: i64 = 1 - i64::MAX;
const MPFR_INFINITY: i64 = 2 - i64::MAX;

// Ours are the same and need no translation.
const _: () = assert!(
    number::ZERO == MPFR_ZERO && number::NAN == MPFR_NAN && number::INFINITY == MPFR_INFINITY
);

/// Memory for the limbs of an MPFR number.
pub struct Scratch(MaybeUninit<[u64; MOST_LIMBS]>);

impl Scratch {
    #[inline(always)]
    pub const fn new() -> Scratch {
        Scratch(MaybeUninit::uninit())
    }

    /// An MPFR number of the same value. It borrows limbs from both: do not use it after either changes.
    pub fn lend(&mut self, number: &Number) -> mpfr_t {
        let limbs = number.limbs();
        let d = match number.leading_zeros() {
            _ if limbs.is_empty() => NonNull::from(&mut self.0).cast(),
            0 => NonNull::from(limbs).cast(),
            zeros => {
                let to = NonNull::from(&mut self.0).cast::<u64>();
                // SAFETY: a number has at most MOST_LIMBS limbs, and the scratch area holds as many.
                unsafe { shift_up(to.as_ptr(), limbs, zeros) };
                to
            }
        };
        mpfr_t {
            prec: limbs.len().max(1) as i64 * LIMB_BITS,
            sign: number.sign,
            exp: number.size,
            d,
        }
    }

    /// An MPFR number for a result at the current precision.
    pub fn prepare(&mut self) -> mpfr_t {
        mpfr_t {
            prec: settings::precision(),
            sign: 1,
            exp: MPFR_ZERO,
            d: NonNull::from(&mut self.0).cast(),
        }
    }
}

/// Sets a slot to the number that MPFR computed.
pub fn take(to: &mut Slot, number: &mpfr_t) {
    take_within(to, number, settings::limbs());
}

/// The same in at most `room` limbs.
pub fn take_within(to: &mut Slot, number: &mpfr_t, room: usize) {
    if !number::is_regular_size(number.exp) {
        to.set_special(number.exp, number.sign);
        return;
    }
    let count = (number.prec as usize).div_ceil(LIMB_BITS as usize);
    let exponent = (number.exp + LIMB_BITS - 1).div_euclid(LIMB_BITS);
    let zeros = (exponent * LIMB_BITS - number.exp) as u32;
    // SAFETY: an MPFR number has `count` limbs. MPFR's precision is at most that of `settings::limbs`, or of the tables in
    // `elementary`, so the slot has room for one more.
    unsafe {
        let limbs = core::slice::from_raw_parts(number.d.as_ptr(), count);
        shift_down(to.limbs_mut().as_mut_ptr(), limbs, zeros);
    }
    let end = count + 1;
    to.set_limbs(end.saturating_sub(room), end, number.sign, exponent, room);
}
