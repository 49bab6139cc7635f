//! What all readers do alike: they collect statements, blocks and loops while they walk through a function.

use crate::{
    fix::machine::Width,
    patch::tree::{Effect, Formula, Loop, Source, Span, Statement, Tree},
};

#[derive(Default)]
pub struct Builder {
    pub source: Source,
    blocks: usize,
    loops: Vec<usize>,
}

impl Builder {
    /// A new list of statements.
    pub fn block(&mut self) -> usize {
        self.blocks += 1;
        self.blocks
    }

    pub fn statement(&mut self, span: Span, block: usize, order: usize, is_in_list: bool) -> usize {
        self.source.statements.push(Statement {
            span,
            block,
            order,
            effect: Effect::Other,
            is_loop: false,
            loops: self.loops.clone(),
            is_in_list,
        });
        self.source.statements.len() - 1
    }

    /// What follows until [`Builder::leave_loop`] is repeated.
    pub fn enter_loop(&mut self, statement: usize) {
        let span = self.source.statements[statement].span.clone();
        self.source.statements[statement].is_loop = true;
        self.source.loops.push(Loop { span, statement });
        self.loops.push(self.source.loops.len() - 1);
    }

    pub fn leave_loop(&mut self) {
        self.loops.pop();
    }

    pub fn formula(
        &mut self,
        tree: Tree,
        width: Width,
        statement: usize,
        is_operand: bool,
        refusal: Option<String>,
    ) -> Option<usize> {
        if tree.size() == 0 {
            return None;
        }
        self.source.formulas.push(Formula {
            tree,
            width,
            statement,
            is_operand,
            refusal,
        });
        Some(self.source.formulas.len() - 1)
    }

    pub fn effect(&mut self, statement: usize, effect: Effect) {
        self.source.statements[statement].effect = effect;
    }
}
