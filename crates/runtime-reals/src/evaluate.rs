//! Evaluates any operation of the table on high-precision numbers: signs by copying, elementary functions by our own code where
//! there is some, the rest by MPFR.

use core::mem::ManuallyDrop;

use lostbits_abi::{
    numbers::{Operand, SIGNED},
    ops::Op,
};
use rug::Float;

use crate::{
    arithmetic, elementary,
    environment::in_default_environment,
    exchange::{self, Scratch},
    number::{Number, Shadow, Short, Slot},
    value::Value,
};

/// Operands of most operations, and the most that a reduction of a vector has, with its start value.
const FEW_OPERANDS: usize = 3;
const MOST_OPERANDS: usize = 66;

/// Operands as MPFR's numbers.
struct Numbers<const ROOM: usize> {
    shorts: [Short; ROOM],
    scratches: [Scratch; ROOM],
    /// Never dropped: their significands are borrowed.
    numbers: [ManuallyDrop<Float>; ROOM],
    count: usize,
}

impl<const ROOM: usize> Numbers<ROOM> {
    fn with<T>(operands: &[Operand], work: impl FnOnce(&[Float]) -> T) -> Option<T> {
        if operands.len() > ROOM {
            return None;
        }
        let lend = |scratch: &mut Scratch, number: &Number| {
            // SAFETY: `lend` makes a valid MPFR number; `ManuallyDrop` keeps rug from freeing the borrowed significand.
            ManuallyDrop::new(unsafe { Float::from_raw(scratch.lend(number)) })
        };
        let zero = Slot::new();
        let mut all = Numbers {
            shorts: [const { Short::new() }; ROOM],
            scratches: [const { Scratch::new() }; ROOM],
            numbers: core::array::from_fn(|_| lend(&mut Scratch::new(), &zero.number)),
            count: operands.len(),
        };
        let scratches = all.shorts.iter_mut().zip(&mut all.scratches);
        let slots = scratches.zip(&mut all.numbers);
        for (((short, scratch), number), operand) in slots.zip(operands) {
            let own = match Value::of_operand(operand) {
                Some(value) => Shadow::of_operand(operand).number(value, short),
                None => short.set_integer(operand.bits, operand.kind == SIGNED),
            };
            *number = lend(scratch, own);
        }
        let floats = all.numbers.get(..all.count)?;
        // SAFETY: `ManuallyDrop<Float>` has the layout of `Float`.
        let floats = unsafe { &*(&raw const *floats as *const [Float]) };
        Some(work(floats))
    }
}

/// Computes any operation into a slot; returns whether it has a meaning in exact arithmetic.
pub fn evaluate(op: Op, slot: &mut Slot, operands: &[Operand]) -> bool {
    if let (Op::Neg | Op::Abs, [operand]) = (op, operands) {
        return change_sign(op, slot, operand);
    }
    if evaluate_elementary(op, slot, operands) {
        return true;
    }
    let mut scratch = Scratch::new();
    let mut result = scratch.prepare();
    let work = |numbers: &[Float]| {
        // SAFETY: `result` is an initialised number with memory of its own; the pass gives every operation its operands.
        in_default_environment(|| unsafe {
            lostbits_reals::evaluate_into(op, numbers, &mut result)
        })
    };
    let evaluated = match operands.len() {
        ..=FEW_OPERANDS => Numbers::<FEW_OPERANDS>::with(operands, work),
        _ => Numbers::<MOST_OPERANDS>::with(operands, work),
    };
    exchange::take(slot, &result);
    evaluated == Some(true)
}

/// Uses our own implementation, where there is one.
fn evaluate_elementary(op: Op, slot: &mut Slot, operands: &[Operand]) -> bool {
    if !elementary::has(op) {
        return false;
    }
    let (mut short_a, mut short_b) = (Short::new(), Short::new());
    in_default_environment(|| match operands {
        [a] => number_of(a, &mut short_a).is_some_and(|x| elementary::evaluate(op, slot, x)),
        [a, b] => match (number_of(a, &mut short_a), number_of(b, &mut short_b)) {
            (Some(x), Some(y)) => elementary::evaluate_two(op, slot, x, y),
            _ => false,
        },
        _ => false,
    })
}

/// The exact value of a floating-point operand.
pub fn number_of<'a>(operand: &'a Operand, short: &'a mut Short) -> Option<&'a Number> {
    let value = Value::of_operand(operand)?;
    Some(Shadow::of_operand(operand).number(value, short))
}

/// Frequent, and needs no arithmetic.
fn change_sign(op: Op, slot: &mut Slot, operand: &Operand) -> bool {
    let mut short = Short::new();
    let Some(number) = number_of(operand, &mut short) else {
        return false;
    };
    let sign = if op == Op::Neg { -number.sign } else { 1 };
    arithmetic::copy_signed(slot, number, sign);
    true
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{number, testing::Shadowing};

    const EXTREMES: [(Op, i32); 6] = [
        (Op::Fmin, -1),
        (Op::Minimum, -1),
        (Op::MinimumNum, -1),
        (Op::Fmax, 1),
        (Op::Maximum, 1),
        (Op::MaximumNum, 1),
    ];

    /// The exact extreme counts, also where the program's values are equal or in the other order.
    #[test]
    fn minimum_and_maximum_take_the_shadow_of_the_exact_extreme() {
        let pairs = [
            [(1.0, 1e-20), (2.0, 1e-20)],
            [(1.0, 1e-20), (1.0, -1e-20)],
            [(1.0, 0.5), (1.25, -0.5)],
        ];
        for (op, wanted) in EXTREMES {
            for [x, y] in pairs.into_iter().flat_map(|[x, y]| [[x, y], [y, x]]) {
                let [x, y] = [x, y].map(|(value, residue)| Shadowing::new(value, residue));
                let mut result = Slot::new();
                assert!(evaluate(op, &mut result, &[x.operand(), y.operand()]));
                let order = number::compare(&x.slot().number, &y.slot().number).unwrap();
                let extreme = if order == wanted { &x } else { &y };
                let same = number::compare(&result.number, &extreme.slot().number);
                assert_eq!(same, Some(0), "{op:?} of {:?}", [x.value(), y.value()]);
            }
        }
    }
}
