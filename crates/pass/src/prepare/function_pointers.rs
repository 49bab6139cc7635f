//! Library functions that a program calls through pointers (tables of functions, callbacks).
//!
//! Where such a call is instrumented, nothing is known of the function, so that its result would count as exact. Therefore
//! the address of a function that is an operation of the table becomes that of a function of our own, which calls it and
//! is instrumented like the program's. All modules share it: pointers to one function remain equal.
//!
//! # What it can miss
//!
//! Addresses that the program gets from `dlsym` or from code that is not instrumented. They also differ from ours.

use lostbits_abi::{mode::Mode, ops::Op};

use crate::{
    ir::{self, Function, Module},
    shape,
};

pub fn wrap_library_functions(module: Module, mode: Mode) {
    for function in ir::functions(module) {
        if is_library_operation(function) {
            let name = format!("__lostbits_{}_{}", mode.name(), ir::name(function));
            ir::wrap_address(function, &name);
        }
    }
}

/// A library function's name with another signature is a function of the program's own.
fn is_library_operation(function: Function) -> bool {
    if !ir::is_declaration(function) || ir::intrinsic_name(function).is_some() {
        return false;
    }
    let Some((_, kind)) = Op::from_library(&ir::name(function)) else {
        return false;
    };
    let ty = ir::function_type(function);
    ir::parameter_types(ty)
        .into_iter()
        .chain([ir::return_type(ty)])
        .any(|ty| shape::fp_kind(ty) == Some(kind))
}
