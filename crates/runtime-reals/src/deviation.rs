//! How far a value in memory is from its number, for a search that ranks inputs by their error.

use core::mem::MaybeUninit;

use gmp_mpfr_sys::mpfr::{self, rnd_t};
use lostbits_abi::kind::FpKind;

use crate::{
    environment::undisturbed,
    memory,
    number::{Short, Slot, number_of},
    settings, start,
    value::Value,
};

/// The number of the double at `address`, and `computed` minus that number, each rounded to a double: the
/// difference is taken before anything is rounded. What was computed may come from a run that took other
/// decisions.
pub unsafe fn of(address: usize, computed: f64) -> [f64; 2] {
    start::once();
    let mut slot = Slot::new();
    let (shadow, value) = unsafe { memory::load_any(&mut slot, address, FpKind::Double) };
    if shadow == 0 {
        slot.set_value(value);
    }
    undisturbed(|| unsafe {
        let mut short = Short::new();
        let computed = number_of(0, Value::of_double(computed), &mut short);
        let mut difference = MaybeUninit::<Slot>::uninit();
        let difference = Slot::prepare_in(&mut difference, settings::precision());
        mpfr::sub(difference, computed, &raw const slot.number, rnd_t::RNDN);
        [
            mpfr::get_d(&raw const slot.number, rnd_t::RNDN),
            mpfr::get_d(difference, rnd_t::RNDN),
        ]
    })
}
