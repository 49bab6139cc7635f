//! The LLVM pass plugin: puts a shadow beside every floating-point value of a module.
//!
//! It runs at the end of the optimiser, on the code that really ships, and knows LLVM and nothing of
//! thresholds or reports. What a shadow is says a [`domain`]; how it gets about is [`carry`]'s matter.
//! The program's own instructions are left as they are, but for what [`prepare`] rewrites without changing
//! what is computed.

// The plugin finds LLVM in the compiler that loads it; the unit tests have to bring it along.
#[cfg(test)]
#[link(name = "LLVM-22")]
#[link(name = "stdc++")]
unsafe extern "C" {}

mod builder;
mod carry;
mod environment;
mod ir;
mod low_addresses;
mod modes;
mod module;
mod mutants;
mod operand_names;
mod panic_context;
mod prepare;
mod shape;
mod sites;

use std::ffi::{c_char, c_void};

use lostbits_abi::mode::{Mode, PASS_MODE_ENV};

use crate::{
    builder::Builder,
    carry::{Domain, FunctionInstrumenter},
    ir::{Function, Layout, Module},
    module::ModuleInstrumenter,
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

/// The domain that the compiler was started for.
fn domain() -> Option<Box<dyn Domain>> {
    let name = std::env::var(PASS_MODE_ENV).ok()?;
    modes::domain_of(Mode::from_name(&name)?)
}

/// Called by the shim for each module; returns whether it changed.
#[unsafe(no_mangle)]
extern "C" fn lostbits_instrument(module: Module, optimised: bool) -> bool {
    let Some(domain) = domain() else {
        return false;
    };
    // LLVM code that was instrumented and saved before, and is compiled to the end now.
    if ModuleInstrumenter::is_instrumented(module) {
        return false;
    }
    panic_context::enter_module(module, domain.mode());
    instrument(module, domain.as_ref(), optimised);
    true
}

/// Called by the shim for each module before the optimiser runs.
#[unsafe(no_mangle)]
extern "C" fn lostbits_prepare(module: Module, optimised: bool) {
    if let Some(domain) = domain() {
        panic_context::enter_module(module, domain.mode());
        domain.prepare(module);
        let is_hidden = prepare::constants::hide(module);
        if domain.describes_operations() && !is_hidden {
            prepare::folded::remember(module);
        }
        if optimised && domain.prefers_wide_vectors() {
            prepare::wide_vectors::allow(module);
        }
    }
}

fn instrument(module: Module, domain: &dyn Domain, optimised: bool) {
    if domain.has_shadows() {
        prepare::function_pointers::wrap_library_functions(module, domain.mode());
    }
    let program: Vec<Function> = ir::functions(module)
        .into_iter()
        .filter(|function| is_instrumented(*function))
        .collect();
    if program.is_empty() {
        return;
    }
    let builder = Builder::new(module);
    let layout = Layout::of(module);
    let keeps_environment = domain.uses_floating_point_unit() && environment::is_used(module);
    let mut of_module = ModuleInstrumenter::new(&builder);
    of_module.written_constants = prepare::folded::recall(module);
    of_module.sites.attributes_library_code_to_callers =
        domain.attributes_library_code_to_callers();
    for function in program {
        panic_context::enter_function(function);
        of_module.needs_machine |= prepare_function(&builder, layout, function, domain, optimised);
        let own = keeps_environment.then(|| environment::program_instructions(function));
        if domain.opens_complex_functions() {
            prepare::complex::open_functions(&builder, function);
        }
        FunctionInstrumenter::new(&builder, &mut of_module, domain, layout, function).instrument();
        if let Some(own) = own {
            environment::keep(&builder, function, &own);
        }
        prepare::large_functions::limit(function);
        remove_memory_attributes(function);
        remove_number_promises(function);
    }
    prepare::constants::remove_hiding_functions(module);
    of_module.finish(&builder, module, domain.mode());
}

/// Returns whether the function now needs a processor like this machine's.
fn prepare_function(
    builder: &Builder,
    layout: Layout,
    function: Function,
    domain: &dyn Domain,
    optimised: bool,
) -> bool {
    if domain.tracks_atomics() {
        ir::expand_atomics(function);
    }
    if optimised {
        prepare::contract(builder, function);
    }
    let features = domain.processor_features().filter(|_| optimised);
    let is_raised = features.is_some_and(|features| {
        prepare::processor::raise_features(builder, layout, function, features)
    });
    let needs_machine = is_raised || prepare::wide_vectors::is_allowed(function);
    prepare::recognise_sign_operations(builder, function);
    if optimised {
        prepare::delay_loads(function);
    }
    if domain.needs_defined_values() {
        prepare::define_values(builder, function);
    }
    prepare::constants::reveal(function);
    if domain.needs_extractions() {
        prepare::extraction::mark_extractions(function);
    }
    needs_machine
}

/// Bodies that are only there to be inlined are never emitted; naked ones have no frame.
fn is_instrumented(function: Function) -> bool {
    !ir::is_declaration(function)
        && !ir::is_available_externally(function)
        && !ir::has_attribute(function, "naked")
}

/// `-ffast-math` promises for whole functions that no value is NaN or infinite. Shadow code tests for both. The program's
/// own operations have flags of their own, and keep them.
fn remove_number_promises(function: Function) {
    const PROMISES: [&str; 4] = [
        "no-nans-fp-math",
        "no-infs-fp-math",
        "no-signed-zeros-fp-math",
        "unsafe-fp-math",
    ];
    for promise in PROMISES {
        if ir::string_attribute(function, promise).is_some() {
            ir::set_string_attribute(function, promise, "false");
        }
    }
}

/// Instrumented functions read and write slots and shadows: promises about memory no longer hold.
fn remove_memory_attributes(function: Function) {
    for promise in ["memory", "speculatable", "nosync"] {
        ir::remove_attribute(function, promise);
    }
    for call in ir::all_instructions(function) {
        let is_program_call = ir::is_call(call)
            && ir::as_function(ir::callee(call))
                .is_none_or(|callee| ir::intrinsic_name(callee).is_none());
        if is_program_call {
            ir::remove_call_attribute(call, "memory");
        }
    }
}
