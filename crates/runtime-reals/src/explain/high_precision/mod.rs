//! Mode `explain-reals`: the functions that instrumented code of that mode calls (`explain --precision N`, and the runs that
//! decide what the fast shadows leave undecided).
//!
//! Shadows are the slots of mode `reals`, with a meta word and the number's own error. Each operation is computed in high
//! precision and written to the trace. What may matter becomes an [`Event`](lostbits_abi::explain::Event), whose residues are
//! the numbers minus the program's values. From there on the code is that of mode `explain`: both modes share one judge.
//!
//! - [`operations`]: operations and their nodes;
//! - [`binary`]: operations with two operands;
//! - [`calls`]: functions that count as one operation;
//! - [`scaling`]: values whose sign or exponent bits changed;
//! - [`errors`]: the error of the numbers themselves;
//! - [`events`]: events from numbers;
//! - [`intervening`]: numbers without some of their errors;
//! - [`decisions`], [`outputs`]: where errors show.
//!
//! The [crate](crate) says what instrumented code guarantees; in addition, `thread` is the calling thread's part of the trace.

mod binary;
mod calls;
mod decisions;
mod errors;
mod events;
mod intervening;
mod operations;
mod outputs;
mod scaling;
#[cfg(test)]
mod tests;

use core::ffi::{CStr, c_char, c_void};
pub use errors::set_noise_is_zero;

use lostbits_abi::{explain::Thread, kind::FpKind, numbers::Operand, ops::Op};
use lostbits_runtime::export;

pub use self::events::set_limit;
use self::{
    binary::{Add, Div, Executed, Mul, Sub},
    operations::Context,
};
use super::trace::ThreadTrace;
use crate::{number::Shadow, shadowed, slot_at, value::Value};

/// # Safety
///
/// As for [`slot_at`] and [`ThreadTrace::new`].
#[inline(always)]
unsafe fn context<'a>(slot: u64, site: u64, thread: *mut Thread) -> Context<'a> {
    // SAFETY: the caller's promise.
    unsafe {
        Context {
            slot: slot_at(slot),
            site: site as u32,
            trace: ThreadTrace::new(thread),
        }
    }
}

/// The frequent operations, for one format.
macro_rules! frequent {
    ($module:ident $type:ident $of:ident $kind:ident) => {
        mod $module {
            use super::*;

            const KIND: u8 = FpKind::$kind as u8;

            frequent!(binary $type EXPLAIN_REALS_ADD add Add);
            frequent!(binary $type EXPLAIN_REALS_SUB sub Sub);
            frequent!(binary $type EXPLAIN_REALS_MUL mul Mul);
            frequent!(binary $type EXPLAIN_REALS_DIV div Div);
            frequent!(multiply_add $type $of EXPLAIN_REALS_FMA fma Fma);
            frequent!(multiply_add $type $of EXPLAIN_REALS_MULADD muladd MulAdd);

            export! {
                /// A square root.
                EXPLAIN_REALS_SQRT[$type]
                fn sqrt(slot: u64, site: u64, thread: *mut Thread, a: u64, x: $type, result: $type) -> u64 {
                    // SAFETY: see the module.
                    let (context, operand) = unsafe { (context(slot, site, thread), shadowed(a, Value::$of(x))) };
                    operations::root::<KIND>(context, operand, Value::$of(result))
                }
            }
        }
    };
    (binary $type:ident $constant:ident $function:ident $binary:ident) => {
        export! {
            /// An operation with two operands.
            $constant[$type]
            fn $function(
                slot: u64,
                site: u64,
                thread: *mut Thread,
                a: u64,
                b: u64,
                x: $type,
                y: $type,
                result: $type
            ) -> u64 {
                // SAFETY: see the module.
                let executed = unsafe {
                    Executed {
                        slot: slot_at(slot),
                        site,
                        trace: ThreadTrace::new(thread),
                        shadows: [Shadow::from_word(a), Shadow::from_word(b)],
                        values: [x, y],
                        result,
                    }
                };
                executed.evaluate::<$binary>()
            }
        }
    };
    (multiply_add $type:ident $of:ident $constant:ident $function:ident $op:ident) => {
        export! {
            /// A multiplication and an addition.
            $constant[$type]
            fn $function(
                slot: u64,
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
                // SAFETY: see the module.
                unsafe {
                    let operands = [
                        shadowed(a, Value::$of(x)),
                        shadowed(b, Value::$of(y)),
                        shadowed(c, Value::$of(z)),
                    ];
                    let context = context(slot, site, thread);
                    operations::multiply_add::<KIND>(context, Op::$op, operands, Value::$of(result))
                }
            }
        }
    };
}

frequent!(double f64 of_double Double);
frequent!(float f32 of_float Float);

export! {
    /// Any operation with a floating-point result.
    EXPLAIN_REALS_OPERATE
    fn operate(
        slot: u64,
        site: u64,
        thread: *mut Thread,
        op: u32,
        count: u32,
        operands: *const Operand
    ) -> u64 {
        // SAFETY: see the module.
        unsafe {
            let result = &*operands.add(count as usize);
            let operands = core::slice::from_raw_parts(operands, count as usize);
            operations::operate(context(slot, site, thread), op, operands, result)
        }
    }

    /// A value whose sign or exponent bits changed.
    EXPLAIN_REALS_RESCALE
    fn rescale(slot: u64, from: u64, before: u64, after: u64, kind: u32) -> u64 {
        let Some(kind) = FpKind::from_u8(kind as u8) else {
            return 0;
        };
        // SAFETY: see the module.
        let (slot, from) = unsafe { (slot_at(slot), Shadow::from_word(from)) };
        scaling::rescale(slot, from, kind, before, after)
    }

    /// The exact value minus the program's.
    EXPLAIN_REALS_RESIDUE
    fn residue(shadow: u64, value: f64) -> f64 {
        // SAFETY: see the module.
        calls::residue(unsafe { Shadow::from_word(shadow) }, value)
    }

    /// A function that counts as one operation has returned.
    EXPLAIN_REALS_CALLED
    fn called(
        slot: u64,
        site: u64,
        thread: *mut Thread,
        op: u32,
        operands: *const Operand,
        residue: f64,
        bound: f64,
        own_error: f64
    ) -> u64 {
        let Some(op) = Op::from_u16(op as u16) else {
            return 0;
        };
        let reference = calls::ReferenceResult { residue, bound, own_error };
        // SAFETY: see the module.
        unsafe {
            let result = &*operands.add(op.info().arity());
            let operands = core::slice::from_raw_parts(operands, op.info().arity());
            calls::called(context(slot, site, thread), op, operands, result, &reference)
        }
    }

    /// A comparison.
    EXPLAIN_REALS_COMPARE
    fn compare(
        site: u64,
        thread: *mut Thread,
        predicate: u32,
        operands: *const [Operand; 2],
        decided: u32
    ) {
        // SAFETY: see the module.
        let (trace, operands) = unsafe { (ThreadTrace::new(thread), &*operands) };
        decisions::compare(site as u32, trace, predicate, operands, decided)
    }

    /// A conversion to an integer.
    EXPLAIN_REALS_INTEGER
    fn integer(
        site: u64,
        thread: *mut Thread,
        op: u32,
        operand: *const Operand,
        result: f64
    ) {
        // SAFETY: see the module.
        let (trace, operand) = unsafe { (ThreadTrace::new(thread), &*operand) };
        decisions::convert(site as u32, trace, op, operand, result)
    }

    /// A value leaves the program.
    EXPLAIN_REALS_OUTPUT
    fn output(site: u64, thread: *mut Thread, operand: *const Operand) {
        // SAFETY: see the module.
        let (trace, operand) = unsafe { (ThreadTrace::new(thread), &*operand) };
        outputs::output(site as u32, trace, operand)
    }

    /// Memory leaves the program.
    EXPLAIN_REALS_OUTPUT_MEMORY
    fn output_memory(start: *const c_void, bytes: u64, site: u64, thread: *mut Thread) {
        // SAFETY: the program passes this memory to an output function.
        unsafe {
            let trace = ThreadTrace::new(thread);
            outputs::output_memory(start as usize, bytes as usize, site as u32, trace)
        }
    }

    /// The arguments of a format string leave the program.
    EXPLAIN_REALS_OUTPUT_FORMATTED
    fn output_formatted(format: *const c_char, arguments: *const c_void, site: u64, thread: *mut Thread) {
        // SAFETY: the program passes this format string and this `va_list` to an output function.
        unsafe {
            let format = CStr::from_ptr(format).to_bytes();
            let trace = ThreadTrace::new(thread);
            outputs::output_formatted(format, &*arguments.cast(), site as u32, trace)
        }
    }
}
