//! The error of high-precision numbers themselves, as events report it: a difference of which only noise is left is not taken
//! for a result, at any precision ([`is_noise`]). See [`crate::propagation`] for how operations propagate it.

use core::sync::atomic::{AtomicBool, Ordering::Relaxed};

use super::super::measure;
pub use crate::propagation::{product, quotient, root, rounding, salt, sure_power};
use crate::{number::Number, own_error::OwnError, propagation::Known, value::Value};

/// From a bound in doubles.
pub fn from_bound(bound: f64) -> OwnError {
    match bound {
        0.0 => OwnError::EXACT,
        bound if bound <= f64::MAX => {
            OwnError::power_of_two(i64::from(measure::exponent(bound)) + 1)
        }
        _ => OwnError::UNKNOWN,
    }
}

/// As a bound in doubles.
pub fn bound(error: OwnError) -> f64 {
    measure::power_of_two(sure_power(error).clamp(-2000, 2000) as i32)
}

static NOISE_IS_ZERO: AtomicBool = AtomicBool::new(false);

/// Another precision confirms this run, or does not.
pub fn set_noise_is_zero(is_zero: bool) {
    NOISE_IS_ZERO.store(is_zero, Relaxed);
}

/// Whether a number that is nothing but noise may be taken for zero.
pub fn is_noise_zero() -> bool {
    NOISE_IS_ZERO.load(Relaxed)
}

/// Whether two precisions have to agree on what lies within this error of a threshold, and no term was absorbed that more precision
/// would show.
pub fn is_confirmed(error: OwnError) -> bool {
    is_noise_zero() && !error.is_unknown() && !error.has_absorbed()
}

/// Whether a number cannot be told from zero: nothing is left above its own error, and no term was absorbed that more
/// precision would show.
#[inline(always)]
pub fn is_noise(number: &Number, error: OwnError) -> bool {
    !error.is_exact()
        && !error.is_unknown()
        && !error.has_absorbed()
        && (number.is_zero() || (number.is_regular() && number.size <= sure_power(error)))
}

/// Whether a divisor is zero in exact arithmetic and a number in the program, so that the quotient means nothing.
#[inline(always)]
pub fn divides_by_noise((divisor, error): Known, program: Value) -> bool {
    let (_, fraction, _) = program.parts();
    fraction != 0
        && ((divisor.is_zero() && error.is_exact())
            || (is_noise_zero() && is_noise(divisor, error)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        number::Slot, own_error::MARGIN_BITS, propagation::set_power_of_two, value::Value,
    };

    const EXACT: OwnError = OwnError::EXACT;
    const UNKNOWN: OwnError = OwnError::UNKNOWN;

    /// The smallest number of a size.
    fn number(slot: &mut Slot, size: i64) -> &Number {
        set_power_of_two(slot, size - 1);
        &slot.number
    }

    #[test]
    fn errors_are_scaled_by_operands_and_slopes() {
        let error = OwnError::power_of_two;
        let (mut x, mut y, mut z) = (Slot::new(), Slot::new(), Slot::new());
        let (x, y, z) = (number(&mut x, 10), number(&mut y, -5), number(&mut z, 15));
        // Numbers of a size are at least half as large as the next power of two.
        let sum = error(-91).plus(error(-96));
        assert_eq!(product(x, error(-90), y, error(-100)), sum);
        assert_eq!(product(x, error(-90), y, EXACT), error(-96));
        assert_eq!(product(x, EXACT, y, EXACT), EXACT);
        // Of two zeros only the product of both errors is left.
        let mut zero = Slot::new();
        zero.set_value(Value::of_double(0.0));
        let zero = &zero.number;
        assert_eq!(product(zero, error(-90), zero, error(-100)), error(-190));
        assert_eq!(quotient(EXACT, y, EXACT, z), EXACT);
        assert_eq!(quotient(error(-90), y, EXACT, z), error(-84));
        assert_eq!(quotient(EXACT, y, error(-100), z), -error(-80));
        assert_eq!(quotient(EXACT, y, error(-6), z), UNKNOWN);
        assert_eq!(root((x, error(-90)), x), error(-100));
        assert_eq!(root((zero, error(-90)), zero), error(-44));
        assert_eq!(root((x, EXACT), x), EXACT);
        // The root of nothing may be one of something that a longer number had.
        let mut long = Slot::new();
        set_power_of_two(&mut long, 0);
        let absorbed = OwnError::of_rounding(&long.number, 256, 1);
        assert!(absorbed.has_absorbed() && root((zero, absorbed), zero).has_absorbed());
        // Of a number that may be negative only by its error.
        let mut not_a_number = Slot::new();
        not_a_number.set_value(Value::of_double(f64::NAN));
        let not_a_number = &not_a_number.number;
        assert_eq!(root((x, error(-90)), not_a_number), EXACT);
        assert_eq!(root((x, error(9)), not_a_number), UNKNOWN);
        assert_eq!(root((x, EXACT), not_a_number), EXACT);
        assert_eq!(bound(EXACT), 0.0);
        assert_eq!(
            bound(error(-3)),
            0.25 * measure::power_of_two(MARGIN_BITS as i32)
        );
        assert!(is_noise(zero, error(-90)) && !is_noise(zero, EXACT));
        let (noise, none) = (Value::of_double(1e-17), Value::of_double(0.0));
        assert!(divides_by_noise((zero, EXACT), noise) && !divides_by_noise((zero, EXACT), none));
        // Another precision has to confirm that nothing is left.
        assert!(!divides_by_noise((zero, error(-90)), noise));
        assert!(is_noise(y, error(-12)) && !is_noise(y, error(-20)));
        assert_eq!(bound(UNKNOWN), f64::INFINITY);
    }
}
