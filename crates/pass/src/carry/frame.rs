//! A function's frame of slots, for domains whose shadows live in storage of their own.
//!
//! The frame is taken when the function is entered and given back where it is left. Callees that never
//! came back (`longjmp`, exceptions) gave nothing back: where the function goes on after one, it puts the
//! top where its own frame ends.

use lostbits_abi::{
    numbers::{Frames, Operand, SLOT_BYTES},
    symbols,
};

use super::Weaver;
use crate::{
    builder,
    ir::{self, Opcode, Value},
};

pub(super) struct Frame {
    /// The thread-local variable that leads to this thread's [`Frames`].
    frames: Value,
    /// The call that takes the frame: the address of the first slot.
    enter: Value,
    slots: u64,
}

impl Weaver<'_> {
    pub(super) fn open_frame(&mut self) {
        if self.domain.keeper().is_none() {
            return;
        }
        self.totals();
        let types = self.builder.types;
        let frames = self.thread_variable(symbols::FRAMES, 8);
        self.builder
            .before(ir::first_free_point(ir::entry(self.function), frames));
        let enter =
            self.builder
                .declare(symbols::REALS_ENTER, types.i64, &[types.pointer, types.i64]);
        let enter = self
            .builder
            .call(enter, &[frames, builder::integer(types.i64, 0)]);
        self.frame = Some(Frame {
            frames,
            enter,
            slots: 0,
        });
    }

    /// The address of a new slot, made where the builder stands.
    pub fn slot(&mut self) -> Value {
        let frame = self
            .frame
            .as_mut()
            .expect("domains that keep shadows have a frame");
        let offset = frame.slots * SLOT_BYTES;
        frame.slots += 1;
        let (enter, i64) = (frame.enter, self.builder.types.i64);
        self.builder
            .binary(Opcode::LLVMAdd, enter, builder::integer(i64, offset))
    }

    /// Memory for so many operands that are handed to the runtime at once; each call of this function may
    /// give the same. Leaves the builder where it is.
    pub fn operand_area(&mut self, count: u64) -> Value {
        if let Some(area) = self.operand_areas.get(&count) {
            return *area;
        }
        let types = self.builder.types;
        let bytes = count * size_of::<Operand>() as u64;
        let start = ir::first_insertion_point(ir::entry(self.function));
        let area = self
            .builder
            .alloca_at(start, types.array(types.i8, bytes), 8);
        self.operand_areas.insert(count, area);
        area
    }

    pub(super) fn close_frame(&mut self) {
        let Some(frame) = self.frame.take() else {
            return;
        };
        let instructions: Vec<Value> = ir::blocks(self.function)
            .into_iter()
            .flat_map(ir::instructions)
            .collect();
        let returns_again: Vec<Value> = instructions
            .iter()
            .copied()
            .filter(|at| comes_back(*at))
            .collect();
        if frame.slots == 0 && returns_again.is_empty() {
            return ir::erase(frame.enter);
        }
        let i64 = self.builder.types.i64;
        ir::set_operand(frame.enter, 1, builder::integer(i64, frame.slots));
        for at in returns_again {
            self.after(at);
            let bytes = builder::integer(i64, frame.slots * SLOT_BYTES);
            let top = self.builder.binary(Opcode::LLVMAdd, frame.enter, bytes);
            self.set_top(&frame, top);
        }
        for at in instructions.into_iter().filter(|at| leaves(*at)) {
            self.builder.before(at);
            self.set_top(&frame, frame.enter);
        }
    }

    fn set_top(&self, frame: &Frame, top: Value) {
        let builder = self.builder;
        let frames = builder.load(builder.types.pointer, frame.frames, 8);
        let place = builder.offset(frames, std::mem::offset_of!(Frames, top) as u64);
        builder.store(top, place, 8);
    }
}

/// Where the function goes on after callees that did not return.
fn comes_back(instruction: Value) -> bool {
    ir::opcode(instruction) == Opcode::LLVMLandingPad
        || (ir::is_call(instruction) && ir::call_has_attribute(instruction, "returns_twice"))
}

/// Where the function is left. A tail call that must be one stands before its return.
fn leaves(instruction: Value) -> bool {
    match ir::opcode(instruction) {
        Opcode::LLVMResume => true,
        Opcode::LLVMRet => !follows_tail_call(instruction),
        Opcode::LLVMCall => ir::is_must_tail(instruction),
        _ => false,
    }
}

fn follows_tail_call(instruction: Value) -> bool {
    ir::instructions(ir::parent_block(instruction))
        .into_iter()
        .any(|at| ir::opcode(at) == Opcode::LLVMCall && ir::is_must_tail(at))
}
