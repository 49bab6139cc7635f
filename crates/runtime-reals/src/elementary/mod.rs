//! Exponentials, logarithms and circular functions: at 1000 bits 1.3 times (cosine) to 3 times (exponential, arctangent) as
//! fast as MPFR's.
//!
//! Tables of values at multiples of 2^−7, 2^−14 and 2^−21 reduce the argument. A short Taylor series, summed in blocks with few
//! long multiplications (Smith), does the rest. For the whole method see Johansson, *Efficient implementation of elementary
//! functions in the medium-precision range*, 2015. Logarithms and arctangents take one exponential or circular function of an
//! estimate, and a series of the rest.
//!
//! As with sums and products, results are not correctly rounded but within a relative error of 2^−N. Hard cases (tiny or huge
//! arguments, results near zero, more than [`fixed::MOST`] limbs) are left to MPFR.

mod circular;
mod estimate;
mod exponential;
mod fixed;
mod series;
mod tables;
#[cfg(test)]
mod tests;

use lostbits_abi::ops::Op;

use crate::number::{Number, Slot};

/// Whether there is code for an operation; it need not cover all operands.
pub fn has(op: Op) -> bool {
    use Op::*;
    matches!(op, Exp | Log | Sin | Cos | Tan | Atan | Pow)
}

/// A function of one operand into a slot; returns whether the operand is covered. The result is inexact.
pub fn evaluate(op: Op, slot: &mut Slot, x: &Number) -> bool {
    if !x.is_regular() {
        return false;
    }
    let done = match op {
        Op::Exp => exponential::exp(slot, x),
        Op::Log => exponential::log(slot, x),
        Op::Sin => circular::sin(slot, x),
        Op::Cos => circular::cos(slot, x),
        Op::Tan => circular::tan(slot, x),
        Op::Atan => circular::atan(slot, x),
        _ => None,
    };
    done.is_some()
}

/// The same for two operands.
pub fn evaluate_two(op: Op, slot: &mut Slot, x: &Number, y: &Number) -> bool {
    let are_regular = x.is_regular() && y.is_regular();
    are_regular && op == Op::Pow && exponential::pow(slot, x, y).is_some()
}
