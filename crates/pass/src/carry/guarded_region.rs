//! The branch that skips a region's shadow code, and the paths behind it.
//!
//! ```text
//! head: the program's code, quick tests ── nothing alive, no alarm ──────────────────────────> tail
//!   └─> fork: does a tag reach this region? ── yes ───────────────────────> full ────────────> tail
//!         └─> doubt: was there an alarm? ── no ───────────────────────────> light ───────────> tail
//!               └─> examine: exact tests ── a tag may be set ─────────────> full ────────────> tail
//!                     └─> decide: a false alarm; nothing is alive ───────────────────────────> tail
//!                           └─> some tag is alive ──────────────────────> light ───────────> tail
//! ```
//! The *light* path writes cells of untagged values, and has the other effects of the shadow code on memory.
//! The *full* path is the shadow code itself; it sets the live word if a tag leaves the region.

use std::collections::HashSet;

use super::{
    FunctionInstrumenter, Guarding,
    guard::{ExactTest, Region},
};
use crate::{
    builder,
    ir::{self, Opcode, Value},
    shape,
};

/// The runtime's word: some tag is alive.
const ALIVE: u64 = 1;

impl FunctionInstrumenter<'_> {
    pub(super) fn guard_region(&mut self, region: Region, program: &HashSet<Value>) {
        let inside: HashSet<Value> = region.shadow.iter().copied().collect();
        let words_in = self.words_in(&region, &inside, program);
        let effects: Vec<Value> = region
            .shadow
            .iter()
            .copied()
            .filter(|at| self.has_effect(*at) && !self.guards.refreshes.contains(at))
            .collect();
        let checked = self.checked_reads(&region);
        let early = self.reads_before_effects(&region, &checked);
        let shared = self.shared_by_paths(&region, &effects, &checked, &early);
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
        let any = match alarm {
            Some(alarm) => self.builder.or(alarm, alive),
            None => alive,
        };
        // Arithmetic that promises "no NaN" makes poison of one; a branch on poison is undefined.
        let any = self.builder.is_any_bit_set(self.builder.freeze(any));
        let head = ir::parent_block(region.end);
        let fork_end = ir::unlikely_block(any, region.end);
        let (fork, tail) = (ir::parent_block(fork_end), ir::parent_block(region.end));
        ir::erase(fork_end);
        let place = region.end;
        let [doubt, examine, decide, light, full] =
            std::array::from_fn(|_| self.builder.insert_block_before(tail));

        self.builder.at_end(fork, place);
        shared.iter().for_each(|at| self.builder.move_here(*at));
        let tagged = self.is_any_tag_set(&checked, &early, &words_in);
        let is_alive = self.builder.is_any_bit_set(alive);
        let tagged = self.builder.and(tagged, is_alive);
        self.builder
            .branch_if(self.builder.freeze(tagged), full, doubt);

        self.builder.at_end(doubt, place);
        match alarm {
            Some(alarm) => {
                let distrust = self.builder.shift_right(alive, ALIVE);
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
        self.builder.branch_if(is_alive, light, tail);

        self.builder.at_end(light, place);
        for effect in &effects {
            let write = self.guards.writes.get(effect);
            let plain: Vec<(u32, Value)> =
                write.map(|w| (w.operand, w.plain)).into_iter().collect();
            self.builder.insert_clone(*effect, &plain);
        }
        self.builder.branch(tail);

        self.builder.at_end(full, place);
        for at in &region.shadow {
            if !shared.contains(at) {
                self.builder.move_here(*at);
            }
        }
        let end = self.builder.branch(tail);
        self.builder.before(end);
        let checks = region.shadow.iter();
        let checks = checks.filter_map(|at| self.guards.checks.remove(at));
        let checks = checks.collect();
        self.emit_region_checks(checks);
        self.set_live_word(&region, &words_out, alive);

        for (word, users) in words_out {
            let phi = self.builder.phi(ir::type_of(word), tail);
            for from in [head, decide, light] {
                ir::add_incoming(phi, builder::null(ir::type_of(word)), from);
            }
            ir::add_incoming(phi, word, full);
            users
                .into_iter()
                .for_each(|user| ir::replace_operand(user, word, phi));
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
            if let Some(write) = self.guards.writes.get(at) {
                written.extend(write.pointer);
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

    /// The cells that are read before anything is written: what they hold where the paths part, they still hold on
    /// the full path. (Refreshing a cell does not change its meaning.)
    fn reads_before_effects(&self, region: &Region, checked: &[Value]) -> HashSet<Value> {
        let is_written = |at: &Value| self.has_effect(*at) && !self.guards.refreshes.contains(at);
        let before: HashSet<Value> = region
            .shadow
            .iter()
            .copied()
            .take_while(|at| !is_written(at))
            .collect();
        let is_plain = |at: &Value| self.guards.reads[at].operand.is_none();
        let early = checked.iter().copied();
        early
            .filter(|at| before.contains(at) && is_plain(at))
            .collect()
    }

    /// Addresses and bits that both paths need, in order.
    fn shared_by_paths(
        &self,
        region: &Region,
        effects: &[Value],
        checked: &[Value],
        early: &HashSet<Value>,
    ) -> Vec<Value> {
        let inside: HashSet<Value> = region.shadow.iter().copied().collect();
        let mut needed: Vec<Value> = Vec::new();
        for at in effects {
            let write = self.guards.writes.get(at);
            let plain = write.map(|write| (write.operand, write.plain));
            needed.extend(operands_with(*at, plain));
        }
        for at in checked {
            let read = &self.guards.reads[at];
            needed.push(read.plain);
            match early.contains(at) {
                true => needed.push(*at),
                false => needed.extend(operands_with(*at, read.operand)),
            }
        }
        let mut shared = HashSet::new();
        while let Some(value) = needed.pop() {
            if inside.contains(&value) && shared.insert(value) {
                needed.extend(ir::operands(value));
            }
        }
        region
            .shadow
            .iter()
            .copied()
            .filter(|at| shared.contains(at))
            .collect()
    }

    /// Makes the quick tests, each behind its instruction, and gives an `i32` that is not zero if one
    /// says yes, with the exact tests.
    fn test_quickly(&mut self, guarded: &[Value]) -> (Option<Value>, Vec<ExactTest>) {
        let mut alarms: Vec<(Value, Vec<bool>)> = Vec::new();
        let mut exact = Vec::new();
        for instruction in guarded {
            self.builder.after(*instruction);
            for guard in self.guards.guards.remove(instruction).unwrap_or_default() {
                let alarm = (guard.quick_tests)(self.builder);
                exact.push(guard.exact);
                let ty = ir::type_of(alarm.lanes);
                let same = alarms
                    .iter_mut()
                    .find(|(lanes, counts)| ir::type_of(*lanes) == ty && *counts == alarm.counts);
                match same {
                    Some((lanes, _)) => *lanes = self.builder.or(*lanes, alarm.lanes),
                    None => alarms.push((alarm.lanes, alarm.counts)),
                }
            }
        }
        let flags: Vec<Value> = alarms
            .into_iter()
            .map(|(lanes, counts)| self.signs(lanes, &counts))
            .collect();
        let any = flags.into_iter().reduce(|a, b| self.builder.or(a, b));
        (any, exact)
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

    /// Whether a cell that is read has a tag, or may have, or a word of another region does: an `i1`.
    fn is_any_tag_set(&self, reads: &[Value], early: &HashSet<Value>, words: &[Value]) -> Value {
        let builder = self.builder;
        let mut bits: Vec<Value> = words.to_vec();
        for at in reads {
            let read = &self.guards.reads[at];
            let operands: Vec<(u32, Value)> = read.operand.into_iter().collect();
            let cell = match early.contains(at) {
                true => *at,
                false => builder.insert_clone(*at, &operands),
            };
            bits.push(builder.xor(cell, read.plain));
        }
        self.is_any_set(bits)
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

    /// Sets the runtime's word, if that is not so yet, when a tag leaves the region by a word or a cell.
    fn set_live_word(&mut self, region: &Region, words_out: &[(Value, Vec<Value>)], alive: Value) {
        let stored = region
            .shadow
            .iter()
            .filter_map(|at| self.guards.writes.get(at));
        let words: Vec<Value> = stored
            .map(|write| write.word)
            .chain(words_out.iter().map(|(word, _)| *word))
            .filter(|word| !ir::is_constant(*word))
            .collect();
        if words.is_empty() {
            return;
        }
        let name = self.guarding().live_word;
        let builder = self.builder;
        let bit = builder::integer(builder.types.i32, ALIVE);
        let known = builder.is_any_bit_set(builder.and(alive, bit));
        let news = builder.and(self.is_any_set(words), builder.not(known));
        self.detour(news, Vec::new(), move |cx| {
            let builder = cx.builder;
            let more = builder.or(alive, bit);
            builder.store(more, builder.runtime_variable(name), 4);
            Vec::new()
        });
    }
}

/// The users of shadow code that are not of its region.
fn outside(at: Value, inside: &HashSet<Value>) -> Vec<Value> {
    let mut users = ir::uses(at);
    users.retain(|user| !inside.contains(user));
    users
}

/// An instruction's operands with one of them replaced.
fn operands_with(instruction: Value, replaced: Option<(u32, Value)>) -> Vec<Value> {
    let mut operands = ir::operands(instruction);
    if let Some((index, value)) = replaced {
        operands[index as usize] = value;
    }
    operands
}
