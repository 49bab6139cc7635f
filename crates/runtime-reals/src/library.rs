//! Operations by MPFR, for shadows that are sums of two doubles.

use lostbits_abi::ops::Op;
use rug::Float;

use crate::{environment::in_default_environment, start};

/// No operation but reductions has more operands; those do not come here.
const MOST_OPERANDS: usize = 4;

/// The result at `precision` bits: the nearest double, and the double nearest to the rest.
pub fn evaluate(op: u32, precision: u32, operands: &[[f64; 2]]) -> Option<[f64; 2]> {
    start::ensure_started();
    let op = Op::from_u16(op as u16)?;
    if operands.len() < op.info().arity() || operands.len() > MOST_OPERANDS {
        return None;
    }
    in_default_environment(|| {
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
