//! Values whose sign or exponent the program changed through their bits. If the fraction is the same, the new value is the
//! old one times a power of two, and so is its number.

use lostbits_abi::kind::FpKind;

use super::errors;
use crate::{
    arithmetic,
    number::{Shadow, Short, Slot},
    own_error::OwnError,
    value::Value,
};

/// Sets `to` to the number of the value with the bits `after`, made from the value with the bits `before` and the shadow
/// `from`; returns its shadow, or 0 if this is not a scaling.
pub fn rescale(to: &mut Slot, from: Shadow, kind: FpKind, before: u64, after: u64) -> u64 {
    let (Some(factor), Some(from)) = (factor(kind, before, after), from.slot()) else {
        return 0;
    };
    let mut short = Short::new();
    let factor = short.set(Value::of_double(factor));
    let inexact = arithmetic::mul(to, &from.number, factor);
    let exact = OwnError::EXACT;
    to.own_error = errors::product(&from.number, from.own_error, factor, exact)
        .plus(errors::rounding(&to.number, inexact, from.number.salt()));
    to.meta = from.meta;
    Shadow::of(to).word()
}

/// The quotient of two normal values with the same fraction, if it is a double.
fn factor(kind: FpKind, before: u64, after: u64) -> Option<f64> {
    let fraction = kind.precision() - 1;
    if (before ^ after) & ((1 << fraction) - 1) != 0 {
        return None;
    }
    let most = (1 << (kind.storage_bits() - 1 - fraction)) - 1;
    let exponent = |bits: u64| Some(bits >> fraction & most).filter(|e| (1..most).contains(e));
    let power = exponent(after)? as i64 - exponent(before)? as i64;
    let biased = u64::try_from(power + 1023).ok()?;
    let sign = (before ^ after) >> (kind.storage_bits() - 1);
    (1..2047)
        .contains(&biased)
        .then(|| f64::from_bits(sign << 63 | biased << 52))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_signs_and_exponents_may_differ() {
        let double = |x: f64, y: f64| factor(FpKind::Double, x.to_bits(), y.to_bits());
        assert_eq!(double(0.3, -0.3), Some(-1.0));
        assert_eq!(double(0.3, 2.4), Some(8.0));
        assert_eq!(double(0.3, 0.4), None);
        assert_eq!(double(0.0, 1.0), None);
        assert_eq!(double(1.0, f64::INFINITY), None);
        assert_eq!(double(1e-300, 1e-300 * 2f64.powi(1100)), None);
        let float = |x: f32, y: f32| {
            let bits = |x: f32| u64::from(x.to_bits());
            factor(FpKind::Float, bits(x), bits(y))
        };
        assert_eq!(float(0.3, -0.15), Some(-0.5));
    }
}
