//! Fortran's `stop` says which floating-point exceptions were signaled: shadow code's are taken back before.

use lostbits_abi::symbols;

use crate::{carry::Weaver, ir::Value};

const STOP: &str = "_FortranAStopStatement";

pub fn look_at_call(weaver: &mut Weaver, call: Value, name: &str) {
    if !name.starts_with(STOP) {
        return;
    }
    weaver.builder.before(call);
    let b = weaver.builder;
    let told = b.declare(symbols::EXPLAIN_STOPS, b.types.void, &[]);
    b.call(told, &[]);
}
