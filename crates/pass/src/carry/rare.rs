//! Work that is rarely to be done: behind a branch, in a block of its own, out of the way.
//!
//! A domain says what to do while it makes a shadow; the branch is emitted when all shadows are made,
//! because it splits blocks. Until then an anchor stands for the place, and for the result: what follows
//! uses the anchor, and is given the result in the end.

use super::Weaver;
use crate::ir::{self, Block, Value};

/// What a rare block computes in the place of the usual value.
type Work = Box<dyn FnOnce(&mut Weaver, Value) -> Option<Value>>;

pub(super) struct Rare {
    condition: Value,
    /// What the result is if nothing is to be done.
    usual: Value,
    anchor: Value,
    /// The block as the program had it.
    block: Block,
    work: Work,
}

impl Weaver<'_> {
    /// Gives `usual`, or what `work` computes if `condition` (an `i1`) holds. `work` is called later,
    /// with the builder in the rare block, and is given the address of the module's totals.
    pub fn rarely(
        &mut self,
        condition: Value,
        usual: Value,
        work: impl FnOnce(&mut Weaver, Value) -> Option<Value> + 'static,
    ) -> Value {
        let ty = ir::type_of(usual);
        let anchor = self.builder.intrinsic("llvm.ssa.copy", &[ty], &[usual]);
        self.rare.push(Rare {
            condition,
            usual,
            anchor,
            block: self.builder.insert_block(),
            work: Box::new(work),
        });
        anchor
    }

    pub(super) fn finish_rare(&mut self) {
        let all = std::mem::take(&mut self.rare);
        for rare in all {
            self.builder.before(rare.anchor);
            let head = ir::parent_block(rare.anchor);
            // Arithmetic that promises "no NaN" makes poison of one; a branch on poison is undefined.
            let condition = self.builder.freeze(rare.condition);
            let end = ir::unlikely_block(condition, rare.anchor);
            self.builder.before(end);
            let totals = self.module.load_totals(self.builder);
            let result = (rare.work)(self, totals);
            let tail = ir::parent_block(rare.anchor);
            self.tails.insert(rare.block, tail);
            let merged = result.map(|result| {
                let phi = self.builder.phi(ir::type_of(result), tail);
                ir::add_incoming(phi, rare.usual, head);
                ir::add_incoming(phi, result, ir::parent_block(end));
                phi
            });
            self.anchors
                .push((rare.anchor, merged.unwrap_or(rare.usual)));
        }
    }

    /// Last of all, because everything that is emitted meanwhile uses anchors; and the latest first,
    /// because one may stand for an earlier.
    pub(super) fn resolve_anchors(&mut self) {
        for (anchor, result) in self.anchors.drain(..).rev() {
            ir::replace(anchor, result);
        }
        for copy in self.copies.drain(..) {
            ir::replace(copy, ir::operand(copy, 0));
        }
    }
}
