//! Exponents and signs that are changed by integer operations: `frexp`, `ldexp` and the like, written with the bits of
//! a number. What they make of a value has its fraction still; that is checked when the program runs.
//!
//! # What it can miss
//!
//! At `-O0`, chains of several statements are followed only as long as each makes a number with that fraction.

use super::{FunctionInstrumenter, LeafShadow};
use crate::{
    ir::{self, Opcode, Value},
    shape,
};

/// The longest chain of operations that is looked through.
const MOST_LINKS: usize = 8;

impl FunctionInstrumenter<'_> {
    /// The integer that `value` may be a scaled form of, with its shadow. Moves the builder.
    pub(super) fn scaled_from(&mut self, value: Value) -> Option<(Value, LeafShadow)> {
        let root = root(value).filter(|_| self.domain.scaling().is_some())?;
        Some((root, self.bits_shadow(root)?))
    }

    /// The shadow of an integer whose bits are those of a scaled value; `otherwise` where they are not.
    pub(super) fn scaled(
        &mut self,
        value: Value,
        from: Option<(Value, LeafShadow)>,
        otherwise: LeafShadow,
    ) -> LeafShadow {
        from.and_then(|(root, words)| {
            let scaling = self.domain.scaling()?;
            scaling.rescale(self, (root, &words), value, &otherwise)
        })
        .unwrap_or(otherwise)
    }
}

/// The integer that `value` is made of by changing sign and exponent: a load, or the bits of a number.
fn root(value: Value) -> Option<Value> {
    let mut at = value;
    for _ in 0..MOST_LINKS {
        if !ir::is_instruction(at) {
            return None;
        }
        at = match ir::opcode(at) {
            Opcode::LLVMLoad | Opcode::LLVMBitCast if at != value => return Some(at),
            Opcode::LLVMAnd
            | Opcode::LLVMOr
            | Opcode::LLVMXor
            | Opcode::LLVMAdd
            | Opcode::LLVMSub => changed(at)?,
            _ => return None,
        };
    }
    None
}

/// The operand whose sign and exponent an operation changes.
fn changed(instruction: Value) -> Option<Value> {
    let [x, y] = [0, 1].map(|index| ir::operand(instruction, index));
    let fraction = fraction_bits(instruction)?;
    let mask = ir::splat_integer(y).map(|mask| mask & ((1 << fraction) - 1));
    match ir::opcode(instruction) {
        Opcode::LLVMAnd => (mask? == (1 << fraction) - 1).then_some(x),
        Opcode::LLVMSub => is_above(y, fraction).then_some(x),
        _ if is_above(y, fraction) => Some(x),
        _ if is_above(x, fraction) => Some(y),
        _ => None,
    }
}

/// Bits of the fraction of a format that has the integer's size.
fn fraction_bits(integer: Value) -> Option<u32> {
    match ir::int_width(shape::scalar(ir::type_of(integer))) {
        64 => Some(52),
        32 => Some(23),
        _ => None,
    }
}

/// Whether the lowest bits of an integer are zero, seen from how it is made.
fn is_above(value: Value, bits: u32) -> bool {
    if let Some(constant) = ir::splat_integer(value) {
        return constant.trailing_zeros() >= bits;
    }
    if !ir::is_instruction(value) {
        return false;
    }
    let number = |index| ir::splat_integer(ir::operand(value, index));
    match ir::opcode(value) {
        Opcode::LLVMShl => number(1).is_some_and(|shift| shift >= bits.into()),
        Opcode::LLVMAnd => number(1).is_some_and(|mask| mask.trailing_zeros() >= bits),
        _ => false,
    }
}

/// Whether an addition changes nothing but sign and exponent.
pub(super) fn scales(instruction: Value) -> bool {
    changed(instruction).is_some()
}
