//! Calls of functions that are only declared, and get memory: see `runtime/src/lending.rs`.
//!
//! Such a function may be instrumented in another module, which then defines a mark; the linker says whether there is one. What
//! a function without a mark writes is counted at a site of the call, and the tool reports it.
//!
//! # What it can miss
//!
//! Memory whose extent is unknown: parts of objects that other code allocated.

use lostbits_abi::{
    functions,
    lending::{Lent, MOST_LENT},
    site::{Lost, What},
};

use super::{FunctionInstrumenter, known_functions::is_known};
use crate::{
    builder,
    ir::{self, TypeKind, Value},
};

/// Before and after the call of a function that is not followed otherwise.
pub(super) fn follow(cx: &mut FunctionInstrumenter, call: Value, name: &str) {
    if !cx.domain.follows_lent_memory() || ir::is_must_tail(call) || is_known(cx, name) {
        return;
    }
    let has_numbers = ir::takes_number_memory(call);
    let lent: Vec<Value> = (0..)
        .zip(ir::arguments(call))
        .filter(|(index, argument)| is_memory(call, *index, *argument))
        .map(|(_, argument)| argument)
        .take(MOST_LENT)
        .collect();
    if lent.is_empty() || !ir::may_write(call) {
        return;
    }
    let site = cx.site_of_double(call, What::Lost(Lost::Uninstrumented), name);
    cx.count(ir::parent_block(call), site, 1);
    cx.totals();
    let loan = lend(cx, call, &lent, has_numbers, name);
    cx.after(call);
    let totals = cx.totals_of(site);
    cx.builder
        .call_runtime(functions::RETURNED, &[loan, totals]);
}

/// Pointers to memory that may hold numbers.
fn is_memory(call: Value, index: u32, argument: Value) -> bool {
    ir::type_kind(ir::type_of(argument)) == TypeKind::LLVMPointerTypeKind
        && !super::memory::has_no_mirror(argument)
        && ir::call_by_value_type(call, index).is_none()
        && !ir::points_to_constant(argument)
        && !ir::is_null(argument)
        && ir::as_function(argument).is_none()
}

fn lend(
    cx: &mut FunctionInstrumenter,
    call: Value,
    lent: &[Value],
    has_numbers: bool,
    name: &str,
) -> Value {
    let b = cx.builder;
    let types = b.types;
    let row = size_of::<Lent>() as u64;
    let ty = types.array(types.i8, row * lent.len() as u64);
    let entry = ir::first_insertion_point(ir::entry(cx.function));
    let rows = b.alloca_at(entry, ty, 8);
    b.before(call);
    for (index, address) in (0u64..).zip(lent) {
        let put = |value: Value, offset: usize| {
            let to = b.offset(rows, index * row + offset as u64);
            b.store(value, to, 8);
        };
        let word = |value: u64| builder::integer(types.i64, value);
        put(*address, std::mem::offset_of!(Lent, address));
        put(
            word(ir::object_bytes(call, *address)),
            std::mem::offset_of!(Lent, bytes),
        );
        put(
            word(u64::from(has_numbers)),
            std::mem::offset_of!(Lent, has_numbers),
        );
    }
    let mark = b.weak_reference(&mark_of(cx, name));
    let is_compiled = b.differ(mark, builder::null(types.pointer));
    let [none, all] = [0, lent.len() as u64].map(|count| builder::integer(types.i64, count));
    let count = b.select(is_compiled, none, all);
    b.call_runtime(functions::LENT, &[rows, count])
}

/// A symbol that exists if a function of this name was compiled for the same mode.
fn mark_of(cx: &FunctionInstrumenter, name: &str) -> String {
    format!("__lostbits_compiled_{}_{name}", cx.domain.mode().name())
}

/// Functions of other modules that lend memory to the one of this name know that it is instrumented.
pub(super) fn mark_compiled(cx: &FunctionInstrumenter, name: &str) {
    if cx.domain.follows_lent_memory() {
        cx.builder.weak_mark(&mark_of(cx, name));
    }
}

/// Notes the extent of heap blocks that the program allocates and frees.
pub(super) fn follow_allocation(cx: &mut FunctionInstrumenter, call: Value, name: &str) {
    if !cx.domain.follows_lent_memory() || ir::is_must_tail(call) {
        return;
    }
    let arguments = ir::arguments(call);
    let bytes = match (name, &arguments[..]) {
        ("malloc" | "_Znwm" | "_Znam" | "valloc", [bytes, ..]) => *bytes,
        ("_ZnwmSt11align_val_t" | "_ZnamSt11align_val_t", [bytes, _]) => *bytes,
        ("aligned_alloc" | "memalign", [_, bytes]) | ("realloc", [_, bytes]) => *bytes,
        ("calloc", [count, size]) => {
            cx.after(call);
            cx.builder.binary(ir::Opcode::LLVMMul, *count, *size)
        }
        _ if is_rust_allocation(name) && !arguments.is_empty() => arguments[0],
        _ => return follow_release(cx, call, name, &arguments),
    };
    if name == "realloc" {
        cx.builder.before(call);
        cx.builder.call_runtime(functions::FREED, &[arguments[0]]);
    }
    if name != "calloc" {
        cx.after(call);
    }
    let b = cx.builder;
    let bytes = b.resize_unsigned(bytes, b.types.i64);
    b.call_runtime(functions::ALLOCATED, &[call, bytes]);
}

fn follow_release(cx: &mut FunctionInstrumenter, call: Value, name: &str, arguments: &[Value]) {
    let is_release = name == "free"
        || name.starts_with("_ZdlPv")
        || name.starts_with("_ZdaPv")
        || name.ends_with("__rust_dealloc");
    if let (true, [block, ..]) = (is_release, arguments) {
        cx.builder.before(call);
        cx.builder.call_runtime(functions::FREED, &[*block]);
    }
}

fn is_rust_allocation(name: &str) -> bool {
    name.ends_with("__rust_alloc") || name.ends_with("__rust_alloc_zeroed")
}
