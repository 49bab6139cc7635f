//! Calls of Fortran's runtime library, which is not instrumented: what it moves, shadows are moved after; what it
//! computes is lost.

use lostbits_abi::{
    functions,
    site::{Lost, What},
};

use super::FunctionInstrumenter;
use crate::{
    builder,
    ir::{self, Value},
};

/// What the library does with arrays.
enum Does {
    /// Gives the second argument's elements to the first.
    Assigns,
    /// The same; what the second refers to is gone afterwards.
    AssignsAndFrees,
    Appends,
    AppendsOne,
    /// Makes the first argument's elements of those of the second and of another argument, if there is an index for it.
    Rearranges(Option<u32>),
    /// Returns an element of the first argument.
    Chooses,
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
    ];
    match name.strip_prefix(PREFIX)? {
        "Assign" | "AssignTemporary" | "AssignPolymorphic" | "CopyInAssign" | "Reshape" => {
            Some(Does::Assigns)
        }
        "CopyOutAssign" => Some(Does::AssignsAndFrees),
        "Transpose" | "Spread" | "Cshift" | "CshiftVector" => Some(Does::Rearranges(None)),
        "MaxvalDim" | "MinvalDim" => Some(Does::Rearranges(None)),
        // The vector that fills up, the field, the boundary.
        "Pack" | "Unpack" | "Eoshift" | "EoshiftVector" => Some(Does::Rearranges(Some(3))),
        "MaxvalReal4" | "MaxvalReal8" | "MinvalReal4" | "MinvalReal8" => Some(Does::Chooses),
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
        Does::Rearranges(other) => {
            rearranged(cx, call, other);
            return true;
        }
        Does::Chooses => {
            chosen(cx, call);
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

fn rearranged(cx: &mut FunctionInstrumenter, call: Value, other: Option<u32>) {
    cx.after(call);
    let b = cx.builder;
    let other = other.map_or(builder::null(b.types.pointer), |index| {
        ir::operand(call, index)
    });
    let (to, from) = (ir::operand(call, 0), ir::operand(call, 1));
    b.call_runtime(functions::FORTRAN_REARRANGED, &[to, from, other]);
}

/// The result has the shadow of the element it is; to find that, it is put into memory.
fn chosen(cx: &mut FunctionInstrumenter, call: Value) {
    let b = cx.builder;
    let ty = ir::type_of(call);
    let entry = ir::first_insertion_point(ir::entry(cx.function));
    let memory = b.alloca_at(entry, ty, 16);
    cx.after(call);
    b.store(call, memory, 16);
    b.call_runtime(functions::FORTRAN_CHOSEN, &[memory, ir::operand(call, 0)]);
    let found = b.load(ty, memory, 16);
    cx.visit_load(found);
    let shadow = cx.shadow(found);
    cx.set(call, shadow);
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
