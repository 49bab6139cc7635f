//! For unit tests: the runtime as it is in a program, and values with shadows.

use std::boxed::Box;

use lostbits_abi::{kind::FpKind, numbers::Operand};

use crate::{
    arithmetic,
    number::{Shadow, Short, Slot},
    own_error::OwnError,
    start,
    value::Value,
};

/// Tests run in threads, and some start the runtime. If that happened while another held numbers of MPFR, these would be
/// freed by an allocator that they did not come from.
#[used]
#[unsafe(link_section = ".init_array")]
static START: extern "C" fn() = {
    extern "C" fn start_before_any_thread() {
        start::ensure_started();
    }
    start_before_any_thread
};

/// A double and the slot of its exact value.
pub struct Shadowing {
    value: f64,
    /// In memory of its own: a number must not be moved.
    slot: Box<Slot>,
}

impl Shadowing {
    /// The exact value is value + residue.
    pub fn new(value: f64, residue: f64) -> Shadowing {
        let mut slot = Box::new(Slot::new());
        let (mut x, mut y) = (Short::new(), Short::new());
        arithmetic::add(
            &mut slot,
            x.set(Value::of_double(value)),
            y.set(Value::of_double(residue)),
        );
        Shadowing { value, slot }
    }

    /// The same, with an error of its own.
    pub fn with_error(value: f64, residue: f64, error: OwnError) -> Shadowing {
        let mut shadowing = Shadowing::new(value, residue);
        shadowing.slot.own_error = error;
        shadowing
    }

    pub fn value(&self) -> f64 {
        self.value
    }

    pub fn slot(&self) -> &Slot {
        &self.slot
    }

    pub fn operand(&self) -> Operand {
        Operand {
            slot: Shadow::of(&self.slot).word(),
            bits: self.value.to_bits(),
            high: 0,
            kind: FpKind::Double as u32,
        }
    }
}
