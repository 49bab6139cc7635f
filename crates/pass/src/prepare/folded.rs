//! Constants that the optimiser computed: part of the program's arithmetic is gone before there is anything to instrument.
//!
//! Before anything is optimised, the significands of all constants are noted. At the end a constant with another significand is the
//! result of operations that were folded, and that rounded: exact operations on short numbers make short ones.
//!
//! # What it can miss
//!
//! Folded results that are short, or have the significand of another constant by chance; what a front end computes.

use std::{
    collections::{HashMap, HashSet},
    sync::{Mutex, PoisonError},
};

use lostbits_abi::kind::FpKind;

use crate::{
    ir::{self, Module, Value},
    shape,
};

/// By module: compilers may compile several at once.
static WRITTEN: Mutex<Option<HashMap<usize, HashSet<u64>>>> = Mutex::new(None);

/// Notes the constants of a module as it was written.
pub fn remember(module: Module) {
    let mut written = HashSet::new();
    let initialisers = ir::globals(module).into_iter().filter_map(ir::initialiser);
    for value in initialisers.chain(operands(module)) {
        for number in numbers(value) {
            written.insert(significand(number));
            // A double may be cut to a float.
            written.insert(significand(f64::from(number as f32)));
        }
    }
    let mut all = WRITTEN.lock().unwrap_or_else(PoisonError::into_inner);
    all.get_or_insert_default()
        .insert(module.address(), written);
}

/// Significands of a module's constants before it was optimised; none if [`remember`] did not run.
pub fn recall(module: Module) -> Option<HashSet<u64>> {
    let mut all = WRITTEN.lock().unwrap_or_else(PoisonError::into_inner);
    all.as_mut()?.remove(&module.address())
}

/// Whether an instruction uses a number that only the optimiser can have computed.
pub fn uses_folded(instruction: Value, written: &HashSet<u64>) -> bool {
    ir::operands(instruction).into_iter().any(|operand| {
        let least = match shape::fp_kind(ir::type_of(operand)) {
            Some(FpKind::Double) => LONG_DOUBLE_BITS,
            Some(FpKind::Float) => LONG_FLOAT_BITS,
            _ => return false,
        };
        let is_folded =
            |number: &f64| bits(*number) >= least && !written.contains(&significand(*number));
        numbers(operand).iter().any(is_folded)
    })
}

/// Significant bits from which a constant is too long to be the exact result of an operation on short ones.
const LONG_DOUBLE_BITS: u32 = 32;
const LONG_FLOAT_BITS: u32 = 18;

const FRACTION: u64 = (1 << 52) - 1;

/// Numbers that differ by a sign or a power of two count as one: such factors are exact.
fn significand(number: f64) -> u64 {
    number.to_bits() & FRACTION
}

fn bits(number: f64) -> u32 {
    match number.is_normal() {
        true => 53 - significand(number).trailing_zeros().min(52),
        false => 0,
    }
}

fn operands(module: Module) -> impl Iterator<Item = Value> {
    let functions = ir::functions(module).into_iter();
    let instructions = functions.flat_map(ir::all_instructions);
    instructions.flat_map(ir::operands)
}

/// The numbers of a constant: of itself, or of its elements.
fn numbers(value: Value) -> Vec<f64> {
    match ir::constant_real(value) {
        Some(number) => vec![number],
        None => ir::elements_of_constant(value)
            .into_iter()
            .flat_map(numbers)
            .collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rounded_results_are_long() {
        let product = std::hint::black_box(0.1) * 3.0;
        assert!(bits(product) >= LONG_DOUBLE_BITS);
        assert_ne!(significand(product), significand(0.1));
        assert_eq!(significand(-0.2), significand(0.1));
        for short in [0.0, 1.5, 1e9, -48.0, f64::INFINITY, f64::NAN] {
            assert!(bits(short) < LONG_DOUBLE_BITS, "{short}");
        }
    }
}
