//! Gives undefined values one, where the domain compares lanes that the program never uses.
//!
//! Any value is right for an undefined one; but a value and its shadow must be given the same.

use crate::{
    builder::{self, Builder},
    ir::{self, Function, Opcode, Type, Value},
};

pub fn define_values(builder: &Builder, function: Function) {
    for instruction in ir::all_instructions(function) {
        let instruction = match ir::opcode(instruction) {
            Opcode::LLVMShuffleVector => define_shuffle(builder, instruction),
            _ => instruction,
        };
        if !ir::is_instruction(instruction) {
            continue; // folded into a constant
        }
        for (index, operand) in (0..).zip(ir::operands(instruction)) {
            if ir::is_undefined(operand) && is_plain(ir::type_of(operand)) {
                ir::set_operand(instruction, index, builder::null(ir::type_of(operand)));
            }
        }
    }
}

fn is_plain(ty: Type) -> bool {
    use ir::TypeKind::*;
    !matches!(
        ir::type_kind(ty),
        LLVMTokenTypeKind | LLVMMetadataTypeKind | LLVMLabelTypeKind
    )
}

/// The shuffle with all its lanes defined: itself, or what was put in its place.
fn define_shuffle(builder: &Builder, shuffle: Value) -> Value {
    let mask = ir::shuffle_mask(shuffle);
    if mask.iter().all(|lane| *lane >= 0) {
        return shuffle;
    }
    let defined: Vec<i32> = mask.into_iter().map(|lane| lane.max(0)).collect();
    builder.after(shuffle);
    let copy = builder.shuffle(ir::operand(shuffle, 0), ir::operand(shuffle, 1), &defined);
    ir::replace(shuffle, copy);
    copy
}
