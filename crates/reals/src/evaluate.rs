//! Dispatches the operations of the table to MPFR's functions.

use core::ffi::c_int;

use gmp_mpfr_sys::mpfr::{self, mpfr_t, rnd_t};
use lostbits_abi::{operations, ops::Op};
use rug::Float;

use crate::special;

type Unary = unsafe extern "C" fn(*mut mpfr_t, *const mpfr_t, rnd_t) -> c_int;
type Binary = unsafe extern "C" fn(*mut mpfr_t, *const mpfr_t, *const mpfr_t, rnd_t) -> c_int;

pub(crate) fn unary(function: Unary, operands: &[Float], precision: u32) -> Option<Float> {
    let mut result = Float::new(precision);
    // SAFETY: a `Float` is an initialised MPFR number, and the result is a new one, not an operand.
    unsafe { function(result.as_raw_mut(), operands[0].as_raw(), rnd_t::RNDN) };
    Some(result)
}

pub(crate) fn binary(function: Binary, operands: &[Float], precision: u32) -> Option<Float> {
    let mut result = Float::new(precision);
    let [x, y] = [0, 1].map(|index| operands[index].as_raw());
    // SAFETY: as in `unary`.
    unsafe { function(result.as_raw_mut(), x, y, rnd_t::RNDN) };
    Some(result)
}

fn copy(result: *mut mpfr_t, value: Option<Float>) -> bool {
    let Some(value) = value else { return false };
    // SAFETY: `dispatch`'s callers pass an initialised number; `value` is one.
    unsafe { mpfr::set(result, value.as_raw(), rnd_t::RNDN) };
    true
}

/// Computes what a row of the table says into `$result`.
macro_rules! by_source {
    (special $function:ident, $operands:ident, $result:ident) => {
        copy(
            $result,
            special::$function($operands, (*$result).prec as u32),
        )
    };
    (unary $function:ident, $operands:ident, $result:ident) => {{
        mpfr::$function($result, $operands[0].as_raw(), rnd_t::RNDN);
        true
    }};
    (binary $function:ident, $operands:ident, $result:ident) => {{
        let [x, y] = [0, 1].map(|index| $operands[index].as_raw());
        mpfr::$function($result, x, y, rnd_t::RNDN);
        true
    }};
    (ternary $function:ident, $operands:ident, $result:ident) => {{
        let [x, y, z] = [0, 1, 2].map(|index| $operands[index].as_raw());
        mpfr::$function($result, x, y, z, rnd_t::RNDN);
        true
    }};
}

macro_rules! define_dispatch {
    ($($number:literal $variant:ident = $source:ident :: $function:ident { $($rest:tt)* })*) => {
        /// # Safety
        ///
        /// `result` is an initialised number, not an operand.
        unsafe fn dispatch(op: Op, operands: &[Float], result: *mut mpfr_t) -> bool {
            // SAFETY: `Float` operands are initialised MPFR numbers. Indexing checks that there are enough of them.
            unsafe {
                match op {
                    $(Op::$variant => by_source!($source $function, operands, result),)*
                }
            }
        }
    };
}
operations!(define_dispatch);

/// The exact result of an operation, rounded to nearest at `precision` bits (at least 1). Infinities, NaN and the signs of
/// zeros follow IEEE 754 and C's Annex F.
///
/// Integer operands and results are whole numbers as `Float`; an integer result that C leaves undefined is an infinity or NaN.
/// For operations with two results this is the first; [`OpInfo::second`](lostbits_abi::ops::OpInfo::second) names the
/// operation for the other. A reduction takes its start value and all lanes.
///
/// `None` where exact arithmetic gives the operation no meaning (comparison, class, neighbour), and where the cost would be
/// unbounded: operands far outside all hardware formats, Bessel functions of high order. Results beyond MPFR's range,
/// 2^±(2^30), are infinities or zeros.
///
/// # Panics
/// If there are fewer operands than the operation has.
pub fn evaluate(op: Op, operands: &[Float], precision: u32) -> Option<Float> {
    let info = op.info();
    assert!(
        operands.len() >= info.arity(),
        "{} takes {} operands, {} were given",
        info.name,
        info.arity(),
        operands.len()
    );
    let mut result = Float::new(precision);
    // SAFETY: `result` is new and initialised; the number of operands was checked.
    unsafe { evaluate_into(op, operands, result.as_raw_mut()) }.then_some(result)
}

/// As [`evaluate`], into an existing number at its precision; returns whether there is a result.
///
/// # Safety
///
/// `result` is an initialised number, not an operand.
///
/// # Panics
///
/// If there are fewer operands than the operation has.
pub unsafe fn evaluate_into(op: Op, operands: &[Float], result: *mut mpfr_t) -> bool {
    let out_of_reach = reduces_by_a_period(op) && operands.iter().any(is_out_of_reach);
    // SAFETY: the caller's promise.
    !out_of_reach && unsafe { dispatch(op, operands, result) }
}

/// Functions whose cost grows with the operand's exponent, not only with the precision.
fn reduces_by_a_period(op: Op) -> bool {
    use Op::*;
    matches!(
        op,
        Sin | Cos
            | Tan
            | Sincos
            | Rem
            | Remainder
            | Modulo
            | Tgamma
            | Lgamma
            | J0
            | J1
            | Y0
            | Y1
            | Jn
            | Yn
    )
}

fn is_out_of_reach(operand: &Float) -> bool {
    const WIDEST: u32 = 1 << 17; // quadruple precision ends at 2^±16494
    operand
        .get_exp()
        .is_some_and(|exponent| exponent.unsigned_abs() > WIDEST)
}
