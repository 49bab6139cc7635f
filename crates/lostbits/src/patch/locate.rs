//! From a location of debug information to a part of a formula.

use std::path::Path;

use lostbits_abi::ops::Op;

use super::tree::{Formula, Source, Tree, line_of, offset};

/// A place in the code that is to be repaired.
#[derive(Clone, Debug)]
pub struct Place {
    pub line: u32,
    /// 0 if unknown.
    pub column: u32,
    /// None for any.
    pub op: Option<Op>,
}

/// The formula at a place, and the operation in it. The optimiser may have made a sum of a difference; Fortran's and
/// Rust's columns are those of the statement or of the whole expression.
pub fn locate<'a>(source: &'a Source, text: &str, place: &Place) -> Option<(usize, &'a Tree)> {
    let wanted = offset(text, place.line, place.column);
    let score = |formula: &Formula, node: &Tree| {
        let statement = &source.statements[formula.statement].span;
        let lines = line_of(text, statement.start)..=line_of(text, statement.end);
        let op = node.op()?;
        let fits = place.op.is_none_or(|wanted| is_alike(op, wanted));
        let near = match () {
            () if Some(node.at) == wanted => 0,
            () if Some(node.span.start) == wanted => 1,
            () if line_of(text, node.at) == place.line => 2,
            () if *lines.start() == place.line => 3,
            () if lines.contains(&place.line) && lines.end() - lines.start() < 12 => 4,
            () => return None,
        };
        Some((!fits, near, source.statements[formula.statement].is_loop))
    };
    let all = source.formulas.iter().enumerate();
    let all = all.flat_map(|(index, formula)| {
        let nodes = formula.tree.nodes().into_iter();
        nodes.filter_map(move |node| Some((score(formula, node)?, index, node)))
    });
    all.min_by_key(|(score, _, _)| *score)
        .map(|(_, index, node)| (index, node))
}

fn is_alike(op: Op, wanted: Op) -> bool {
    let is_sum = |op| matches!(op, Op::Add | Op::Sub | Op::Fma | Op::MulAdd);
    op == wanted || (is_sum(op) && is_sum(wanted))
}

/// Whether two paths are the same file.
pub fn is_same(one: &Path, other: &Path) -> bool {
    let canonical = |path: &Path| std::fs::canonicalize(path).ok();
    one == other || (canonical(one).is_some() && canonical(one) == canonical(other))
}
