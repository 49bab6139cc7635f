//! Whether two compared values are the same computation on the same operands (the paper's I1): then they are
//! equal in exact arithmetic too, and it does not matter how near they are.
//!
//! A search remembers the best value so far and meets it again: one operand of the comparison is what some
//! place of the program computed, the other what the same place computed earlier and phis carried on. Where
//! that is so, both get a *fingerprint*, made of the place and the bits of the operands it had. Equal values
//! with equal fingerprints are the same computation.
//!
//! What it can miss: values that go through memory (all of them, without optimisation); operands that are
//! equal but have different errors; what a called function reads from memory is no operand.

use std::collections::HashMap;

use crate::{
    builder,
    carry::Weaver,
    ir::{self, Opcode, Value},
    shape,
};

/// How many values are looked at before it is given up.
const MOST_STEPS: usize = 16;

/// The fingerprints of two values, if they may come from the same place.
pub fn fingerprints(weaver: &mut Weaver, values: [Value; 2]) -> Option<[Value; 2]> {
    if values
        .iter()
        .any(|value| shape::lanes(ir::type_of(*value)) != 1)
    {
        return None;
    }
    let [of_x, of_y] = values.map(sources);
    let places =
        |sources: &[Value]| -> Vec<u64> { sources.iter().filter_map(|at| place(*at)).collect() };
    let of_y = places(&of_y);
    let is_shared = places(&of_x).iter().any(|place| of_y.contains(place));
    let is_carried = values
        .iter()
        .any(|value| ir::is_instruction(*value) && ir::is_phi(*value));
    if !is_shared || !is_carried {
        return None;
    }
    let mut known = HashMap::new();
    Some(values.map(|value| fingerprint(weaver, value, &mut known)))
}

/// Where a value comes from, through phis and selects.
fn sources(value: Value) -> Vec<Value> {
    let mut seen = vec![value];
    let mut next = 0;
    while next < seen.len() && seen.len() <= MOST_STEPS {
        let at = seen[next];
        next += 1;
        for from in carried_from(at) {
            if !seen.contains(&from) {
                seen.push(from);
            }
        }
    }
    seen.retain(|at| carried_from(*at).is_empty());
    seen
}

/// The values one of which a phi or select is.
fn carried_from(value: Value) -> Vec<Value> {
    if !ir::is_instruction(value) {
        return Vec::new();
    }
    match ir::opcode(value) {
        Opcode::LLVMPHI => ir::incoming(value)
            .into_iter()
            .map(|(from, _)| from)
            .collect(),
        Opcode::LLVMSelect => vec![ir::operand(value, 1), ir::operand(value, 2)],
        _ => Vec::new(),
    }
}

/// A number for the place in the source where something is computed; copies of code have the same.
fn place(value: Value) -> Option<u64> {
    if !ir::is_instruction(value) || !computes(value) {
        return None;
    }
    let location = ir::location(value)?;
    let words = [u64::from(location.line), u64::from(location.column)];
    let text = location.file.bytes().map(u64::from);
    Some(text.chain(words).fold(ir::opcode(value) as u64 + 1, mixed))
}

fn computes(value: Value) -> bool {
    use Opcode::*;
    matches!(
        ir::opcode(value),
        LLVMFAdd | LLVMFSub | LLVMFMul | LLVMFDiv | LLVMFNeg | LLVMCall
    )
}

fn mixed(hash: u64, word: u64) -> u64 {
    (hash ^ word).wrapping_mul(FACTOR).rotate_left(29)
}

const FACTOR: u64 = 0x9e37_79b9_7f4a_7c15;

/// Zero stands for a value that is not followed. Made beside the value, whether it is needed or not.
fn fingerprint(weaver: &mut Weaver, value: Value, known: &mut HashMap<Value, Value>) -> Value {
    let i64 = weaver.builder.types.i64;
    if let Some(print) = known.get(&value) {
        return *print;
    }
    let from = carried_from(value);
    if !from.is_empty() && ir::is_phi(value) {
        let phi = weaver.builder.phi(i64, ir::parent_block(value));
        weaver.keep_in_place(phi);
        known.insert(value, phi);
        for (incoming, block) in ir::incoming(value) {
            let print = fingerprint(weaver, incoming, known);
            ir::add_incoming(phi, print, block);
        }
        return phi;
    }
    let print = match (from.is_empty(), place(value)) {
        (false, _) => {
            let [a, b] = [0, 1].map(|index| fingerprint(weaver, from[index], known));
            weaver.builder.after(value);
            let print = weaver.builder.select(ir::operand(value, 0), a, b);
            weaver.keep_in_place(print);
            print
        }
        (true, Some(place)) => hash_operands(weaver, value, place),
        (true, None) => builder::null(i64),
    };
    known.insert(value, print);
    print
}

/// Mixes a place with the bits of the operands there; never zero.
fn hash_operands(weaver: &mut Weaver, value: Value, place: u64) -> Value {
    let operands = match ir::opcode(value) {
        Opcode::LLVMCall => ir::arguments(value),
        _ => ir::operands(value),
    };
    weaver.builder.after(value);
    let builder = weaver.builder;
    let i64 = builder.types.i64;
    let mut hash = builder::integer(i64, place);
    for operand in operands {
        let Some(word) = as_word(weaver, operand) else {
            return builder::null(i64);
        };
        let mixed = builder.xor(hash, word);
        let product = builder.binary(Opcode::LLVMMul, mixed, builder::integer(i64, FACTOR));
        let high = builder.shift_right(product, 32);
        hash = builder.xor(product, high);
        [mixed, product, high, hash]
            .into_iter()
            .for_each(|made| weaver.keep_in_place(made));
    }
    let hash = builder.or(hash, builder::integer(i64, 1));
    weaver.keep_in_place(hash);
    hash
}

/// The bits of a scalar; none for what is no number or address.
fn as_word(weaver: &mut Weaver, value: Value) -> Option<Value> {
    let builder = weaver.builder;
    let i64 = builder.types.i64;
    let ty = ir::type_of(value);
    let word = match ir::type_kind(ty) {
        ir::TypeKind::LLVMIntegerTypeKind if ir::int_width(ty) <= 64 => {
            builder.resize_unsigned(value, i64)
        }
        ir::TypeKind::LLVMPointerTypeKind => builder.cast(Opcode::LLVMPtrToInt, value, i64),
        ir::TypeKind::LLVMDoubleTypeKind => builder.bitcast(value, i64),
        ir::TypeKind::LLVMFloatTypeKind => {
            let bits = builder.bitcast(value, builder.types.i32);
            weaver.keep_in_place(bits);
            builder.resize_unsigned(bits, i64)
        }
        _ => return None,
    };
    weaver.keep_in_place(word);
    Some(word)
}
