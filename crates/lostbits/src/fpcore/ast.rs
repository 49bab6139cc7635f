//! The syntax tree of both notations.

use std::fmt;

use lostbits_abi::ops::{Op, Operand, Outcome};

use super::{number::Number, problem::Position, sexp::Sexp};

/// One FPCore.
#[derive(Clone, PartialEq, Debug)]
pub struct Core {
    pub at: Position,
    /// The symbol before the arguments, by which FPCore 2.0 lets other cores call it.
    pub symbol: Option<String>,
    pub parameters: Vec<Parameter>,
    /// All properties in order, as they were written.
    pub properties: Vec<Property>,
    pub format: Format,
    pub pre: Option<Test>,
    pub spec: Option<Expr>,
    pub body: Expr,
}

impl Core {
    /// A core in binary64 of an expression without free variables.
    pub fn of_expression(body: Expr) -> Core {
        Core {
            at: body.at,
            symbol: None,
            parameters: Vec::new(),
            properties: Vec::new(),
            format: Format::Binary64,
            pre: None,
            spec: None,
            body,
        }
    }

    /// The value of a property as text, without the quotation marks of a string.
    pub fn property(&self, name: &str) -> Option<String> {
        let property = self
            .properties
            .iter()
            .find(|property| property.name == name)?;
        Some(match &property.value.kind {
            super::sexp::Kind::Text(text) => text.clone(),
            _ => property.value.to_string(),
        })
    }

    /// The name for people.
    pub fn name(&self) -> Option<String> {
        self.property("name").or_else(|| self.symbol.clone())
    }
}

#[derive(Clone, PartialEq, Debug)]
pub struct Property {
    /// Without the colon.
    pub name: String,
    pub value: Sexp,
}

#[derive(Clone, PartialEq, Debug)]
pub struct Parameter {
    pub name: String,
    /// That of the core, unless the parameter is annotated.
    pub format: Format,
    pub annotation: Vec<Property>,
    /// Empty for a number.
    pub dimensions: Vec<Dimension>,
}

#[derive(Clone, PartialEq, Debug)]
pub enum Dimension {
    Fixed(usize),
    /// Bound to the size that the argument has.
    Named(String),
}

/// The formats of `:precision`.
#[derive(Clone, Copy, PartialEq, Eq, Debug, PartialOrd, Ord)]
pub enum Format {
    Integer,
    Binary32,
    Binary64,
    Binary80,
    /// Never rounded: for :spec.
    Real,
}

impl Format {
    pub fn from_name(name: &str) -> Option<Format> {
        Some(match name {
            "integer" => Format::Integer,
            "binary32" => Format::Binary32,
            "binary64" => Format::Binary64,
            "binary80" => Format::Binary80,
            "real" => Format::Real,
            _ => return None,
        })
    }

    pub fn name(self) -> &'static str {
        match self {
            Format::Integer => "integer",
            Format::Binary32 => "binary32",
            Format::Binary64 => "binary64",
            Format::Binary80 => "binary80",
            Format::Real => "real",
        }
    }

    /// The narrower of the two that holds both, but for integers beyond a format's precision.
    pub fn join(self, other: Format) -> Format {
        self.max(other)
    }
}

/// A sum of 30,000 terms is a tree of that depth, because sums and products associate to the left. So whatever
/// descends by recursion does it through [`deep`], and trees are dropped without recursion. Other nesting is limited
/// by the readers ([`super::sexp::DEEPEST`]).
pub struct Expr {
    pub at: Position,
    pub kind: Kind,
}

#[derive(Clone, PartialEq, Debug)]
pub enum Kind {
    Number(Number),
    Constant(Constant),
    Variable(String),
    Operation(Op, Vec<Expr>),
    If(Box<Test>, Box<Expr>, Box<Expr>),
    Let(Scope, Vec<Binding>, Box<Expr>),
    While(Scope, Box<Test>, Vec<LoopVariable>, Box<Expr>),
    For(Scope, Vec<Binding>, Vec<LoopVariable>, Box<Expr>),
    /// `tensor`, and `tensor*` with its loop variables.
    Tensor(Vec<Binding>, Vec<LoopVariable>, Box<Expr>),
    Array(Vec<Expr>),
    Ref(Box<Expr>, Vec<Expr>),
    /// The length along a dimension.
    Size(Box<Expr>, Box<Expr>),
    /// The number of dimensions.
    Dim(Box<Expr>),
    Annotated(Vec<Property>, Option<Format>, Box<Expr>),
    Cast(Box<Expr>),
}

/// Whether bindings see those before them, as in `let*`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Scope {
    Parallel,
    Sequential,
}

#[derive(Clone, PartialEq, Debug)]
pub struct Binding {
    pub name: String,
    pub value: Expr,
}

#[derive(Clone, PartialEq, Debug)]
pub struct LoopVariable {
    pub name: String,
    pub start: Expr,
    pub update: Expr,
}

/// An expression with a truth value.
#[derive(Clone, PartialEq, Debug)]
pub struct Test {
    pub at: Position,
    pub kind: TestKind,
}

#[derive(Clone, PartialEq, Debug)]
pub enum TestKind {
    Constant(bool),
    /// Of neighbours, but `!=` of all pairs.
    Compare(Comparison, Vec<Expr>),
    And(Vec<Test>),
    Or(Vec<Test>),
    Not(Box<Test>),
    Class(Class, Box<Expr>),
    If(Box<Test>, Box<Test>, Box<Test>),
    Let(Scope, Vec<Binding>, Box<Test>),
    Annotated(Vec<Property>, Option<Format>, Box<Test>),
}

macro_rules! words {
    ($(#[$doc:meta])* $name:ident { $($variant:ident = $text:literal),* $(,)? }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, Debug)]
        pub enum $name { $($variant),* }

        impl $name {
            pub fn from_name(name: &str) -> Option<Self> {
                match name {
                    $($text => Some(Self::$variant),)*
                    _ => None,
                }
            }

            pub fn name(self) -> &'static str {
                match self {
                    $(Self::$variant => $text),*
                }
            }
        }
    };
}

words!(Comparison {
    Less = "<",
    Greater = ">",
    AtMost = "<=",
    AtLeast = ">=",
    Equal = "==",
    Different = "!=",
});

words!(Class {
    Finite = "isfinite",
    Infinite = "isinf",
    Nan = "isnan",
    Normal = "isnormal",
    SignBit = "signbit",
});

words!(Constant {
    E = "E",
    Log2E = "LOG2E",
    Log10E = "LOG10E",
    Ln2 = "LN2",
    Ln10 = "LN10",
    Pi = "PI",
    HalfPi = "PI_2",
    QuarterPi = "PI_4",
    OneOverPi = "M_1_PI",
    TwoOverPi = "M_2_PI",
    TwoOverRootPi = "M_2_SQRTPI",
    Root2 = "SQRT2",
    RootHalf = "SQRT1_2",
    Infinity = "INFINITY",
    Nan = "NAN",
});

/// An operation by the name and the number of its operands: FPCore's operators, and the other
/// functions of C's library under their own names.
pub fn operation(name: &str, arity: usize) -> Option<Op> {
    let standard = Op::from_fpcore(name, arity).filter(|op| *op != Op::Truncate);
    standard.or_else(|| library_function(name).filter(|op| op.info().arity() == arity))
}

/// The numbers of operands with which a name is an operation.
pub fn arities(name: &str) -> Vec<usize> {
    (1..=3)
        .filter(|arity| operation(name, *arity).is_some())
        .collect()
}

/// The name under which the operation is read again.
pub fn operator(op: Op) -> &'static str {
    op.info()
        .fpcore
        .unwrap_or(op.info().library.first().unwrap_or(&op.info().name))
}

fn library_function(name: &str) -> Option<Op> {
    let op = Op::from_name(name)?;
    let info = op.info();
    let real = info.outcome == Outcome::Real && info.operands.iter().all(|o| *o == Operand::Real);
    let plain = info.second.is_none() && info.folds.is_none();
    (real && plain && info.library.contains(&name)).then_some(op)
}

/// Makes a step of a recursion, on a new piece of stack where the old one is nearly used up.
pub fn deep<T>(step: impl FnOnce() -> T) -> T {
    const LEFT: usize = 128 << 10;
    const NEW: usize = 4 << 20;
    stacker::maybe_grow(LEFT, NEW, step)
}

impl Clone for Expr {
    fn clone(&self) -> Expr {
        deep(|| Expr {
            at: self.at,
            kind: self.kind.clone(),
        })
    }
}

impl PartialEq for Expr {
    fn eq(&self, other: &Expr) -> bool {
        deep(|| self.at == other.at && self.kind == other.kind)
    }
}

/// As FPCore.
impl fmt::Debug for Expr {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "{} at {}", super::write::expression(self), self.at)
    }
}

impl Drop for Expr {
    fn drop(&mut self) {
        let mut waiting = self.kind.take_operands();
        while let Some(mut operand) = waiting.pop() {
            waiting.append(&mut operand.kind.take_operands());
        }
    }
}

impl Kind {
    fn take_operands(&mut self) -> Vec<Expr> {
        match self {
            Kind::Operation(_, operands) => std::mem::take(operands),
            _ => Vec::new(),
        }
    }
}

impl Expr {
    pub fn new(at: Position, kind: Kind) -> Expr {
        Expr { at, kind }
    }

    /// Whether it has no variables, and is made of numbers, constants and operations alone.
    pub fn is_closed(&self) -> bool {
        match &self.kind {
            Kind::Number(_) | Kind::Constant(_) => true,
            Kind::Operation(_, operands) => deep(|| operands.iter().all(Expr::is_closed)),
            _ => false,
        }
    }

    pub fn variable(name: &str) -> Expr {
        Expr::new(Position::default(), Kind::Variable(name.to_owned()))
    }

    pub fn number(x: f64) -> Expr {
        Expr::new(Position::default(), Kind::Number(Number::from_f64(x)))
    }
}
