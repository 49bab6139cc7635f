//! Makes negations and absolute values of the sign-bit tricks that compute them.
//!
//! Programs flip, clear or set the sign of a value through its bits. Seen as integers such operations are
//! only moved bits; seen as what they are, domains can treat them like any other operation. The
//! result has the same bits, NaNs included.

use crate::{
    builder::Builder,
    ir::{self, Function, Opcode, Value},
    shape,
};

pub fn recognise_sign_operations(builder: &Builder, function: Function) {
    for cast in ir::all_instructions(function) {
        if ir::opcode(cast) == Opcode::LLVMBitCast
            && let Some(sign_operation) = sign_operation(builder, cast)
        {
            ir::replace(cast, sign_operation);
        }
    }
}

/// Recognises `bits as fp` where `bits` are those of a value of the same type with the sign changed.
fn sign_operation(builder: &Builder, cast: Value) -> Option<Value> {
    let ty = ir::type_of(cast);
    let width = shape::fp_kind(ty)?.storage_bits();
    let bits = ir::operand(cast, 0);
    let is_bitwise = ir::is_instruction(bits)
        && matches!(
            ir::opcode(bits),
            Opcode::LLVMXor | Opcode::LLVMAnd | Opcode::LLVMOr
        );
    if width > 64 || !is_bitwise {
        return None;
    }
    let source = ir::operand(bits, 0);
    let is_same_value = ir::is_instruction(source)
        && ir::opcode(source) == Opcode::LLVMBitCast
        && ir::type_of(ir::operand(source, 0)) == ty;
    if !is_same_value {
        return None;
    }
    let value = ir::operand(source, 0);
    let sign = 1u64 << (width - 1);
    let mask = ir::splat_integer(ir::operand(bits, 1))?;
    builder.before(cast);
    let absolute = || builder.intrinsic("llvm.fabs", &[ty], &[value]);
    match ir::opcode(bits) {
        Opcode::LLVMXor if mask == sign => Some(builder.negate(value)),
        Opcode::LLVMAnd if mask == sign - 1 => Some(absolute()),
        Opcode::LLVMOr if mask == sign => Some(builder.negate(absolute())),
        _ => None,
    }
}
