//! Signs that are known before the program runs: nothing cancels in a sum of terms of the same sign, as in sums of squares.
//!
//! NaNs have no sign here; what becomes of them cancels nothing either.

use std::{cell::Cell, collections::HashSet, rc::Rc};

use lostbits_abi::ops::Op;

use super::harmless_patterns::called_operation;
use crate::ir::{self, Opcode, Value};

/// How many values may be assumed to have a sign at once.
const MOST_ASSUMED: usize = 32;
/// How often values are asked for their signs: where products have products as factors, attempts multiply.
const MOST_STEPS: usize = 256;

/// Values round a loop on which a question depends itself: their signs follow from the others'.
#[derive(Clone, Default)]
struct Assumed {
    signs: HashSet<(Value, bool)>,
    /// Of all attempts together.
    steps: Rc<Cell<usize>>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Sign {
    /// Zero of any sign, or above.
    NotNegative,
    NotPositive,
}

impl Sign {
    fn negated(self) -> Sign {
        match self {
            Sign::NotNegative => Sign::NotPositive,
            Sign::NotPositive => Sign::NotNegative,
        }
    }

    fn times(self, other: Sign) -> Sign {
        match self == other {
            true => Sign::NotNegative,
            false => Sign::NotPositive,
        }
    }
}

/// Whether the terms of a sum (or of a product and a sum in one) have the same sign, whatever they are.
pub fn terms_agree(sum: Value) -> bool {
    [Sign::NotNegative, Sign::NotPositive]
        .into_iter()
        .any(|sign| has(sum, sign, &mut Assumed::default()))
}

fn has(value: Value, sign: Sign, assumed: &mut Assumed) -> bool {
    if ir::is_constant(value) {
        let real = ir::constant_real(value);
        return ir::is_any_zero(value)
            || real.is_some_and(|real| {
                !real.is_nan() && (real >= 0.0) == (sign == Sign::NotNegative)
            });
    }
    let steps = assumed.steps.replace(assumed.steps.get() + 1);
    if !ir::is_instruction(value) || assumed.signs.len() > MOST_ASSUMED || steps > MOST_STEPS {
        return false;
    }
    if !assumed.signs.insert((value, sign == Sign::NotNegative)) {
        return true;
    }
    use Opcode::*;
    let operand = |index| ir::operand(value, index);
    let is_positive = sign == Sign::NotNegative;
    match ir::opcode(value) {
        LLVMFAdd => has(operand(0), sign, assumed) && has(operand(1), sign, assumed),
        LLVMFSub => has(operand(0), sign, assumed) && has(operand(1), sign.negated(), assumed),
        LLVMFMul | LLVMFDiv => is_product(operand(0), operand(1), sign, assumed),
        LLVMFNeg => has(operand(0), sign.negated(), assumed),
        LLVMUIToFP => is_positive,
        LLVMFPExt | LLVMFPTrunc | LLVMFreeze | LLVMExtractElement => has(operand(0), sign, assumed),
        LLVMSelect => has(operand(1), sign, assumed) && has(operand(2), sign, assumed),
        LLVMShuffleVector | LLVMInsertElement => {
            let sources = [operand(0), operand(1)].into_iter();
            let mut known = sources.filter(|source| !ir::is_undefined(*source));
            known.all(|source| has(source, sign, assumed))
        }
        LLVMPHI => ir::incoming(value)
            .into_iter()
            .all(|(from, _)| has(from, sign, assumed)),
        LLVMCall => match called_operation(value) {
            Some(Op::Abs | Op::Sqrt | Op::Exp | Op::Exp2 | Op::Cosh | Op::Hypot) => is_positive,
            Some(Op::Fma | Op::MulAdd) => {
                is_product(operand(0), operand(1), sign, assumed) && has(operand(2), sign, assumed)
            }
            _ => false,
        },
        _ => false,
    }
}

fn is_product(x: Value, y: Value, sign: Sign, assumed: &mut Assumed) -> bool {
    if x == y {
        return sign == Sign::NotNegative;
    }
    // What did not help must not be taken for known.
    [Sign::NotNegative, Sign::NotPositive]
        .into_iter()
        .any(|of_x| {
            let mut attempt = assumed.clone();
            let holds = has(x, of_x, &mut attempt) && has(y, of_x.times(sign), &mut attempt);
            if holds {
                *assumed = attempt;
            }
            holds
        })
}
