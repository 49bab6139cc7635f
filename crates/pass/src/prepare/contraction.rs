//! Fuses multiplications with additions as the back end would, before anything is instrumented.
//!
//! Where a module is compiled with `contract` (flang's default, `-ffp-contract=fast`) for a processor
//! with fused multiply-add, the back end fuses a product into a sum if the sum is the product's only
//! use. Instrumentation adds uses: it would turn fusion off and so change what the program computes.
//! So the choice is made here, by the back end's own rules (LLVM's `DAGCombiner`,
//! `visitFADDForFMACombine` and `visitFSUBForFMACombine`, without the parts that need
//! reassociation), while the uses are still the program's.
//!
//! What it can miss: `-ffast-math` lets the back end rewrite more than this; a program compiled so may
//! round differently in its last bits when it is instrumented.

use crate::{
    builder::Builder,
    ir::{self, Function, Opcode, Value},
    shape,
};

pub fn contract(builder: &Builder, function: Function) {
    if !has_fused_multiply_add(function) {
        return;
    }
    for sum in ir::all_instructions(function) {
        let fused = match ir::opcode(sum) {
            _ if !ir::fast_math_allows_contraction(sum) => None,
            Opcode::LLVMFAdd => fuse_addition(builder, sum),
            Opcode::LLVMFSub => fuse_subtraction(builder, sum),
            _ => None,
        };
        if let Some(fused) = fused {
            let operands = ir::operands(sum);
            ir::replace(sum, fused);
            operands.into_iter().for_each(erase_unused_product);
        }
    }
}

/// A product that went into a fused operation is no operation of its own any more.
fn erase_unused_product(value: Value) {
    let is_part = ir::is_instruction(value)
        && matches!(ir::opcode(value), Opcode::LLVMFMul | Opcode::LLVMFNeg);
    if is_part && ir::uses(value).is_empty() {
        let mut operands = ir::operands(value);
        operands.dedup(); // of a square, both are the same
        ir::erase(value);
        operands.into_iter().for_each(erase_unused_product);
    }
}

pub fn has_fused_multiply_add(function: Function) -> bool {
    let features = ir::string_attribute(function, "target-features").unwrap_or_default();
    features
        .split(',')
        .any(|feature| ["+fma", "+fma4", "+avx512f"].contains(&feature))
}

fn fuse_addition(builder: &Builder, sum: Value) -> Option<Value> {
    let (a, b) = (ir::operand(sum, 0), ir::operand(sum, 1));
    // Of two products the one with fewer uses.
    let swap = is_product(a, sum) && is_product(b, sum) && ir::uses(a).len() > ir::uses(b).len();
    let (a, b) = if swap { (b, a) } else { (a, b) };
    let (product, other) = match (is_fusible(a, sum), is_fusible(b, sum)) {
        (true, _) => (a, b),
        (false, true) => (b, a),
        (false, false) => return None,
    };
    builder.before(sum);
    Some(fused(
        builder,
        ir::operand(product, 0),
        ir::operand(product, 1),
        other,
    ))
}

fn fuse_subtraction(builder: &Builder, difference: Value) -> Option<Value> {
    let (a, b) = (ir::operand(difference, 0), ir::operand(difference, 1));
    let both = is_product(a, difference) && is_product(b, difference);
    let second_first = both && ir::uses(a).len() > ir::uses(b).len();
    builder.before(difference);
    let first = || {
        is_fusible(a, difference).then(|| {
            fused(
                builder,
                ir::operand(a, 0),
                ir::operand(a, 1),
                builder.negate(b),
            )
        })
    };
    let second = || {
        is_fusible(b, difference).then(|| {
            fused(
                builder,
                builder.negate(ir::operand(b, 0)),
                ir::operand(b, 1),
                a,
            )
        })
    };
    let negated = || {
        let product = (ir::is_instruction(a) && ir::opcode(a) == Opcode::LLVMFNeg)
            .then(|| ir::operand(a, 0))?;
        (ir::has_one_use(a) && is_fusible(product, difference)).then(|| {
            let (x, y) = (ir::operand(product, 0), ir::operand(product, 1));
            fused(builder, builder.negate(x), y, builder.negate(b))
        })
    };
    match second_first {
        true => second().or_else(first),
        false => first().or_else(second),
    }
    .or_else(negated)
}

/// A contractable product, in the block that the back end considers.
fn is_product(value: Value, user: Value) -> bool {
    ir::is_instruction(value)
        && ir::opcode(value) == Opcode::LLVMFMul
        && ir::fast_math_allows_contraction(value)
        && ir::parent_block(value) == ir::parent_block(user)
        && matches!(
            shape::fp_kind(ir::type_of(value)),
            Some(lostbits_abi::kind::FpKind::Float | lostbits_abi::kind::FpKind::Double)
        )
}

fn is_fusible(value: Value, user: Value) -> bool {
    is_product(value, user) && ir::has_one_use(value)
}

fn fused(builder: &Builder, x: Value, y: Value, z: Value) -> Value {
    builder.intrinsic("llvm.fma", &[ir::type_of(x)], &[x, y, z])
}
