//! Floating-point bits that travel as integers.
//!
//! Compilers move floating-point values through integer registers (swaps, struct copies), and
//! programs inspect their bits. Integers are far too many to give each a shadow; one is made only
//! where an integer is stored or cast back to floating-point, by going back to where its bits come
//! from. Operations that only move bits (shifts by constants, truncation, sign-bit tricks) are followed;
//! arithmetic is not, but for that on exponents ([`super::scaling`]).

use std::collections::HashSet;

use lostbits_abi::site::{Lost, What};

use super::{
    FunctionInstrumenter, LeafShadow,
    atomics::{Found, found_by_exchange},
    close_phi,
    memory::Place,
    scaling::scales,
};
use crate::{
    ir::{self, Opcode, Value},
    prepare::complex,
    shape,
};

/// How many instructions are visited before integer bits count as untracked.
const MOST_STEPS: usize = 32;

impl FunctionInstrumenter<'_> {
    pub(super) fn visit_bitcast(&mut self, cast: Value) {
        let Some(leaf) = self.leaves_of(cast).into_iter().next() else {
            return;
        };
        let source = ir::operand(cast, 0);
        let is_number = shape::fp_kind(ir::type_of(source)).is_some();
        let shadow = match is_number {
            true => Some(self.leaf_shadow(source)),
            false => self.bits_shadow(source),
        };
        self.builder.after(cast);
        match shadow {
            Some(shadow) => {
                let mut shadow = self.domain.bitcast(self.builder, source, &shadow, leaf.ty);
                // A phi of numbers may come to refer to it; phis of integers are overwritten before those.
                if let Some(storage) = self.domain.storage().filter(|_| !is_number) {
                    shadow = storage.copy_result(self, cast, &shadow);
                }
                self.set(cast, vec![shadow]);
            }
            // A constant pattern is as exact as a constant, and a power of two of the pass's own is exact.
            None if ir::is_constant(source) || ir::is_marked(cast, complex::MARK) => {}
            None => {
                let site = self.site(cast, What::Lost(Lost::IntegerBits), &leaf, "");
                self.count(ir::parent_block(cast), site, shape::lanes(leaf.ty));
                let fresh = self.fresh(cast);
                self.set(cast, fresh);
            }
        }
    }

    /// The shadow of an integer (or vector of them) whose bits come from floating-point values or
    /// from memory; none if they do not.
    pub(super) fn bits_shadow(&mut self, value: Value) -> Option<LeafShadow> {
        if let Some(known) = self.bits.get(&value) {
            return known.clone();
        }
        let carries = self.carries_bits(value, &mut HashSet::new());
        if !carries {
            self.bits.insert(value, None);
            return None;
        }
        let shadow = self.make_bits_shadow(value);
        self.bits.insert(value, Some(shadow.clone()));
        Some(shadow)
    }

    /// Whether following `value` back leads to memory or a floating-point value.
    fn carries_bits(&self, value: Value, seen: &mut HashSet<Value>) -> bool {
        let fits = shape::can_hold_bits(self.layout, ir::type_of(value));
        if !fits || !seen.insert(value) || seen.len() > MOST_STEPS {
            return false;
        }
        if let Some(Some(_)) = self.bits.get(&value) {
            return true;
        }
        if !ir::is_instruction(value) {
            return self.was_passed(value);
        }
        use Opcode::*;
        match ir::opcode(value) {
            LLVMLoad => {
                let is_followed = !ir::is_atomic(value) || self.domain.tracks_atomics();
                is_followed && !super::memory::has_no_mirror(ir::operand(value, 0))
            }
            LLVMExtractValue
                if self.domain.tracks_atomics() && found_by_exchange(value).is_some() =>
            {
                true
            }
            LLVMExtractValue | LLVMCall | LLVMInvoke => self.was_passed(value),
            LLVMBitCast => {
                let source = ir::operand(value, 0);
                shape::fp_kind(ir::type_of(source)).is_some() || self.carries_bits(source, seen)
            }
            LLVMPHI => ir::incoming(value)
                .into_iter()
                .any(|(from, _)| self.carries_bits(from, seen)),
            LLVMSelect => (1..3).any(|index| self.carries_bits(ir::operand(value, index), seen)),
            LLVMFreeze | LLVMTrunc | LLVMZExt => self.carries_bits(ir::operand(value, 0), seen),
            LLVMShuffleVector => {
                (0..2).any(|index| self.carries_bits(ir::operand(value, index), seen))
            }
            LLVMShl | LLVMLShr | LLVMAnd | LLVMOr | LLVMXor if moves_bits(value) => {
                ir::operands(value)
                    .into_iter()
                    .any(|operand| self.carries_bits(operand, seen))
            }
            LLVMAdd | LLVMSub if self.domain.scaling().is_some() && scales(value) => {
                ir::operands(value)
                    .into_iter()
                    .any(|operand| self.carries_bits(operand, seen))
            }
            _ => false,
        }
    }

    fn make_bits_shadow(&mut self, value: Value) -> LeafShadow {
        if self.was_passed(value) {
            return self.take_passed(value);
        }
        use Opcode::*;
        match ir::opcode(value) {
            LLVMExtractValue => {
                let Found { pointer, exchange } =
                    found_by_exchange(value).expect("nothing else carries bits");
                self.builder.after(exchange.unwrap_or(value));
                let member = |exchange| self.builder.member(exchange, &[0]);
                let found = exchange.map_or(value, member);
                if let Some(storage) = self.domain.storage() {
                    return storage.load(self, pointer, found);
                }
                let place = Place {
                    pointer,
                    offset: 0,
                    alignment: self.layout.stride(ir::type_of(value)) as u32,
                };
                let cells = self.load_cells(&place, ir::type_of(value));
                self.domain.decode(self.builder, found, &cells).shadow
            }
            LLVMLoad => {
                let pointer = ir::operand(value, 0);
                let is_atomic = ir::is_atomic(value);
                if is_atomic {
                    self.lock_load(value);
                }
                self.builder.after(value);
                if let Some(storage) = self.domain.storage() {
                    let shadow = storage.load(self, pointer, value);
                    if is_atomic {
                        self.leave_lock();
                    }
                    return shadow;
                }
                let place = Place {
                    pointer,
                    offset: 0,
                    alignment: ir::alignment(value),
                };
                let cells = self.load_cells(&place, ir::type_of(value));
                if is_atomic {
                    self.leave_lock();
                }
                self.note_read(&cells, value, Some(pointer));
                let shadow = self.domain.decode(self.builder, value, &cells).shadow;
                self.refresh_cell(&cells, value, &shadow);
                shadow
            }
            LLVMBitCast => {
                let source = ir::operand(value, 0);
                let shadow = match shape::fp_kind(ir::type_of(source)) {
                    Some(_) => self.leaf_shadow(source),
                    None => self.bits_or_fresh(source, value),
                };
                self.builder.after(value);
                self.domain
                    .bitcast(self.builder, source, &shadow, ir::type_of(value))
            }
            LLVMPHI => self.make_bits_phi(value),
            LLVMSelect => {
                let a = self.bits_or_fresh(ir::operand(value, 1), value);
                let b = self.bits_or_fresh(ir::operand(value, 2), value);
                self.builder.after(value);
                let condition = ir::operand(value, 0);
                a.into_iter()
                    .zip(b)
                    .map(|(a, b)| self.builder.select(condition, a, b))
                    .collect()
            }
            LLVMFreeze => {
                let shadow = self.bits_or_fresh(ir::operand(value, 0), value);
                self.builder.after(value);
                shadow
                    .into_iter()
                    .map(|bits| self.builder.freeze(bits))
                    .collect()
            }
            LLVMShuffleVector => self.make_bits_shuffle(value),
            LLVMAdd | LLVMSub => {
                let from = self.scaled_from(value);
                self.builder.after(value);
                let fresh = self.domain.fresh(self.builder, value);
                self.scaled(value, from, fresh)
            }
            _ => {
                let operands: Vec<_> = (0..)
                    .zip(ir::operands(value))
                    .filter_map(|(index, operand)| Some((index, self.bits_shadow(operand)?)))
                    .collect();
                let from = self.scaled_from(value);
                self.builder.after(value);
                let moved = match operands.is_empty() {
                    true => self.domain.fresh(self.builder, value),
                    false => self.domain.move_bits(self.builder, value, &operands),
                };
                self.scaled(value, from, moved)
            }
        }
    }

    /// Vectorised loops that reverse an array shuffle integers (Rust's sorts, `std::reverse`).
    fn make_bits_shuffle(&mut self, shuffle: Value) -> LeafShadow {
        let mask = ir::shuffle_mask(shuffle);
        let [x, y] = [0, 1].map(|index| self.bits_or_fresh(ir::operand(shuffle, index), shuffle));
        self.builder.after(shuffle);
        x.into_iter()
            .zip(y)
            .map(|(x, y)| self.builder.shuffle(x, y, &mask))
            .collect()
    }

    fn make_bits_phi(&mut self, phi: Value) -> LeafShadow {
        let opened = self.open_phi(ir::type_of(phi), ir::parent_block(phi));
        let storage = self.domain.storage();
        let shadow = match storage {
            Some(storage) => {
                self.builder.after(phi);
                storage.copy_result(self, phi, &opened)
            }
            None => opened.clone(),
        };
        // Known before its sources are looked for: loops lead back here.
        self.bits.insert(phi, Some(shadow.clone()));
        for (value, block) in ir::incoming(phi) {
            let source = self.bits_shadow(value);
            self.builder.before(ir::terminator(block));
            let source = match (source, storage) {
                // Copied on the way, too: phis that refer to each other must not overwrite what another one copies.
                (Some(source), Some(storage)) => storage.copy_result(self, value, &source),
                (Some(source), None) => source,
                (None, _) => self.domain.fresh(self.builder, value),
            };
            close_phi(&opened, &source, block);
        }
        shadow
    }

    fn bits_or_fresh(&mut self, value: Value, user: Value) -> LeafShadow {
        self.bits_shadow(value).unwrap_or_else(|| {
            self.builder.after(user);
            self.domain.fresh(self.builder, value)
        })
    }
}

/// Shifts by constants, and bitwise operations with a constant or between halves that do not overlap.
fn moves_bits(instruction: Value) -> bool {
    let constant = |index| ir::is_constant(ir::operand(instruction, index));
    match ir::opcode(instruction) {
        Opcode::LLVMShl | Opcode::LLVMLShr | Opcode::LLVMAnd | Opcode::LLVMXor => constant(1),
        Opcode::LLVMOr => true,
        _ => false,
    }
}
