//! A function's frame of slots, for domains whose shadows live in storage of their own.
//!
//! The frame is taken when the function is entered and given back where it is left. Callees that never
//! came back (`longjmp`, exceptions) gave nothing back: where the function goes on after one, it puts the
//! top where its own frame ends.

use std::collections::HashMap;

use lostbits_abi::{
    functions,
    numbers::{self, Operand, SLOT_BYTES},
    variables,
};

use crate::{
    builder::{self, Builder},
    carry::FunctionInstrumenter,
    ir::{self, Opcode, Value},
};

#[derive(Clone, Copy)]
struct Frame {
    /// The thread-local variable that leads to this thread's [`numbers::Frames`].
    frames: Value,
    /// The call that takes the frame: the address of the first slot.
    enter: Value,
    slots: u64,
}

/// The storage of one function.
#[derive(Default)]
struct Storage {
    frame: Option<Frame>,
    /// By the number of operands.
    operand_areas: HashMap<u64, Value>,
}

/// The frame of the function that is instrumented.
pub trait Frames {
    fn open_frame(&mut self);

    /// The address of a new slot, at the builder's position.
    fn slot(&mut self) -> Value;

    /// Memory for `count` operands that are passed to the runtime together; every call of this function may return
    /// the same. Does not move the builder.
    fn operand_area(&mut self, count: u64) -> Value;

    fn close_frame(&mut self);
}

impl Frames for FunctionInstrumenter<'_> {
    fn open_frame(&mut self) {
        self.totals();
        let types = self.builder.types;
        let frames = self.thread_variable(variables::FRAMES);
        self.builder
            .before(ir::first_free_point(ir::entry(self.function), frames));
        let enter = self.builder.declare_runtime(functions::REALS_ENTER);
        let enter = self
            .builder
            .call(enter, &[frames, builder::integer(types.i64, 0)]);
        self.extension::<Storage>().frame = Some(Frame {
            frames,
            enter,
            slots: 0,
        });
    }

    fn slot(&mut self) -> Value {
        let frame = self.extension::<Storage>().frame.as_mut();
        let frame = frame.expect("opened when the function is entered");
        let offset = frame.slots * SLOT_BYTES;
        frame.slots += 1;
        let (enter, i64) = (frame.enter, self.builder.types.i64);
        self.builder
            .binary(Opcode::LLVMAdd, enter, builder::integer(i64, offset))
    }

    fn operand_area(&mut self, count: u64) -> Value {
        if let Some(area) = self.extension::<Storage>().operand_areas.get(&count) {
            return *area;
        }
        let types = self.builder.types;
        let bytes = count * size_of::<Operand>() as u64;
        let start = ir::first_insertion_point(ir::entry(self.function));
        let area = self
            .builder
            .alloca_at(start, types.array(types.i8, bytes), 8);
        let areas = &mut self.extension::<Storage>().operand_areas;
        areas.insert(count, area);
        area
    }

    fn close_frame(&mut self) {
        let Some(frame) = self.extension::<Storage>().frame.take() else {
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
            set_top(self.builder, &frame, top);
        }
        for at in instructions.into_iter().filter(|at| leaves(*at)) {
            self.builder.before(at);
            set_top(self.builder, &frame, frame.enter);
        }
    }
}

fn set_top(builder: &Builder, frame: &Frame, top: Value) {
    let frames = builder.load(builder.types.pointer, frame.frames, 8);
    let place = builder.offset(frames, std::mem::offset_of!(numbers::Frames, top) as u64);
    builder.store(top, place, 8);
}

/// Where the function goes on after callees that did not return.
fn comes_back(instruction: Value) -> bool {
    ir::opcode(instruction) == Opcode::LLVMLandingPad
        || (ir::is_call(instruction) && ir::call_has_attribute(instruction, "returns_twice"))
}

/// Where the function is left. A mandatory tail call comes before its return.
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
