//! Values at multiples of small powers of two, computed when they are first wanted.

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

/// Bits that one table takes from an argument, and tables.
pub const BITS: u32 = 7;
pub const TABLES: usize = 3;
pub const ENTRIES: usize = 1 << BITS;

/// What is left of an argument is below 2^−LEFT.
pub const LEFT: u32 = BITS * TABLES as u32;

/// Between the entries of a table.
pub fn step(table: usize) -> f64 {
    1.0 / (1u64 << (BITS * (table as u32 + 1))) as f64
}

/// The indices into the tables; what is left of the argument, which is below 1, is below 2^−LEFT.
pub fn take(argument: &mut Fixed, length: usize) -> [usize; TABLES] {
    let taken = argument.take_first(LEFT, length);
    core::array::from_fn(|table| {
        let below = BITS * (TABLES - 1 - table) as u32;
        (taken >> below) as usize % ENTRIES
    })
}

/// What is made once in a process; if two threads make it, one of them wins.
pub struct Once<T>(AtomicPtr<T>);

impl<T> Once<T> {
    pub const fn new() -> Once<T> {
        Once(AtomicPtr::new(core::ptr::null_mut()))
    }

    pub fn get(&self, make: impl FnOnce() -> T) -> &T {
        let made = self.0.load(Acquire);
        if !made.is_null() {
            // SAFETY: whole, and never freed.
            return unsafe { &*made };
        }
        // SAFETY: the runtime has started; a block is aligned to its size.
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

/// What MPFR makes of a number, in `length` limbs behind the point.
pub fn by_mpfr(
    function: unsafe extern "C" fn(*mut mpfr_t, *const mpfr_t, rnd_t) -> i32,
    x: f64,
    length: usize,
) -> Fixed {
    constant(length, |result| {
        let x = Float::with_val(53, x);
        // SAFETY: both are numbers.
        unsafe { function(result, x.as_raw(), rnd_t::RNDZ) };
    })
}

/// The sum of ±x^(2k + 1)/(2k + 1): an area tangent, or the arctangent. Of small numbers.
pub fn of_odd_fractions(x: &Number, alternates: bool, length: usize) -> Option<Slot> {
    let mut result = Slot::new();
    if x.is_zero() {
        return Some(result);
    }
    let whole = Fixed::new(x, length)?;
    let square = whole.times(&whole, length);
    let series = Series::of_odd_fractions(alternates, -2 * x.size, length)?;
    let sum = series.sum(&square, length).times(&whole, length);
    // What is less than all the limbs is nothing.
    let _ = sum.put(&mut result, x.sign, 0, length, settings::limbs());
    Some(result)
}

pub fn constant(length: usize, compute: impl FnOnce(*mut mpfr_t)) -> Fixed {
    let mut number = Float::new(64 * (length as u32 + 1));
    compute(number.as_raw_mut());
    let mut slot = Slot::new();
    // SAFETY: a number.
    exchange::take_within(&mut slot, unsafe { &*number.as_raw() }, length + 2);
    Fixed::new(&slot.number, length).unwrap_or(Fixed::ZERO)
}
