//! Checks of shadows, and counters of executed blocks.
//!
//! All checks of a block are combined into one branch at its end, rarely taken. The branch is the only
//! thing that splits blocks, so it is emitted last of all.

use std::collections::{BTreeSet, HashMap};

use lostbits_abi::{functions::RuntimeFunction, kind::FpKind, site::SiteTotals};

use super::FunctionInstrumenter;
use crate::{
    builder,
    ir::{self, Block, IntPredicate, Value},
    shape,
};

/// Something that is reported to the runtime where `flags` are set, lane by lane.
pub struct Check {
    pub site: u32,
    pub flags: Value,
    /// The runtime function: it takes the site's totals, the lane's flag, and the lane's `values`.
    pub report: RuntimeFunction,
    /// Integers or vectors of them.
    pub values: Vec<Value>,
    /// The format, if NaNs of it in both values count as equal.
    pub nans_are_equal: Option<FpKind>,
}

#[derive(Default)]
pub struct Checks {
    checks: HashMap<Block, Vec<Check>>,
    fresh: HashMap<Block, Vec<(u32, Value)>>,
    counts: HashMap<Block, Counts>,
    /// Sites that are marked when the function is entered.
    entered: Vec<(u32, u32)>,
}

/// What is executed with a block.
#[derive(Default)]
struct Counts {
    sites: Vec<(u32, u32)>,
    /// The last operation among them. Behind it a call may never return.
    last: Option<Value>,
}

impl FunctionInstrumenter<'_> {
    /// Adds a check at the builder's position.
    pub fn check(&mut self, mut check: Check) {
        if self.is_guarded() {
            check.flags = self.copy(check.flags);
            check.values = check
                .values
                .iter()
                .map(|value| self.local(*value))
                .collect();
            self.guards.checks.insert(check.flags, check);
            return;
        }
        self.checks
            .checks
            .entry(self.builder.insert_block())
            .or_default()
            .push(check);
    }

    /// A value arrived without a shadow if `fresh` (an `i1`).
    pub fn count_fresh(&mut self, site: u32, fresh: Value) {
        self.checks
            .fresh
            .entry(self.builder.insert_block())
            .or_default()
            .push((site, fresh));
    }

    /// `site` is executed, for `lanes` values, whenever `block` is.
    pub(super) fn count(&mut self, block: Block, site: u32, lanes: u32) {
        if self.domain.counts_executions() {
            let counts = self.checks.counts.entry(block).or_default();
            counts.sites.push((site, lanes));
            counts.last = None;
        }
    }

    /// The same of an operation.
    pub(super) fn count_operation(&mut self, operation: Value, site: u32, lanes: u32) {
        let block = ir::parent_block(operation);
        self.count(block, site, lanes);
        if let Some(counts) = self.checks.counts.get_mut(&block) {
            counts.last = Some(operation);
        }
    }

    /// `site` is executed `times` times right before an instruction, whatever comes of that.
    pub fn count_here(&mut self, instruction: Value, site: u32, times: u32) {
        if self.domain.counts_executions() {
            let totals = self.totals();
            self.builder.before(instruction);
            let address = self.counter(totals, &[(site, times)]);
            let one = builder::integer(self.builder.types.i64, 1);
            self.builder.atomic_add(address, one);
        }
    }

    /// `site` is marked when the function is entered.
    pub(super) fn mark_entered(&mut self, site: u32) {
        self.checks.entered.push((site, 1));
    }

    pub(super) fn emit_checks(&mut self) {
        let mut checks = std::mem::take(&mut self.checks);
        let nothing_counts = checks.counts.is_empty() && checks.entered.is_empty();
        if checks.checks.is_empty() && checks.fresh.is_empty() && nothing_counts {
            return;
        }
        let totals = self.totals();
        if !checks.entered.is_empty() {
            let sites: BTreeSet<_> = std::mem::take(&mut checks.entered).into_iter().collect();
            let sites: Vec<_> = sites.into_iter().collect();
            self.builder.before(ir::next(totals));
            let address = self.counter(totals, &sites);
            let one = builder::integer(self.builder.types.i64, 1);
            self.builder.store(one, address, 8);
        }
        for block in ir::blocks(self.function) {
            let seen = checks.checks.remove(&block).unwrap_or_default();
            let fresh = checks.fresh.remove(&block).unwrap_or_default();
            if let Some(counts) = checks.counts.remove(&block) {
                self.count_block(block, totals, &counts);
            }
            if !seen.is_empty() || !fresh.is_empty() {
                self.branch_on(block, totals, &seen, &fresh);
            }
        }
    }

    /// Counts a block. The totals are loaded in the entry block, so its own counter comes after that. As long as there is
    /// but one thread, no atomic addition is needed, which in a small loop costs as much as all the rest.
    fn count_block(&mut self, block: Block, totals: Value, counts: &Counts) {
        let b = self.builder;
        let end = self.end_of(block);
        let is_call = |last: &Value| ir::is_call(*last) || ir::is_phi(*last);
        let at = match counts.last.filter(|last| !is_call(last)) {
            Some(last) => ir::next(last),
            None => end,
        };
        b.before(at);
        let address = self.counter(totals, &counts.sites);
        let i64 = b.types.i64;
        let one = builder::integer(i64, 1);
        let Some(is_shared) = self.domain.has_several_threads(self) else {
            b.atomic_add(address, one);
            return;
        };
        let (shared, cancellation_only) = ir::unlikely_blocks(is_shared, at);
        b.before(shared);
        b.atomic_add(address, one);
        b.before(cancellation_only);
        let more = b.binary(ir::Opcode::LLVMAdd, b.load(i64, address, 8), one);
        b.store(more, address, 8);
        self.tails.insert(block, ir::parent_block(end));
    }

    /// The address of a new counter of these sites.
    fn counter(&mut self, totals: Value, sites: &[(u32, u32)]) -> Value {
        let counter = self.module.sites.counter(sites);
        self.builder.offset(totals, u64::from(counter) * 8)
    }

    fn branch_on(&mut self, block: Block, totals: Value, checks: &[Check], fresh: &[(u32, Value)]) {
        let end = self.end_of(block);
        self.builder.before(end);
        let flags = checks
            .iter()
            .map(|check| self.builder.any_lane(check.flags))
            .chain(fresh.iter().map(|(_, flag)| *flag));
        let any = flags
            .reduce(|a, b| self.builder.or(a, b))
            .expect("there is a check");
        // Arithmetic that promises "no NaN" makes poison of one; a branch on poison is undefined.
        let rare = ir::unlikely_block(self.builder.freeze(any), end);
        self.builder.before(rare);
        for check in checks {
            self.report(totals, check);
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

    /// All checks of a region, behind one branch at the builder's position.
    pub(super) fn emit_region_checks(&mut self, checks: Vec<Check>) {
        if checks.is_empty() {
            return;
        }
        let any = self.is_any_set(checks.iter().map(|check| check.flags).collect());
        self.report_rarely(any, move |cx, totals| {
            for check in &checks {
                cx.report_if_any(totals, check);
            }
        });
    }

    /// Reports if a flag is set, in a detour: the builder is at the end of a block.
    pub fn report_if_any(&mut self, totals: Value, check: &Check) {
        let end = ir::terminator(self.builder.insert_block());
        let any = self.builder.freeze(self.builder.any_lane(check.flags));
        let inner = ir::unlikely_block(any, end);
        self.builder.before(inner);
        self.report(totals, check);
        self.builder.before(end);
    }

    /// Calls the runtime for each lane.
    fn report(&mut self, totals: Value, check: &Check) {
        let types = self.builder.types;
        let flags = match (check.nans_are_equal, &check.values[..]) {
            (Some(kind), [a, b]) => {
                let both = self
                    .builder
                    .and(self.is_nan(*a, kind), self.is_nan(*b, kind));
                self.builder.and(check.flags, self.builder.not(both))
            }
            _ => check.flags,
        };
        let site = self.site_totals(totals, check.site);
        for lane in 0..shape::lanes(ir::type_of(flags)) {
            let of = |value| match ir::type_kind(ir::type_of(value)) {
                ir::TypeKind::LLVMVectorTypeKind => self.builder.extract_lane(value, lane),
                _ => value,
            };
            let flag = self.builder.freeze(of(flags));
            let mut arguments = vec![site, self.builder.resize_unsigned(flag, types.i32)];
            let words = check.values.iter().map(|value| of(*value));
            arguments.extend(words.map(|word| self.builder.resize_unsigned(word, types.i64)));
            self.builder.call_runtime(check.report, &arguments);
        }
    }

    /// The end of a block of the program's, which may have been split since.
    fn end_of(&self, block: Block) -> Value {
        end_of(self.tails.get(&block).copied().unwrap_or(block))
    }

    fn site_totals(&mut self, totals: Value, site: u32) -> Value {
        self.module.site_totals(self.builder, totals, site)
    }

    fn is_nan(&self, bits: Value, kind: FpKind) -> Value {
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

/// Where a block's checks go: before its terminator, or before a tail call that must stay next to it.
fn end_of(block: Block) -> Value {
    ir::instructions(block)
        .into_iter()
        .find(|at| is_call(*at) && ir::is_must_tail(*at))
        .unwrap_or_else(|| ir::terminator(block))
}

fn is_call(instruction: Value) -> bool {
    ir::opcode(instruction) == ir::Opcode::LLVMCall
}
