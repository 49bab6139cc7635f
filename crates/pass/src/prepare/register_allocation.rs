//! Keeps the back end's time linear in the size of large functions.
//!
//! Shadow code has many blocks. In a function with thousands of them most of the compile time goes into LLVM's greedy register
//! allocator, which grows regions of blocks for every live range that it splits. A smaller budget for that makes large
//! functions compile faster, and their code no larger.

use std::sync::Once;

use crate::ir::{self, Function};

/// Functions with fewer blocks compile fast enough, and may be hot loops.
const MANY_BLOCKS: usize = 1000;

/// LLVM's default is 10000.
const OPTION: &std::ffi::CStr = c"-grow-region-complexity-budget=100";

/// To be called with each function after it was instrumented; the option holds for the whole compiler from then on.
pub fn limit(function: Function) {
    static ONCE: Once = Once::new();
    if ir::blocks(function).len() > MANY_BLOCKS {
        ONCE.call_once(|| ir::set_option(OPTION));
    }
}
