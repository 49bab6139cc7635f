//! Operations of two operands, which are most of all.
//!
//! Numbers that are as long as they may be are computed in line. What goes to a function that is not in line goes in
//! registers, as it came: structures with gaps would be written in parts and read as a whole, for which processors
//! wait.

use lostbits_abi::{explain::Thread, kind::FpKind, ops::Op};

use super::{
    errors,
    operations::{Place, Seen, look_closer, note, order_of},
    telling,
};
use crate::{
    arithmetic,
    number::{Number, Short, Slot, number_of},
    settings,
    value::Value,
};

/// A format of the program's.
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

/// A number, and the order of its error.
type Known<'a> = (&'a Number, i64);

/// An operation of two operands; gives whether the result may be inexact.
pub trait Binary {
    const OP: Op;

    unsafe fn of_any(to: &mut Slot, x: &Number, y: &Number) -> bool;

    /// Of two numbers of `room` limbs; none where that is rare, or has no code of its own.
    unsafe fn of_long(to: &mut Slot, x: &Number, y: &Number, room: usize) -> Option<bool>;

    /// The order of what the operands' errors make of the result.
    fn carried(x: Known, y: Known, result: &Number) -> i64;
}

pub struct Add;
pub struct Sub;
pub struct Mul;
pub struct Div;

impl Binary for Add {
    const OP: Op = Op::Add;

    #[inline(always)]
    unsafe fn of_any(to: &mut Slot, x: &Number, y: &Number) -> bool {
        unsafe { arithmetic::add(to, x, y) }
    }

    #[inline(always)]
    unsafe fn of_long(to: &mut Slot, x: &Number, y: &Number, room: usize) -> Option<bool> {
        unsafe { arithmetic::long::add(to, x, y, y.sign, room) }
    }

    #[inline(always)]
    fn carried((_, of_x): Known, (_, of_y): Known, _: &Number) -> i64 {
        of_x.max(of_y)
    }
}

impl Binary for Sub {
    const OP: Op = Op::Sub;

    #[inline(always)]
    unsafe fn of_any(to: &mut Slot, x: &Number, y: &Number) -> bool {
        unsafe { arithmetic::sub(to, x, y) }
    }

    #[inline(always)]
    unsafe fn of_long(to: &mut Slot, x: &Number, y: &Number, room: usize) -> Option<bool> {
        unsafe { arithmetic::long::add(to, x, y, -y.sign, room) }
    }

    #[inline(always)]
    fn carried((_, of_x): Known, (_, of_y): Known, _: &Number) -> i64 {
        of_x.max(of_y)
    }
}

impl Binary for Mul {
    const OP: Op = Op::Mul;

    #[inline(always)]
    unsafe fn of_any(to: &mut Slot, x: &Number, y: &Number) -> bool {
        unsafe { arithmetic::mul(to, x, y) }
    }

    #[inline(always)]
    unsafe fn of_long(to: &mut Slot, x: &Number, y: &Number, room: usize) -> Option<bool> {
        unsafe { arithmetic::long::multiply(to, x, y, room, settings::slack()) }
    }

    #[inline(always)]
    fn carried((x, of_x): Known, (y, of_y): Known, _: &Number) -> i64 {
        errors::product(x, of_x, y, of_y)
    }
}

impl Binary for Div {
    const OP: Op = Op::Div;

    #[inline(always)]
    unsafe fn of_any(to: &mut Slot, x: &Number, y: &Number) -> bool {
        unsafe { arithmetic::div(to, x, y) }
    }

    #[inline(always)]
    unsafe fn of_long(_: &mut Slot, _: &Number, _: &Number, _: usize) -> Option<bool> {
        None
    }

    #[inline(always)]
    fn carried((_, of_x): Known, (y, of_y): Known, result: &Number) -> i64 {
        errors::quotient(of_x, y, of_y, result)
    }
}

/// An operation that was executed, as instrumented code tells of it.
#[derive(Clone, Copy)]
pub struct Executed<T> {
    pub slot: *mut Slot,
    pub site: u64,
    pub thread: *mut Thread,
    pub shadows: [u64; 2],
    pub values: [T; 2],
    pub result: T,
}

impl<T: Format> Executed<T> {
    #[inline(always)]
    fn place(&self) -> Place {
        Place {
            slot: self.slot,
            site: self.site as u32,
            thread: self.thread,
        }
    }

    #[inline(always)]
    fn seen(&self) -> Seen<2> {
        let ([a, b], [x, y]) = (self.shadows, self.values);
        Seen::all([(a, x.value()), (b, y.value())])
    }

    /// Gives the result's shadow.
    #[inline(always)]
    pub unsafe fn evaluate<O: Binary>(self) -> u64 {
        let Executed {
            slot,
            site,
            thread,
            shadows: [a, b],
            values: [x, y],
            result,
        } = self;
        unsafe {
            match self.order_of_long::<O>() {
                Some(order) => self.conclude::<O>(order),
                None => of_any::<T, O>(slot, site, thread, a, b, x, y, result),
            }
        }
    }

    /// Computes with two numbers that are as long as they may be; gives the order of the result's error.
    #[inline(always)]
    unsafe fn order_of_long<O: Binary>(&self) -> Option<i64> {
        let [a, b] = self.shadows;
        if a == 0 || b == 0 {
            return None;
        }
        unsafe {
            let (x, y) = (&*(a as *const Slot), &*(b as *const Slot));
            let room = settings::limbs();
            if x.number.len() != room || y.number.len() != room {
                return None;
            }
            let inexact = O::of_long(&mut *self.slot, &x.number, &y.number, room)?;
            let number = &(*self.slot).number;
            let carried = O::carried((&x.number, x.order), (&y.number, y.order), number);
            Some(carried.max(errors::rounding(number, inexact)))
        }
    }

    #[inline(always)]
    unsafe fn conclude<O: Binary>(&self, order: i64) -> u64 {
        let &Executed {
            slot,
            site,
            thread,
            shadows: [a, b],
            values: [x, y],
            result,
        } = self;
        unsafe {
            let sampled = note_of::<T, O>(self, order);
            let (place, seen) = (self.place(), self.seen());
            if !sampled && telling::is_settled_at_once(place, O::OP, seen, result.value()) {
                return slot as u64;
            }
            closer::<T, O>(slot, site, thread, a, b, x, y, result, sampled)
        }
    }
}

#[inline(always)]
unsafe fn note_of<T: Format, O: Binary>(executed: &Executed<T>, order: i64) -> bool {
    let (place, seen) = (executed.place(), executed.seen());
    unsafe {
        match T::KIND == f64::KIND {
            true => note::<{ f64::KIND }, 2>(place, O::OP, seen, order),
            false => note::<{ f32::KIND }, 2>(place, O::OP, seen, order),
        }
    }
}

#[inline(never)]
#[expect(clippy::too_many_arguments, reason = "they stay in registers")]
unsafe fn of_any<T: Format, O: Binary>(
    slot: *mut Slot,
    site: u64,
    thread: *mut Thread,
    a: u64,
    b: u64,
    x: T,
    y: T,
    result: T,
) -> u64 {
    let executed = Executed {
        slot,
        site,
        thread,
        shadows: [a, b],
        values: [x, y],
        result,
    };
    let (mut short_a, mut short_b) = (Short::new(), Short::new());
    unsafe {
        let x = number_of(a, x.value(), &mut short_a);
        let y = number_of(b, y.value(), &mut short_b);
        let inexact = O::of_any(&mut *slot, x, y);
        let number = &(*slot).number;
        let carried = O::carried((x, order_of(a)), (y, order_of(b)), number);
        executed.conclude::<O>(carried.max(errors::rounding(number, inexact)))
    }
}

#[inline(never)]
#[expect(clippy::too_many_arguments, reason = "they stay in registers")]
unsafe fn closer<T: Format, O: Binary>(
    slot: *mut Slot,
    site: u64,
    thread: *mut Thread,
    a: u64,
    b: u64,
    x: T,
    y: T,
    result: T,
    sampled: bool,
) -> u64 {
    let executed = Executed {
        slot,
        site,
        thread,
        shadows: [a, b],
        values: [x, y],
        result,
    };
    let (place, seen) = (executed.place(), executed.seen());
    unsafe { look_closer(place, O::OP, seen, result.value(), sampled) };
    slot as u64
}
