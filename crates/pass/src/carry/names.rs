//! What the program calls the operands of an operation; written into the site table, so that expressions speak of the
//! program's variables. The names themselves come from `names.cpp`.
//!
//! Copies of an operation (inlined, unrolled) are one site: a name is kept only if they agree on it. Names of the
//! function in which the operation stands count more than those of a function that it was inlined into, and an element
//! with an index more than one whose index nobody knows.

use lostbits_abi::{mode::Mode, site::What};

use crate::{
    carry::Weaver,
    ir::{self, TypeKind, Value, ValueName},
    shape,
};

/// Stands in a name for an index that no variable holds.
const UNKNOWN: char = '…';
/// An operation in an expression has no more operands.
const MOST_OPERANDS: usize = 3;

/// Joined over the copies of an operation.
#[derive(Default)]
pub struct OperandNames(Vec<Joined>);

#[derive(Clone, Default)]
struct Joined {
    rank: u8,
    /// Empty if copies differ.
    text: String,
}

fn rank(name: &ValueName) -> u8 {
    match (name.is_own, name.text.contains(UNKNOWN)) {
        (true, false) => 4,
        (true, true) => 3,
        (false, false) => 2,
        (false, true) => 1,
    }
}

impl OperandNames {
    pub fn join(&mut self, names: &[Option<ValueName>]) {
        let longest = self.0.len().max(names.len());
        self.0.resize(longest, Joined::default());
        for (known, name) in self.0.iter_mut().zip(names) {
            if let Some(name) = name {
                known.join(name);
            }
        }
    }

    /// None at all if no operand has one.
    pub fn into_texts(self) -> Vec<String> {
        let texts: Vec<String> = self.0.into_iter().map(|name| name.text).collect();
        match texts.iter().all(String::is_empty) {
            true => Vec::new(),
            false => texts,
        }
    }
}

impl Joined {
    fn join(&mut self, name: &ValueName) {
        let rank = rank(name);
        if rank > self.rank {
            *self = Joined {
                rank,
                text: name.text.clone(),
            };
        } else if rank == self.rank && name.text != self.text {
            self.text.clear();
        }
    }
}

impl Weaver<'_> {
    /// Notes what the operands of an operation are called, in the order in which expressions have them.
    pub(crate) fn name_operands(&mut self, instruction: Value, what: What, site: u32) {
        let makes_expressions = matches!(self.domain.mode(), Mode::Explain | Mode::ExplainReals);
        if !makes_expressions || !matches!(what, What::Operation(_)) {
            return;
        }
        let operands = match ir::is_call(instruction) {
            true => ir::arguments(instruction),
            false => ir::operands(instruction),
        };
        let names: Vec<Option<ValueName>> = operands
            .into_iter()
            .filter(|operand| is_number(*operand))
            .take(MOST_OPERANDS)
            .map(|operand| ir::value_name(instruction, operand))
            .collect();
        self.module.sites.name_operands(site, &names);
    }
}

/// Pointers take results, and single bits are switches.
fn is_number(operand: Value) -> bool {
    let ty = ir::type_of(operand);
    let scalar = shape::scalar(ty);
    let is_integer = ir::type_kind(scalar) == TypeKind::LLVMIntegerTypeKind;
    shape::fp_kind(ty).is_some() || (is_integer && ir::int_width(scalar) > 1)
}
