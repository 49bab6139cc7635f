//! Calls of Fortran's runtime library, which is not instrumented: what it moves, shadows are moved after; what it
//! computes is lost.

use lostbits_abi::{
    functions,
    site::{Lost, What},
};

use super::FunctionInstrumenter;
use crate::ir::{self, Value};

/// What the library does with arrays.
enum Does {
    /// Gives the second argument's elements to the first.
    Assigns,
    /// The same; what the second refers to is gone afterwards.
    AssignsAndFrees,
    Appends,
    AppendsOne,
    Computes,
}

const PREFIX: &str = "_FortranA";

fn does(name: &str) -> Option<Does> {
    let computes = [
        "Sum",
        "Product",
        "DotProduct",
        "Matmul",
        "Norm2",
        "Maxval",
        "Minval",
        "Reduce",
        "Transpose",
        "Spread",
        "Pack",
        "Unpack",
        "Cshift",
        "Eoshift",
    ];
    match name.strip_prefix(PREFIX)? {
        "Assign" | "AssignTemporary" | "AssignPolymorphic" | "CopyInAssign" | "Reshape" => {
            Some(Does::Assigns)
        }
        "CopyOutAssign" => Some(Does::AssignsAndFrees),
        "PushArrayConstructorValue" => Some(Does::Appends),
        "PushArrayConstructorSimpleScalar" => Some(Does::AppendsOne),
        rest if computes.iter().any(|name| rest.starts_with(name)) => Some(Does::Computes),
        _ => None,
    }
}

/// Whether a call was one of those.
pub fn moves_or_computes(cx: &mut FunctionInstrumenter, call: Value, name: &str) -> bool {
    let Some(does) = does(name) else {
        return false;
    };
    let follow = match does {
        Does::Computes => {
            stop_tracking(cx, call, name);
            return true;
        }
        Does::Assigns | Does::AssignsAndFrees => functions::FORTRAN_ASSIGNED,
        Does::Appends => functions::FORTRAN_APPENDED,
        Does::AppendsOne => functions::FORTRAN_APPENDED_ONE,
    };
    match does {
        Does::AssignsAndFrees => cx.builder.before(call),
        _ => cx.after(call),
    }
    let b = cx.builder;
    b.call_runtime(follow, &[ir::operand(call, 0), ir::operand(call, 1)]);
    true
}

/// A result goes on with a fresh shadow; what was written to memory does so by itself.
fn stop_tracking(cx: &mut FunctionInstrumenter, call: Value, name: &str) {
    let site = cx.site_of_double(call, What::Lost(Lost::FortranLibrary), name);
    cx.count(ir::parent_block(call), site, 1);
    if !cx.leaves_of(call).is_empty() {
        cx.after(call);
        let fresh = cx.fresh(call);
        cx.set(call, fresh);
    }
}
