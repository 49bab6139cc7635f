//! Places where a shadow is looked at, and how often blocks run.
//!
//! All looks of a block are combined into one branch at its end, rarely taken. The branch is the only
//! thing that splits blocks, so it is emitted last of all.

use std::collections::HashMap;

use lostbits_abi::{kind::FpKind, site::SiteTotals};

use super::Weaver;
use crate::{
    builder,
    ir::{self, Block, IntPredicate, Value},
    shape,
};

/// Something that is reported to the runtime where `flags` are set, lane by lane.
pub struct Look {
    pub site: u32,
    pub flags: Value,
    /// The runtime function: it takes the site's totals, the lane's flag, and the lane's `values`.
    pub report: &'static str,
    /// Integers or vectors of them.
    pub values: Vec<Value>,
    /// The format, if not-a-numbers of it in both of two values are to count as equal.
    pub not_numbers: Option<FpKind>,
}

#[derive(Default)]
pub struct Looks {
    looks: HashMap<Block, Vec<Look>>,
    fresh: HashMap<Block, Vec<(u32, Value)>>,
    counts: HashMap<Block, Vec<(u32, u32)>>,
}

impl Weaver<'_> {
    /// To be looked at where the builder stands.
    pub fn look(&mut self, mut look: Look) {
        if self.is_guarded() {
            look.flags = self.copy(look.flags);
            look.values = look.values.iter().map(|value| self.local(*value)).collect();
            self.guards.looks.insert(look.flags, look);
            return;
        }
        self.looks
            .looks
            .entry(self.builder.insert_block())
            .or_default()
            .push(look);
    }

    /// A value arrived without a shadow if `fresh` (an `i1`).
    pub fn count_fresh(&mut self, site: u32, fresh: Value) {
        self.looks
            .fresh
            .entry(self.builder.insert_block())
            .or_default()
            .push((site, fresh));
    }

    /// `site` is executed, for `lanes` values, whenever `block` is.
    pub(super) fn count(&mut self, block: Block, site: u32, lanes: u32) {
        if self.domain.counts() {
            self.looks
                .counts
                .entry(block)
                .or_default()
                .push((site, lanes));
        }
    }

    pub(super) fn finish_looks(&mut self) {
        let mut looks = std::mem::take(&mut self.looks);
        if looks.looks.is_empty() && looks.fresh.is_empty() && looks.counts.is_empty() {
            return;
        }
        let totals = self.totals();
        for block in ir::blocks(self.function) {
            let seen = looks.looks.remove(&block).unwrap_or_default();
            let fresh = looks.fresh.remove(&block).unwrap_or_default();
            if let Some(sites) = looks.counts.remove(&block) {
                self.tick(block, totals, &sites);
            }
            if !seen.is_empty() || !fresh.is_empty() {
                self.branch_on(block, totals, &seen, &fresh);
            }
        }
    }

    /// The totals are loaded in the entry block, so its own tick stands at the end.
    fn tick(&mut self, block: Block, totals: Value, sites: &[(u32, u32)]) {
        let b = self.builder;
        let end = self.end_of(block);
        b.before(end);
        let i64 = b.types.i64;
        let one = builder::integer(i64, 1);
        let counter = self.module.sites.counter(sites);
        let address = b.offset(totals, u64::from(counter) * 8);
        let Some(is_shared) = self.is_shared_by_threads() else {
            b.atomic_add(address, one);
            return;
        };
        let (shared, alone) = ir::unlikely_blocks(is_shared, end);
        b.before(shared);
        b.atomic_add(address, one);
        b.before(alone);
        let more = b.binary(ir::Opcode::LLVMAdd, b.load(i64, address, 8), one);
        b.store(more, address, 8);
        self.tails.insert(block, ir::parent_block(end));
    }

    fn branch_on(&mut self, block: Block, totals: Value, looks: &[Look], fresh: &[(u32, Value)]) {
        let end = self.end_of(block);
        self.builder.before(end);
        let flags = looks
            .iter()
            .map(|look| self.builder.any_lane(look.flags))
            .chain(fresh.iter().map(|(_, flag)| *flag));
        let any = flags
            .reduce(|a, b| self.builder.or(a, b))
            .expect("there is a look");
        // Arithmetic that promises "no NaN" makes poison of one; a branch on poison is undefined.
        let rare = ir::unlikely_block(self.builder.freeze(any), end);
        self.builder.before(rare);
        for look in looks {
            self.report(totals, look);
        }
        for (site, flag) in fresh {
            let address = self.site_totals(totals, *site);
            let address = self
                .builder
                .offset(address, std::mem::offset_of!(SiteTotals, fresh) as u64);
            let flag = self.builder.freeze(*flag);
            let one = self.builder.resize_unsigned(flag, self.builder.types.i64);
            self.builder.atomic_add(address, one);
        }
    }

    /// All looks of a region, behind one branch where the builder stands.
    pub(super) fn look_rarely(&mut self, looks: Vec<Look>) {
        if looks.is_empty() {
            return;
        }
        let any = self.is_any_set(looks.iter().map(|look| look.flags).collect());
        self.rarely(any, any, move |weaver, totals| {
            for look in &looks {
                weaver.report_if_any(totals, look);
            }
            None
        });
    }

    /// Reports if a flag is set, in work that is done rarely: the builder stands at a block's end.
    pub fn report_if_any(&mut self, totals: Value, look: &Look) {
        let end = ir::terminator(self.builder.insert_block());
        let any = self.builder.freeze(self.builder.any_lane(look.flags));
        let inner = ir::unlikely_block(any, end);
        self.builder.before(inner);
        self.report(totals, look);
        self.builder.before(end);
    }

    /// Calls the runtime for each lane.
    fn report(&mut self, totals: Value, look: &Look) {
        let types = self.builder.types;
        let mut parameters = vec![types.pointer, types.i32];
        parameters.resize(2 + look.values.len(), types.i64);
        let report = self.builder.declare(look.report, types.void, &parameters);
        let flags = match (look.not_numbers, &look.values[..]) {
            (Some(kind), [a, b]) => {
                let both = self
                    .builder
                    .and(self.is_not_number(*a, kind), self.is_not_number(*b, kind));
                self.builder.and(look.flags, self.builder.not(both))
            }
            _ => look.flags,
        };
        let site = self.site_totals(totals, look.site);
        for lane in 0..shape::lanes(ir::type_of(flags)) {
            let of = |value| match ir::type_kind(ir::type_of(value)) {
                ir::TypeKind::LLVMVectorTypeKind => self.builder.extract_lane(value, lane),
                _ => value,
            };
            let flag = self.builder.freeze(of(flags));
            let mut arguments = vec![site, self.builder.resize_unsigned(flag, types.i32)];
            let words = look.values.iter().map(|value| of(*value));
            arguments.extend(words.map(|word| self.builder.resize_unsigned(word, types.i64)));
            self.builder.call(report, &arguments);
        }
    }

    /// The end of a block of the program's, which may have been split since.
    fn end_of(&self, block: Block) -> Value {
        end_of(self.tails.get(&block).copied().unwrap_or(block))
    }

    fn site_totals(&mut self, totals: Value, site: u32) -> Value {
        self.module.site_totals(self.builder, totals, site)
    }

    fn is_not_number(&self, bits: Value, kind: FpKind) -> Value {
        let ty = ir::type_of(bits);
        // The stored fraction: x87 alone stores the leading bit.
        let fraction = match kind {
            FpKind::X87 => 64,
            _ => u64::from(kind.precision()) - 1,
        };
        let sign_off = self.builder.shift_right(builder::all_ones(ty), 1);
        let infinity = self.builder.shift_right(
            self.builder.shift_left(builder::all_ones(ty), fraction + 1),
            1,
        );
        let infinity = match kind {
            FpKind::X87 => {
                let leading = self.builder.shift_left(builder::splat(ty, 1), 63);
                self.builder.or(infinity, leading)
            }
            _ => infinity,
        };
        let magnitude = self.builder.and(bits, sign_off);
        self.builder
            .compare(IntPredicate::LLVMIntUGT, magnitude, infinity)
    }
}

/// Where a block's looks go: before its terminator, or before a tail call that must stay next to it.
fn end_of(block: Block) -> Value {
    ir::instructions(block)
        .into_iter()
        .find(|at| is_call(*at) && ir::is_must_tail(*at))
        .unwrap_or_else(|| ir::terminator(block))
}

fn is_call(instruction: Value) -> bool {
    ir::opcode(instruction) == ir::Opcode::LLVMCall
}
