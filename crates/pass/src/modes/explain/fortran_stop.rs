//! Fortran's `stop` says which floating-point exceptions were signaled: shadow code's are taken back before.

use lostbits_abi::functions;

use crate::{carry::FunctionInstrumenter, ir::Value};

const STOP: &str = "_FortranAStopStatement";

pub fn observe_call(cx: &mut FunctionInstrumenter, call: Value, name: &str) {
    if !name.starts_with(STOP) {
        return;
    }
    cx.builder.before(call);
    let b = cx.builder;
    b.call_runtime(functions::EXPLAIN_CLEAR_FLAGS, &[]);
}
