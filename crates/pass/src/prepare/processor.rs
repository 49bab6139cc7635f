//! Lets a domain that computes use what this machine's processor has: fused multiply-add and three-operand
//! instructions halve the price of residues.
//!
//! The program must not notice. `fmuladd`, which means "fused if that is fast", is taken apart first where the program
//! was compiled for a processor without; functions that may be contracted by the back end, and those
//! that pass wide vectors (in other registers, with AVX), stay as they are.

use crate::{
    builder::Builder,
    ir::{self, Function, Layout, Opcode, Value},
    shape,
};

/// What a domain has use for.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Features {
    /// Three-operand instructions and comparisons of wide lanes, for domains that only compute with integers. Nothing
    /// that the program computes can come out otherwise by them.
    Vectors,
    /// Fused multiply-add too.
    Fused,
}

impl Features {
    fn features(self) -> &'static str {
        match self {
            Features::Vectors => "+avx,+avx2",
            Features::Fused => "+avx,+avx2,+fma",
        }
    }
}

/// Whether this machine has what is used here. Programs are analysed where they are compiled; the runtime
/// checks it again.
pub fn machine_supports_features() -> bool {
    std::arch::is_x86_feature_detected!("fma") && std::arch::is_x86_feature_detected!("avx2")
}

/// Whether the processor that a function is compiled for has minimums of unsigned 32-bit lanes.
pub fn has_vector_minimum(function: Function) -> bool {
    let features = ir::string_attribute(function, "target-features").unwrap_or_default();
    features
        .split(',')
        .any(|feature| ["+sse4.1", "+avx", "+avx2"].contains(&feature))
}

/// Raises a function to this machine's features; gives whether it did.
pub fn raise_features(builder: &Builder, layout: Layout, function: Function, to: Features) -> bool {
    let features = ir::string_attribute(function, "target-features").unwrap_or_default();
    let has = |name: &str| features.split(',').any(|feature| feature == name);
    let forbidden = features
        .split(',')
        .any(|feature| ["-avx", "-avx2", "-fma", "+soft-float"].contains(&feature));
    let has_all = has("+fma") || (to == Features::Vectors && has("+avx2"));
    if has_all || forbidden || !machine_supports_features() {
        return false;
    }
    let instructions: Vec<Value> = ir::blocks(function)
        .into_iter()
        .flat_map(ir::instructions)
        .collect();
    let own = std::iter::once(function);
    let in_the_way = |at: &Value| {
        (to == Features::Fused && ir::fast_math_allows_contraction(*at))
            || (ir::is_call(*at) && passes_wide_vectors(layout, *at))
    };
    if own.clone().any(|at| is_wide_function(layout, at)) || instructions.iter().any(in_the_way) {
        return false;
    }
    for instruction in instructions {
        if to == Features::Fused && is_muladd(instruction) {
            expand_muladd(builder, instruction);
        }
    }
    let raised = match features.is_empty() {
        true => to.features().to_owned(),
        false => format!("{features},{}", to.features()),
    };
    ir::set_string_attribute(function, "target-features", &raised);
    true
}

fn is_wide_function(layout: Layout, function: Function) -> bool {
    let ty = ir::function_type(function);
    ir::parameter_types(ty)
        .into_iter()
        .chain([ir::return_type(ty)])
        .any(|ty| holds_wide_vector(layout, ty))
}

fn passes_wide_vectors(layout: Layout, call: Value) -> bool {
    let is_intrinsic = ir::as_function(ir::callee(call))
        .and_then(ir::intrinsic_name)
        .is_some();
    !is_intrinsic
        && ir::arguments(call)
            .into_iter()
            .chain([call])
            .any(|value| holds_wide_vector(layout, ir::type_of(value)))
}

fn holds_wide_vector(layout: Layout, ty: ir::Type) -> bool {
    match ir::type_kind(ty) {
        ir::TypeKind::LLVMVectorTypeKind => layout.bits(ty) > 128,
        _ => shape::leaves(layout, ty)
            .iter()
            .any(|leaf| layout.bits(leaf.ty) > 128),
    }
}

fn is_muladd(instruction: Value) -> bool {
    ir::is_call(instruction)
        && ir::as_function(ir::callee(instruction)).and_then(ir::intrinsic_name)
            == Some("llvm.fmuladd")
}

fn expand_muladd(builder: &Builder, muladd: Value) {
    builder.before(muladd);
    let [x, y, z] = [0, 1, 2].map(|index| ir::operand(muladd, index));
    let product = builder.binary(Opcode::LLVMFMul, x, y);
    let sum = builder.binary(Opcode::LLVMFAdd, product, z);
    ir::replace(muladd, sum);
}
