//! Calls of Fortran's runtime library, which is not instrumented: what it moves, shadows are moved after; what it
//! computes is lost.

use lostbits_abi::{
    site::{Lost, What},
    symbols,
};

use super::Weaver;
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
pub fn moves_or_computes(weaver: &mut Weaver, call: Value, name: &str) -> bool {
    let Some(does) = does(name) else {
        return false;
    };
    let follow = match does {
        Does::Computes => {
            lose(weaver, call, name);
            return true;
        }
        Does::Assigns | Does::AssignsAndFrees => symbols::FORTRAN_ASSIGNED,
        Does::Appends => symbols::FORTRAN_PUSHED,
        Does::AppendsOne => symbols::FORTRAN_PUSHED_ONE,
    };
    match does {
        Does::AssignsAndFrees => weaver.builder.before(call),
        _ => weaver.after(call),
    }
    let b = weaver.builder;
    let follow = b.declare(follow, b.types.void, &[b.types.pointer, b.types.pointer]);
    b.call(follow, &[ir::operand(call, 0), ir::operand(call, 1)]);
    true
}

/// A result goes on with a fresh shadow; what was written to memory does so by itself.
fn lose(weaver: &mut Weaver, call: Value, name: &str) {
    let site = weaver.site_of_double(call, What::Lost(Lost::FortranLibrary), name);
    weaver.count(ir::parent_block(call), site, 1);
    if !weaver.leaves_of(call).is_empty() {
        weaver.after(call);
        let fresh = weaver.fresh(call);
        weaver.set(call, fresh);
    }
}
