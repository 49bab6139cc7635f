//! Detours: work that is rarely to be done, behind a branch, and that may change several values at once.
//!
//! Like `rare`, but with several results. The branch is emitted when all shadows are made, because it splits
//! blocks; until then anchors stand for the results.

use super::Weaver;
use crate::ir::{self, Block, Value};

/// Gives what the values are after the detour.
type Work = Box<dyn FnOnce(&mut Weaver) -> Vec<Value>>;

pub(super) struct Detour {
    condition: Value,
    usual: Vec<Value>,
    anchors: Vec<Value>,
    /// The block as the program had it.
    block: Block,
    work: Work,
}

impl Weaver<'_> {
    /// Gives `usual`, or what `work` makes of it if `condition` (an `i1`) holds. `work` is called later,
    /// with the builder in a block of its own.
    pub fn detour(
        &mut self,
        condition: Value,
        usual: Vec<Value>,
        work: impl FnOnce(&mut Weaver) -> Vec<Value> + 'static,
    ) -> Vec<Value> {
        let anchor = |value: &Value| {
            self.builder
                .intrinsic("llvm.ssa.copy", &[ir::type_of(*value)], &[*value])
        };
        let mut anchors: Vec<Value> = usual.iter().map(anchor).collect();
        if anchors.is_empty() {
            // Something must stand for the place.
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

    pub(super) fn finish_detours(&mut self) {
        for detour in std::mem::take(&mut self.detours) {
            self.finish_detour(detour);
        }
    }

    fn finish_detour(&mut self, detour: Detour) {
        let place = detour.anchors[0];
        self.builder.before(place);
        let head = ir::parent_block(place);
        // Arithmetic that promises "no NaN" makes poison of one; a branch on poison is undefined.
        let condition = self.builder.freeze(detour.condition);
        let end = ir::unlikely_block(condition, place);
        self.builder.before(end);
        let results = (detour.work)(self);
        let tail = ir::parent_block(place);
        self.tails.insert(detour.block, tail);
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
            self.anchors.push((place, detour.condition));
        }
    }
}
