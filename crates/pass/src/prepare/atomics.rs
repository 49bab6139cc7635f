//! Atomic sums as loops of exchanges; see `atomics.cpp`.

use crate::ir::Value;

unsafe extern "C" {
    fn lostbits_expand_atomics(function: Value);
}

pub fn expand_atomics(function: Value) {
    unsafe { lostbits_expand_atomics(function) }
}
