//! The branch that skips a region's shadow code, and the paths behind it.
//!
//! ```text
//! head: the program's code, quick tests ── nothing alive, no alarm ──────────────────────────> tail
//!   └─> fork: is anything alive? ── no ─────────────────────────> examine
//!         └─> gather: does a tag reach this region? ── yes ─────────────────────────> full ───> tail
//!               └─> doubt: was there an alarm? ── no ─────────────────────────────> light ──> tail
//!                     └─> examine: exact tests ── a tag may be set ───────────────> full ───> tail
//!                           └─> decide: a false alarm; nothing is alive ─────────────────────> tail
//!                                 └─> some tag is alive ──────────────────────────> light ───> tail
//! ```
//! *Alive* is a tag in memory, of which a word of the runtime speaks, or one that reaches the region in a register, which is tested
//! itself. The *light* path writes cells of untagged values, and has the other effects of the shadow code on memory. There
//! regions count down to when the runtime checks whether memory still holds tags. The *full* path is the shadow code itself; it
//! reports to the runtime what it writes tags to.

use std::collections::{HashMap, HashSet};

use lostbits_abi::{
    functions, variables,
    watch::{self, STRETCH_ROWS, STRETCH_SHIFT},
};

use super::{
    FunctionInstrumenter, Guarding,
    guard::{Alarm, Alarming, CellPlace, ExactTest, Region},
};
use crate::{
    builder,
    ir::{self, Opcode, Type, Value},
    prepare, shape,
};

impl FunctionInstrumenter<'_> {
    pub(super) fn guard_region(&mut self, region: Region, program: &HashSet<Value>) {
        let inside: HashSet<Value> = region.shadow.iter().copied().collect();
        let words_in = self.words_in(&region, &inside, program);
        let effects: Vec<Value> = region
            .shadow
            .iter()
            .copied()
            .filter(|at| self.has_effect(*at) && !self.guards.refreshes.contains_key(at))
            .collect();
        let checked = self.checked_reads(&region);
        let words_out: Vec<(Value, Vec<Value>)> = region
            .shadow
            .iter()
            .map(|at| (*at, outside(*at, &inside)))
            .filter(|(_, users)| !users.is_empty())
            .collect();

        // head
        let (alarm, exact) = self.test_quickly(&region.guarded);
        self.builder.before(region.end);
        let alive = self.load_live_word();
        let i64 = self.builder.types.i64;
        let reaching = self.is_any_set_in(&words_in, i64);
        let alive_here = self.builder.resize_unsigned(alive, i64);
        let alive_here = match reaching {
            Some(words) => self.builder.or(alive_here, words),
            None => alive_here,
        };
        let any = match alarm {
            Some(alarm) => {
                let alarm = self.builder.resize_unsigned(alarm, i64);
                self.builder.or(alarm, alive_here)
            }
            None => alive_here,
        };
        // Arithmetic that promises "no NaN" makes poison of one; a branch on poison is undefined.
        let any = self.builder.is_any_bit_set(self.builder.freeze(any));
        let head = ir::parent_block(region.end);
        let repeatable = self.repeatable_before(region.end, program);
        let fork_end = ir::unlikely_block(any, region.end);
        let (fork, tail) = (ir::parent_block(fork_end), ir::parent_block(region.end));
        ir::erase(fork_end);
        let place = region.end;
        let [gather, doubt, light, examine, decide, full] =
            std::array::from_fn(|_| self.builder.insert_block_before(tail));

        self.builder.at_end(fork, place);
        match alarm {
            Some(_) => {
                let alive_here = self.builder.freeze(alive_here);
                let is_alive_here = self.builder.is_any_bit_set(alive_here);
                self.builder.branch_if(is_alive_here, gather, examine)
            }
            None => self.builder.branch(gather),
        };

        self.builder.at_end(gather, place);
        let tagged = self.is_any_cell_tagged(&region, &checked);
        let tagged = match reaching {
            Some(words) => self.builder.or(tagged, self.builder.is_any_bit_set(words)),
            None => tagged,
        };
        let tagged = self.builder.freeze(tagged);
        self.builder.branch_if(tagged, full, doubt);

        self.builder.at_end(doubt, place);
        match alarm {
            Some(alarm) => {
                let i32 = self.builder.types.i32;
                let distrust = builder::integer(i32, watch::NO_QUICK_TESTS.into());
                let distrust = self.builder.and(alive, distrust);
                let either = self.builder.or(self.builder.freeze(alarm), distrust);
                let alarmed = self.builder.is_any_bit_set(either);
                self.builder.branch_if(alarmed, examine, light)
            }
            None => self.builder.branch(light),
        };

        self.builder.at_end(examine, place);
        let flags: Vec<Value> = exact.into_iter().map(|test| test(self)).collect();
        let needed = flags.into_iter().reduce(|a, b| self.builder.or(a, b));
        let needed = needed.unwrap_or_else(|| builder::null(self.builder.types.int(1)));
        self.builder
            .branch_if(self.builder.freeze(needed), full, decide);

        self.builder.at_end(decide, place);
        let is_alive = self.builder.is_any_bit_set(alive);
        self.builder.branch_if(is_alive, light, tail);

        self.builder.at_end(light, place);
        self.write_plain_cells(&region, &effects);
        let mut untagged = self.count_down(alive, light, tail, place);
        untagged.extend([head, decide]);
        let examined = [gather, light, examine];

        self.builder.at_end(full, place);
        for at in &region.shadow {
            self.builder.move_here(*at);
        }
        let end = self.builder.branch(tail);
        self.refresh_rarely(&region, end);
        self.builder.before(end);
        let checks = region.shadow.iter();
        let checks = checks.filter_map(|at| self.guards.checks.remove(at));
        let checks = checks.collect();
        self.emit_region_checks(checks);
        self.report_stored_tags(&region, alive);

        self.repeat(&repeatable, fork, &[&examined[..], &[full]].concat());

        for (word, users) in words_out {
            let phi = self.builder.phi(ir::type_of(word), tail);
            for from in &untagged {
                ir::add_incoming(phi, builder::null(ir::type_of(word)), *from);
            }
            ir::add_incoming(phi, word, full);
            users
                .into_iter()
                .for_each(|user| ir::replace_operand(user, word, phi));
        }
    }

    /// Most cells fit their values, and need not be written again: a store would make the processor wait with loads beside it.
    fn refresh_rarely(&mut self, region: &Region, end: Value) {
        let mut stores: Vec<Value> = Vec::new();
        for at in region.shadow.iter().copied().chain([end]) {
            if self.guards.refreshes.contains_key(&at) {
                stores.push(at);
            } else if (at == end || self.has_effect(at)) && !stores.is_empty() {
                self.builder.before(at);
                let stores = std::mem::take(&mut stores);
                let changes = stores.iter().map(|store| {
                    let read = self.guards.refreshes[store];
                    self.builder.xor(read, ir::operand(*store, 0))
                });
                let strange = self.is_any_set(changes.collect());
                self.detour(strange, Vec::new(), move |cx| {
                    stores.iter().for_each(|store| cx.builder.move_here(*store));
                    Vec::new()
                });
            }
        }
    }

    /// The effects of the shadow code on memory while nothing that it knows is tagged.
    fn write_plain_cells(&mut self, region: &Region, effects: &[Value]) {
        let plain_of = |cx: &Self, at: &Value| -> Vec<(u32, Value)> {
            let write = cx.guards.writes.get(at);
            write.map(|w| (w.operand, w.plain)).into_iter().collect()
        };
        let needed: Vec<Value> = effects
            .iter()
            .flat_map(|at| operands_with(*at, &plain_of(self, at)))
            .collect();
        let copies = self.copy_slice(region, needed);
        for effect in effects {
            let operands = copied_operands(*effect, &plain_of(self, effect), &copies);
            let made = self.builder.insert_clone(*effect, &operands);
            self.report_copied_cells(made);
        }
    }

    /// Where the runtime wants to know, counts a region without tags. Ends the block, and returns the blocks that lead to `tail`.
    fn count_down(
        &mut self,
        alive: Value,
        light: ir::Block,
        tail: ir::Block,
        place: Value,
    ) -> Vec<ir::Block> {
        let [counting, scanning] = std::array::from_fn(|_| self.builder.insert_block_before(tail));
        let b = self.builder;
        let i32 = b.types.i32;
        let counts = b.and(alive, builder::integer(i32, watch::COUNTS_DOWN.into()));
        b.branch_if(b.is_any_bit_set(counts), counting, tail);
        b.at_end(counting, place);
        let countdown = b.runtime_variable(variables::WATCH_COUNTDOWN);
        let left = b.load(i32, countdown, 4);
        let left = b.binary(Opcode::LLVMSub, left, builder::integer(i32, 1));
        b.store(left, countdown, 4);
        b.branch_if(b.is_any_bit_set(left), tail, scanning);
        b.at_end(scanning, place);
        b.call_runtime(functions::WATCH_SCAN, &[]);
        b.branch(tail);
        vec![light, counting, scanning]
    }

    /// Loads and products of the program's that give the same if they are repeated at the end of a region: nothing writes to
    /// memory in between.
    fn repeatable_before(&self, end: Value, program: &HashSet<Value>) -> Vec<Value> {
        let block = ir::instructions(ir::parent_block(end));
        let before: Vec<Value> = block.into_iter().take_while(|at| *at != end).collect();
        let writes = |at: &Value| {
            use Opcode::*;
            let is_call = matches!(ir::opcode(*at), LLVMCall | LLVMInvoke | LLVMCallBr);
            let is_pure = is_call
                && ir::as_function(ir::callee(*at))
                    .is_some_and(|function| ir::intrinsic_name(function).is_some())
                && !self.has_effect(*at);
            let is_memory = matches!(
                ir::opcode(*at),
                LLVMStore | LLVMFence | LLVMAtomicRMW | LLVMAtomicCmpXchg
            );
            program.contains(at) && (is_memory || (is_call && !is_pure))
        };
        let from = before.iter().rposition(writes).map_or(0, |last| last + 1);
        let mut repeatable: Vec<Value> = Vec::new();
        for at in &before[from..] {
            let is_number = shape::fp_kind(ir::type_of(*at)).is_some();
            let is_load =
                ir::opcode(*at) == Opcode::LLVMLoad && !ir::is_atomic(*at) && !ir::is_volatile(*at);
            let is_product = ir::opcode(*at) == Opcode::LLVMFMul
                && ir::operands(*at)
                    .iter()
                    .all(|operand| repeatable.contains(operand) || ir::is_constant(*operand));
            if program.contains(at) && is_number && (is_load || is_product) {
                repeatable.push(*at);
            }
        }
        repeatable
    }

    /// Repeats loads and products at the start of `fork` for what is in `blocks`. Otherwise the program's code would have to keep all of
    /// them in registers up to the branch, for code that seldom runs, and there are not enough.
    fn repeat(&self, repeatable: &[Value], fork: ir::Block, blocks: &[ir::Block]) {
        let users: Vec<Value> = blocks.iter().flat_map(|at| ir::instructions(*at)).collect();
        let mut copies: HashMap<Value, Value> = HashMap::new();
        let mut needed: HashSet<Value> = users.iter().flat_map(|at| ir::operands(*at)).collect();
        for at in repeatable.iter().rev() {
            if needed.contains(at) {
                needed.extend(ir::operands(*at));
            }
        }
        self.builder.before(ir::first_insertion_point(fork));
        for at in repeatable.iter().filter(|at| needed.contains(at)) {
            let operands = copied_operands(*at, &[], &copies);
            let copy = self.builder.insert_clone(*at, &operands);
            if ir::opcode(copy) == Opcode::LLVMLoad {
                // Or the optimiser would take the first load's value after all.
                ir::make_volatile(copy);
            }
            copies.insert(*at, copy);
        }
        for user in users {
            for (index, operand) in (0..).zip(ir::operands(user)) {
                if let Some(copy) = copies.get(&operand) {
                    ir::set_operand(user, index, *copy);
                }
            }
        }
    }

    /// The words that other regions made.
    fn words_in(
        &self,
        region: &Region,
        inside: &HashSet<Value>,
        program: &HashSet<Value>,
    ) -> Vec<Value> {
        let is_word = |value: &Value| {
            ir::is_instruction(*value)
                && !inside.contains(value)
                && !program.contains(value)
                && !self.guards.in_place.contains(value)
        };
        let operands = region.shadow.iter().flat_map(|at| ir::operands(*at));
        let mut seen = HashSet::new();
        operands
            .filter(is_word)
            .filter(|word| seen.insert(*word))
            .collect()
    }

    /// Whether shadow code changes memory (words made rarely do so behind branches of their own).
    fn has_effect(&self, at: Value) -> bool {
        match ir::opcode(at) {
            Opcode::LLVMStore => true,
            Opcode::LLVMCall => {
                let Some(function) = ir::as_function(ir::callee(at)) else {
                    return true;
                };
                match ir::intrinsic_name(function) {
                    Some(name) => {
                        let writes = [
                            "memcpy",
                            "memmove",
                            "memset",
                            "masked.store",
                            "masked.scatter",
                        ];
                        writes
                            .iter()
                            .any(|write| name.strip_prefix("llvm.") == Some(write))
                    }
                    None => {
                        let name = ir::name(function);
                        let pure = self.guarding().pure_functions;
                        !pure.iter().any(|function| function.symbol == name)
                    }
                }
            }
            _ => false,
        }
    }

    /// The cells that must be read to know that no tag comes out of memory. What the region itself
    /// wrote to a place is as untagged as the region.
    fn checked_reads(&self, region: &Region) -> Vec<Value> {
        let mut written = HashSet::new();
        let mut checked = Vec::new();
        for at in &region.shadow {
            if let Some(write) = self.guards.writes.get(at)
                && let CellPlace::MirrorOf(pointer) = write.place
            {
                written.insert(pointer);
            }
            if let Some(read) = self.guards.reads.get(at)
                && !read
                    .pointer
                    .is_some_and(|pointer| written.contains(&pointer))
            {
                checked.push(*at);
            }
        }
        checked
    }

    /// Copies of the shadow code that makes `needed`, at the builder's position.
    fn copy_slice(&self, region: &Region, mut needed: Vec<Value>) -> HashMap<Value, Value> {
        let inside: HashSet<Value> = region.shadow.iter().copied().collect();
        let mut slice = HashSet::new();
        while let Some(value) = needed.pop() {
            if inside.contains(&value) && slice.insert(value) {
                needed.extend(ir::operands(value));
            }
        }
        let mut copies = HashMap::new();
        for at in region.shadow.iter().filter(|at| slice.contains(at)) {
            let operands = copied_operands(*at, &[], &copies);
            copies.insert(*at, self.builder.insert_clone(*at, &operands));
        }
        copies
    }

    /// Makes the quick tests, each behind its instruction, and gives an `i32` that is not zero if one
    /// says yes, with the exact tests.
    fn test_quickly(&mut self, guarded: &[Value]) -> (Option<Value>, Vec<ExactTest>) {
        let mut alarms: Vec<Alarm> = Vec::new();
        let mut exact = Vec::new();
        let has_minimum = prepare::processor::has_vector_minimum(self.function);
        for instruction in guarded {
            self.builder.after(*instruction);
            for guard in self.guards.guards.remove(instruction).unwrap_or_default() {
                let mut alarm = (guard.quick_tests)(self.builder);
                exact.push(guard.exact);
                if !has_minimum {
                    alarm = self.as_signs(alarm);
                }
                let same = alarms.iter_mut().find(|known| {
                    ir::type_of(known.lanes) == ir::type_of(alarm.lanes)
                        && (&known.counts, known.meaning) == (&alarm.counts, alarm.meaning)
                });
                match same {
                    Some(known) => known.lanes = self.unite(known.lanes, alarm),
                    None => alarms.push(alarm),
                }
            }
        }
        let flags: Vec<Value> = alarms
            .into_iter()
            .map(|alarm| {
                let alarm = self.as_signs(alarm);
                self.signs(alarm.lanes, &alarm.counts)
            })
            .collect();
        let any = flags.into_iter().reduce(|a, b| self.builder.or(a, b));
        (any, exact)
    }

    /// Both alarms in one. A minimum of unsigned lanes is zero if one of them is: one instruction for each test.
    fn unite(&self, lanes: Value, alarm: Alarm) -> Value {
        match alarm.meaning {
            Alarming::Negative => self.builder.or(lanes, alarm.lanes),
            Alarming::Zero => {
                let ty = ir::type_of(lanes);
                self.builder
                    .intrinsic("llvm.umin", &[ty], &[lanes, alarm.lanes])
            }
        }
    }

    fn as_signs(&self, alarm: Alarm) -> Alarm {
        if alarm.meaning == Alarming::Negative {
            return alarm;
        }
        let ty = ir::type_of(alarm.lanes);
        let zero = self.builder.equal(alarm.lanes, builder::null(ty));
        Alarm {
            lanes: self.builder.resize_mask(zero, ty),
            counts: alarm.counts,
            meaning: Alarming::Negative,
        }
    }

    /// The sign bits of those lanes that count, as an `i32`.
    fn signs(&self, lanes: Value, counts: &[bool]) -> Value {
        let builder = self.builder;
        let ty = ir::type_of(lanes);
        let i32 = builder.types.i32;
        if ir::int_width(shape::scalar(ty)) == 1 {
            return builder.resize_unsigned(builder.any_lane(lanes), i32);
        }
        let signs = builder.compare(ir::IntPredicate::LLVMIntSLT, lanes, builder::null(ty));
        let bits = builder.bitcast(signs, builder.types.int(shape::lanes(ty)));
        let mask = counts
            .iter()
            .rev()
            .fold(0, |mask, counts| mask << 1 | u64::from(*counts));
        let counted = builder.and(bits, builder::integer(ir::type_of(bits), mask));
        match shape::lanes(ty) <= 32 {
            true => builder.resize_unsigned(counted, i32),
            false => builder.resize_unsigned(builder.is_any_bit_set(counted), i32),
        }
    }

    fn guarding(&self) -> Guarding {
        let guarding = self.domain.guarding();
        guarding.expect("only guarded domains have regions")
    }

    fn load_live_word(&self) -> Value {
        let name = self.guarding().live_word;
        let word = self.builder.runtime_variable(name);
        self.builder.load(self.builder.types.i32, word, 4)
    }

    /// Whether a cell that is read has a tag, or may have: an `i1`.
    fn is_any_cell_tagged(&self, region: &Region, reads: &[Value]) -> Value {
        let builder = self.builder;
        let replaced = |at: &Value| -> Vec<(u32, Value)> {
            self.guards.reads[at].operand.into_iter().collect()
        };
        let needed = reads.iter().flat_map(|at| {
            let plain = self.guards.reads[at].plain;
            operands_with(*at, &replaced(at)).into_iter().chain([plain])
        });
        let copies = self.copy_slice(region, needed.collect());
        let mut bits = Vec::new();
        for at in reads {
            let operands = copied_operands(*at, &replaced(at), &copies);
            let cell = builder.insert_clone(*at, &operands);
            let plain = self.guards.reads[at].plain;
            let plain = copies.get(&plain).copied().unwrap_or(plain);
            bits.push(builder.xor(cell, plain));
        }
        self.is_any_set(bits)
    }

    /// A number of this type that is not zero if a bit of any of the words is set; none without words.
    fn is_any_set_in(&self, words: &[Value], ty: Type) -> Option<Value> {
        let builder = self.builder;
        let fits = |word: &Value| {
            let own = ir::type_of(*word);
            ir::type_kind(own) == ir::TypeKind::LLVMIntegerTypeKind
                && ir::int_width(own) <= ir::int_width(ty)
        };
        let (numbers, others): (Vec<Value>, Vec<Value>) = words.iter().copied().partition(fits);
        let mut parts: Vec<Value> = numbers
            .into_iter()
            .map(|word| builder.resize_unsigned(word, ty))
            .collect();
        if !others.is_empty() {
            parts.push(builder.resize_unsigned(self.is_any_set(others), ty));
        }
        parts.into_iter().reduce(|a, b| builder.or(a, b))
    }

    /// Whether a bit of any of the words is set.
    pub(super) fn is_any_set(&self, mut words: Vec<Value>) -> Value {
        let builder = self.builder;
        let mut any = builder::null(builder.types.int(1));
        while let Some(first) = words.pop() {
            let ty = ir::type_of(first);
            let (same, others) = words.into_iter().partition(|word| ir::type_of(*word) == ty);
            words = others;
            let same: Vec<Value> = same;
            let union_of_operands = same.into_iter().fold(first, |a, b| builder.or(a, b));
            any = builder.or(any, builder.is_any_bit_set(union_of_operands));
        }
        any
    }

    /// Reports the cells to which the region writes tags, unless the runtime knows their stretches of memory.
    fn report_stored_tags(&mut self, region: &Region, alive: Value) {
        let mut words = Vec::new();
        // Addresses of cells and how many bytes there are; 0 for cells all over memory.
        let mut cells: Vec<(Value, u64)> = Vec::new();
        let mut copied = Vec::new();
        let b = self.builder;
        let i64 = b.types.i64;
        for at in &region.shadow {
            let Some(write) = self.guards.writes.get(at) else {
                copied.push(*at);
                continue;
            };
            if ir::is_constant(write.word) {
                continue;
            }
            words.push(write.word);
            let address = ir::operand(*at, 1);
            let word = ir::type_of(write.word);
            let is_known = ir::type_of(address) == b.types.pointer
                && ir::int_width(shape::scalar(word)) >= LEAST_WIDTH;
            cells.push(match (write.place, is_known) {
                (CellPlace::Slot, true) => (address, 0),
                (_, true) => (address, b.bits(word) / 8),
                (_, false) => (builder::null(b.types.pointer), 0),
            });
        }
        copied
            .into_iter()
            .for_each(|at| self.report_copied_cells(at));
        if words.is_empty() {
            return;
        }
        let b = self.builder;
        let (slots, mirrors): (Vec<_>, Vec<_>) = cells.iter().partition(|(_, bytes)| *bytes == 0);
        let bit = builder::integer(b.types.i32, watch::ALIVE.into());
        let is_new = b.equal(b.and(alive, bit), builder::null(b.types.i32));
        let strange = mirrors
            .iter()
            .map(|(address, _)| self.strangeness(*address))
            .reduce(|a, c| b.or(a, c));
        let news = match strange {
            Some(strange) => b.or(is_new, b.is_any_bit_set(strange)),
            None => is_new,
        };
        let has_unknown = slots.iter().any(|(address, _)| ir::is_null(*address));
        let news = match has_unknown {
            true => builder::integer(b.types.int(1), 1),
            false => news,
        };
        let news = b.and(self.is_any_set(words), news);
        self.detour(news, Vec::new(), move |cx| {
            for (address, bytes) in cells {
                let b = cx.builder;
                let address = b.cast(Opcode::LLVMPtrToInt, address, i64);
                let bytes = builder::integer(i64, bytes);
                b.call_runtime(functions::WATCH_STORED, &[address, bytes]);
            }
            Vec::new()
        });
    }

    /// Reports where `copy`, if it copies cells, copies them to.
    fn report_copied_cells(&mut self, copy: Value) {
        let is_copy = ir::opcode(copy) == Opcode::LLVMCall
            && ir::as_function(ir::callee(copy)).is_some_and(|function| {
                let name = ir::intrinsic_name(function);
                name.is_some_and(|name| {
                    name.starts_with("llvm.memcpy") || name.starts_with("llvm.memmove")
                })
            });
        if !is_copy {
            return;
        }
        let (to, bytes) = (ir::operand(copy, 0), ir::operand(copy, 2));
        let strange = self.builder.is_any_bit_set(self.strangeness(to));
        self.detour(strange, Vec::new(), move |cx| {
            let b = cx.builder;
            let to = b.cast(Opcode::LLVMPtrToInt, to, b.types.i64);
            let bytes = b.resize_unsigned(bytes, b.types.i64);
            b.call_runtime(functions::WATCH_STORED, &[to, bytes]);
            Vec::new()
        });
    }

    /// Not zero if the runtime may not know the stretch of a cell.
    fn strangeness(&self, cell: Value) -> Value {
        let b = self.builder;
        let i64 = b.types.i64;
        let address = b.cast(Opcode::LLVMPtrToInt, cell, i64);
        let stretch = b.shift_right(address, STRETCH_SHIFT.into());
        let row = b.and(stretch, builder::integer(i64, STRETCH_ROWS as u64 - 1));
        let rows = b.runtime_variable(variables::WATCH_STRETCHES);
        let row = b.index_bytes(rows, b.shift_left(row, 3));
        b.xor(b.load(i64, row, 8), stretch)
    }
}

/// The signatures of narrower words are too short to find them in memory.
const LEAST_WIDTH: u32 = 32;

/// The users of shadow code that are not of its region.
fn outside(at: Value, inside: &HashSet<Value>) -> Vec<Value> {
    let mut users = ir::uses(at);
    users.retain(|user| !inside.contains(user));
    users
}

/// An instruction's operands with some of them replaced.
fn operands_with(instruction: Value, replaced: &[(u32, Value)]) -> Vec<Value> {
    let mut operands = ir::operands(instruction);
    for (index, value) in replaced {
        operands[*index as usize] = *value;
    }
    operands
}

/// The same by index, with copies in place of what was copied.
fn copied_operands(
    instruction: Value,
    replaced: &[(u32, Value)],
    copies: &HashMap<Value, Value>,
) -> Vec<(u32, Value)> {
    let operands = operands_with(instruction, replaced);
    (0..)
        .zip(operands)
        .map(|(index, value)| (index, copies.get(&value).copied().unwrap_or(value)))
        .collect()
}
