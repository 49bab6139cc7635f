//! How far a value in memory is from its number, for a search that ranks inputs by their error.

use lostbits_abi::kind::FpKind;

use crate::{
    arithmetic, memory,
    number::{Short, Slot, number_of},
    start,
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
    let (mut short, mut difference) = (Short::new(), Slot::new());
    unsafe {
        let computed = number_of(0, Value::of_double(computed), &mut short);
        arithmetic::sub(&mut difference, computed, &slot.number);
    }
    [&slot, &difference].map(|slot| {
        let nearest = Value::nearest(FpKind::Double, &slot.number);
        f64::from_bits(nearest.bits)
    })
}
