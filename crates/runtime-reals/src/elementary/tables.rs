//! Values at multiples of small powers of two, computed on first use.

use core::sync::atomic::{
    AtomicPtr,
    Ordering::{AcqRel, Acquire},
};

use gmp_mpfr_sys::mpfr::{mpfr_t, rnd_t};
use rug::Float;

use super::{fixed::Fixed, series::Series};
use crate::{
    arena, exchange,
    number::{Number, Slot},
    settings,
};

/// Bits of the argument that one table covers, and the number of tables.
pub const BITS: u32 = 7;
pub const TABLES: usize = 3;
pub const ENTRIES: usize = 1 << BITS;

/// The rest of the argument is below 2^−LEFT.
pub const LEFT: u32 = BITS * TABLES as u32;

/// The distance of a table's entries.
pub fn step(table: usize) -> f64 {
    1.0 / (1u64 << (BITS * (table as u32 + 1))) as f64
}

/// Takes the indices into the tables from an argument below 1; the rest is below 2^−LEFT.
pub fn take(argument: &mut Fixed, length: usize) -> [usize; TABLES] {
    let taken = argument.take_first(LEFT, length);
    core::array::from_fn(|table| {
        let below = BITS * (TABLES - 1 - table) as u32;
        (taken >> below) as usize % ENTRIES
    })
}

/// A value that is computed once in a process. If two threads compute it, one result is used.
pub struct Once<T>(AtomicPtr<T>);

impl<T> Once<T> {
    pub const fn new() -> Once<T> {
        Once(AtomicPtr::new(core::ptr::null_mut()))
    }

    pub fn get(&self, make: impl FnOnce() -> T) -> &T {
        let made = self.0.load(Acquire);
        if !made.is_null() {
            // SAFETY: the exchange below published a complete value, which is never freed.
            return unsafe { &*made };
        }
        // SAFETY: functions run only after the runtime has started, so the arena is reserved. Blocks are aligned to GRAIN and
        // at least as large as asked for.
        unsafe {
            let block = arena::allocate(size_of::<T>()).cast::<T>();
            block.write(make());
            let none = core::ptr::null_mut();
            match self.0.compare_exchange(none, block, AcqRel, Acquire) {
                Ok(_) => &*block,
                Err(other) => &*other,
            }
        }
    }
}

/// MPFR's result for a double, with `length` limbs after the point.
pub fn by_mpfr(
    function: unsafe extern "C" fn(*mut mpfr_t, *const mpfr_t, rnd_t) -> i32,
    x: f64,
    length: usize,
) -> Fixed {
    constant(length, |result| {
        let x = Float::with_val(53, x);
        // SAFETY: both are initialised numbers, and `constant` gave `result` its precision.
        unsafe { function(result, x.as_raw(), rnd_t::RNDZ) };
    })
}

/// Sets `result` to the sum of ±x^(2k + 1)/(2k + 1): artanh x, or arctan x if the signs alternate. For small x; none
/// otherwise.
pub fn sum_of_odd_fractions(
    result: &mut Slot,
    x: &Number,
    alternates: bool,
    length: usize,
) -> Option<()> {
    if x.is_zero() {
        return Some(());
    }
    let fixed = Fixed::new(x, length)?;
    let square = fixed.times(&fixed, length);
    let series = Series::of_odd_fractions(alternates, -2 * x.size, length)?;
    let sum = series.sum(&square, length).times(&fixed, length);
    // A sum below the lowest limb is zero, as `result` is.
    let _ = sum.put(result, x.sign, 0, length, settings::limbs());
    Some(())
}

/// A constant that MPFR computes into the number it is passed.
pub fn constant(length: usize, compute: impl FnOnce(*mut mpfr_t)) -> Fixed {
    let mut number = Float::new(64 * (length as u32 + 1));
    compute(number.as_raw_mut());
    let mut slot = Slot::new();
    // SAFETY: `number` is a valid MPFR number.
    exchange::take_within(&mut slot, unsafe { &*number.as_raw() }, length + 2);
    Fixed::new(&slot.number, length).unwrap_or(Fixed::ZERO)
}
