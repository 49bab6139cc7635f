//! Operations of the table: instructions, intrinsics and calls of library functions.

use lostbits_abi::{
    ops::Op,
    site::{Lost, What},
};

use super::Weaver;
use crate::{
    domain::Operation,
    ir::{self, Opcode, Value},
    shape,
};

impl Weaver<'_> {
    pub(super) fn visit_operation(&mut self, instruction: Value) {
        if let Some(op) = opcode_name(ir::opcode(instruction)).and_then(Op::from_opcode) {
            self.operate(instruction, op, &ir::operands(instruction), "");
        } else {
            self.lose(instruction, Lost::UnknownOperation);
        }
    }

    /// Makes the shadow of an operation and lets the domain look at it. `library` names the function
    /// where the operation is a call of one.
    pub(super) fn operate(
        &mut self,
        instruction: Value,
        op: Op,
        operands: &[Value],
        library: &str,
    ) {
        let floating: Vec<Value> = std::iter::once(instruction)
            .chain(operands.iter().copied())
            .filter(|value| shape::is_floating(ir::type_of(*value)))
            .collect();
        if floating
            .iter()
            .any(|value| shape::fp_kind(ir::type_of(*value)).is_none())
        {
            return self.lose(instruction, Lost::Format);
        }
        // The widest format that takes part names the site: that of `float` to `double` is double.
        let leaves = floating.iter().flat_map(|value| self.leaves_of(*value));
        let Some(widest) = leaves.max_by_key(|leaf| leaf.kind) else {
            return self.lose(instruction, Lost::UnknownOperation);
        };
        let site = self.site(instruction, What::Operation(op), &widest, library);
        let demanded = demanded(instruction, shape::lanes(widest.ty));
        let used = demanded.iter().filter(|lane| **lane).count() as u32;
        self.count(ir::parent_block(instruction), site, used);
        let operands = (0..)
            .zip(operands)
            .filter(|(_, value)| shape::fp_kind(ir::type_of(**value)).is_some())
            .map(|(index, value)| (index, *value, self.leaf_shadow(*value)))
            .collect();
        self.after(self.place_of(instruction));
        let is_library_call = !library.is_empty();
        if is_library_call {
            self.guards.harmless.insert(instruction);
        }
        let operation = Operation {
            op,
            instruction,
            operands,
            is_library_call,
            site,
            demanded,
        };
        let domain = self.domain;
        let shadow = domain.operate(self, &operation);
        self.set(instruction, shadow);
    }
}

/// The lanes of a result that are used; where it is no vector, as many as the operands have.
fn demanded(result: Value, lanes: u32) -> Vec<bool> {
    match ir::type_kind(ir::type_of(result)) {
        ir::TypeKind::LLVMVectorTypeKind => shape::demanded_lanes(result),
        _ => vec![true; lanes as usize],
    }
}

/// The name of a floating-point instruction in the operation table.
fn opcode_name(opcode: Opcode) -> Option<&'static str> {
    use Opcode::*;
    Some(match opcode {
        LLVMFAdd => "fadd",
        LLVMFSub => "fsub",
        LLVMFMul => "fmul",
        LLVMFDiv => "fdiv",
        LLVMFRem => "frem",
        LLVMFNeg => "fneg",
        LLVMFCmp => "fcmp",
        LLVMFPExt => "fpext",
        LLVMFPTrunc => "fptrunc",
        LLVMFPToSI => "fptosi",
        LLVMFPToUI => "fptoui",
        LLVMSIToFP => "sitofp",
        LLVMUIToFP => "uitofp",
        _ => return None,
    })
}
