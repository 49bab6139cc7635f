//! Detours: rare work behind a branch, in a block of its own, which may change several values.
//!
//! The branch is emitted after all shadows exist, because it splits blocks. Until then an anchor marks the position
//! and represents each result: later code uses the anchor, which is replaced by the result at the end.

use super::FunctionInstrumenter;
use crate::ir::{self, Block, Value};

/// Returns the values as they are after the detour.
type Work = Box<dyn FnOnce(&mut FunctionInstrumenter) -> Vec<Value>>;

pub(super) struct Detour {
    condition: Value,
    usual: Vec<Value>,
    anchors: Vec<Value>,
    /// The block of the program.
    block: Block,
    work: Work,
}

impl FunctionInstrumenter<'_> {
    /// Returns `usual`, or what `work` computes instead if `condition` (an `i1`) holds. `work` is called later, with
    /// the builder in a block of its own.
    pub fn detour(
        &mut self,
        condition: Value,
        usual: Vec<Value>,
        work: impl FnOnce(&mut FunctionInstrumenter) -> Vec<Value> + 'static,
    ) -> Vec<Value> {
        let anchor = |value: &Value| {
            self.builder
                .intrinsic("llvm.ssa.copy", &[ir::type_of(*value)], &[*value])
        };
        let mut anchors: Vec<Value> = usual.iter().map(anchor).collect();
        if anchors.is_empty() {
            // Marks the position only.
            anchors.push(anchor(&condition));
        }
        self.detours.push(Detour {
            condition,
            usual,
            anchors: anchors.clone(),
            block: self.builder.insert_block(),
            work: Box::new(work),
        });
        anchors
    }

    /// A detour that changes no value. `work` receives the address of the module's totals.
    pub fn report_rarely(
        &mut self,
        condition: Value,
        work: impl FnOnce(&mut FunctionInstrumenter, Value) + 'static,
    ) {
        self.detour(condition, Vec::new(), move |cx| {
            let totals = cx.module.load_totals(cx.builder);
            work(cx, totals);
            Vec::new()
        });
    }

    /// Splitting a block moves what is behind the position to another block. The last detour comes first, so that this is never
    /// more than what is in front of the next: the other way round, the time would grow with the square of the block's size.
    pub(super) fn emit_detours(&mut self) {
        let first = self.anchors.len();
        for detour in std::mem::take(&mut self.detours).into_iter().rev() {
            self.emit_detour(detour);
        }
        self.anchors[first..].reverse();
    }

    fn emit_detour(&mut self, detour: Detour) {
        let position = detour.anchors[0];
        self.builder.before(position);
        let head = ir::parent_block(position);
        // Arithmetic with the flag "no NaN" turns a NaN into poison; a branch on poison is undefined.
        let condition = self.builder.freeze(detour.condition);
        let end = ir::unlikely_block(condition, position);
        self.builder.before(end);
        let results = (detour.work)(self);
        let tail = ir::parent_block(position);
        // The first that is emitted splits off the end of the block.
        self.tails.entry(detour.block).or_insert(tail);
        let aside = ir::parent_block(end);
        for (anchor, (usual, result)) in detour
            .anchors
            .iter()
            .zip(detour.usual.iter().zip(results.iter()))
        {
            let phi = self.builder.phi(ir::type_of(*usual), tail);
            ir::add_incoming(phi, *usual, head);
            ir::add_incoming(phi, *result, aside);
            self.anchors.push((*anchor, phi));
        }
        if detour.usual.is_empty() {
            self.anchors.push((position, detour.condition));
        }
    }

    /// Runs last, because all code emitted before uses anchors; and replaces the latest anchor first, because it may
    /// stand for an earlier one.
    pub(super) fn resolve_anchors(&mut self) {
        for (anchor, result) in self.anchors.drain(..).rev() {
            ir::replace(anchor, result);
        }
        for copy in self.copies.drain(..) {
            ir::replace(copy, ir::operand(copy, 0));
        }
    }
}
