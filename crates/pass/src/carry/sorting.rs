//! Sorts of the C library's: see `runtime/src/sorting.rs`.
//!
//! The library gets a comparison of ours, which gives the two elements their shadows and calls the program's.

use lostbits_abi::{functions, variables};

use super::FunctionInstrumenter;
use crate::ir::{self, Value};

/// Whether the comparison of a sort has a third parameter; none if a function is no sort.
fn has_context(name: &str) -> Option<bool> {
    match name {
        "qsort" => Some(false),
        "qsort_r" => Some(true),
        _ => None,
    }
}

pub fn is_sort(call: Value) -> bool {
    let function = ir::as_function(ir::callee(call));
    function.is_some_and(|function| has_context(&ir::name(function)).is_some())
}

/// Whether a call was one of a sort.
pub fn follow(cx: &mut FunctionInstrumenter, call: Value, name: &str) -> bool {
    let Some(has_context) = has_context(name) else {
        return false;
    };
    let arguments = ir::arguments(call);
    let is_the_librarys = arguments.len() == if has_context { 5 } else { 4 };
    // Guarded code may be skipped, but then the comparison would be unknown.
    if !is_the_librarys || cx.is_guarded() || ir::is_must_tail(call) {
        return false;
    }
    let [base, count, size, comparison] = arguments[..4] else {
        return false;
    };
    let current = cx.thread_variable(variables::SORT);
    let b = cx.builder;
    b.before(call);
    b.call_runtime(
        functions::SORT_BEGIN,
        &[current, base, count, size, comparison],
    );
    let ask = b.declare_runtime(functions::SORT_COMPARED);
    let name = variables::SORT.symbol(cx.domain.mode());
    let variable = b.shared_thread_local(&name, variables::SORT.bytes);
    let ours = ir::comparison(b.module(), ask, variable, has_context);
    ir::set_operand(call, 3, ours.into());
    cx.after(call);
    b.call_runtime(functions::SORT_END, &[current, base]);
    true
}
