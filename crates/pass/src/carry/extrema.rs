//! The larger or smaller of two numbers, written as a comparison and a select.
//!
//! As an operation it has a shadow of its own: the larger of the two reals, whichever number the program chose. So it is no
//! decision, and what follows is still what exact arithmetic computes.

use lostbits_abi::ops::Op;

use super::FunctionInstrumenter;
use crate::ir::{self, Opcode, RealPredicate::*, Value};

impl FunctionInstrumenter<'_> {
    /// Whether an instruction is a comparison that serves nothing but extrema.
    pub(super) fn only_finds_extrema(&self, instruction: Value) -> bool {
        if !self.domain.knows_extrema() || ir::opcode(instruction) != Opcode::LLVMFCmp {
            return false;
        }
        let users = ir::uses(instruction);
        let is_extremum = |user: &Value| {
            ir::opcode(*user) == Opcode::LLVMSelect
                && ir::operand(*user, 0) == instruction
                && extremum(*user).is_some()
        };
        !users.is_empty() && users.iter().all(is_extremum)
    }

    /// Treats the select as an operation, if it is one for this domain.
    pub(super) fn visit_extremum(&mut self, select: Value) -> bool {
        let op = match self.domain.knows_extrema() {
            true => extremum(select),
            false => None,
        };
        if let Some(op) = op {
            let operands = [ir::operand(select, 1), ir::operand(select, 2)];
            self.operate(select, op, &operands, "");
        }
        op.is_some()
    }
}

/// The operation that a select between the two numbers that were compared is.
fn extremum(select: Value) -> Option<Op> {
    let comparison = ir::operand(select, 0);
    if !ir::is_instruction(comparison) || ir::opcode(comparison) != Opcode::LLVMFCmp {
        return None;
    }
    let [x, y] = [0, 1].map(|index| ir::operand(comparison, index));
    let [yes, no] = [1, 2].map(|index| ir::operand(select, index));
    let is_larger = match ir::predicate(comparison) {
        LLVMRealOGT | LLVMRealOGE | LLVMRealUGT | LLVMRealUGE => true,
        LLVMRealOLT | LLVMRealOLE | LLVMRealULT | LLVMRealULE => false,
        _ => return None,
    };
    match (yes == x && no == y, yes == y && no == x) {
        (false, false) => None,
        (is_first, _) if is_first == is_larger => Some(Op::Fmax),
        _ => Some(Op::Fmin),
    }
}
