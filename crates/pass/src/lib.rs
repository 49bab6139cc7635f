//! The LLVM pass plugin: puts a shadow beside every floating-point value of a module.
//!
//! It runs at the end of the optimiser, on the code that really ships, and knows LLVM and nothing of
//! thresholds or reports. What a shadow is says a [`domain`]; how it gets about is [`carry`]'s matter.
//! The program's own instructions are left as they are, but for what [`prepare`] rewrites without changing
//! what is computed.

mod builder;
mod carry;
mod domain;
mod environment;
mod ir;
mod module;
mod prepare;
mod shape;
mod sites;

use std::ffi::{c_char, c_void};

use lostbits_abi::mode::{Mode, PASS_MODE_ENV};

use crate::{
    builder::Builder,
    carry::Weaver,
    domain::Domain,
    ir::{Layout, Module, Value},
    module::ModuleWeaver,
};

/// LLVM's `PassPluginLibraryInfo`.
#[repr(C)]
pub struct PluginInfo {
    api_version: u32,
    name: *const c_char,
    version: *const c_char,
    register: unsafe extern "C" fn(*mut c_void),
    before_code_generation: *const c_void,
}

unsafe extern "C" {
    fn lostbits_register_passes(pass_builder: *mut c_void);
}

const PLUGIN_API_VERSION: u32 = 2;
const VERSION_TEXT: &str = concat!(env!("CARGO_PKG_VERSION"), "\0");

/// The entry point LLVM looks for.
#[unsafe(no_mangle)]
pub extern "C" fn llvmGetPassPluginInfo() -> PluginInfo {
    PluginInfo {
        api_version: PLUGIN_API_VERSION,
        name: c"lostbits".as_ptr(),
        version: VERSION_TEXT.as_ptr().cast(),
        register: lostbits_register_passes,
        before_code_generation: std::ptr::null(),
    }
}

/// For the driver, which refuses a plugin of another version than its own.
#[unsafe(export_name = "__lostbits_version")]
pub static VERSION: [u8; VERSION_TEXT.len()] = {
    let mut text = [0; VERSION_TEXT.len()];
    text.copy_from_slice(VERSION_TEXT.as_bytes());
    text
};

/// Called by the shim for each module; gives whether it was changed.
#[unsafe(no_mangle)]
extern "C" fn lostbits_instrument(module: Module, optimised: bool) -> bool {
    let mode = std::env::var(PASS_MODE_ENV)
        .ok()
        .and_then(|name| Mode::from_name(&name));
    let Some(domain) = mode.and_then(domain::of) else {
        return false;
    };
    // LLVM code that was instrumented, saved and is now compiled to the end.
    if ModuleWeaver::was_here(module) {
        return false;
    }
    instrument(module, domain.as_ref(), optimised);
    true
}

/// Called by the shim for each module before anything is optimised.
#[unsafe(no_mangle)]
extern "C" fn lostbits_prepare(module: Module) {
    let mode = std::env::var(PASS_MODE_ENV)
        .ok()
        .and_then(|name| Mode::from_name(&name));
    if let Some(domain) = mode.and_then(domain::of) {
        domain.prepare(module);
        prepare::constants::hide(module);
    }
}

fn instrument(module: Module, domain: &dyn Domain, optimised: bool) {
    let program: Vec<Value> = ir::functions(module)
        .into_iter()
        .filter(|function| is_instrumented(*function))
        .collect();
    if program.is_empty() {
        return;
    }
    let builder = Builder::new(module);
    let layout = Layout::of(module);
    let keeps_environment = domain.computes() && environment::is_looked_at(module);
    let mut module_weaver = ModuleWeaver::new(&builder);
    module_weaver.sites.passes_standard_library = domain.mode().explains();
    for function in program {
        if domain.mode().explains() {
            prepare::expand_atomics(function);
        }
        if optimised {
            prepare::contract(&builder, function);
        }
        if let Some(to) = domain.uses_processor().filter(|_| optimised) {
            let raised = prepare::processor::raise(&builder, layout, function, to);
            module_weaver.needs_machine |= raised;
        }
        prepare::recognise_sign_operations(&builder, function);
        if optimised {
            prepare::delay_loads(function);
        }
        if domain.needs_defined_values() {
            prepare::define_values(&builder, function);
        }
        prepare::constants::reveal(function);
        if domain.mode().explains() {
            prepare::extraction::mark_extractions(function);
        }
        let own = keeps_environment.then(|| environment::own_instructions(function));
        Weaver::new(&builder, &mut module_weaver, domain, layout, function).weave();
        if let Some(own) = own {
            environment::keep(&builder, function, &own);
        }
        withdraw_promises(function);
    }
    prepare::constants::forget(module);
    module_weaver.finish(&builder, module, domain.mode());
}

/// Bodies that are only there to be inlined are never emitted; naked ones have no frame.
fn is_instrumented(function: Value) -> bool {
    !ir::is_declaration(function)
        && !ir::is_available_externally(function)
        && !ir::has_attribute(function, "naked")
}

/// Instrumented functions read and write slots and shadows: promises about memory no longer hold.
fn withdraw_promises(function: Value) {
    for promise in ["memory", "speculatable", "nosync"] {
        ir::remove_attribute(function, promise);
    }
    for call in ir::blocks(function).into_iter().flat_map(ir::instructions) {
        let is_program_call = ir::is_call(call)
            && ir::as_function(ir::callee(call))
                .is_none_or(|callee| ir::intrinsic_name(callee).is_none());
        if is_program_call {
            ir::remove_call_attribute(call, "memory");
        }
    }
}
