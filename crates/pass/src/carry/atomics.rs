//! Numbers in atomic variables. A value that is exchanged takes its shadow along; one lock for all that access such values
//! and their shadows keeps both together. The accesses stay what they are for code that does not know of the lock.
//!
//! # What it can miss
//!
//! Plain atomic stores do not take the lock: who reads in between finds a shadow that does not fit, and takes the value
//! for exact. A number that was changed by others and has its old value again (an error that is rounded away each time) is
//! exchanged as if it had not been changed, and so is its shadow. Many bits are not followed through integers that go round a loop.

use super::{FunctionInstrumenter, memory::Place};
use crate::ir::{self, Opcode, Value};

/// A value that an exchange found in memory.
pub(super) struct Found {
    pub pointer: Value,
    /// The exchange; none if it is one of several.
    pub exchange: Option<Value>,
}

pub(super) fn found_by_exchange(value: Value) -> Option<Found> {
    let is_member = ir::is_instruction(value)
        && ir::opcode(value) == Opcode::LLVMExtractValue
        && ir::indices(value) == [0];
    let result = is_member.then(|| ir::operand(value, 0))?;
    if let Some(pointer) = exchanged_at(result) {
        let exchange = Some(result);
        return Some(Found { pointer, exchange });
    }
    let is_phi = ir::is_instruction(result) && ir::opcode(result) == Opcode::LLVMPHI;
    let error_paths = is_phi.then(|| ir::incoming(result))?;
    let pointer = exchanged_at(error_paths.first()?.0)?;
    let is_same = |(way, _): &(Value, _)| exchanged_at(*way) == Some(pointer);
    error_paths.iter().all(is_same).then_some(Found {
        pointer,
        exchange: None,
    })
}

fn exchanged_at(value: Value) -> Option<Value> {
    let is_exchange = ir::is_instruction(value) && ir::opcode(value) == Opcode::LLVMAtomicCmpXchg;
    is_exchange.then(|| ir::operand(value, 0))
}

impl FunctionInstrumenter<'_> {
    /// Acquires the lock at the builder's position; [`Self::leave_lock`] releases it.
    fn enter_lock(&self) {
        self.turn_lock(true);
    }

    pub(super) fn leave_lock(&self) {
        self.turn_lock(false);
    }

    fn turn_lock(&self, enters: bool) {
        let function = ir::atomic_guard(self.builder.module(), enters);
        self.builder.call(function, &[]);
    }

    /// The lock is entered before an atomic load; to be left when its cells are read.
    pub(super) fn lock_load(&self, load: Value) {
        self.builder.before(load);
        self.enter_lock();
    }

    /// Where the exchange did not happen, the new shadow goes to memory that nothing reads.
    pub(super) fn visit_exchange(&mut self, exchange: Value) {
        let (pointer, new) = (ir::operand(exchange, 0), ir::operand(exchange, 2));
        let Some(shadow) = self
            .bits_shadow(new)
            .filter(|_| self.domain.tracks_atomics())
        else {
            return;
        };
        let entry = ir::first_insertion_point(ir::entry(self.function));
        let alignment = self.layout.stride(ir::type_of(new)) as u32;
        let nowhere = self.builder.alloca_at(entry, ir::type_of(new), alignment);
        self.builder.before(exchange);
        self.enter_lock();
        self.builder.after(exchange);
        let done = self.builder.member(exchange, &[1]);
        let pointer = self.builder.select(done, pointer, nowhere);
        match self.domain.storage() {
            Some(storage) => storage.store(self, pointer, new, &shadow),
            None => {
                let place = Place {
                    pointer,
                    offset: 0,
                    alignment,
                };
                self.store_shadow(&place, new, &shadow, None);
            }
        }
        self.leave_lock();
    }
}
