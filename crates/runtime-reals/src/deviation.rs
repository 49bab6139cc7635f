//! How far a value in memory is from its exact value, for a search that ranks inputs by their error.

use lostbits_abi::kind::FpKind;

use crate::{
    arithmetic, memory,
    number::{Short, Slot},
    start,
    value::Value,
};

/// The exact value of the double at `address`, and `computed` minus that value, each rounded to a double; the difference is
/// taken before anything is rounded. `computed` may come from a run that took other branches.
///
/// # Safety
///
/// `address` is that of a double.
pub unsafe fn of(address: usize, computed: f64) -> [f64; 2] {
    start::ensure_started();
    let mut slot = Slot::new();
    // SAFETY: the caller's promise.
    unsafe { memory::load_number(&mut slot, address, FpKind::Double) };
    let (mut short, mut difference) = (Short::new(), Slot::new());
    arithmetic::sub(
        &mut difference,
        short.set(Value::of_double(computed)),
        &slot.number,
    );
    [&slot, &difference].map(|slot| {
        let nearest = Value::nearest(FpKind::Double, &slot.number);
        f64::from_bits(nearest.bits)
    })
}
