//! Operations with two operands: the most frequent ones.
//!
//! The path for full-length numbers is inlined. Functions that are not inlined get their arguments in registers, as the
//! export got them. A struct with padding would be written in parts and read as a whole, which stalls (no store forwarding).

use lostbits_abi::{kind::FpKind, ops::Op};

use super::{
    super::trace::ThreadTrace,
    errors, events, intervening,
    operations::{Context, Inputs, check_result, record},
};
use crate::{
    arithmetic,
    number::{self, Number, Shadow, Short, Slot},
    own_error::OwnError,
    propagation::Known,
    settings,
    value::Value,
};

/// A format of the program with operations of its own.
pub trait Format: Copy {
    const KIND: u8;

    fn value(self) -> Value;
}

impl Format for f64 {
    const KIND: u8 = FpKind::Double as u8;

    #[inline(always)]
    fn value(self) -> Value {
        Value::of_double(self)
    }
}

impl Format for f32 {
    const KIND: u8 = FpKind::Float as u8;

    #[inline(always)]
    fn value(self) -> Value {
        Value::of_float(self)
    }
}

/// An operation with two operands; its functions return whether the result may be inexact.
pub trait Binary {
    const OP: Op;

    fn any_length(to: &mut Slot, x: &Number, y: &Number) -> bool;

    /// For two numbers of `room` limbs; none in rare cases, or if there is no such code.
    ///
    /// # Safety
    ///
    /// Both numbers have `room` limbs, which is [`settings::limbs`].
    unsafe fn full_length(to: &mut Slot, x: &Number, y: &Number, room: usize) -> Option<bool>;

    /// The error of the result that is due to the operands' errors.
    fn propagated(x: Known, y: Known, result: &Number) -> OwnError;
}

pub struct Add;
pub struct Sub;
pub struct Mul;
pub struct Div;

/// Sums differ only in the sign of the second operand.
macro_rules! sums {
    ($($name:ident $function:ident $negates:literal)*) => {$(
        impl Binary for $name {
            const OP: Op = Op::$name;

            #[inline(always)]
            fn any_length(to: &mut Slot, x: &Number, y: &Number) -> bool {
                arithmetic::$function(to, x, y)
            }

            #[inline(always)]
            unsafe fn full_length(to: &mut Slot, x: &Number, y: &Number, room: usize) -> Option<bool> {
                let sign_of_y = if $negates { -y.sign } else { y.sign };
                // SAFETY: the caller's promise; full-length numbers are regular.
                unsafe { arithmetic::full_length::add(to, x, y, sign_of_y, room) }
            }

            #[inline(always)]
            fn propagated((_, x_error): Known, (_, y_error): Known, _: &Number) -> OwnError {
                x_error.plus(if $negates { -y_error } else { y_error })
            }
        }
    )*};
}

sums! {
    Add add false
    Sub sub true
}

impl Binary for Mul {
    const OP: Op = Op::Mul;

    #[inline(always)]
    fn any_length(to: &mut Slot, x: &Number, y: &Number) -> bool {
        arithmetic::mul(to, x, y)
    }

    #[inline(always)]
    unsafe fn full_length(to: &mut Slot, x: &Number, y: &Number, room: usize) -> Option<bool> {
        // SAFETY: the caller's promise; full-length numbers are regular.
        unsafe { arithmetic::full_length::multiply(to, x, y, room, settings::slack()) }
    }

    #[inline(always)]
    fn propagated((x, x_error): Known, (y, y_error): Known, _: &Number) -> OwnError {
        errors::product(x, x_error, y, y_error)
    }
}

impl Binary for Div {
    const OP: Op = Op::Div;

    #[inline(always)]
    fn any_length(to: &mut Slot, x: &Number, y: &Number) -> bool {
        arithmetic::div(to, x, y)
    }

    #[inline(always)]
    unsafe fn full_length(_: &mut Slot, _: &Number, _: &Number, _: usize) -> Option<bool> {
        None
    }

    #[inline(always)]
    fn propagated((_, x_error): Known, (y, y_error): Known, result: &Number) -> OwnError {
        errors::quotient(x_error, y, y_error, result)
    }
}

/// An executed operation, as instrumented code reports it.
pub struct Executed<'a, T> {
    pub slot: &'a mut Slot,
    pub site: u64,
    pub trace: ThreadTrace,
    pub shadows: [Shadow<'a>; 2],
    pub values: [T; 2],
    pub result: T,
}

impl<'a, T: Format> Executed<'a, T> {
    #[inline(always)]
    fn context(&mut self) -> Context<'_> {
        Context {
            slot: self.slot,
            site: self.site as u32,
            trace: self.trace,
        }
    }

    #[inline(always)]
    fn inputs(&self) -> Inputs<'a, 2> {
        let ([a, b], [x, y]) = (self.shadows, self.values);
        Inputs::all([(a, x.value()), (b, y.value())])
    }

    /// Computes the result's number; returns its shadow.
    #[inline(always)]
    pub fn evaluate<O: Binary>(mut self) -> u64 {
        match self.evaluate_full_length::<O>() {
            Some(error) => self.conclude::<O>(error, false),
            None => {
                let Executed {
                    slot,
                    site,
                    trace,
                    shadows: [a, b],
                    values: [x, y],
                    result,
                } = self;
                evaluate_any_length::<T, O>(slot, site, trace, a, b, x, y, result)
            }
        }
    }

    /// Computes with two full-length numbers; returns the result's error.
    #[inline(always)]
    fn evaluate_full_length<O: Binary>(&mut self) -> Option<OwnError> {
        let [a, b] = self.shadows;
        let (x, y) = (a.slot()?, b.slot()?);
        let room = settings::limbs();
        if x.number.len() != room || y.number.len() != room {
            return None;
        }
        // SAFETY: both have `room` limbs.
        let inexact = unsafe { O::full_length(self.slot, &x.number, &y.number, room) }?;
        let number = &self.slot.number;
        let propagated = O::propagated((&x.number, x.own_error), (&y.number, y.own_error), number);
        let salt = errors::salt(&x.number, &y.number);
        Some(propagated.plus(errors::rounding(number, inexact, salt)))
    }

    #[inline(always)]
    fn conclude<O: Binary>(mut self, error: OwnError, is_undefined: bool) -> u64 {
        let (site, operands) = (self.site as u32, self.inputs());
        let result = self.result.value();
        intervening::apply(self.slot, site, O::OP, operands.operands(), result);
        let sampled = self.record::<O>(error) | is_undefined;
        let (result, inputs) = (self.result, self.inputs());
        if !sampled && events::needs_no_event_inline(self.context(), O::OP, inputs, result.value())
        {
            return Shadow::of(self.slot).word();
        }
        let Executed {
            slot,
            site,
            trace,
            shadows: [a, b],
            values: [x, y],
            result,
        } = self;
        conclude_slowly::<T, O>(slot, site, trace, a, b, x, y, result, sampled)
    }

    #[inline(always)]
    fn record<O: Binary>(&mut self, error: OwnError) -> bool {
        let inputs = self.inputs();
        match T::KIND == f64::KIND {
            true => record::<{ f64::KIND }, 2>(self.context(), O::OP, inputs, error),
            false => record::<{ f32::KIND }, 2>(self.context(), O::OP, inputs, error),
        }
    }
}

#[inline(never)]
#[expect(clippy::too_many_arguments, reason = "they stay in registers")]
fn evaluate_any_length<T: Format, O: Binary>(
    slot: &mut Slot,
    site: u64,
    trace: ThreadTrace,
    a: Shadow,
    b: Shadow,
    x: T,
    y: T,
    result: T,
) -> u64 {
    let (mut short_a, mut short_b) = (Short::new(), Short::new());
    let (error, is_undefined) = {
        let divisor = y.value();
        let x = a.number(x.value(), &mut short_a);
        let y = b.number(divisor, &mut short_b);
        let inexact = O::any_length(slot, x, y);
        if O::OP == Op::Div && errors::divides_by_noise((y, b.own_error()), divisor) {
            slot.set_special(number::NAN, 1);
            (OwnError::EXACT, true)
        } else {
            let number = &slot.number;
            let propagated = O::propagated((x, a.own_error()), (y, b.own_error()), number);
            let rounding = errors::rounding(number, inexact, errors::salt(x, y));
            (propagated.plus(rounding), false)
        }
    };
    let executed = Executed {
        slot,
        site,
        trace,
        shadows: [a, b],
        values: [x, y],
        result,
    };
    executed.conclude::<O>(error, is_undefined)
}

#[inline(never)]
#[expect(clippy::too_many_arguments, reason = "they stay in registers")]
fn conclude_slowly<T: Format, O: Binary>(
    slot: &mut Slot,
    site: u64,
    trace: ThreadTrace,
    a: Shadow,
    b: Shadow,
    x: T,
    y: T,
    result: T,
    sampled: bool,
) -> u64 {
    let mut executed = Executed {
        slot,
        site,
        trace,
        shadows: [a, b],
        values: [x, y],
        result,
    };
    let inputs = executed.inputs();
    check_result(executed.context(), O::OP, inputs, result.value(), sampled);
    Shadow::of(executed.slot).word()
}
