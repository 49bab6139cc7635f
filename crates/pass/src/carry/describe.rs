//! Names of an operation's operands, for the site table.

use lostbits_abi::{ops::Op, site::What};

use super::{FunctionInstrumenter, library::operands_of_call};
use crate::{
    ir::{self, TypeKind, Value},
    operand_names::{OperandName, of_any_element},
    shape,
};

/// An operation in an expression has no more operands.
const MOST_OPERANDS: usize = 3;

impl FunctionInstrumenter<'_> {
    /// Records what a report says of an operation besides its source location.
    pub(super) fn describe(&mut self, instruction: Value, what: What, site: u32) {
        let What::Operation(op) = what else { return };
        if !self.domain.describes_operations() {
            return;
        }
        self.module.sites.note_caller(site, instruction, what);
        self.name_operands(instruction, op, site);
    }

    /// What the arguments of the function are called that returns at `instruction`.
    pub fn name_arguments(&mut self, instruction: Value, site: u32, arguments: &[Value]) {
        let names: Vec<Option<OperandName>> = arguments
            .iter()
            .map(|argument| name(instruction, *argument))
            .collect();
        self.module.sites.name_operands(site, &names, false);
    }

    /// What the operands are called, in the order in which expressions have them.
    fn name_operands(&mut self, instruction: Value, op: Op, site: u32) {
        let operands = match ir::is_call(instruction) {
            true => operands_of_call(instruction),
            false => ir::operands(instruction),
        };
        let names: Vec<Option<OperandName>> = operands
            .into_iter()
            .filter(|operand| is_number(*operand))
            .take(MOST_OPERANDS)
            .map(|operand| name(instruction, operand))
            .collect();
        let commutes = matches!(op, Op::Add | Op::Mul | Op::Fma | Op::MulAdd);
        self.module.sites.name_operands(site, &names, commutes);
    }
}

/// The name of an operand; the lanes of a vector are elements of one array.
fn name(instruction: Value, operand: Value) -> Option<OperandName> {
    if let Some(number) = ir::literal(instruction, operand) {
        return Some(OperandName::Literal(number));
    }
    let mut name = ir::value_name(instruction, operand)?;
    if shape::lanes(ir::type_of(operand)) > 1 {
        name.text = of_any_element(&name.text);
    }
    Some(OperandName::Variable(name))
}

/// Pointers take results, and single bits are switches.
fn is_number(operand: Value) -> bool {
    let ty = ir::type_of(operand);
    let scalar = shape::scalar(ty);
    let is_integer = ir::type_kind(scalar) == TypeKind::LLVMIntegerTypeKind;
    shape::fp_kind(ty).is_some() || (is_integer && ir::int_width(scalar) > 1)
}
