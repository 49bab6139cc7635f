//! Numbers for MPFR, and its results back. MPFR's numbers have their leading bit at the top of a limb: what goes to it is
//! shifted up, what comes from it down.

use core::{mem::MaybeUninit, ptr::NonNull};

use gmp_mpfr_sys::mpfr::mpfr_t;

use crate::{
    arithmetic::{shift_down, shift_up},
    number::{self, LIMB_BITS, MOST_LIMBS, Number, Slot},
    settings,
};

/// MPFR's marks in the place of an exponent (`__MPFR_EXP_ZERO` and so on in its header).
const MPFR_ZERO: i64 = -i64::MAX;
const MPFR_NOT_A_NUMBER: i64 = 1 - i64::MAX;
const MPFR_INFINITY: i64 = 2 - i64::MAX;

// Ours are the same, so they need no translation.
const _: () = assert!(
    number::ZERO == MPFR_ZERO
        && number::NOT_A_NUMBER == MPFR_NOT_A_NUMBER
        && number::INFINITY == MPFR_INFINITY
);

/// Room for the limbs of one of MPFR's numbers.
pub struct Scratch(MaybeUninit<[u64; MOST_LIMBS]>);

impl Scratch {
    #[inline(always)]
    pub const fn new() -> Scratch {
        Scratch(MaybeUninit::uninit())
    }

    /// A number of MPFR's, of the same value. It lives as long as both.
    pub fn lend(&mut self, number: &Number) -> mpfr_t {
        let limbs = number.limbs();
        let d = match number.leading_zeros() {
            _ if limbs.is_empty() => NonNull::from(&mut self.0).cast(),
            0 => NonNull::from(limbs).cast(),
            zeros => {
                let to = NonNull::from(&mut self.0).cast::<u64>();
                // SAFETY: there is room for so many.
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

    /// A number for a result of MPFR's, of the precision at hand.
    pub fn prepare(&mut self) -> mpfr_t {
        mpfr_t {
            prec: settings::precision(),
            sign: 1,
            exp: MPFR_ZERO,
            d: NonNull::from(&mut self.0).cast(),
        }
    }
}

/// Makes a slot the number that MPFR computed.
pub fn take(to: &mut Slot, number: &mpfr_t) {
    take_within(to, number, settings::limbs());
}

/// The same in at most `room` limbs.
pub fn take_within(to: &mut Slot, number: &mpfr_t, room: usize) {
    if !number::marks_regular(number.exp) {
        to.become_special(number.exp, number.sign);
        return;
    }
    let count = (number.prec as usize).div_ceil(LIMB_BITS as usize);
    let exponent = (number.exp + LIMB_BITS - 1).div_euclid(LIMB_BITS);
    let zeros = (exponent * LIMB_BITS - number.exp) as u32;
    // SAFETY: MPFR's number has so many limbs, and the slot room for one more.
    unsafe {
        let limbs = core::slice::from_raw_parts(number.d.as_ptr(), count);
        shift_down(to.limbs_mut().as_mut_ptr(), limbs, zeros);
    }
    let end = count + 1;
    to.become_number(end.saturating_sub(room), end, number.sign, exponent, room);
}
