//! Expressions as the search sees them: real arithmetic on variables, exact numbers and named constants.
//!
//! This is the language of the e-graph ([`egg::Language`]), and [`Term`] (egg's `RecExpr`: nodes in the order of
//! evaluation, shared subexpressions once) is how every part of `fix` passes expressions on. Branches and loops are no
//! part of it: a repair with branches is a [`super::plan::Plan`] whose leaves are terms.
//!
//! A literal means the number that the compiled program has (0.1 is a double), as in the other commands; numbers
//! that rewriting makes are exact rationals.

use std::fmt::{self, Display, Formatter};

use egg::{FromOp, Id, Language, RecExpr};
use lostbits_abi::ops::Op;
use rug::Rational;

use crate::fpcore::{
    ast::{self, Constant},
    number::Number,
};

/// An expression; the last node is its value.
pub type Term = RecExpr<Math>;

#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Math {
    Number(Rational),
    /// A named constant, by its place in [`CONSTANTS`]; its value is the nearest number of the format.
    Constant(u8),
    /// The parameter of this index.
    Variable(u32),
    Unary(Op, [Id; 1]),
    Binary(Op, [Id; 2]),
    Ternary(Op, [Id; 3]),
}

/// The constants that FPCore names and that are numbers.
pub const CONSTANTS: [Constant; 13] = [
    Constant::E,
    Constant::Log2E,
    Constant::Log10E,
    Constant::Ln2,
    Constant::Ln10,
    Constant::Pi,
    Constant::HalfPi,
    Constant::QuarterPi,
    Constant::OneOverPi,
    Constant::TwoOverPi,
    Constant::TwoOverRootPi,
    Constant::Root2,
    Constant::RootHalf,
];

impl Math {
    pub fn number(value: impl Into<Rational>) -> Math {
        Math::Number(value.into())
    }

    /// An operation with as many operands as are given; none if there are more than three or none.
    pub fn operation(op: Op, operands: &[Id]) -> Option<Math> {
        Some(match *operands {
            [x] => Math::Unary(op, [x]),
            [x, y] => Math::Binary(op, [x, y]),
            [x, y, z] => Math::Ternary(op, [x, y, z]),
            _ => return None,
        })
    }

    pub fn op(&self) -> Option<Op> {
        match self {
            Math::Unary(op, _) | Math::Binary(op, _) | Math::Ternary(op, _) => Some(*op),
            _ => None,
        }
    }
}

/// What distinguishes nodes beside their operands.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Head {
    Number(Rational),
    Constant(u8),
    Variable(u32),
    Operation(Op, u8),
}

impl Language for Math {
    type Discriminant = Head;

    fn discriminant(&self) -> Head {
        match self {
            Math::Number(value) => Head::Number(value.clone()),
            Math::Constant(index) => Head::Constant(*index),
            Math::Variable(index) => Head::Variable(*index),
            Math::Unary(op, _) => Head::Operation(*op, 1),
            Math::Binary(op, _) => Head::Operation(*op, 2),
            Math::Ternary(op, _) => Head::Operation(*op, 3),
        }
    }

    fn matches(&self, other: &Math) -> bool {
        match (self, other) {
            (Math::Number(a), Math::Number(b)) => a == b,
            (Math::Constant(a), Math::Constant(b)) => a == b,
            (Math::Variable(a), Math::Variable(b)) => a == b,
            (Math::Unary(a, _), Math::Unary(b, _))
            | (Math::Binary(a, _), Math::Binary(b, _))
            | (Math::Ternary(a, _), Math::Ternary(b, _)) => a == b,
            _ => false,
        }
    }

    fn children(&self) -> &[Id] {
        match self {
            Math::Unary(_, operands) => operands,
            Math::Binary(_, operands) => operands,
            Math::Ternary(_, operands) => operands,
            _ => &[],
        }
    }

    fn children_mut(&mut self) -> &mut [Id] {
        match self {
            Math::Unary(_, operands) => operands,
            Math::Binary(_, operands) => operands,
            Math::Ternary(_, operands) => operands,
            _ => &mut [],
        }
    }
}

/// FPCore's name of the node, which [`FromOp`] reads again.
impl Display for Math {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Math::Number(value) => write!(f, "{value}"),
            Math::Constant(index) => f.write_str(CONSTANTS[usize::from(*index)].name()),
            Math::Variable(index) => write!(f, "${index}"),
            Math::Unary(op, _) | Math::Binary(op, _) | Math::Ternary(op, _) => {
                f.write_str(ast::operator(*op))
            }
        }
    }
}

/// Why a word of a rule is no node.
#[derive(Debug)]
pub struct NotANode(String);

impl Display for NotANode {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "`{}` is no operation, number or constant", self.0)
    }
}

impl std::error::Error for NotANode {}

impl FromOp for Math {
    type Error = NotANode;

    fn from_op(word: &str, operands: Vec<Id>) -> Result<Math, NotANode> {
        let unknown = || NotANode(word.to_owned());
        if !operands.is_empty() {
            let op = ast::operation(word, operands.len()).ok_or_else(unknown)?;
            return Math::operation(op, &operands).ok_or_else(unknown);
        }
        if let Some(index) = word.strip_prefix('$') {
            return index.parse().map(Math::Variable).map_err(|_| unknown());
        }
        if let Some(index) = CONSTANTS.iter().position(|c| c.name() == word) {
            return Ok(Math::Constant(index as u8));
        }
        Number::read(word)
            .map(|number| Math::Number(number.value))
            .map_err(|_| unknown())
    }
}

/// The part of a term whose value is a node, with only what it needs.
pub fn part(term: &Term, root: Id) -> Term {
    term[root].build_recexpr(|id| term[id].clone())
}

/// The number of operations.
pub fn operations(term: &Term) -> usize {
    term.iter().filter(|node| node.op().is_some()).count()
}

/// The variables that occur, in order.
pub fn variables(term: &Term) -> Vec<u32> {
    let mut found: Vec<u32> = term
        .iter()
        .filter_map(|node| match node {
            Math::Variable(index) => Some(*index),
            _ => None,
        })
        .collect();
    found.sort_unstable();
    found.dedup();
    found
}

/// A term from FPCore's notation with `$0`, `$1` … for variables: for tests and tables.
pub fn parse(text: &str) -> Term {
    text.parse()
        .unwrap_or_else(|error| panic!("{text}: {error}"))
}
