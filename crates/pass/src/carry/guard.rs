//! Skips shadow code while nothing is tagged.
//!
//! A *region* is a stretch of a block without calls of unknown functions. All shadow code of a region is
//! taken together behind one branch at its end (`carry/guarded_region.rs`), which is taken only if tags are alive
//! anywhere in the process, or if one of the domain's quick tests says that a tag might be set here. So a
//! program without tags touches no shadow memory: it pays for the quick tests and the branch.
//!
//! That is right because a cell counts only beside the value it was stored with: cells that were not
//! written while nothing was alive do not fit their values, and so decode to "untagged".
//!
//! Only for domains with one component and one cell for each leaf, where zero means that there is nothing
//! to carry.

use std::collections::{HashMap, HashSet};

use super::{Check, FunctionInstrumenter};
use crate::{
    builder::Builder,
    ir::{self, Block, Opcode, Value},
};

/// Longer regions keep too many values alive up to their end.
const MOST_GUARDS: usize = 16;

/// So few instructions that only unite words cost less than a branch.
const CHEAP: usize = 3;

/// Lanes of integers, of which those that `counts` names may mean that a tag might be set; or a single `i1`.
pub struct Alarm {
    pub lanes: Value,
    pub counts: Vec<bool>,
    pub meaning: Alarming,
}

/// Which lanes of an [`Alarm`] mean that a tag might be set.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Alarming {
    Negative,
    Zero,
}

pub(super) type QuickTest = Box<dyn FnOnce(&Builder) -> Alarm>;
pub(super) type ExactTest = Box<dyn FnOnce(&mut FunctionInstrumenter) -> Value>;

/// Where a tag may be set though no operand has one.
pub(super) struct Guard {
    pub quick_tests: QuickTest,
    pub exact: ExactTest,
}

/// A cell that is read, at `pointer` where that is memory of the program's.
pub(super) struct CellRead {
    pub pointer: Option<Value>,
    /// What it holds if the value is untagged.
    pub plain: Value,
    /// An operand of the reading instruction with what it is if nothing is tagged.
    pub operand: Option<(u32, Value)>,
}

/// Where a cell is written.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum CellPlace {
    /// A slot in thread-local storage.
    Slot,
    /// The mirror of a part of what the program writes.
    Mirror,
    /// The mirror of all that the program writes, to this pointer.
    MirrorOf(Value),
}

/// A cell that is written as an operand of some instruction.
pub(super) struct CellWrite {
    pub place: CellPlace,
    pub operand: u32,
    /// What the operand is if the value is untagged.
    pub plain: Value,
    pub word: Value,
}

#[derive(Default)]
pub(super) struct Guards {
    pub guards: HashMap<Value, Vec<Guard>>,
    pub reads: HashMap<Value, CellRead>,
    pub writes: HashMap<Value, CellWrite>,
    /// Writes that only make cells fit their values, with what was read there.
    pub refreshes: HashMap<Value, Value>,
    /// Shadow code that stays where it is.
    pub in_place: HashSet<Value>,
    /// Calls that no shadow code needs to stay before or behind.
    pub harmless: HashSet<Value>,
    /// Instructions of the program's before which a region must end.
    pub ends: HashSet<Value>,
    /// Checks, by the copies of their flags: behind one branch for each region.
    pub checks: HashMap<Value, Check>,
}

pub(super) struct Region {
    /// The program's instruction it ends before.
    pub end: Value,
    pub shadow: Vec<Value>,
    /// The program's instructions that may set tags.
    pub guarded: Vec<Value>,
}

impl FunctionInstrumenter<'_> {
    pub fn is_guarded(&self) -> bool {
        self.domain.guarding().is_some()
    }

    /// Says that `instruction` may set a tag though no operand is tagged. The quick test is made behind
    /// the instruction, and is never wrong when it says no; the exact one, an `i1`, where the quick one
    /// said yes.
    pub fn guard(
        &mut self,
        instruction: Value,
        quick_tests: impl FnOnce(&Builder) -> Alarm + 'static,
        exact: impl FnOnce(&mut FunctionInstrumenter) -> Value + 'static,
    ) {
        let guard = Guard {
            quick_tests: Box::new(quick_tests),
            exact: Box::new(exact),
        };
        let guards = self.guards.guards.entry(instruction).or_default();
        guards.push(guard);
    }

    /// `shadow_value` for work that is done rarely: when that is emitted, the value itself may have been
    /// put behind another region's guard.
    pub fn local(&mut self, shadow_value: Value) -> Value {
        match self.is_guarded() && ir::is_instruction(shadow_value) {
            true => self.copy(shadow_value),
            false => shadow_value,
        }
    }

    /// A copy that marks a place in shadow code.
    pub(super) fn copy(&mut self, shadow_value: Value) -> Value {
        let ty = ir::type_of(shadow_value);
        let copy = self
            .builder
            .intrinsic("llvm.ssa.copy", &[ty], &[shadow_value]);
        self.copies.push(copy);
        copy
    }

    /// `cells`, just read, are those of `value`; domains with guards have one.
    pub(super) fn note_read(&mut self, cells: &[Value], value: Value, pointer: Option<Value>) {
        if self.is_guarded() {
            let reader = cells[0];
            let read = CellRead {
                pointer,
                plain: self.plain_cell(value),
                operand: None,
            };
            self.guards.reads.insert(reader, read);
        }
    }

    /// The same where lanes of `passed` are passed through by the last operand.
    pub(super) fn note_masked_read(&mut self, cells: &[Value], value: Value, passed: Value) {
        if self.is_guarded() {
            let reader = cells[0];
            let last = ir::arguments(reader).len() as u32 - 1;
            let at = ir::next(reader);
            self.builder.before(reader);
            let passed = self.plain_cell(passed);
            self.builder.before(at);
            let read = CellRead {
                pointer: None,
                plain: self.plain_cell(value),
                operand: Some((last, passed)),
            };
            self.guards.reads.insert(reader, read);
        }
    }

    /// `writer`, just made, writes the cell of `value` with `word`.
    pub(super) fn note_write(
        &mut self,
        writer: Value,
        operand: u32,
        value: Value,
        word: Value,
        place: CellPlace,
    ) {
        if self.is_guarded() {
            let at = ir::next(writer);
            self.builder.before(writer);
            let plain = self.plain_cell(value);
            self.builder.before(at);
            let write = CellWrite {
                place,
                operand,
                plain,
                word,
            };
            self.guards.writes.insert(writer, write);
        }
    }

    /// What is made for the program itself to run is not put behind a guard.
    pub fn keep_in_place(&mut self, made: Value) {
        self.guards.in_place.insert(made);
    }

    fn plain_cell(&self, value: Value) -> Value {
        let fresh = self.domain.fresh(self.builder, value);
        self.domain.encode(self.builder, value, &fresh)[0]
    }

    /// Writes a cell back as it was understood: it fits its value from now on. Without this, cells that
    /// were not written while nothing was alive would be found strange again and again.
    pub(super) fn refresh_cell(&mut self, cells: &[Value], value: Value, shadow: &[Value]) {
        if self.is_guarded() {
            let reader = cells[0];
            let cell = self.domain.encode(self.builder, value, shadow)[0];
            let address = ir::operand(reader, 0);
            let store = self.builder.store(cell, address, ir::alignment(reader));
            self.guards.refreshes.insert(store, reader);
        }
    }

    pub(super) fn guard_regions(&mut self, blocks: &[Block], program: &[Vec<Value>]) {
        if !self.is_guarded() {
            return;
        }
        let program: HashSet<Value> = program.iter().flatten().copied().collect();
        let regions: Vec<Region> = blocks
            .iter()
            .flat_map(|block| self.regions(*block, &program))
            .collect();
        for region in regions {
            if !is_cheap(&region) {
                self.guard_region(region, &program);
            }
        }
    }

    fn regions(&self, block: Block, program: &HashSet<Value>) -> Vec<Region> {
        let mut regions = Vec::new();
        let (mut shadow, mut guarded) = (Vec::new(), Vec::new());
        for at in ir::instructions(block) {
            if !program.contains(&at) {
                if !ir::is_phi(at) && !self.guards.in_place.contains(&at) {
                    shadow.push(at);
                }
                continue;
            }
            let is_end = guarded.len() >= MOST_GUARDS || self.ends_region(at);
            if is_end && !(shadow.is_empty() && guarded.is_empty()) {
                regions.push(Region {
                    end: at,
                    shadow: std::mem::take(&mut shadow),
                    guarded: std::mem::take(&mut guarded),
                });
            }
            if self.guards.guards.contains_key(&at) {
                guarded.push(at);
            }
        }
        regions
    }

    /// Calls may run instrumented code, and atomic accesses hand memory to other threads: by then, cells
    /// must be in their places.
    fn ends_region(&self, at: Value) -> bool {
        use Opcode::*;
        if at == ir::terminator(ir::parent_block(at)) || self.guards.ends.contains(&at) {
            return true;
        }
        match ir::opcode(at) {
            LLVMFence | LLVMAtomicRMW | LLVMAtomicCmpXchg => true,
            LLVMLoad | LLVMStore => ir::is_atomic(at),
            LLVMCall => {
                let is_intrinsic = ir::as_function(ir::callee(at))
                    .is_some_and(|f| ir::intrinsic_name(f).is_some());
                !is_intrinsic && !self.guards.harmless.contains(&at)
            }
            _ => false,
        }
    }
}

fn is_cheap(region: &Region) -> bool {
    use Opcode::*;
    let only_unites = |at: &Value| !matches!(ir::opcode(*at), LLVMLoad | LLVMStore | LLVMCall);
    region.guarded.is_empty()
        && region.shadow.len() <= CHEAP
        && region.shadow.iter().all(only_unites)
}
