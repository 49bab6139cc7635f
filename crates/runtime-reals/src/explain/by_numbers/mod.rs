//! Mode `explain-reals`: what instrumented code of that mode calls (`explain --precision N`, and the runs that decide
//! what the fast shadows could not).
//!
//! The shadows are mode `reals`' slots, with the meta word and the order of the number's own error in them. Here an
//! operation is computed with N bits and a node is written for it; what may matter becomes an
//! [`Event`](lostbits_abi::explain::Event), whose residues are the numbers minus the program's values. From there on
//! the code is mode `explain`'s: one judge for both.
//!
//! - [`operations`]: operations and their nodes;
//! - [`binary`]: those of two operands;
//! - [`calls`]: functions that are one operation;
//! - [`scaling`]: bits with another sign or exponent;
//! - [`errors`]: what a number may be off by itself;
//! - [`telling`]: what events are made of;
//! - [`spots`]: decisions and outputs.

mod binary;
mod calls;
mod errors;
mod operations;
mod scaling;
mod spots;
mod telling;

use core::ffi::{CStr, c_char, c_void};

use lostbits_abi::{explain::Thread, kind::FpKind, numbers::Operand, ops::Op, symbols};
use lostbits_runtime::export;

pub use self::telling::set_limit;
use self::{
    binary::{Add, Div, Executed, Mul, Sub},
    operations::Place,
};
use super::formatted::List;
use crate::{number::Slot, value::Value};

macro_rules! frequent {
    ($type:ident $of:ident $kind:ident {
        $($constant:ident = $name:literal $function:ident $binary:ident)*;
        $($fused:ident = $fused_name:literal $fused_function:ident $op:ident)*;
        $sqrt:ident = $sqrt_name:literal
    }) => {
        $(export! {
            /// An operation of two operands.
            $constant = $name
            fn $function(
                slot: *mut Slot,
                site: u64,
                thread: *mut Thread,
                a: u64,
                b: u64,
                x: $type,
                y: $type,
                result: $type
            ) -> u64 {
                let executed = Executed { slot, site, thread, shadows: [a, b], values: [x, y], result };
                unsafe { executed.evaluate::<$binary>() }
            }
        })*
        $(export! {
            /// A multiplication and an addition.
            $fused = $fused_name
            fn $fused_function(
                slot: *mut Slot,
                site: u64,
                thread: *mut Thread,
                a: u64,
                b: u64,
                c: u64,
                x: $type,
                y: $type,
                z: $type,
                result: $type
            ) -> u64 {
                let place = Place { slot, site: site as u32, thread };
                let operands = [(a, Value::$of(x)), (b, Value::$of(y)), (c, Value::$of(z))];
                let op = lostbits_abi::ops::Op::$op;
                unsafe { operations::fused::<{ FpKind::$kind as u8 }>(place, op, operands, Value::$of(result)) }
            }
        })*
        export! {
            /// A square root.
            $sqrt = $sqrt_name
            fn sqrt(
                slot: *mut Slot,
                site: u64,
                thread: *mut Thread,
                a: u64,
                x: $type,
                result: $type
            ) -> u64 {
                let place = Place { slot, site: site as u32, thread };
                unsafe { operations::root::<{ FpKind::$kind as u8 }>(place, (a, Value::$of(x)), Value::$of(result)) }
            }
        }
    };
}

mod double {
    use super::*;
    frequent!(f64 of_double Double {
        EXPLAIN_REALS_ADD = "__lostbits_explain_reals_add_double" add Add
        EXPLAIN_REALS_SUB = "__lostbits_explain_reals_sub_double" sub Sub
        EXPLAIN_REALS_MUL = "__lostbits_explain_reals_mul_double" mul Mul
        EXPLAIN_REALS_DIV = "__lostbits_explain_reals_div_double" div Div;
        EXPLAIN_REALS_FMA = "__lostbits_explain_reals_fma_double" fma Fma
        EXPLAIN_REALS_MULADD = "__lostbits_explain_reals_muladd_double" muladd MulAdd;
        EXPLAIN_REALS_SQRT = "__lostbits_explain_reals_sqrt_double"
    });
}

mod float {
    use super::*;
    frequent!(f32 of_float Float {
        EXPLAIN_REALS_ADD_FLOAT = "__lostbits_explain_reals_add_float" add Add
        EXPLAIN_REALS_SUB_FLOAT = "__lostbits_explain_reals_sub_float" sub Sub
        EXPLAIN_REALS_MUL_FLOAT = "__lostbits_explain_reals_mul_float" mul Mul
        EXPLAIN_REALS_DIV_FLOAT = "__lostbits_explain_reals_div_float" div Div;
        EXPLAIN_REALS_FMA_FLOAT = "__lostbits_explain_reals_fma_float" fma Fma
        EXPLAIN_REALS_MULADD_FLOAT = "__lostbits_explain_reals_muladd_float" muladd MulAdd;
        EXPLAIN_REALS_SQRT_FLOAT = "__lostbits_explain_reals_sqrt_float"
    });
}

export! {
    /// Any operation with a floating-point result.
    EXPLAIN_REALS_OPERATE = "__lostbits_explain_reals_operate"
    fn operate(
        slot: *mut Slot,
        site: u64,
        thread: *mut Thread,
        op: u32,
        count: u32,
        operands: *const Operand
    ) -> u64 {
        let place = Place { slot, site: site as u32, thread };
        unsafe {
            let result = &*operands.add(count as usize);
            let operands = core::slice::from_raw_parts(operands, count as usize);
            operations::operate(place, op, operands, result)
        }
    }

    /// Bits with another sign or exponent.
    EXPLAIN_REALS_RESCALE = "__lostbits_explain_reals_rescale"
    fn rescale(slot: *mut Slot, from: u64, before: u64, after: u64, kind: u32) -> u64 {
        match FpKind::from_u8(kind as u8) {
            Some(kind) => unsafe { scaling::rescale(slot, from, kind, before, after) },
            None => 0,
        }
    }

    /// What a value is off.
    EXPLAIN_REALS_RESIDUE = "__lostbits_explain_reals_residue"
    fn residue(slot: u64, value: f64) -> f64 {
        unsafe { calls::residue(slot, value) }
    }

    /// A function that is one operation has returned.
    EXPLAIN_REALS_CALLED = "__lostbits_explain_reals_called"
    fn called(
        slot: *mut Slot,
        site: u64,
        thread: *mut Thread,
        op: u32,
        operands: *const Operand,
        residue: f64,
        bound: f64,
        own: f64
    ) -> u64 {
        let Some(op) = Op::from_u16(op as u16) else {
            return 0;
        };
        let place = Place { slot, site: site as u32, thread };
        let found = calls::Found { residue, bound, own };
        unsafe {
            let result = &*operands.add(op.info().arity());
            let operands = core::slice::from_raw_parts(operands, op.info().arity());
            calls::called(place, op, operands, result, &found)
        }
    }

    /// A comparison.
    EXPLAIN_REALS_COMPARE = "__lostbits_explain_reals_compare"
    fn compare(
        site: u64,
        thread: *mut Thread,
        predicate: u32,
        operands: *const [Operand; 2],
        decided: u32
    ) {
        unsafe { spots::compare(site as u32, thread, predicate, &*operands, decided) }
    }

    /// A conversion to an integer.
    EXPLAIN_REALS_INTEGER = "__lostbits_explain_reals_integer"
    fn integer(
        site: u64,
        thread: *mut Thread,
        op: u32,
        operand: *const Operand,
        result: f64
    ) {
        unsafe { spots::convert(site as u32, thread, op, &*operand, result) }
    }

    /// A value leaves the program.
    EXPLAIN_REALS_OUTPUT = "__lostbits_explain_reals_output"
    fn output(site: u64, thread: *mut Thread, operand: *const Operand) {
        unsafe { spots::output(site as u32, thread, &*operand) }
    }

    /// Memory leaves the program.
    EXPLAIN_REALS_OUTPUT_MEMORY = "__lostbits_explain_reals_output_memory"
    fn output_memory(start: *const c_void, bytes: u64, site: u64, thread: *mut Thread) {
        unsafe { spots::output_memory(start as usize, bytes as usize, site as u32, thread) }
    }

    /// The arguments of a format leave the program.
    EXPLAIN_REALS_OUTPUT_FORMATTED = "__lostbits_explain_reals_output_formatted"
    fn output_formatted(format: *const c_char, list: *const List, site: u64, thread: *mut Thread) {
        unsafe {
            let format = CStr::from_ptr(format).to_bytes();
            spots::output_formatted(format, &*list, site as u32, thread)
        }
    }
}
