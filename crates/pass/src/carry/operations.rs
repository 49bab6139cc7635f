//! Operations of the table: instructions, intrinsics and calls of library functions.

use lostbits_abi::{
    ops::Op,
    site::{Lost, What},
};

use super::{FunctionInstrumenter, Operation, library::is_library_operation};
use crate::{
    ir::{self, Opcode, Value},
    prepare::folded,
    shape,
};

impl FunctionInstrumenter<'_> {
    /// Observes operations only: for a domain without shadows.
    pub(super) fn observe_operations(mut self) {
        let blocks = ir::reverse_postorder(self.function);
        let program: Vec<Value> = blocks.into_iter().flat_map(ir::instructions).collect();
        let domain = self.domain;
        domain.observe_function(&mut self, &program);
        for instruction in program {
            if let Some((op, operands, library)) = operation_of(instruction) {
                self.operate(instruction, op, &operands, &library);
            }
        }
        self.emit_detours();
        self.emit_checks();
        self.resolve_anchors();
    }

    /// Notes that the back end may reassociate operations, which it does otherwise where shadow code uses their results.
    pub(super) fn note_reassociation(&mut self, program: &[Vec<Value>]) {
        if !self.domain.describes_operations() || ir::has_attribute(self.function, "optnone") {
            return;
        }
        let mut instructions = program.iter().flatten();
        let first = instructions.find(|at| ir::fast_math_allows_reassociation(**at));
        if let Some(first) = first {
            let site = self.site_of_double(*first, What::Lost(Lost::Reassociated), "");
            self.count(ir::entry(self.function), site, 1);
        }
    }

    /// Notes that the optimiser computed a part of the function's arithmetic.
    pub(super) fn note_folding(&mut self, program: &[Vec<Value>]) {
        let Some(written) = &self.module.written_constants else {
            return;
        };
        let mut instructions = program.iter().flatten();
        let first = instructions.find(|at| folded::uses_folded(**at, written));
        if let Some(first) = first.copied() {
            let site = self.site_of_double(first, What::Lost(Lost::Folded), "");
            self.count(ir::entry(self.function), site, 1);
        }
    }

    pub(super) fn visit_operation(&mut self, instruction: Value) {
        if self.only_finds_extrema(instruction) {
            return;
        }
        if let Some(op) = opcode_name(ir::opcode(instruction)).and_then(Op::from_opcode) {
            self.operate(instruction, op, &ir::operands(instruction), "");
        } else {
            self.stop_tracking(instruction, Lost::UnknownOperation);
        }
    }

    /// Lets the domain make the shadow of an operation. `library` names the function
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
            return self.stop_tracking(instruction, Lost::Format);
        }
        // The widest format that takes part names the site: that of `float` to `double` is double.
        let leaves = floating.iter().flat_map(|value| self.leaves_of(*value));
        let Some(widest) = leaves.max_by_key(|leaf| leaf.kind) else {
            return self.stop_tracking(instruction, Lost::UnknownOperation);
        };
        let site = self.site(instruction, What::Operation(op), &widest, library);
        let demanded = demanded(instruction, shape::lanes(widest.ty));
        let used = demanded.iter().filter(|lane| **lane).count() as u32;
        self.count_operation(instruction, site, used);
        if self.domain.marks_entered(op) {
            self.mark_entered(site);
        }
        let operands = (0..)
            .zip(operands)
            .filter(|(_, value)| shape::fp_kind(ir::type_of(**value)).is_some())
            .map(|(index, value)| (index, *value, self.leaf_shadow(*value)))
            .collect();
        self.after(self.judged_after(instruction));
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
        if domain.has_shadows() {
            self.set(instruction, shadow);
        }
    }
}

/// The operation that an instruction is, with its operands and the library function it calls.
fn operation_of(instruction: Value) -> Option<(Op, Vec<Value>, String)> {
    if !ir::is_call(instruction) {
        let op = Op::from_opcode(opcode_name(ir::opcode(instruction))?)?;
        return Some((op, ir::operands(instruction), String::new()));
    }
    let function = ir::as_function(ir::callee(instruction))?;
    // Behind an invoke or a tail call there is no room.
    if ir::opcode(instruction) != Opcode::LLVMCall || ir::is_must_tail(instruction) {
        return None;
    }
    let arguments = ir::arguments(instruction);
    match ir::intrinsic_name(function) {
        Some(name) => Some((Op::from_intrinsic(name)?, arguments, String::new())),
        None if !ir::is_declaration(function) => None,
        None => {
            let name = ir::name(function);
            let (op, kind) = Op::from_library(&name)?;
            is_library_operation(instruction, kind).then_some((op, arguments, name))
        }
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
