//! Finds numbers that are cut in two by a unit: `high = (unit + x) - unit`, of which `x - high` is the rest (the slices of
//! Rump, Ogita and Oishi's AccSum).
//!
//! The upper part is whatever number came out: with the rest, which is exact, it is x. In `(1 + x) - 1`, where nothing
//! takes the rest, x has lost its bits; and where `unit + x` is used besides, the rest is an error that is added back
//! (Dekker's Fast2Sum). So the uses distinguish them, and they are examined before there are shadows that
//! use everything.
//!
//! # What it can miss
//!
//! Parts that are kept in memory before the rest is taken, but for variables that are set once. Whether `x` may have
//! changed in between is not looked into: the rest would have no meaning then.

use crate::ir::{self, Function, Opcode, Value};

/// On subtractions that cut.
pub const MARK: &str = "lostbits.cuts";
/// How far addresses and values are compared.
const DEEPEST: u32 = 8;

pub fn mark_extractions(function: Function) {
    for instruction in ir::all_instructions(function) {
        if is_extraction(instruction).is_some() {
            ir::mark(instruction, MARK);
        }
    }
}

fn is_extraction(high: Value) -> Option<()> {
    let [sum, unit] = operands_of(high, Opcode::LLVMFSub)?;
    let sum = kept(sum);
    let [a, b] = operands_of(sum, Opcode::LLVMFAdd)?;
    let x = match (is_same(a, unit, 0), is_same(b, unit, 0)) {
        (true, false) => b,
        (false, true) => a,
        _ => return None,
    };
    let takes_rest = |user: &Value| {
        operands_of(*user, Opcode::LLVMFSub)
            .is_some_and(|[from, taken]| kept(taken) == high && is_same(from, x, 0))
    };
    let users = users(high);
    let is_cut = users.len() > 1 && users.iter().any(takes_rest) && users_are(sum, high);
    is_cut.then_some(())
}

fn operands_of(value: Value, opcode: Opcode) -> Option<[Value; 2]> {
    let is_wanted = ir::is_instruction(value) && ir::opcode(value) == opcode;
    is_wanted.then(|| [ir::operand(value, 0), ir::operand(value, 1)])
}

fn users_are(value: Value, only: Value) -> bool {
    let users = users(value);
    !users.is_empty() && users.into_iter().all(|user| user == only)
}

/// Who uses a value, also by way of a variable that is set once.
fn users(value: Value) -> Vec<Value> {
    ir::uses(value)
        .into_iter()
        .flat_map(|user| match set_by(user).filter(|(_, set)| *set == value) {
            Some((variable, _)) => loads_of(variable).into_iter().flat_map(users).collect(),
            None => vec![user],
        })
        .collect()
}

/// The variable that a store sets, if it is the only one, and to what.
fn set_by(store: Value) -> Option<(Value, Value)> {
    let [value, variable] = operands_of(store, Opcode::LLVMStore)?;
    let is_variable = ir::is_instruction(variable) && ir::opcode(variable) == Opcode::LLVMAlloca;
    let stores = ir::uses(variable)
        .into_iter()
        .filter(|user| is_store(*user));
    (is_variable && stores.count() == 1).then_some((variable, value))
}

fn is_store(user: Value) -> bool {
    ir::is_instruction(user) && ir::opcode(user) == Opcode::LLVMStore
}

fn loads_of(variable: Value) -> Vec<Value> {
    let is_load = |user: &Value| ir::opcode(*user) == Opcode::LLVMLoad;
    ir::uses(variable).into_iter().filter(is_load).collect()
}

/// What a variable that is set once holds; other values are themselves.
fn kept(value: Value) -> Value {
    let is_load = ir::is_instruction(value) && ir::opcode(value) == Opcode::LLVMLoad;
    let variable = is_load.then(|| ir::operand(value, 0));
    let variable = variable
        .filter(|from| ir::is_instruction(*from) && ir::opcode(*from) == Opcode::LLVMAlloca);
    let set = variable.and_then(|variable| {
        let mut users = ir::uses(variable).into_iter();
        users.find_map(set_by)
    });
    set.map_or(value, |(_, value)| value)
}

/// Whether two values are one, or loaded from one place.
fn is_same(a: Value, b: Value, depth: u32) -> bool {
    let (a, b) = (kept(a), kept(b));
    if a == b || depth > DEEPEST {
        return a == b;
    }
    let are_instructions = ir::is_instruction(a) && ir::is_instruction(b);
    if !are_instructions || ir::opcode(a) != ir::opcode(b) {
        return false;
    }
    let is_address = matches!(
        ir::opcode(a),
        Opcode::LLVMLoad
            | Opcode::LLVMGetElementPtr
            | Opcode::LLVMSExt
            | Opcode::LLVMZExt
            | Opcode::LLVMTrunc
    );
    let (of_a, of_b) = (ir::operands(a), ir::operands(b));
    is_address
        && of_a.len() == of_b.len()
        && of_a
            .into_iter()
            .zip(of_b)
            .all(|(a, b)| is_same(a, b, depth + 1))
}
