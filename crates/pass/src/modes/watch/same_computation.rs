//! Whether two compared values are the same computation on the same operands (the paper's I1): then they are
//! equal in exact arithmetic too, and it does not matter how near they are.
//!
//! A search remembers the best value so far and meets it again: one operand of the comparison is what some
//! place of the program computed, the other what the same place computed earlier and phis carried on. Where
//! that is so, both get a *fingerprint*: of the places in the source where they, their operands, and so on, were
//! computed, back to what came from memory, from a caller or from an integer, which is known by its bits (and
//! address). Equal values with equal fingerprints are the same computation.
//!
//! Where a computation is too long to be followed back, there is no excuse, and the comparison is reported.
//! What it can miss: values from a caller, a called function or a lane of a vector that are equal but have
//! different errors. Values that go through memory on their way to the comparison are not recognised.

use std::collections::HashMap;

use crate::{
    builder,
    carry::FunctionInstrumenter,
    ir::{self, Opcode, TypeKind, Value},
    shape,
};

/// How many values are followed at most: for source locations, and for fingerprints.
const MOST_STEPS: usize = 16;
const MOST_PRINTS: usize = 200;

/// The fingerprints of two values, if they may come from the same place.
pub fn fingerprints(cx: &mut FunctionInstrumenter, values: [Value; 2]) -> Option<[Value; 2]> {
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
    let mut reachable = Vec::new();
    if !values
        .iter()
        .all(|value| can_be_followed(*value, &mut reachable))
    {
        return None;
    }
    let mut known = HashMap::new();
    Some(values.map(|value| fingerprint(cx, value, &mut known)))
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
    let location = ir::location(value, ir::LocationScope::Innermost)?;
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

/// Whether a value and all that it is computed from can have fingerprints.
fn can_be_followed(value: Value, seen: &mut Vec<Value>) -> bool {
    if seen.contains(&value) {
        return true;
    }
    seen.push(value);
    let is_word = matches!(
        ir::type_kind(ir::type_of(value)),
        TypeKind::LLVMDoubleTypeKind | TypeKind::LLVMFloatTypeKind
    );
    seen.len() <= MOST_PRINTS && is_word && {
        let from = computed_from(value);
        from.into_iter()
            .all(|operand| can_be_followed(operand, seen))
    }
}

/// The floating-point values of which a value is made; none for one that is known by its bits.
fn computed_from(value: Value) -> Vec<Value> {
    let carried = carried_from(value);
    if !carried.is_empty() || place(value).is_none() {
        return carried;
    }
    let mut operands = inputs(value);
    operands.retain(|operand| shape::fp_kind(shape::scalar(ir::type_of(*operand))).is_some());
    operands
}

fn inputs(value: Value) -> Vec<Value> {
    match ir::opcode(value) {
        Opcode::LLVMCall => ir::arguments(value),
        _ => ir::operands(value),
    }
}

/// Made beside the value, whether it is needed or not; never zero.
fn fingerprint(
    cx: &mut FunctionInstrumenter,
    value: Value,
    known: &mut HashMap<Value, Value>,
) -> Value {
    if let Some(print) = known.get(&value) {
        return *print;
    }
    let i64 = cx.builder.types.i64;
    let print = match place(value) {
        _ if !ir::is_instruction(value) => known_by_bits(cx, value),
        _ if ir::is_phi(value) => {
            let phi = cx.builder.phi(i64, ir::parent_block(value));
            cx.keep_in_place(phi);
            known.insert(value, phi);
            for (incoming, block) in ir::incoming(value) {
                let print = fingerprint(cx, incoming, known);
                ir::add_incoming(phi, print, block);
            }
            phi
        }
        _ if ir::opcode(value) == Opcode::LLVMSelect => {
            let [a, b] = [1, 2].map(|index| fingerprint(cx, ir::operand(value, index), known));
            cx.builder.after(value);
            let print = cx.builder.select(ir::operand(value, 0), a, b);
            cx.keep_in_place(print);
            print
        }
        Some(place) => {
            let operands = inputs(value);
            let prints: Vec<Option<Value>> = operands
                .iter()
                .map(|operand| {
                    let is_followed = shape::fp_kind(ir::type_of(*operand)).is_some();
                    is_followed.then(|| fingerprint(cx, *operand, known))
                })
                .collect();
            // From here on the builder stays behind what it makes.
            cx.builder.after(value);
            let words: Vec<Value> = operands
                .into_iter()
                .zip(prints)
                .filter_map(|(operand, print)| print.or_else(|| as_word(cx, operand)))
                .collect();
            hashed(cx, place, &words)
        }
        None => known_by_bits(cx, value),
    };
    known.insert(value, print);
    print
}

/// Of what comes from memory, from a caller or from an integer.
fn known_by_bits(cx: &mut FunctionInstrumenter, value: Value) -> Value {
    if ir::is_instruction(value) {
        cx.builder.after(value);
    } else if !ir::is_constant(value) {
        let entry = ir::entry(cx.function);
        cx.builder.before(ir::first_insertion_point(entry));
    }
    let mut words: Vec<Value> = as_word(cx, value).into_iter().collect();
    if ir::is_instruction(value) && ir::opcode(value) == Opcode::LLVMLoad {
        words.extend(as_word(cx, ir::operand(value, 0)));
    }
    hashed(cx, 1, &words)
}

/// Mixes a place with words.
fn hashed(cx: &mut FunctionInstrumenter, place: u64, words: &[Value]) -> Value {
    let builder = cx.builder;
    let i64 = builder.types.i64;
    let mut hash = builder::integer(i64, place);
    for word in words {
        let mixed = builder.xor(hash, *word);
        let product = builder.binary(Opcode::LLVMMul, mixed, builder::integer(i64, FACTOR));
        let high = builder.shift_right(product, 32);
        hash = builder.xor(product, high);
        for made in [mixed, product, high, hash] {
            cx.keep_in_place(made);
        }
    }
    let hash = builder.or(hash, builder::integer(i64, 1));
    cx.keep_in_place(hash);
    hash
}

/// The bits of a scalar; none for what is no number or address.
fn as_word(cx: &mut FunctionInstrumenter, value: Value) -> Option<Value> {
    let builder = cx.builder;
    let i64 = builder.types.i64;
    let ty = ir::type_of(value);
    let word = match ir::type_kind(ty) {
        TypeKind::LLVMIntegerTypeKind if ir::int_width(ty) <= 64 => {
            builder.resize_unsigned(value, i64)
        }
        TypeKind::LLVMPointerTypeKind => builder.cast(Opcode::LLVMPtrToInt, value, i64),
        TypeKind::LLVMDoubleTypeKind => builder.bitcast(value, i64),
        TypeKind::LLVMFloatTypeKind => {
            let bits = builder.bitcast(value, builder.types.i32);
            cx.keep_in_place(bits);
            builder.resize_unsigned(bits, i64)
        }
        _ => return None,
    };
    cx.keep_in_place(word);
    Some(word)
}
