//! Shapes of code that are known to do no harm: comparisons that only pick one of the compared values, and
//! conversions of numbers that are whole by the way they are made.

use std::collections::HashSet;

use lostbits_abi::ops::Op;

use super::{
    discrete_factors::rounds_to_integers, precision_specific::rounds_by_constant, values::is_zero,
};
use crate::{
    ir::{self, Block, Opcode, Value},
    shape,
};

/// Whether a comparison is only used to choose between the very values it compares, so that both outcomes
/// are as near to each other as the operands: by selects, or by branches around nothing else.
pub fn picks_compared_value(comparison: Value, x: Value, y: Value) -> bool {
    let picks = |user: &Value| match ir::opcode(*user) {
        Opcode::LLVMSelect => {
            ir::operand(*user, 0) == comparison
                && (1..3).all(|index| is_one_of(ir::operand(*user, index), x, y))
        }
        Opcode::LLVMBr => branches_pick_compared_value(*user, x, y),
        _ => false,
    };
    let users = ir::uses(comparison);
    !users.is_empty() && users.iter().all(picks)
}

/// One of the two; the negative of one if the other is zero, as in an absolute value; or the same read from
/// memory again, as code that is not optimised does.
fn is_one_of(value: Value, x: Value, y: Value) -> bool {
    let negated = |value: Value| {
        let is_negation = ir::is_instruction(value) && ir::opcode(value) == Opcode::LLVMFNeg;
        is_negation.then(|| ir::operand(value, 0))
    };
    let is_absolute = negated(value)
        .is_some_and(|of| (is_same(of, x) && is_zero(y)) || (is_same(of, y) && is_zero(x)));
    is_absolute || is_same(value, x) || is_same(value, y)
}

/// The same value, or one that is computed in the same way from the same.
fn is_same(a: Value, b: Value) -> bool {
    if a == b {
        return true;
    }
    if !ir::is_instruction(a) || !ir::is_instruction(b) || ir::opcode(a) != ir::opcode(b) {
        return is_zero(a) && is_zero(b);
    }
    use Opcode::*;
    let repeats = matches!(
        ir::opcode(a),
        LLVMLoad | LLVMGetElementPtr | LLVMSExt | LLVMZExt | LLVMFPExt
    );
    let (of_a, of_b) = (ir::operands(a), ir::operands(b));
    repeats && of_a.len() == of_b.len() && of_a.into_iter().zip(of_b).all(|(a, b)| is_same(a, b))
}

/// Both sides of a branch go on at the same place, at once or by way of a block that only moves compared
/// values; what is chosen there is one of them.
fn branches_pick_compared_value(branch: Value, x: Value, y: Value) -> bool {
    let from = ir::parent_block(branch);
    let [yes, no] = ir::successors(from)[..] else {
        return false;
    };
    let (after_yes, after_no) = (only_successor(yes), only_successor(no));
    let join = match (after_yes, after_no) {
        (Some(a), Some(b)) if a == b => a,
        (Some(a), _) if a == no => no,
        (_, Some(b)) if b == yes => yes,
        _ => return false,
    };
    let arms: Vec<Block> = [yes, no].into_iter().filter(|arm| *arm != join).collect();
    let mut stores = Vec::new();
    for arm in &arms {
        match stores_of_compared_values(*arm, x, y) {
            Some(mut found) => stores.append(&mut found),
            None => return false,
        }
    }
    // What one side stores, the other must store too, or have there already: a compared value.
    let is_balanced = |(at, pointer): &(Block, Value)| {
        let by_other = stores
            .iter()
            .any(|(other, to)| other != at && is_same(*to, *pointer));
        by_other || [x, y].iter().any(|value| is_read_from(*value, *pointer))
    };
    let picks_something = !stores.is_empty()
        || ir::instructions(join)
            .first()
            .is_some_and(|at| ir::is_phi(*at));
    picks_something
        && stores.iter().all(is_balanced)
        && phis_pick_compared_value(join, from, &arms, x, y)
}

/// Where a block leads, if it leads to one place and is reached from one.
fn only_successor(block: Block) -> Option<Block> {
    let only_one_leads_here = ir::predecessors(block).len() == 1;
    match ir::successors(block)[..] {
        [next] if only_one_leads_here => Some(next),
        _ => None,
    }
}

/// The places to which a block stores compared values, if it does nothing else.
fn stores_of_compared_values(block: Block, x: Value, y: Value) -> Option<Vec<(Block, Value)>> {
    use Opcode::*;
    let mut stores = Vec::new();
    for at in ir::instructions(block) {
        match ir::opcode(at) {
            LLVMLoad | LLVMGetElementPtr | LLVMSExt | LLVMZExt | LLVMFPExt | LLVMFNeg | LLVMBr => {}
            LLVMStore if is_one_of(ir::operand(at, 0), x, y) => {
                stores.push((block, ir::operand(at, 1)))
            }
            LLVMCall if ir::is_debug_marker(at) => {}
            _ => return None,
        }
    }
    Some(stores)
}

fn is_read_from(value: Value, pointer: Value) -> bool {
    ir::is_instruction(value)
        && ir::opcode(value) == Opcode::LLVMLoad
        && is_same(ir::operand(value, 0), pointer)
}

/// Whether each phi of `join` has, on the ways from `from`, compared values only, or one value on all.
fn phis_pick_compared_value(join: Block, from: Block, arms: &[Block], x: Value, y: Value) -> bool {
    let phis = ir::instructions(join)
        .into_iter()
        .take_while(|at| ir::is_phi(*at));
    phis.into_iter().all(|phi| {
        let chosen: Vec<Value> = ir::incoming(phi)
            .into_iter()
            .filter(|(_, block)| *block == from || arms.contains(block))
            .map(|(value, _)| value)
            .collect();
        let is_no_choice = chosen.windows(2).all(|pair| pair[0] == pair[1]);
        is_no_choice || chosen.iter().all(|value| is_one_of(*value, x, y))
    })
}

/// Whether a value can only be near a whole number by being that number, exactly: converted integers, rounded
/// values, sums and products of such (as long as they have fractions at all they are exact), what is chosen
/// among them, quotients of 32-bit integers and square roots of them (whose results, if they are not whole,
/// are farther from whole numbers than the rounding).
pub fn is_whole(value: Value) -> bool {
    whole(value, Quotients::Too, &mut HashSet::new())
}

/// Whether a value is a whole number without error, as long as it is so small that it could have a fraction:
/// the same without quotients and roots. Comparing two such is no decision about errors.
pub fn is_exact(value: Value) -> bool {
    whole(value, Quotients::No, &mut HashSet::new())
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Quotients {
    No,
    Too,
}

/// How many values are followed at most.
const MOST_STEPS: usize = 32;

/// `assumed` are values on which the question depends itself, round a loop: they are whole if all else is.
fn whole(value: Value, quotients: Quotients, assumed: &mut HashSet<Value>) -> bool {
    if ir::is_constant(value) {
        return ir::constant_real(value).is_some_and(|number| number.fract() == 0.0);
    }
    if !ir::is_instruction(value) || assumed.len() > MOST_STEPS {
        return false;
    }
    if !assumed.insert(value) {
        return true;
    }
    use Opcode::*;
    let floating = |value: &Value| shape::fp_kind(ir::type_of(*value)).is_some();
    let operands = ir::operands(value).into_iter().filter(floating);
    match ir::opcode(value) {
        LLVMSIToFP | LLVMUIToFP => true,
        LLVMFAdd | LLVMFSub if rounds_by_constant(value) => true,
        LLVMFAdd | LLVMFSub | LLVMFMul | LLVMFNeg | LLVMFPExt | LLVMSelect => operands
            .into_iter()
            .all(|operand| whole(operand, quotients, assumed)),
        LLVMFDiv => quotients == Quotients::Too && operands.into_iter().all(is_small_integer),
        LLVMPHI => ir::incoming(value)
            .into_iter()
            .all(|(from, _)| whole(from, quotients, assumed)),
        LLVMLoad => stored_in_variable(ir::operand(value, 0)).is_some_and(|stored| {
            stored
                .into_iter()
                .all(|value| whole(value, quotients, assumed))
        }),
        LLVMCall => match called_operation(value) {
            Some(Op::Sqrt) => {
                quotients == Quotients::Too && is_small_integer(ir::operand(value, 0))
            }
            Some(Op::Abs | Op::Fmin | Op::Fmax | Op::Fma | Op::MulAdd) => operands
                .into_iter()
                .all(|operand| whole(operand, quotients, assumed)),
            Some(op) => rounds_to_integers(op),
            None => false,
        },
        _ => false,
    }
}

/// A converted integer of 32 bits at the most, in a format that holds it exactly.
fn is_small_integer(value: Value) -> bool {
    if ir::is_constant(value) {
        let is_small = |number: f64| number.fract() == 0.0 && number.abs() <= f64::from(u32::MAX);
        return ir::constant_real(value).is_some_and(is_small);
    }
    let is_double = shape::fp_kind(ir::type_of(value)) == Some(lostbits_abi::kind::FpKind::Double);
    is_double
        && ir::is_instruction(value)
        && matches!(ir::opcode(value), Opcode::LLVMSIToFP | Opcode::LLVMUIToFP)
        && ir::int_width(shape::scalar(ir::type_of(ir::operand(value, 0)))) <= 32
}

/// Functions that read a number from text.
const READERS: [&str; 8] = [
    "atof",
    "strtod",
    "strtof",
    "strtold",
    "__strtod_internal",
    "__isoc23_strtod",
    "__isoc23_strtof",
    "__isoc23_strtold",
];

/// Whether a value is a constant, or was read from text: inputs have no errors.
pub fn is_input(value: Value) -> bool {
    const MOST_LEVELS: u32 = 4;
    is_input_within(value, MOST_LEVELS)
}

fn is_input_within(value: Value, levels: u32) -> bool {
    if ir::is_constant(value) {
        return true;
    }
    if !ir::is_instruction(value) || levels == 0 {
        return false;
    }
    let operand_is = || is_input_within(ir::operand(value, 0), levels - 1);
    match ir::opcode(value) {
        Opcode::LLVMFPExt | Opcode::LLVMFNeg | Opcode::LLVMFreeze => operand_is(),
        Opcode::LLVMCall => ir::as_function(ir::callee(value)).is_some_and(|function| {
            ir::is_declaration(function) && READERS.contains(&ir::name(function).as_str())
        }),
        Opcode::LLVMLoad => stored_in_variable(ir::operand(value, 0)).is_some_and(|stored| {
            !stored.is_empty()
                && stored
                    .into_iter()
                    .all(|value| is_input_within(value, levels - 1))
        }),
        _ => false,
    }
}

/// All that is ever stored in a local variable, if its address goes nowhere.
fn stored_in_variable(pointer: Value) -> Option<Vec<Value>> {
    if !ir::is_instruction(pointer) || ir::opcode(pointer) != Opcode::LLVMAlloca {
        return None;
    }
    let mut stored = Vec::new();
    for user in ir::uses(pointer) {
        match ir::opcode(user) {
            Opcode::LLVMLoad => {}
            Opcode::LLVMStore if ir::operand(user, 0) != pointer => {
                stored.push(ir::operand(user, 0))
            }
            Opcode::LLVMCall if ir::is_debug_marker(user) => {}
            Opcode::LLVMPtrToInt if is_for_mirror(user) => {}
            _ => return None,
        }
    }
    Some(stored)
}

/// Whether an address is only taken to find its shadow.
pub fn is_for_mirror(address: Value) -> bool {
    ir::uses(address).into_iter().all(|user| {
        ir::opcode(user) == Opcode::LLVMGetElementPtr && ir::is_constant(ir::operand(user, 0))
    })
}

pub fn called_operation(call: Value) -> Option<Op> {
    let function = ir::as_function(ir::callee(call))?;
    match ir::intrinsic_name(function) {
        Some(name) => Op::from_intrinsic(name),
        None => Op::from_library(&ir::name(function)).map(|(op, _)| op),
    }
}
