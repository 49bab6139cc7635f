//! Which code may meet floating-point data at low addresses, whose shadows cost a comparison to find
//! ([`lostbits_abi::shadow::alias`]).
//!
//! Code for shared libraries may: a program at fixed low addresses, such as Debian's `python3`, may load it, and so may Go and
//! Java, whose heaps are low. Code for position-independent executables may only if the program maps memory itself, so code
//! that calls `mmap` counts. It misses an executable whose other files access what one file maps at a low address: for those
//! there is LOSTBITS_LOW_ADDRESSES.

use lostbits_abi::environment;

use crate::ir::{self, Module, Value};

pub fn may_occur(module: Module) -> bool {
    let is_for_libraries = ir::has_flag(module, "PIC Level") && !ir::has_flag(module, "PIE Level");
    let maps = || {
        ["mmap", "mmap64"]
            .iter()
            .any(|name| ir::named_function(module, name).is_some())
    };
    is_for_libraries || maps() || std::env::var_os(environment::LOW_ADDRESSES).is_some()
}

/// Whether an object is never at a low address: instrumented code, its variables and stacks are not.
pub fn is_high(object: Value) -> bool {
    ir::is_alloca(object) || ir::is_local_variable(object)
}
