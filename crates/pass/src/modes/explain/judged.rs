//! Results and assertions as outputs, so that programs which print nothing, such as unit tests, are judged.
//!
//! With `results` in [`environment::JUDGE`], the number that a function of the user's own returns counts as an output. Such
//! functions are kept out of line, because an inlined one returns nothing. With `assertions`, the operands of a
//! comparison whose failure ends the program (`assert`, `assert!`) do. Of `fabs(x - y) < tolerance` these are `x` and
//! `y`: the difference of two right numbers is nothing but rounding errors.
//!
//! # What it can miss
//!
//! Results in memory (arrays, structures, references), results that the optimiser computed, and assertions of libraries that
//! report a failure and go on: their operands are usually results of the user's functions.

use std::{env, sync::OnceLock};

use lostbits_abi::{
    environment,
    judge::{self, Judged},
};

use super::{
    conversions::Printed,
    outputs::{OutputEvents, report_judged, report_result},
};
use crate::{
    carry::FunctionInstrumenter,
    ir::{self, Function, Module, Opcode, Value},
    shape,
};

fn judges(judged: Judged) -> bool {
    static CHOICE: OnceLock<String> = OnceLock::new();
    let choice = CHOICE.get_or_init(|| env::var(environment::JUDGE).unwrap_or_default());
    choice.split(',').any(|name| name == judged.name())
}

/// Before the optimiser: functions whose results are judged stay functions.
pub fn prepare(module: Module) {
    if !judges(Judged::Results) {
        return;
    }
    for function in ir::functions(module) {
        let returned = ir::return_type(ir::function_type(function));
        let is_wanted = !ir::is_declaration(function)
            && shape::fp_kind(returned).is_some()
            && is_users(function)
            && !ir::has_attribute(function, "alwaysinline");
        if is_wanted {
            ir::set_attribute(function, "noinline");
        }
    }
}

pub fn observe(cx: &mut FunctionInstrumenter, events: &dyn OutputEvents, instruction: Value) {
    match ir::opcode(instruction) {
        Opcode::LLVMRet if judges(Judged::Results) => observe_return(cx, events, instruction),
        Opcode::LLVMFCmp if judges(Judged::Assertions) => {
            observe_comparison(cx, events, instruction);
        }
        _ => {}
    }
}

fn observe_return(cx: &mut FunctionInstrumenter, events: &dyn OutputEvents, instruction: Value) {
    let returned = ir::operands(instruction);
    let [value] = returned.as_slice() else {
        return;
    };
    let is_number = shape::fp_kind(ir::type_of(*value)).is_some();
    // Nothing may come between such a call and the return.
    let is_tail = ir::is_instruction(*value) && ir::is_call(*value) && ir::is_must_tail(*value);
    if is_number && !is_tail && is_users(cx.function) {
        report_result(cx, events, instruction, *value);
    }
}

fn observe_comparison(cx: &mut FunctionInstrumenter, events: &dyn OutputEvents, comparison: Value) {
    if !is_users(cx.function) || !is_asserted(comparison) {
        return;
    }
    let sides = ir::operands(comparison);
    let judged: Vec<Value> = sides.into_iter().flat_map(compared).collect();
    for (at, value) in judged.into_iter().enumerate() {
        if !ir::is_constant(value) && shape::lanes(ir::type_of(value)) == 1 {
            let name = format!("{}#{at}", judge::ASSERTION);
            report_judged(cx, events, comparison, &name, value, Printed::UNKNOWN);
        }
    }
}

/// What a side of a comparison is about: of a difference, its operands.
fn compared(side: Value) -> Vec<Value> {
    if !ir::is_instruction(side) {
        return vec![side];
    }
    match ir::opcode(side) {
        Opcode::LLVMFSub => ir::operands(side),
        Opcode::LLVMCall if is_absolute_value(side) => compared(ir::operand(side, 0)),
        _ => vec![side],
    }
}

fn is_absolute_value(call: Value) -> bool {
    let function = ir::as_function(ir::callee(call));
    let name = function.map(ir::name).unwrap_or_default();
    name.starts_with("llvm.fabs.") || ["fabs", "fabsf"].contains(&name.as_str())
}

/// Whether the program ends on one of the branches.
fn is_asserted(comparison: Value) -> bool {
    let branches = ir::uses(comparison)
        .into_iter()
        .filter(|user| ir::is_instruction(*user) && ir::opcode(*user) == Opcode::LLVMBr);
    branches
        .flat_map(|branch| ir::successors(ir::parent_block(branch)))
        .any(|block| {
            let last = ir::terminator(block);
            ir::opcode(last) == Opcode::LLVMUnreachable
        })
}

/// Whether a function was written by the user: not in a header or source of an installed library.
fn is_users(function: Function) -> bool {
    const LIBRARIES: [&str; 3] = ["/rustc/", "/rustlib/src/", "/.cargo/registry/"];
    ir::function_location(function).is_some_and(|place| {
        let path = format!("{}/{}", place.directory, place.file);
        let path = if place.file.starts_with('/') {
            &place.file
        } else {
            &path
        };
        !path.starts_with("/usr/") && !LIBRARIES.iter().any(|library| path.contains(library))
    })
}
