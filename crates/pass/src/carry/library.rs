//! Library functions that are operations of the table.

use lostbits_abi::{kind::FpKind, ops::Op};

use crate::{
    ir::{self, Value},
    shape,
};

/// The operation that a library function is.
pub(super) fn operation_of(name: &str) -> Option<(Op, FpKind)> {
    match name {
        // A complex double is passed as two.
        "cabs" => Some((Op::Hypot, FpKind::Double)),
        "carg" => Some((Op::Atan2, FpKind::Double)),
        _ => Op::from_library(name),
    }
}

/// The arguments in the order in which the operation has them.
pub(super) fn operands_of_call(call: Value) -> Vec<Value> {
    let mut arguments = ir::arguments(call);
    let function = ir::as_function(ir::callee(call));
    if function.is_some_and(|function| ir::name(function) == "carg") {
        // atan2 takes the imaginary part first.
        arguments.reverse();
    }
    arguments
}

/// A library function's name with another signature is a function of the program's own.
pub(super) fn is_library_operation(call: Value, kind: FpKind) -> bool {
    ir::arguments(call)
        .iter()
        .chain([&call])
        .any(|value| shape::fp_kind(shape::scalar(ir::type_of(*value))) == Some(kind))
}
