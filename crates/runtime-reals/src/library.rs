//! Operations of the table by MPFR, for shadows that are sums of two doubles.

use lostbits_abi::ops::Op;
use rug::Float;

use crate::{environment::undisturbed, start};

/// No operation of the table but reductions takes more operands; those do not come here.
const MOST_OPERANDS: usize = 4;

/// The value at `precision` bits, as the nearest double and the double nearest to the rest.
pub fn evaluate(op: u32, precision: u32, operands: &[[f64; 2]]) -> Option<[f64; 2]> {
    start::once();
    let op = Op::from_u16(op as u16)?;
    if operands.len() < op.info().arity() || operands.len() > MOST_OPERANDS {
        return None;
    }
    undisturbed(|| {
        let zero = [0.0; 2];
        let operand = |index: usize| sum(*operands.get(index).unwrap_or(&zero), precision);
        let numbers: [Float; MOST_OPERANDS] = core::array::from_fn(operand);
        let exact = lostbits_reals::evaluate(op, numbers.get(..operands.len())?, precision)?;
        let value = exact.to_f64();
        let rest = if value.is_finite() {
            Float::with_val(precision, &exact - value).to_f64()
        } else {
            0.0
        };
        Some([value, rest])
    })
}

fn sum([value, residue]: [f64; 2], precision: u32) -> Float {
    Float::with_val(precision.max(53), value) + residue
}
