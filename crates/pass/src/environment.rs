//! The floating-point environment (flags, traps, rounding), for programs that use it.
//!
//! A domain that computes leaves flags behind, and would compute wrongly under another rounding. In a module
//! that mentions the environment, instrumented functions therefore run under the default one, and switch to
//! the program's for each of the program's own operations and calls.
//!
//! # What it can miss
//!
//! Operations in modules that do not mention the environment while another module reads the flags; the
//! flags of the x87 unit.

use crate::{
    builder::{self, Builder},
    ir::{self, Function, Module, Opcode, Value},
};

/// Rounding to nearest, all exceptions masked, no flags.
const DEFAULT: u64 = 0x1f80;

const ENVIRONMENT_FUNCTIONS: [&str; 14] = [
    "fetestexcept",
    "feclearexcept",
    "feraiseexcept",
    "fegetexceptflag",
    "fesetexceptflag",
    "fegetenv",
    "fesetenv",
    "feholdexcept",
    "feupdateenv",
    "fegetround",
    "fesetround",
    "feenableexcept",
    "fedisableexcept",
    "llvm.x86.sse.stmxcsr",
];

/// Whether a module mentions the environment.
pub fn is_used(module: Module) -> bool {
    ir::functions(module)
        .into_iter()
        .any(|function| ENVIRONMENT_FUNCTIONS.contains(&ir::name(function).as_str()))
}

/// The instructions of the program's that have to do with the environment.
pub fn program_instructions(function: Function) -> Vec<Value> {
    ir::blocks(function)
        .into_iter()
        .flat_map(ir::instructions)
        .filter(|instruction| touches(*instruction))
        .collect()
}

fn touches(instruction: Value) -> bool {
    use Opcode::*;
    match ir::opcode(instruction) {
        LLVMFAdd | LLVMFSub | LLVMFMul | LLVMFDiv | LLVMFRem | LLVMFCmp | LLVMFPExt
        | LLVMFPTrunc | LLVMFPToSI | LLVMFPToUI | LLVMSIToFP | LLVMUIToFP | LLVMRet
        | LLVMInvoke | LLVMLandingPad | LLVMResume => true,
        LLVMCall => !is_annotation(instruction),
        _ => false,
    }
}

/// Intrinsics that compute nothing.
fn is_annotation(call: Value) -> bool {
    ir::as_function(ir::callee(call))
        .and_then(ir::intrinsic_name)
        .is_some_and(|name| {
            [
                "llvm.dbg",
                "llvm.lifetime",
                "llvm.assume",
                "llvm.mem",
                "llvm.va_",
            ]
            .iter()
            .any(|note| name.starts_with(note))
        })
}

/// Puts the program's environment in force for `own` instructions alone.
pub fn keep(builder: &Builder, function: Function, own: &[Value]) {
    let i32 = builder.types.i32;
    builder.before(ir::first_insertion_point(ir::entry(function)));
    let programs = builder.alloca(i32, 4);
    let default = builder.alloca(i32, 4);
    builder.store(builder::integer(i32, DEFAULT), default, 4);
    let set = |place: Value| builder.intrinsic("llvm.x86.sse.ldmxcsr", &[], &[place]);
    let leave = || {
        builder.intrinsic("llvm.x86.sse.stmxcsr", &[], &[programs]);
        set(default);
    };
    leave();
    for instruction in own {
        match ir::opcode(*instruction) {
            Opcode::LLVMRet | Opcode::LLVMResume => {
                builder.before(end_of(*instruction));
                set(programs);
            }
            Opcode::LLVMLandingPad => {
                builder.before(ir::first_insertion_point(ir::parent_block(*instruction)));
                leave();
            }
            Opcode::LLVMInvoke => {
                builder.before(*instruction);
                set(programs);
                let destination = ir::normal_destination(*instruction);
                builder.before(ir::first_insertion_point(destination));
                leave();
            }
            Opcode::LLVMCall if ir::is_must_tail(*instruction) => {}
            _ => {
                builder.before(*instruction);
                set(programs);
                builder.after(*instruction);
                leave();
            }
        }
    }
}

/// What a return must directly follow: itself, or the tail call before it.
fn end_of(terminator: Value) -> Value {
    ir::instructions(ir::parent_block(terminator))
        .into_iter()
        .find(|at| ir::is_call(*at) && ir::is_must_tail(*at))
        .unwrap_or(terminator)
}
