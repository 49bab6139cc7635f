//! The runtime of the modes that compute in high precision. It runs inside the analysed program.
//!
//! It contains all of [`lostbits_runtime`], whose rules apply here too, with GMP and MPFR.
//! `scripts/pack-runtime.sh` packs them into one object, which replaces the plain runtime in the modes that
//! [need it](lostbits_abi::mode::Mode::needs_reals). Packing makes the names of GMP and MPFR local, so the program may use
//! its own libmpfr. Their memory comes from an [`arena`].
//!
//! Mode `reals` keeps a high-precision number for every floating-point value of the program. While the value is in a
//! register, its number is in a slot of the thread's [`frames`]; while the value is in memory, in an object that its cell
//! owns ([`memory`]). Mode `explain` and mode `explain-reals` are in [`explain`].
//!
//! # Safety of the exports
//!
//! Only instrumented code calls them, and the contract in `lostbits_abi` types them. Instrumented code guarantees:
//!
//! - `slot` is a slot of the active frame. It is not the slot of any operand, and nothing else uses it during the call.
//! - A word that is a shadow satisfies [`Shadow::from_word`](number::Shadow::from_word).
//! - `totals` is the site's row in the mapped record.
//! - `operands` points to as many operands as the operation has, followed by the result where there is one.
//! - Addresses are those of values that the program accesses at this moment.
//!
//! # What it can miss
//!
//! MPFR caches constants in each thread. A signal handler that needs a constant while its thread is computing it may get a
//! wrong one.

#![no_std]
// NaN must count as "not within a bound": a negated comparison says that.
#![allow(clippy::neg_cmp_op_on_partial_ord)]

#[cfg(test)]
extern crate std;

mod arena;
mod arithmetic;
mod counters;
mod decisions;
mod deviation;
mod elementary;
mod environment;
mod evaluate;
mod exchange;
mod explain;
mod frames;
mod gmp_routines;
mod library;
mod memory;
mod mpfr_memory;
mod number;
mod operate;
mod own_error;
mod propagation;
mod settings;
mod shared;
mod start;
#[cfg(test)]
mod testing;
mod text;
mod thresholds;
mod value;

use core::ffi::{c_char, c_int, c_void};

use lostbits_abi::{
    kind::FpKind,
    numbers::{Frames, Operand},
    totals::SiteTotals,
};
pub use lostbits_runtime::*;

use crate::{
    counters::Counters,
    number::{Shadow, Slot},
    operate::Shadowed,
    value::Value,
};

/// An operand of an export.
///
/// # Safety
///
/// See [`Shadow::from_word`].
#[inline(always)]
unsafe fn shadowed<'a>(shadow: u64, value: Value) -> Shadowed<'a> {
    // SAFETY: the caller's promise.
    (unsafe { Shadow::from_word(shadow) }, value)
}

/// The slot of an export's result.
///
/// # Safety
///
/// `address` is that of a slot of the active frame, which nothing else uses during `'a`.
#[inline(always)]
unsafe fn slot_at<'a>(address: u64) -> &'a mut Slot {
    // SAFETY: the caller's promise.
    unsafe { &mut *(address as *mut Slot) }
}

/// The frequent operations, for one format.
macro_rules! frequent {
    ($module:ident $type:ident $of:ident) => {
        mod $module {
            use super::*;

            frequent!(binary $type $of REALS_ADD add);
            frequent!(binary $type $of REALS_SUB sub);
            frequent!(binary $type $of REALS_MUL mul);
            frequent!(binary $type $of REALS_DIV div);
            frequent!(multiply_add $type $of REALS_FMA fma true);
            frequent!(multiply_add $type $of REALS_MULADD muladd false);

            export! {
                /// A square root.
                REALS_SQRT[$type]
                fn sqrt(slot: u64, totals: *mut SiteTotals, a: u64, x: $type, result: $type) -> u64 {
                    // SAFETY: see the crate.
                    unsafe {
                        let operand = shadowed(a, Value::$of(x));
                        operate::root(slot_at(slot), Counters::new(totals), operand, Value::$of(result))
                    }
                }

                /// A value was loaded.
                REALS_LOAD[$type]
                fn load(slot: u64, address: *const c_void, value: $type) -> u64 {
                    // SAFETY: see the crate.
                    unsafe { memory::load(slot_at(slot), address as usize, Value::$of(value)) }.word()
                }

                /// A value is about to be stored.
                REALS_STORE[$type]
                fn store(address: *mut c_void, shadow: u64, value: $type) {
                    // SAFETY: see the crate.
                    unsafe { memory::store(address as usize, Shadow::from_word(shadow), Value::$of(value)) }
                }

                /// A comparison.
                REALS_COMPARE[$type]
                fn compare(
                    totals: *mut SiteTotals,
                    predicate: u32,
                    a: u64,
                    b: u64,
                    x: $type,
                    y: $type,
                    decided: u32
                ) -> u32 {
                    // SAFETY: see the crate.
                    unsafe {
                        let operands = [shadowed(a, Value::$of(x)), shadowed(b, Value::$of(y))];
                        decisions::compare(Counters::new(totals), predicate, operands, decided)
                    }
                }

                /// A value is passed to an output or to code without instrumentation.
                REALS_STEER[$type]
                fn steer(shadow: u64, value: $type) -> $type {
                    // SAFETY: see the crate.
                    let steered = decisions::steer(unsafe { shadowed(shadow, Value::$of(value)) });
                    <$type>::from_bits(steered.bits as _)
                }
            }
        }
    };
    (binary $type:ident $of:ident $constant:ident $function:ident) => {
        export! {
            /// An operation with two operands.
            $constant[$type]
            fn $function(
                slot: u64,
                totals: *mut SiteTotals,
                a: u64,
                b: u64,
                x: $type,
                y: $type,
                result: $type
            ) -> u64 {
                // SAFETY: see the crate.
                unsafe {
                    let operands = [shadowed(a, Value::$of(x)), shadowed(b, Value::$of(y))];
                    let counters = Counters::new(totals);
                    operate::binary((arithmetic::$function, propagation::$function), slot_at(slot), counters, operands, Value::$of(result))
                }
            }
        }
    };
    (multiply_add $type:ident $of:ident $constant:ident $function:ident $is_fused:literal) => {
        export! {
            /// A multiplication and an addition.
            $constant[$type]
            fn $function(
                slot: u64,
                totals: *mut SiteTotals,
                a: u64,
                b: u64,
                c: u64,
                x: $type,
                y: $type,
                z: $type,
                result: $type
            ) -> u64 {
                // SAFETY: see the crate.
                unsafe {
                    let operands = [
                        shadowed(a, Value::$of(x)),
                        shadowed(b, Value::$of(y)),
                        shadowed(c, Value::$of(z)),
                    ];
                    let counters = Counters::new(totals);
                    operate::multiply_add(slot_at(slot), counters, operands, Value::$of(result), $is_fused)
                }
            }
        }
    };
}

frequent!(double f64 of_double);
frequent!(float f32 of_float);

export! {
    /// A function is entered.
    REALS_ENTER
    fn reals_enter(frames: *mut *mut Frames, slots: u64) -> u64 {
        // SAFETY: `frames` is the thread-local variable that instrumented code keeps for this.
        unsafe { frames::enter(frames, slots) }
    }

    /// Any operation with a floating-point result.
    REALS_OPERATE
    fn reals_operate(
        slot: u64,
        totals: *mut SiteTotals,
        op: u32,
        count: u32,
        operands: *const Operand
    ) -> u64 {
        // SAFETY: see the crate.
        unsafe {
            let result = &*operands.add(count as usize);
            let operands = core::slice::from_raw_parts(operands, count as usize);
            operate::operate(op, slot_at(slot), Counters::new(totals), operands, result)
        }
    }

    /// A number continues in another slot.
    REALS_COPY
    fn reals_copy(slot: u64, shadow: u64) -> u64 {
        // SAFETY: see the crate.
        unsafe { operate::copy(slot as *mut Slot, shadow) }
    }

    /// A value of any format was loaded.
    REALS_LOAD_ANY
    fn reals_load_any(slot: u64, address: *const c_void, value: *const Operand) -> u64 {
        // SAFETY: see the crate.
        unsafe {
            match Value::of_operand(&*value) {
                Some(value) => memory::load(slot_at(slot), address as usize, value).word(),
                None => 0,
            }
        }
    }

    /// A value of any format is about to be stored.
    REALS_STORE_ANY
    fn reals_store_any(address: *mut c_void, value: *const Operand) {
        // SAFETY: see the crate.
        unsafe {
            let operand = &*value;
            if let Some(value) = Value::of_operand(operand) {
                memory::store(address as usize, Shadow::of_operand(operand), value);
            }
        }
    }

    /// Variadic arguments arrived.
    REALS_SPREAD
    fn reals_spread(address: *mut c_void, cells: *const c_void, stride: u64, bytes: u64) {
        // SAFETY: `cells` are the caller's argument slots, `address` is the arguments' memory.
        unsafe { memory::spread(address as usize, cells as usize, stride as usize, bytes as usize) }
    }

    /// A comparison in another format.
    REALS_COMPARE_ANY
    fn reals_compare_any(
        totals: *mut SiteTotals,
        predicate: u32,
        operands: *const [Operand; 2],
        decided: u32
    ) -> u32 {
        // SAFETY: see the crate.
        let ([a, b], counters) = unsafe { (&*operands, Counters::new(totals)) };
        match (Value::of_operand(a), Value::of_operand(b)) {
            (Some(x), Some(y)) => {
                let operands = [(Shadow::of_operand(a), x), (Shadow::of_operand(b), y)];
                decisions::compare(counters, predicate, operands, decided)
            }
            _ => decided,
        }
    }

    /// A conversion to an integer.
    REALS_INTEGER
    fn reals_integer(
        totals: *mut SiteTotals,
        op: u32,
        width: u32,
        operand: *const Operand,
        result: u64
    ) -> u64 {
        // SAFETY: see the crate.
        let (counters, operand) = unsafe { (Counters::new(totals), &*operand) };
        decisions::integer(counters, op, width, operand, result)
    }

    /// For other tools: the exact value of a value in memory.
    REALS_OF
    fn reals_of(value: *const c_void, kind: c_int, buffer: *mut c_char, bytes: usize) -> c_int {
        let Some(kind) = FpKind::from_u8(kind as u8) else {
            return -1;
        };
        // SAFETY: the caller passes the address of a value of this kind and a buffer of `bytes` bytes.
        unsafe { text::write(value as usize, kind, buffer.cast(), bytes) }
    }

    /// For searches: the exact value of a double in memory, and the distance of `computed` from it.
    REALS_DEVIATION
    fn reals_deviation(value: *const f64, computed: f64, result: *mut [f64; 2]) {
        // SAFETY: the caller passes the address of a double and memory for two.
        unsafe { *result = deviation::of(value as usize, computed) };
    }

    /// Any operation, with operands that are unevaluated sums of two doubles.
    REALS_LIBRARY
    fn reals_library(
        op: u32,
        precision: u32,
        count: u32,
        operands: *const [f64; 2],
        result: *mut [f64; 2]
    ) -> c_int {
        // SAFETY: the caller passes `count` operands.
        let operands = unsafe { core::slice::from_raw_parts(operands, count as usize) };
        match library::evaluate(op, precision, operands) {
            Some(pair) => {
                // SAFETY: the caller passes memory for two doubles.
                unsafe { *result = pair };
                1
            }
            None => 0,
        }
    }
}
