//! Outputs that are constants of the compiled program: nothing computes them, so nothing is known of how they came about.
//!
//! # What it can miss
//!
//! Constants in memory that also other code might write to, and arrays of them that Fortran puts out as a whole.

use lostbits_abi::site::What;

use crate::{
    ir::{self, Opcode, Value},
    prepare::constants::has_numbers,
};

/// How far a value is followed back.
const DEEPEST: u32 = 4;

/// What an output of this value is.
pub fn output(value: Value) -> What {
    match is_fixed(value, 0) {
        true => What::Constant,
        false => What::Output,
    }
}

/// The same of a number in memory.
pub fn output_of_number(pointer: Value, at: Value) -> What {
    output_of_memory(pointer, at, |_| true)
}

/// The same of bytes that may be numbers or something else.
pub fn output_of_bytes(pointer: Value, at: Value) -> What {
    output_of_memory(pointer, at, has_numbers)
}

/// A constant, or one of several.
fn is_fixed(value: Value, depth: u32) -> bool {
    if !ir::is_instruction(value) {
        return ir::is_constant(value) && !ir::is_undefined(value);
    }
    let chosen = match ir::opcode(value) {
        _ if depth > DEEPEST => return false,
        Opcode::LLVMPHI => ir::operands(value),
        Opcode::LLVMSelect => vec![ir::operand(value, 1), ir::operand(value, 2)],
        _ => return false,
    };
    chosen.into_iter().all(|one| is_fixed(one, depth + 1))
}

fn output_of_memory(pointer: Value, at: Value, is_wanted: impl Fn(ir::Type) -> bool) -> What {
    let base = ir::base(pointer);
    let is_constant = match ir::as_global(base) {
        Some(global) => ir::is_constant_global(global) && is_wanted(ir::value_type(global)),
        None => {
            let is_variable = ir::is_instruction(base) && ir::opcode(base) == Opcode::LLVMAlloca;
            let mut stored = Vec::new();
            is_variable
                && holds_constants(base, at, &mut stored)
                && stored.into_iter().any(is_wanted)
        }
    };
    match is_constant {
        true => What::Constant,
        false => What::Output,
    }
}

/// Whether only constants are stored behind a pointer, as far as can be seen; gives their types. `at` is the output itself.
fn holds_constants(pointer: Value, at: Value, stored: &mut Vec<ir::Type>) -> bool {
    ir::uses(pointer).into_iter().all(|user| {
        if user == at || !ir::is_instruction(user) {
            return true;
        }
        match ir::opcode(user) {
            // The pointer itself is stored, for a reader.
            Opcode::LLVMStore if ir::operand(user, 0) == pointer => true,
            Opcode::LLVMStore => {
                stored.push(ir::type_of(ir::operand(user, 0)));
                ir::is_constant(ir::operand(user, 0))
            }
            Opcode::LLVMGetElementPtr => holds_constants(user, at, stored),
            // Shadows are found by the address as an integer.
            Opcode::LLVMLoad | Opcode::LLVMPtrToInt => true,
            Opcode::LLVMCall => is_harmless(user, pointer, stored),
            _ => false,
        }
    })
}

/// Calls that leave memory alone, or fill it with constants.
fn is_harmless(call: Value, pointer: Value, stored: &mut Vec<ir::Type>) -> bool {
    let Some(function) = ir::as_function(ir::callee(call)) else {
        return false;
    };
    match ir::intrinsic_name(function) {
        Some("llvm.memcpy" | "llvm.memmove") if ir::operand(call, 0) == pointer => {
            let from = ir::as_global(ir::base(ir::operand(call, 1)));
            stored.extend(from.map(ir::value_type));
            from.is_some_and(ir::is_constant_global)
        }
        Some("llvm.memset" | "llvm.memcpy" | "llvm.memmove") => true,
        Some(_) => ir::is_debug_marker(call),
        None => ir::name(function).starts_with("__lostbits"),
    }
}
