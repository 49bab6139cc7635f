//! Hides floating-point constants from the optimiser, so that it computes nothing with them that a program should have
//! been seen to compute.
//!
//! Before anything is optimised every constant becomes the result of a function without a definition and that has no
//! effects; constants in memory count as changed by others, and integers become numbers behind its back. At the end all of
//! them are what they were, and so is what the program computes, but for functions that the optimiser knows better than
//! the library (`pow(x, 2)`).
//!
//! # What it can miss
//!
//! What compilers compute before there is LLVM code (`0.1 + 0.2` as a literal expression, `constexpr`), and constants that are
//! members of structures in registers.

use std::collections::HashMap;

use lostbits_abi::explain::HIDE_ENV;

use crate::{
    builder::Builder,
    ir::{self, Function, Module, Opcode, Type, TypeKind, Value},
    shape,
};

/// The functions' names, before those of their types.
const HIDDEN: &str = "lostbits.hidden.";
/// What such a function may be taken for.
const HARMLESS: [&str; 5] = ["nounwind", "willreturn", "nosync", "nofree", "speculatable"];

/// Where [`HIDE_ENV`] asks for it; returns whether it does.
pub fn hide(module: Module) -> bool {
    if std::env::var_os(HIDE_ENV).is_none() {
        return false;
    }
    let builder = Builder::new(module);
    let globals = ir::globals(module).into_iter();
    globals
        .filter(|global| holds_numbers(*global))
        .for_each(ir::set_externally_initialised);
    for function in ir::functions(module) {
        for block in ir::blocks(function) {
            ir::instructions(block)
                .into_iter()
                .for_each(|instruction| hide_in(&builder, instruction));
        }
    }
    true
}

/// In a function that is about to be instrumented all is as it was written. Whoever rewrites it before must not know the
/// constants either.
pub fn reveal(function: Function) {
    for call in ir::all_instructions(function) {
        let called = ir::is_call(call).then(|| ir::callee(call));
        if called.and_then(ir::as_function).is_some_and(is_hiding) {
            ir::replace(call, ir::operand(call, 0));
        }
    }
}

/// Takes the functions away that hid constants.
pub fn remove_hiding_functions(module: Module) {
    ir::functions(module)
        .into_iter()
        .filter(|function| is_hiding(*function))
        .for_each(ir::delete_function);
}

fn is_hiding(function: Function) -> bool {
    ir::is_declaration(function) && ir::name(function).starts_with(HIDDEN)
}

fn hide_in(builder: &Builder, instruction: Value) {
    match ir::opcode(instruction) {
        Opcode::LLVMPHI => hide_incoming(builder, instruction),
        Opcode::LLVMSIToFP | Opcode::LLVMUIToFP => hide_result(builder, instruction),
        Opcode::LLVMBitCast if is_number(instruction) => hide_result(builder, instruction),
        Opcode::LLVMLandingPad => {}
        Opcode::LLVMCall | Opcode::LLVMInvoke | Opcode::LLVMCallBr
            if ir::is_inline_assembly(ir::callee(instruction)) => {}
        _ => {
            for (index, operand) in (0..).zip(ir::operands(instruction)) {
                if is_hideable(operand) {
                    builder.before(instruction);
                    ir::set_operand(instruction, index, hidden(builder, operand));
                }
            }
        }
    }
}

/// A block may lead to a phi twice, and must bring it the same.
fn hide_incoming(builder: &Builder, phi: Value) {
    let mut known = HashMap::new();
    for (index, (value, from)) in (0..).zip(ir::incoming(phi)) {
        if is_hideable(value) {
            let hidden = known.entry(from).or_insert_with(|| {
                builder.before(ir::terminator(from));
                hidden(builder, value)
            });
            ir::set_operand(phi, index, *hidden);
        }
    }
}

fn hide_result(builder: &Builder, instruction: Value) {
    let users = ir::uses(instruction);
    builder.after(instruction);
    let hidden = hidden(builder, instruction);
    for user in users {
        ir::replace_operand(user, instruction, hidden);
    }
}

fn hidden(builder: &Builder, value: Value) -> Value {
    let ty = ir::type_of(value);
    let name = format!("{HIDDEN}{}", ir::type_text(ty));
    let function = builder.declare(&name, ty, &[ty]);
    ir::set_without_memory(function);
    HARMLESS
        .iter()
        .for_each(|name| ir::set_attribute(function, name));
    builder.call(function, &[value])
}

fn is_number(value: Value) -> bool {
    shape::fp_kind(ir::type_of(value)).is_some()
}

fn is_hideable(value: Value) -> bool {
    is_number(value) && ir::is_constant(value) && !ir::is_undefined(value)
}

/// Whether a variable has numbers in it from the beginning. Rust's are bytes.
fn holds_numbers(global: Value) -> bool {
    let ty = ir::value_type(global);
    ir::has_initialiser(global) && (has_numbers(ty) || ir::name(global).starts_with("alloc_"))
}

pub fn has_numbers(ty: Type) -> bool {
    match ir::type_kind(ty) {
        TypeKind::LLVMStructTypeKind => ir::struct_elements(ty).into_iter().any(has_numbers),
        TypeKind::LLVMArrayTypeKind => has_numbers(ir::element_type(ty)),
        _ => shape::fp_kind(ty).is_some(),
    }
}
