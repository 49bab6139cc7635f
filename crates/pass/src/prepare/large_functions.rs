//! Keeps the back end's time and memory linear in the size of large functions.
//!
//! Shadow code has many blocks. In a function with thousands of them two parts of LLVM's back end take most of the compile time, and
//! more than linearly: the greedy register allocator grows regions of blocks for every live range that it splits, and the
//! analysis that follows variables of the source through registers and stack slots has a table of all of these for each block.
//! A smaller budget for the one makes large functions compile faster, and their code no larger; in place of the other, large
//! functions have no locations of variables. Debuggers show lines and calls there, and no local variables.

use std::{ffi::CStr, sync::Once};

use crate::ir::{self, Function};

/// Functions with fewer blocks compile fast enough, and may be hot loops.
const MANY_BLOCKS: usize = 1000;

/// LLVM's default is 10000, and the analysis with the table.
const OPTIONS: [&CStr; 2] = [
    c"-grow-region-complexity-budget=100",
    c"-experimental-debug-variable-locations=false",
];

/// To be called with each function after it was instrumented; the options hold for the whole compiler from then on.
pub fn limit(function: Function) {
    static ONCE: Once = Once::new();
    if ir::blocks(function).len() > MANY_BLOCKS {
        ONCE.call_once(|| OPTIONS.into_iter().for_each(ir::set_option));
        ir::remove_variable_locations(function);
    }
}
