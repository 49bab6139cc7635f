//! A source file as the repair sees it, in any language: formulas with their byte ranges, the statements that contain
//! them, and loops.
//!
//! A formula is a maximal arithmetic expression without side effects. Whatever is in it that is no operation of the
//! table (`p->x`, `a[i]`, `self%s2`, a product of integers) is a leaf, and keeps the author's text.

use std::ops::Range;

use lostbits_abi::ops::Op;

use crate::fix::machine::Width;

pub type Span = Range<usize>;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Language {
    C,
    Cxx,
    Rust,
    Fortran,
}

/// A part of a formula.
#[derive(Clone, PartialEq, Debug)]
pub struct Tree {
    /// Without parentheses around it.
    pub span: Span,
    /// The operator or the name of the function.
    pub at: usize,
    pub part: Part,
}

#[derive(Clone, PartialEq, Debug)]
pub enum Part {
    /// A literal, as the compiled program has it.
    Number(f64),
    Leaf(Leaf),
    Operation(Op, Vec<Tree>),
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Leaf {
    /// In blanks normalised.
    pub text: String,
    pub is_integer: bool,
    /// A name and nothing else.
    pub is_name: bool,
}

/// A maximal formula.
#[derive(Clone, PartialEq, Debug)]
pub struct Formula {
    pub tree: Tree,
    pub width: Width,
    /// The statement that contains it.
    pub statement: usize,
    /// Whether what stands beside it binds tighter than a sum, so that a sum needs parentheses.
    pub is_operand: bool,
    /// Why it cannot be replaced: it comes from a macro, or from a template of several types.
    pub refusal: Option<String>,
}

#[derive(Clone, PartialEq, Debug)]
pub struct Statement {
    pub span: Span,
    /// The list of statements that it is in, and its place there.
    pub block: usize,
    pub order: usize,
    pub effect: Effect,
    /// Whether its parts are executed repeatedly: a loop with its condition.
    pub is_loop: bool,
    /// The loops around it, outermost first.
    pub loops: Vec<usize>,
    /// Whether a statement can be put before and after it.
    pub is_in_list: bool,
}

/// What a statement does to variables.
#[derive(Clone, PartialEq, Debug)]
pub enum Effect {
    /// It gives a variable a value without other effects.
    Defines {
        name: String,
        /// The variable is new.
        is_declaration: bool,
        /// The formula, if all of the value is one.
        formula: Option<usize>,
    },
    /// `target += value` or `target = target + value`.
    Adds(Addition),
    Other,
}

/// A running sum.
#[derive(Clone, PartialEq, Debug)]
pub struct Addition {
    pub target: String,
    pub width: Option<Width>,
    pub value: Span,
    /// The factors, if the value is a product.
    pub factors: Option<[Span; 2]>,
    pub is_difference: bool,
}

#[derive(Clone, PartialEq, Debug)]
pub struct Loop {
    pub span: Span,
    pub statement: usize,
}

/// A procedure: where declarations can be added (Fortran).
#[derive(Clone, PartialEq, Debug)]
pub struct Procedure {
    pub name: String,
    pub span: Span,
    /// The first executable statement.
    pub body: usize,
}

#[derive(Clone, PartialEq, Debug, Default)]
pub struct Source {
    pub formulas: Vec<Formula>,
    pub statements: Vec<Statement>,
    pub loops: Vec<Loop>,
    pub procedures: Vec<Procedure>,
}

impl Tree {
    pub fn operation(span: Span, at: usize, op: Op, operands: Vec<Tree>) -> Tree {
        let part = Part::Operation(op, operands);
        Tree { span, at, part }
    }

    pub fn operands(&self) -> &[Tree] {
        match &self.part {
            Part::Operation(_, operands) => operands,
            _ => &[],
        }
    }

    pub fn op(&self) -> Option<Op> {
        match self.part {
            Part::Operation(op, _) => Some(op),
            _ => None,
        }
    }

    /// Operations in it.
    pub fn size(&self) -> usize {
        let below: usize = self.operands().iter().map(Tree::size).sum();
        below + usize::from(self.op().is_some())
    }

    /// It and all below it, outermost first.
    pub fn nodes(&self) -> Vec<&Tree> {
        let mut all = vec![self];
        for operand in self.operands() {
            all.extend(operand.nodes());
        }
        all
    }

    pub fn leaves(&self) -> Vec<&Leaf> {
        let nodes = self.nodes().into_iter();
        let leaves = nodes.filter_map(|node| match &node.part {
            Part::Leaf(leaf) => Some(leaf),
            _ => None,
        });
        leaves.collect()
    }

    /// The way from this tree to one of its nodes, outermost first.
    pub fn chain_to(&self, span: &Span, at: usize) -> Vec<&Tree> {
        if self.span == *span && self.at == at {
            return vec![self];
        }
        for operand in self.operands() {
            let below = operand.chain_to(span, at);
            if !below.is_empty() {
                return [vec![self], below].concat();
            }
        }
        Vec::new()
    }
}

/// A leaf's text with blanks as they are usual.
pub fn normalised(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// All names in a text.
pub fn names(text: &str) -> Vec<&str> {
    let is_of_word = |c: char| c.is_alphanumeric() || c == '_';
    let words = text.split(move |c| !is_of_word(c));
    words
        .filter(|word| word.starts_with(|c: char| c.is_alphabetic() || c == '_'))
        .collect()
}

/// The offset of a line and a column, both counted from 1.
pub fn offset(text: &str, line: u32, column: u32) -> Option<usize> {
    let before: usize = text
        .split_inclusive('\n')
        .take(line.checked_sub(1)? as usize)
        .map(str::len)
        .sum();
    let offset = before + column.saturating_sub(1) as usize;
    (offset <= text.len()).then_some(offset)
}

/// The line of an offset, counted from 1.
pub fn line_of(text: &str, offset: usize) -> u32 {
    let before = &text.as_bytes()[..offset.min(text.len())];
    1 + before.iter().filter(|byte| **byte == b'\n').count() as u32
}

/// Where the line of an offset begins.
pub fn line_start(text: &str, offset: usize) -> usize {
    text[..offset].rfind('\n').map_or(0, |at| at + 1)
}

/// The blanks at the beginning of the line of an offset.
pub fn indentation(text: &str, offset: usize) -> &str {
    let line = &text[line_start(text, offset)..];
    let end = line.find(|c: char| c != ' ' && c != '\t');
    &line[..end.unwrap_or(0)]
}
