//! Sums that are written for the precision of their numbers, and amplify no error although many bits cancel.
//!
//! - x + M − M, for M = 1.5·2⁵² or similar, rounds x to a whole number. What cancels is M.
//! - x − s·⌊x / s⌋ is the remainder of x (any rounding, s a power of two): the product and the difference are exact. How many
//!   bits of the remainder are reliable depends on its unit s, not on how small it happens to be; next to zero the rounding is what decides,
//!   and is judged itself.
//!
//! Both are recognised in optimised code, for scalars.
//!
//! What it can miss: other constants and other ways to write a remainder, which are judged like any sum.

use lostbits_abi::{kind::FpKind, ops::Op};

use super::{discrete_factors::rounds_to_integers, harmless_patterns::called_operation};
use crate::{
    ir::{self, Opcode, Value},
    shape,
};

/// How many values a phi or select may choose among.
const MOST_CHOICES: usize = 8;
/// Bits behind the point that a rounding by a constant may leave, as an exponential's table index.
const MOST_FRACTION_BITS: i32 = 12;

/// Whether a sum is the second half of x + M − M.
pub fn rounds_by_constant(sum: Value) -> bool {
    rounded_by_constant(sum).is_some()
}

/// The sum x + M of x + M − M.
fn rounded_by_constant(sum: Value) -> Option<Value> {
    let [x, y] = terms(sum)?;
    let shifted = match (is_rounding_constant(x), is_rounding_constant(y)) {
        (false, true) => x,
        (true, false) => y,
        _ => return None,
    };
    choices(shifted)
        .into_iter()
        .all(|value| added_to_constant(value).is_some())
        .then_some(shifted)
}

/// The binary logarithm of the unit of a remainder, if a sum is one; also where the compiler may fuse it with the product.
pub fn remainder_unit(sum: Value) -> Option<i32> {
    if is_fused(sum) {
        let [x, y, number] = [0, 1, 2].map(|at| ir::operand(sum, at));
        return [(x, y), (y, x)].into_iter().find_map(|(multiple, unit)| {
            let unit = power_of_two(ir::constant_real(unit)?)?;
            is_rounding_of(without_sign(multiple), number).then_some(unit)
        });
    }
    let [x, y] = terms(sum)?;
    unit_of(x, y).or_else(|| unit_of(y, x))
}

/// A product and a sum in one operation.
fn is_fused(value: Value) -> bool {
    ir::is_instruction(value)
        && ir::opcode(value) == Opcode::LLVMCall
        && shape::lanes(ir::type_of(value)) == 1
        && matches!(called_operation(value), Some(Op::Fma | Op::MulAdd))
}

fn unit_of(number: Value, part: Value) -> Option<i32> {
    let (multiple, unit) = scaled(without_sign(part));
    let unit = power_of_two(unit)?;
    is_rounding_of(multiple, number).then_some(unit)
}

/// Whether a value is a number, perhaps times a constant, rounded to a whole number.
pub fn is_rounding_of(value: Value, number: Value) -> bool {
    let is_it = |value: &Value| {
        rounded(*value).is_some_and(|operand| scaled(operand).0 == number || operand == number)
    };
    choices(value).iter().all(is_it)
}

/// Whether a conversion may well meet numbers that are whole without error, although nothing shows how they were made: digits, and numbers
/// of which the program asks whether they are whole. Then a whole number is not taken for one that lies next to its jump by chance.
pub fn expects_whole_numbers(conversion: Value, number: Value) -> bool {
    const MOST_SCALINGS: u32 = 4;
    is_part_of_remainder(number, MOST_SCALINGS)
        || extracts_digits(conversion)
        || is_asked_for_whole(number)
}

/// Whether a conversion rounds a number of which the program takes digits elsewhere: the number is exact, wherever it is.
pub fn rounds_exact_digits(conversion: Value, number: Value) -> bool {
    !extracts_digits(conversion) && (is_taken_apart(unscaled(number)) || is_rest_of_digits(number))
}

/// Whether a value is exact because it is what remains of a number of which digits are taken, or computed from such remainders and powers of
/// two by sums alone, as where the digits of 2/pi reduce an argument.
pub fn is_rest_of_digits(value: Value) -> bool {
    const MOST_LEVELS: u32 = 6;
    !ir::is_constant(value) && is_rest(value, MOST_LEVELS)
}

fn is_rest(value: Value, levels: u32) -> bool {
    if ir::is_constant(value) {
        return ir::constant_real(value).is_some_and(|real| power_of_two(real).is_some());
    }
    let is_it = |at: &Value| {
        if ir::is_constant(*at) || is_scaling(*at) {
            return is_rest(unscaled(*at), levels - 1);
        }
        let terms = terms(*at);
        let numbers = match terms {
            Some(terms) => terms.to_vec(),
            None if is_fused(*at) => vec![ir::operand(*at, 2)],
            None => return false,
        };
        let is_exact = |number: &Value| {
            !ir::is_constant(*number)
                && (is_taken_apart(unscaled(*number)) || is_rest(*number, levels - 1))
        };
        let is_remainder = remainder_unit(*at).is_some() && numbers.iter().any(is_exact);
        is_remainder
            || terms.is_some_and(|terms| terms.iter().all(|term| is_rest(*term, levels - 1)))
    };
    levels > 0 && choices(value).iter().all(is_it)
}

/// Whether the program takes digits of a number, or of what a loop makes of it.
fn is_taken_apart(number: Value) -> bool {
    let takes_digits = |value: Value| {
        users(value).any(|user| {
            let (of, factor) = scaled(user);
            let is_scaled = of == value && power_of_two(factor).is_some();
            extracts_digits(user) || (is_scaled && users(user).any(extracts_digits))
        })
    };
    choices(number).into_iter().any(|value| {
        takes_digits(value) || users(value).any(|user| ir::is_phi(user) && takes_digits(user))
    })
}

/// A number without factors that are powers of two.
fn unscaled(number: Value) -> Value {
    const MOST_SCALINGS: u32 = 4;
    let mut at = number;
    for _ in 0..MOST_SCALINGS {
        let (of, factor) = scaled(at);
        at = match power_of_two(factor) {
            Some(_) if of != at => of,
            _ if is_scaling(at) => ir::operand(at, 0),
            _ => break,
        };
    }
    at
}

fn users(value: Value) -> impl Iterator<Item = Value> {
    ir::uses(value)
        .into_iter()
        .filter(|user| ir::is_instruction(*user))
}

/// A remainder, times powers of two.
fn is_part_of_remainder(value: Value, levels: u32) -> bool {
    let is_it = |value: &Value| {
        if remainder_unit(*value).is_some() {
            return true;
        }
        let (scaled, factor) = scaled(*value);
        let operand = match power_of_two(factor) {
            Some(_) if scaled != *value => scaled,
            _ if is_scaling(*value) => ir::operand(*value, 0),
            _ => return false,
        };
        levels > 0 && is_part_of_remainder(operand, levels - 1)
    };
    choices(value).iter().any(is_it)
}

fn is_scaling(value: Value) -> bool {
    let functions = [
        "ldexp", "scalbn", "scalbln", "ldexpf", "scalbnf", "scalblnf",
    ];
    ir::is_instruction(value)
        && ir::opcode(value) == Opcode::LLVMCall
        && ir::as_function(ir::callee(value)).is_some_and(|function| {
            functions.contains(&ir::name(function).as_str())
                || ir::intrinsic_name(function).is_some_and(|name| name.starts_with("llvm.ldexp"))
        })
}

/// Whether a rounded number, times 2 to a power, is subtracted from the number: digits to a base that large. Or what is left
/// is multiplied by the base for the next digit.
fn extracts_digits(conversion: Value) -> bool {
    const LEAST_BASE: i32 = 8;
    let is_conversion = matches!(
        ir::opcode(conversion),
        Opcode::LLVMFPToSI | Opcode::LLVMFPToUI
    );
    let is_difference = |value: Value| {
        remainder_unit(value).is_some_and(|unit| {
            let next = |user: Value| {
                let (of, factor) = scaled(user);
                of == value && power_of_two(factor).is_some_and(|base| base >= LEAST_BASE)
            };
            unit >= LEAST_BASE || (unit == 0 && users(value).any(next))
        })
    };
    is_conversion
        && users(conversion)
            .filter(|back| matches!(ir::opcode(*back), Opcode::LLVMSIToFP | Opcode::LLVMUIToFP))
            .flat_map(users)
            .any(|scaled| is_difference(scaled) || users(scaled).any(is_difference))
}

/// Whether a number is compared with its own rounding.
fn is_asked_for_whole(number: Value) -> bool {
    ir::uses(number).into_iter().any(|user| {
        ir::is_instruction(user)
            && ir::opcode(user) == Opcode::LLVMFCmp
            && (0..2).any(|at| is_rounding_of(ir::operand(user, at), number))
    })
}

/// What a value is the rounding of.
fn rounded(value: Value) -> Option<Value> {
    use Opcode::*;
    if !ir::is_instruction(value) {
        return None;
    }
    match ir::opcode(value) {
        LLVMSIToFP | LLVMUIToFP => {
            let whole = ir::operand(value, 0);
            let is_conversion =
                ir::is_instruction(whole) && matches!(ir::opcode(whole), LLVMFPToSI | LLVMFPToUI);
            is_conversion.then(|| ir::operand(whole, 0))
        }
        LLVMCall => called_operation(value)
            .filter(|op| rounds_to_integers(*op))
            .map(|_| ir::operand(value, 0)),
        _ => added_to_constant(choices(rounded_by_constant(value)?)[0]),
    }
}

/// What a sum adds to a constant that rounds.
fn added_to_constant(sum: Value) -> Option<Value> {
    if is_fused(sum) && is_rounding_constant(ir::operand(sum, 2)) {
        return Some(sum);
    }
    let [x, y] = terms(sum)?;
    match (is_rounding_constant(x), is_rounding_constant(y)) {
        (false, true) => Some(x),
        (true, false) => Some(y),
        _ => None,
    }
}

fn terms(sum: Value) -> Option<[Value; 2]> {
    let is_sum = ir::is_instruction(sum)
        && matches!(ir::opcode(sum), Opcode::LLVMFAdd | Opcode::LLVMFSub)
        && shape::lanes(ir::type_of(sum)) == 1;
    is_sum.then(|| [ir::operand(sum, 0), ir::operand(sum, 1)])
}

fn without_sign(value: Value) -> Value {
    match ir::is_instruction(value) && ir::opcode(value) == Opcode::LLVMFNeg {
        true => ir::operand(value, 0),
        false => value,
    }
}

/// A value as a product with a constant.
fn scaled(value: Value) -> (Value, f64) {
    if ir::is_instruction(value) && ir::opcode(value) == Opcode::LLVMFMul {
        let (x, y) = (ir::operand(value, 0), ir::operand(value, 1));
        for (factor, other) in [(y, x), (x, y)] {
            if let Some(constant) = ir::constant_real(factor) {
                return (other, constant);
            }
        }
    }
    (value, 1.0)
}

fn power_of_two(number: f64) -> Option<i32> {
    let bits = number.abs().to_bits();
    let is_power = number.is_normal() && bits.trailing_zeros() >= 52;
    is_power.then(|| (bits >> 52) as i32 - 1023)
}

/// 1.5·2ᵏ, or 2ᵏ where that leaves whole numbers, so large that adding it rounds; of a value that is chosen, all choices.
fn is_rounding_constant(value: Value) -> bool {
    let precision = match shape::fp_kind(ir::type_of(value)) {
        Some(kind @ (FpKind::Double | FpKind::Float)) => kind.precision() as i32,
        _ => return false,
    };
    let whole = precision - 1;
    let rounds = |constant: f64| {
        let is_three_halves = power_of_two(constant / 1.5);
        let of_three_halves = is_three_halves
            .is_some_and(|power| (whole - MOST_FRACTION_BITS..=whole).contains(&power));
        of_three_halves || power_of_two(constant) == Some(whole)
    };
    let is_it = |value: &Value| ir::constant_real(*value).is_some_and(rounds);
    choices(value).iter().all(is_it)
}

/// The values that a phi or select chooses among; else the value itself.
fn choices(value: Value) -> Vec<Value> {
    let mut seen = vec![value];
    let mut chosen = Vec::new();
    let mut next = 0;
    while next < seen.len() {
        let at = seen[next];
        next += 1;
        let from: Vec<Value> = match ir::is_instruction(at).then(|| ir::opcode(at)) {
            Some(Opcode::LLVMPHI) => ir::incoming(at).into_iter().map(|(from, _)| from).collect(),
            Some(Opcode::LLVMSelect) => vec![ir::operand(at, 1), ir::operand(at, 2)],
            _ => {
                chosen.push(at);
                continue;
            }
        };
        for value in from {
            if !seen.contains(&value) {
                seen.push(value);
            }
        }
        if seen.len() > MOST_CHOICES {
            return vec![value];
        }
    }
    if chosen.is_empty() {
        vec![value]
    } else {
        chosen
    }
}
