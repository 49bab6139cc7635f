//! Which code is so large that shadow code should be calls.
//!
//! In line, each operation has a hundred instructions and splits its block. Much of the back end's work grows faster than
//! the number of blocks, and straight-line code of hundreds of operations has too many values for registers
//! anyway. Small loops stay in line in large functions, too: they are what a run spends its time in.

use std::collections::HashSet;

use super::FunctionInstrumenter;
use crate::{
    ir::{self, Block, Function, Opcode, Type, TypeKind, Value},
    shape,
};

/// Operations of a block that is large by itself, and of a large function.
const LARGE_BLOCK: usize = 64;
const LARGE_FUNCTION: usize = 600;

/// What a function has.
#[derive(Default)]
pub struct Sizes {
    large_blocks: HashSet<Block>,
    has_wide_vectors: bool,
}

impl Sizes {
    /// Of a function that is not instrumented yet.
    pub fn of(function: Function, blocks: &[Block], program: &[Vec<Value>]) -> Sizes {
        let sizes: Vec<usize> = program
            .iter()
            .map(|block| block.iter().filter(|at| computes(**at)).count())
            .collect();
        let is_large_function = sizes.iter().sum::<usize>() >= LARGE_FUNCTION;
        let is_large = |block: Block, size: usize| {
            size >= LARGE_BLOCK || is_large_function && !ir::successors(block).contains(&block)
        };
        let large = blocks.iter().zip(sizes);
        let large = large.filter(|(block, size)| is_large(**block, *size));
        let instructions = program.iter().flatten().copied();
        let mut values = instructions.chain(ir::parameters(function));
        Sizes {
            large_blocks: large.map(|(block, _)| *block).collect(),
            has_wide_vectors: values.any(|value| is_wide(ir::type_of(value))),
        }
    }
}

impl FunctionInstrumenter<'_> {
    /// Whether the builder is in a block of the program's that is large, or part of a large function.
    pub fn is_large_here(&self) -> bool {
        self.sizes
            .large_blocks
            .contains(&self.builder.insert_block())
    }

    /// Whether values, or their shadows, are vectors of more than 128 bits.
    pub fn has_wide_vectors(&self) -> bool {
        self.sizes.has_wide_vectors
    }
}

/// A shadow has doubles for a vector of any format. Of structures and arrays it is enough that they have vectors.
fn is_wide(ty: Type) -> bool {
    match ir::type_kind(ty) {
        TypeKind::LLVMVectorTypeKind => ir::vector_length(ty) > 2,
        TypeKind::LLVMStructTypeKind | TypeKind::LLVMArrayTypeKind => {
            ir::type_text(ty).contains('<')
        }
        _ => false,
    }
}

fn computes(instruction: Value) -> bool {
    use Opcode::*;
    match ir::opcode(instruction) {
        LLVMFAdd | LLVMFSub | LLVMFMul | LLVMFDiv => true,
        LLVMCall => shape::fp_kind(ir::type_of(instruction)).is_some(),
        _ => false,
    }
}
