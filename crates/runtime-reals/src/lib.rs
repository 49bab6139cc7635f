//! The runtime with MPFR: what lives inside a program that is analysed with many bits.
//!
//! All of [`lostbits_runtime`], whose manners hold here too, and GMP and MPFR. They are packed into an
//! object of their own (`scripts/pack-runtime.sh`), which is linked in the place of the plain runtime
//! for the modes that need it ([`needs_reals`](lostbits_abi::mode::Mode::needs_reals)). Their names are
//! made local there: a program's own libmpfr is not disturbed. Their memory comes from an [`arena`].
//!
//! Mode `reals`: every floating-point value of the program has a number of many bits beside it. While the
//! value is in a register, the number is in a slot of the thread's [`frames`]; while the value is in
//! memory, in an object that its cell owns ([`memory`]).
//!
//! MPFR's caches of constants belong to a thread. A signal handler that needs a constant while the thread
//! is computing it is not foreseen.

#![no_std]
// What is not a number must count as not within: that is what a negated comparison says.
#![allow(clippy::neg_cmp_op_on_partial_ord)]

#[cfg(test)]
extern crate std;

mod arena;
mod arithmetic;
mod decide;
mod deviation;
mod elementary;
mod environment;
mod exchange;
mod explain;
mod frames;
mod gmp_routines;
mod library;
mod memory;
mod mpfr_memory;
mod number;
mod operate;
mod settings;
mod shared;
mod start;
mod text;
mod value;

use core::ffi::{c_char, c_int, c_void};

use lostbits_abi::{
    kind::FpKind,
    numbers::{Frames, Operand},
    site::SiteTotals,
    symbols,
};
pub use lostbits_runtime::*;

use crate::{number::Slot, value::Value};

/// The frequent operations, for `double` and `float`.
macro_rules! frequent {
    ($type:ident $of:ident {
        $add:ident = $add_name:literal, $sub:ident = $sub_name:literal,
        $mul:ident = $mul_name:literal, $div:ident = $div_name:literal,
        $fma:ident = $fma_name:literal, $muladd:ident = $muladd_name:literal, $sqrt:ident = $sqrt_name:literal,
        $load:ident = $load_name:literal, $store:ident = $store_name:literal,
        $compare:ident = $compare_name:literal, $steer:ident = $steer_name:literal
    }) => {
        frequent!(binary $type $of $add = $add_name add);
        frequent!(binary $type $of $sub = $sub_name sub);
        frequent!(binary $type $of $mul = $mul_name mul);
        frequent!(binary $type $of $div = $div_name div);

        export! {
            /// A fused multiplication and addition.
            $fma = $fma_name
            fn fma(
                slot: *mut Slot,
                totals: *mut SiteTotals,
                a: u64,
                b: u64,
                c: u64,
                x: $type,
                y: $type,
                z: $type,
                result: $type
            ) -> u64 {
                let operands = [(a, Value::$of(x)), (b, Value::$of(y)), (c, Value::$of(z))];
                unsafe { operate::fused(slot, totals, operands, Value::$of(result), true) }
            }

            /// A multiplication and an addition, fused or not.
            $muladd = $muladd_name
            fn muladd(
                slot: *mut Slot,
                totals: *mut SiteTotals,
                a: u64,
                b: u64,
                c: u64,
                x: $type,
                y: $type,
                z: $type,
                result: $type
            ) -> u64 {
                let operands = [(a, Value::$of(x)), (b, Value::$of(y)), (c, Value::$of(z))];
                unsafe { operate::fused(slot, totals, operands, Value::$of(result), false) }
            }

            /// A square root.
            $sqrt = $sqrt_name
            fn sqrt(slot: *mut Slot, totals: *mut SiteTotals, a: u64, x: $type, result: $type) -> u64 {
                unsafe { operate::root(slot, totals, (a, Value::$of(x)), Value::$of(result)) }
            }

            /// A value was loaded.
            $load = $load_name
            fn load(slot: *mut Slot, address: usize, value: $type) -> u64 {
                unsafe { memory::load(slot, address, Value::$of(value)) }
            }

            /// A value is being stored.
            $store = $store_name
            fn store(address: usize, shadow: u64, value: $type) {
                unsafe { memory::store(address, shadow, Value::$of(value)) }
            }

            /// A comparison.
            $compare = $compare_name
            fn compare(
                totals: *mut SiteTotals,
                predicate: u32,
                a: u64,
                b: u64,
                x: $type,
                y: $type,
                decided: u32
            ) -> u32 {
                let operands = [(a, Value::$of(x)), (b, Value::$of(y))];
                unsafe { decide::compare(totals, predicate, operands, decided) }
            }

            /// A value leaves what is instrumented.
            $steer = $steer_name
            fn steer(shadow: u64, value: $type) -> $type {
                let steered = unsafe { decide::steer(shadow, Value::$of(value)) };
                <$type>::from_bits(steered.bits as _)
            }
        }
    };
    (binary $type:ident $of:ident $constant:ident = $name:literal $function:ident) => {
        export! {
            /// An operation of two operands.
            $constant = $name
            fn $function(
                slot: *mut Slot,
                totals: *mut SiteTotals,
                a: u64,
                b: u64,
                x: $type,
                y: $type,
                result: $type
            ) -> u64 {
                let operands = [(a, Value::$of(x)), (b, Value::$of(y))];
                let function = arithmetic::$function;
                unsafe { operate::binary(function, slot, totals, operands, Value::$of(result)) }
            }
        }
    };
}

mod double {
    use super::*;
    frequent!(f64 of_double {
        REALS_ADD = "__lostbits_reals_add_double", REALS_SUB = "__lostbits_reals_sub_double",
        REALS_MUL = "__lostbits_reals_mul_double", REALS_DIV = "__lostbits_reals_div_double",
        REALS_FMA = "__lostbits_reals_fma_double",
        REALS_MULADD = "__lostbits_reals_muladd_double", REALS_SQRT = "__lostbits_reals_sqrt_double",
        REALS_LOAD = "__lostbits_reals_load_double", REALS_STORE = "__lostbits_reals_store_double",
        REALS_COMPARE = "__lostbits_reals_compare_double",
        REALS_STEER = "__lostbits_reals_steer_double"
    });
}

mod float {
    use super::*;
    frequent!(f32 of_float {
        REALS_ADD_FLOAT = "__lostbits_reals_add_float",
        REALS_SUB_FLOAT = "__lostbits_reals_sub_float",
        REALS_MUL_FLOAT = "__lostbits_reals_mul_float",
        REALS_DIV_FLOAT = "__lostbits_reals_div_float",
        REALS_FMA_FLOAT = "__lostbits_reals_fma_float",
        REALS_MULADD_FLOAT = "__lostbits_reals_muladd_float",
        REALS_SQRT_FLOAT = "__lostbits_reals_sqrt_float",
        REALS_LOAD_FLOAT = "__lostbits_reals_load_float",
        REALS_STORE_FLOAT = "__lostbits_reals_store_float",
        REALS_COMPARE_FLOAT = "__lostbits_reals_compare_float",
        REALS_STEER_FLOAT = "__lostbits_reals_steer_float"
    });
}

export! {
    /// A function is entered.
    REALS_ENTER = "__lostbits_reals_enter"
    fn reals_enter(frames: *mut *mut Frames, slots: u64) -> u64 {
        unsafe { frames::enter(frames, slots) }
    }

    /// Any operation with a floating-point result.
    REALS_OPERATE = "__lostbits_reals_operate"
    fn reals_operate(
        slot: *mut Slot,
        totals: *mut SiteTotals,
        op: u32,
        count: u32,
        operands: *const Operand
    ) -> u64 {
        unsafe {
            let result = &*operands.add(count as usize);
            let operands = core::slice::from_raw_parts(operands, count as usize);
            operate::operate(op, slot, totals, operands, result)
        }
    }

    /// A number goes on in another slot.
    REALS_COPY = "__lostbits_reals_copy"
    fn reals_copy(slot: *mut Slot, shadow: u64) -> u64 {
        unsafe { operate::copy(slot, shadow) }
    }

    /// A value of any format was loaded.
    REALS_LOAD_ANY = "__lostbits_reals_load_any"
    fn reals_load_any(slot: *mut Slot, address: usize, value: *const Operand) -> u64 {
        unsafe {
            match Value::of_operand(&*value) {
                Some(value) => memory::load(slot, address, value),
                None => 0,
            }
        }
    }

    /// A value of any format is being stored.
    REALS_STORE_ANY = "__lostbits_reals_store_any"
    fn reals_store_any(address: usize, value: *const Operand) {
        unsafe {
            if let Some(number) = Value::of_operand(&*value) {
                memory::store(address, (*value).slot, number);
            }
        }
    }

    /// Variadic arguments arrived.
    REALS_SPREAD = "__lostbits_reals_spread"
    fn reals_spread(address: usize, cells: usize, stride: usize, bytes: usize) {
        unsafe { memory::spread(address, cells, stride, bytes) }
    }

    /// A comparison in another format.
    REALS_COMPARE_ANY = "__lostbits_reals_compare_any"
    fn reals_compare_any(
        totals: *mut SiteTotals,
        predicate: u32,
        operands: *const [Operand; 2],
        decided: u32
    ) -> u32 {
        unsafe {
            let [a, b] = &*operands;
            match (Value::of_operand(a), Value::of_operand(b)) {
                (Some(x), Some(y)) => {
                    decide::compare(totals, predicate, [(a.slot, x), (b.slot, y)], decided)
                }
                _ => decided,
            }
        }
    }

    /// A conversion to an integer.
    REALS_INTEGER = "__lostbits_reals_integer"
    fn reals_integer(
        totals: *mut SiteTotals,
        op: u32,
        width: u32,
        operand: *const Operand,
        result: u64
    ) -> u64 {
        unsafe { decide::integer(totals, op, width, &*operand, result) }
    }

    /// For other tools: the number of a value in memory.
    REALS_OF = "__lostbits_reals_of"
    fn reals_of(value: *const c_void, kind: c_int, buffer: *mut c_char, bytes: usize) -> c_int {
        let Some(kind) = FpKind::from_u8(kind as u8) else {
            return -1;
        };
        unsafe { text::write(value as usize, kind, buffer.cast(), bytes) }
    }

    /// For searches: the number of a double in memory, and how far what was computed is from it.
    REALS_DEVIATION = "__lostbits_reals_deviation"
    fn reals_deviation(value: *const f64, computed: f64, result: *mut [f64; 2]) {
        unsafe { *result = deviation::of(value as usize, computed) };
    }

    /// An operation of the table, of operands that are given as unevaluated sums of two doubles.
    REALS_LIBRARY = "__lostbits_reals_library"
    fn reals_library(
        op: u32,
        precision: u32,
        count: u32,
        operands: *const [f64; 2],
        result: *mut [f64; 2]
    ) -> c_int {
        let operands = unsafe { core::slice::from_raw_parts(operands, count as usize) };
        match library::evaluate(op, precision, operands) {
            Some(pair) => {
                unsafe { *result = pair };
                1
            }
            None => 0,
        }
    }
}
