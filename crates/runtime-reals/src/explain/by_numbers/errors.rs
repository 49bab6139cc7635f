//! What a number of many bits may be off by itself.
//!
//! Each number has an *order*: it lies within about 2^order of the real one. As in mode `explain`, orders of errors that
//! meet are compared, not added, and verdicts allow for it. So a difference of which only noise is left is
//! not taken for a result, however many bits it was computed with.

use lostbits_abi::{kind::FpKind, numbers::Operand, ops::Op};

use super::super::{functions, measure, real::Real};
use crate::{
    arithmetic,
    number::{LIMB_BITS, Number, Slot},
    operate, settings,
    value::Value,
};

/// Far enough from the ends that a few can be added.
pub const EXACT: i64 = i64::MIN / 8;
pub const UNKNOWN: i64 = i64::MAX / 8;

const HARDLY: i64 = EXACT / 2;

/// A divisor must be known to so many bits.
const SURE_BITS: i64 = 20;

#[inline(always)]
fn exponent(number: &Number) -> i64 {
    match number.is_regular() {
        true => number.size,
        false => EXACT,
    }
}

/// Of a rounding to the precision at hand.
#[inline(always)]
pub fn rounding(result: &Number, inexact: bool) -> i64 {
    match inexact && result.is_regular() {
        true => result.size - settings::precision(),
        false => EXACT,
    }
}

#[inline(always)]
fn among_all(order: i64) -> i64 {
    // What an exact operand brings along is nothing, whatever it was multiplied with.
    match order {
        ..HARDLY => EXACT,
        HARDLY..UNKNOWN => order,
        _ => UNKNOWN,
    }
}

#[inline(always)]
pub fn product(x: &Number, of_x: i64, y: &Number, of_y: i64) -> i64 {
    among_all((of_x + exponent(y)).max(of_y + exponent(x)))
}

#[inline(always)]
pub fn quotient(of_x: i64, y: &Number, of_y: i64, result: &Number) -> i64 {
    if of_y != EXACT && of_y >= exponent(y) - SURE_BITS {
        return UNKNOWN;
    }
    if !y.is_regular() {
        return EXACT;
    }
    let carried = (of_x + 1).max(of_y + 1 + exponent(result));
    among_all(carried - y.size)
}

/// Near zero a root moves more than its slope says, but never more than by the root of the error.
#[inline(always)]
pub fn root(of_x: i64, result: &Number) -> i64 {
    match of_x {
        EXACT => EXACT,
        _ => among_all((of_x - exponent(result)).min(of_x.div_euclid(2) + 1)),
    }
}

/// As an estimate in doubles.
pub fn bound(order: i64) -> f64 {
    measure::power_of_two(order.clamp(-2000, 2000) as i32)
}

/// Of any operation of the table: what its operands' errors make of it.
pub unsafe fn carried(op: Op, operands: &[Operand], result: &Number) -> i64 {
    let orders = operands.iter().map(|operand| unsafe { order_of(operand) });
    let most = orders.max().unwrap_or(EXACT);
    if most == EXACT || most == UNKNOWN || !result.is_regular() {
        return most;
    }
    match slope(op, operands, result) {
        Some(power) => among_all(most + power),
        None => unsafe { by_moving(op, operands, result) },
    }
}

unsafe fn order_of(operand: &Operand) -> i64 {
    match operand.slot {
        0 => EXACT,
        slot => unsafe { (*(slot as *const Slot)).order },
    }
}

/// The order of the derivative's size, where it is easily had.
fn slope(op: Op, operands: &[Operand], result: &Number) -> Option<i64> {
    use Op::*;
    if matches!(
        op,
        Neg | Abs | Fmin | Fmax | Minimum | Maximum | MinimumNum | MaximumNum
    ) {
        return Some(0);
    }
    let [x] = operands else { return None };
    let value = Value::of_operand(x)?;
    let x = Real::sum(super::telling::as_double(value), 0.0);
    let result = Value::nearest(FpKind::Double, result);
    let slope = functions::slope(op, &[x], f64::from_bits(result.bits))?;
    (slope > 0.0 && slope.is_finite()).then(|| i64::from(measure::exponent(slope)) + 1)
}

/// How far the result goes when the operands go as far as their errors; twice, for what may lie between.
unsafe fn by_moving(op: Op, operands: &[Operand], result: &Number) -> i64 {
    const MOST: usize = 3;
    if operands.len() > MOST {
        // A reduction: its terms are summed or compared.
        let orders = operands.iter().map(|operand| unsafe { order_of(operand) });
        return orders.max().unwrap_or(EXACT);
    }
    let mut slots: [Slot; MOST] = core::array::from_fn(|_| Slot::new());
    let mut moved = [Operand {
        slot: 0,
        bits: 0,
        high: 0,
        kind: 0,
    }; MOST];
    for ((operand, slot), moved) in operands.iter().zip(&mut slots).zip(&mut moved) {
        *moved = *operand;
        let order = unsafe { order_of(operand) };
        if order != EXACT {
            unsafe {
                let number = &(*(operand.slot as *const Slot)).number;
                let mut step = Slot::new();
                power_of_two(&mut step, order);
                arithmetic::add(slot, number, &step.number);
                moved.slot = &raw const *slot as u64;
            }
        }
    }
    let mut again = Slot::new();
    unsafe {
        if !operate::evaluate(op, &mut again, &moved[..operands.len()]) {
            return UNKNOWN;
        }
        let mut difference = Slot::new();
        arithmetic::sub(&mut difference, &again.number, result);
        let difference = &difference.number;
        match difference.is_regular() {
            true => difference.size + 1,
            false if difference.is_zero() => EXACT,
            false => UNKNOWN,
        }
    }
}

fn power_of_two(slot: &mut Slot, power: i64) {
    let limb = 1 << power.rem_euclid(LIMB_BITS);
    slot.become_one_limb(limb, 1, power.div_euclid(LIMB_BITS) + 1);
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The least of a size.
    fn number(slot: &mut Slot, size: i64) -> &Number {
        power_of_two(slot, size - 1);
        &slot.number
    }

    #[test]
    fn errors_are_carried_by_size_and_slope() {
        let (mut x, mut y, mut z) = (Slot::new(), Slot::new(), Slot::new());
        let (x, y, z) = (number(&mut x, 10), number(&mut y, -5), number(&mut z, 15));
        assert_eq!(product(x, -90, y, -100), -90);
        assert_eq!(product(x, -90, y, EXACT), -95);
        assert_eq!(product(x, EXACT, y, EXACT), EXACT);
        assert_eq!(quotient(EXACT, y, EXACT, z), EXACT);
        assert_eq!(quotient(-90, y, EXACT, z), -84);
        assert_eq!(quotient(EXACT, y, -100, z), -79);
        assert_eq!(quotient(EXACT, y, -6, z), UNKNOWN);
        assert_eq!(root(-90, x), -100);
        assert_eq!(root(EXACT, x), EXACT);
        assert_eq!(bound(EXACT), 0.0);
        assert_eq!(bound(-3), 0.125);
        assert_eq!(bound(UNKNOWN), f64::INFINITY);
    }
}
