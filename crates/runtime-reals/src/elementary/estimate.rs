//! A first estimate of a function: by MPFR, as a double.

use gmp_mpfr_sys::mpfr::{self, mpfr_t, rnd_t};

use crate::{exchange::Scratch, number::Number};

type Function = unsafe extern "C" fn(*mut mpfr_t, *const mpfr_t, rnd_t) -> i32;

/// From the highest two limbs of the argument.
pub fn estimate(function: Function, x: &Number) -> f64 {
    let (mut scratch, mut place) = (Scratch::new(), Scratch::new());
    let x = scratch.lend(&x.cut_off(2));
    let mut result = place.prepare();
    result.prec = 53;
    // SAFETY: `x` and `result` are valid MPFR numbers, and `result` has room for 53 bits.
    unsafe {
        function(&mut result, &x, rnd_t::RNDN);
        mpfr::get_d(&result, rnd_t::RNDN)
    }
}
