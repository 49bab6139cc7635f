//! A repair: terms, and branches on variables between them.

use std::collections::HashMap;

use egg::{Id, Language};
use rug::Rational;

use super::{
    machine::{self, Width},
    math::{self, CONSTANTS, Math, Term},
};
use crate::fpcore::{
    ast::{Binding, Comparison, Expr, Kind, Scope, Test, TestKind, operator},
    number::Number,
    problem::Position,
};
use lostbits_abi::ops::Op;

/// A comparison of a variable, or of its magnitude, with a round number.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Threshold {
    pub variable: u32,
    pub of_magnitude: bool,
    pub limit: f64,
    /// Whether the limit itself is below.
    pub inclusive: bool,
}

impl Threshold {
    pub fn key(&self, inputs: &[f64]) -> f64 {
        let x = inputs[self.variable as usize];
        if self.of_magnitude { x.abs() } else { x }
    }

    pub fn is_below(&self, inputs: &[f64]) -> bool {
        let key = self.key(inputs);
        key < self.limit || (self.inclusive && key == self.limit)
    }

    fn comparison(&self) -> Comparison {
        match self.inclusive {
            true => Comparison::AtMost,
            false => Comparison::Less,
        }
    }
}

#[derive(Clone, PartialEq, Debug)]
pub enum Plan {
    Term(Term),
    Branch {
        test: Threshold,
        below: Box<Plan>,
        otherwise: Box<Plan>,
    },
}

impl Plan {
    pub fn evaluate(&self, inputs: &[f64], width: Width) -> f64 {
        machine::evaluate(self.leaf(inputs), inputs, width)
    }

    /// The term that an input leads to.
    pub fn leaf(&self, inputs: &[f64]) -> &Term {
        match self {
            Plan::Term(term) => term,
            Plan::Branch {
                test,
                below,
                otherwise,
            } => match test.is_below(inputs) {
                true => below.leaf(inputs),
                false => otherwise.leaf(inputs),
            },
        }
    }

    pub fn leaves(&self) -> Vec<&Term> {
        match self {
            Plan::Term(term) => vec![term],
            Plan::Branch {
                below, otherwise, ..
            } => [below.leaves(), otherwise.leaves()].concat(),
        }
    }

    pub fn thresholds(&self) -> Vec<Threshold> {
        match self {
            Plan::Term(_) => Vec::new(),
            Plan::Branch {
                test,
                below,
                otherwise,
            } => [vec![*test], below.thresholds(), otherwise.thresholds()].concat(),
        }
    }

    /// Operations of all leaves together, a comparison being one.
    pub fn operations(&self) -> usize {
        let terms: usize = self
            .leaves()
            .iter()
            .map(|term| math::operations(term))
            .sum();
        terms + self.thresholds().len()
    }

    /// As FPCore has it.
    pub fn expression(&self, names: &[String], width: Width) -> Expr {
        match self {
            Plan::Term(term) => term_expression(term, names, width),
            Plan::Branch {
                test,
                below,
                otherwise,
            } => {
                let variable = Expr::variable(&names[test.variable as usize]);
                let key = match test.of_magnitude {
                    true => made(Kind::Operation(Op::Abs, vec![variable])),
                    false => variable,
                };
                let condition = Test {
                    at: Position::default(),
                    kind: TestKind::Compare(test.comparison(), vec![key, Expr::number(test.limit)]),
                };
                made(Kind::If(
                    Box::new(condition),
                    Box::new(below.expression(names, width)),
                    Box::new(otherwise.expression(names, width)),
                ))
            }
        }
    }

    /// As people write it; a line for each branch.
    pub fn infix(&self, names: &[String], width: Width) -> Vec<String> {
        match self {
            Plan::Term(term) => vec![infix(term, names, width)],
            Plan::Branch {
                test,
                below,
                otherwise,
            } => {
                let mut lines = vec![format!("if {}:", threshold(test, names))];
                let indented = |lines: Vec<String>| lines.into_iter().map(|l| format!("    {l}"));
                lines.extend(indented(below.infix(names, width)));
                lines.push("otherwise:".to_owned());
                lines.extend(indented(otherwise.infix(names, width)));
                lines
            }
        }
    }
}

/// `|x| < 0.1`.
pub fn threshold(test: &Threshold, names: &[String]) -> String {
    let name = &names[test.variable as usize];
    let key = match test.of_magnitude {
        true => format!("|{name}|"),
        false => name.clone(),
    };
    let sign = if test.inclusive { "<=" } else { "<" };
    format!("{key} {sign} {}", Number::from_f64(test.limit).text)
}

fn made(kind: Kind) -> Expr {
    Expr::new(Position::default(), kind)
}

/// A term with a `let*` for what is used several times.
fn term_expression(term: &Term, names: &[String], width: Width) -> Expr {
    let uses = uses(term);
    let mut writer = Writer {
        term,
        names,
        width,
        bound: HashMap::new(),
    };
    let mut bindings = Vec::new();
    for (index, node) in term.iter().enumerate() {
        let is_shared = uses[index] > 1 && node.op().is_some();
        if is_shared && index + 1 < term.len() {
            let value = writer.expression(Id::from(index));
            let name = fresh(names, bindings.len());
            bindings.push(Binding {
                name: name.clone(),
                value,
            });
            writer.bound.insert(Id::from(index), name);
        }
    }
    let body = writer.expression(Id::from(term.len() - 1));
    match bindings.is_empty() {
        true => body,
        false => made(Kind::Let(Scope::Sequential, bindings, Box::new(body))),
    }
}

/// How often each node is used.
fn uses(term: &Term) -> Vec<usize> {
    let mut uses = vec![0; term.len()];
    for node in term.iter() {
        for child in node.children() {
            uses[usize::from(*child)] += 1;
        }
    }
    uses
}

/// A name that no variable has.
fn fresh(names: &[String], index: usize) -> String {
    (0..)
        .map(|try_| format!("t{}{index}", "_".repeat(try_)))
        .find(|name| !names.contains(name))
        .expect("names are endless")
}

struct Writer<'a> {
    term: &'a Term,
    names: &'a [String],
    width: Width,
    bound: HashMap<Id, String>,
}

impl Writer<'_> {
    fn expression(&self, id: Id) -> Expr {
        if let Some(name) = self.bound.get(&id) {
            return Expr::variable(name);
        }
        match &self.term[id] {
            Math::Number(value) => number(value, self.width),
            Math::Constant(index) => made(Kind::Constant(CONSTANTS[usize::from(*index)])),
            Math::Variable(index) => Expr::variable(&self.names[*index as usize]),
            node => {
                let op = node.op().expect("the rest are operations");
                let operands = node.children().iter().map(|id| self.expression(*id));
                made(Kind::Operation(op, operands.collect()))
            }
        }
    }
}

/// A literal, or a fraction of two that computes to the nearest number.
fn number(value: &Rational, width: Width) -> Expr {
    let whole = |x: &rug::Integer| {
        let limit = 1u64 << width.bits().min(53);
        x.to_i64()
            .filter(|x| x.unsigned_abs() < limit)
            .map(|x| x as f64)
    };
    let nearest = machine::number(value, width);
    let is_exact = Rational::from_f64(nearest).is_some_and(|exact| exact == *value);
    match (whole(value.numer()), whole(value.denom())) {
        (Some(above), Some(below)) if !is_exact => {
            let operands = vec![Expr::number(above), Expr::number(below)];
            made(Kind::Operation(Op::Div, operands))
        }
        _ => Expr::number(nearest),
    }
}

/// A term as people write it.
pub fn infix(term: &Term, names: &[String], width: Width) -> String {
    let uses = uses(term);
    let mut texts: Vec<(String, u8)> = Vec::new();
    let mut shared = Vec::new();
    let is_long = math::operations(term) > 12;
    for (index, node) in term.iter().enumerate() {
        let text = written(node, &texts, names, width);
        let is_shared = is_long && uses[index] > 1 && node.op().is_some() && text.0.len() > 8;
        if is_shared && index + 1 < term.len() {
            let name = fresh(names, shared.len());
            shared.push(format!("{name} = {}", text.0));
            texts.push((name, ATOM));
        } else {
            texts.push(text);
        }
    }
    let body = texts.pop().map_or_else(String::new, |text| text.0);
    match shared.is_empty() {
        true => body,
        false => format!("{body}   where {}", shared.join(", ")),
    }
}

const SUM: u8 = 1;
const PRODUCT: u8 = 2;
const SIGN: u8 = 3;
const ATOM: u8 = 5;

fn written(node: &Math, texts: &[(String, u8)], names: &[String], width: Width) -> (String, u8) {
    let of = |id: &Id| &texts[usize::from(*id)];
    let at_least = |id: &Id, level: u8| {
        let (text, own) = of(id);
        if *own < level {
            format!("({text})")
        } else {
            text.clone()
        }
    };
    match node {
        Math::Number(value) => {
            let text = super::plan::number_text(value, width);
            let level = match (text.contains('/'), text.starts_with('-')) {
                (true, _) => PRODUCT,
                (_, true) => SIGN,
                _ => ATOM,
            };
            (text, level)
        }
        Math::Constant(index) => (CONSTANTS[usize::from(*index)].name().to_owned(), ATOM),
        Math::Variable(index) => (names[*index as usize].clone(), ATOM),
        Math::Unary(Op::Neg, [x]) => (format!("-{}", at_least(x, SIGN + 1)), SIGN),
        Math::Binary(Op::Add, [x, y]) => (
            format!("{} + {}", at_least(x, SUM), at_least(y, PRODUCT)),
            SUM,
        ),
        Math::Binary(Op::Sub, [x, y]) => (
            format!("{} - {}", at_least(x, SUM), at_least(y, PRODUCT)),
            SUM,
        ),
        Math::Binary(Op::Mul, [x, y]) => (
            format!("{} * {}", at_least(x, PRODUCT), at_least(y, SIGN)),
            PRODUCT,
        ),
        Math::Binary(Op::Div, [x, y]) => (
            format!("{} / {}", at_least(x, PRODUCT), at_least(y, SIGN)),
            PRODUCT,
        ),
        node => {
            let operands: Vec<&str> = node.children().iter().map(|id| of(id).0.as_str()).collect();
            let name = node.op().map_or("?", operator);
            (format!("{name}({})", operands.join(", ")), ATOM)
        }
    }
}

/// A number as people write it.
pub fn number_text(value: &Rational, width: Width) -> String {
    match &number(value, width).kind {
        Kind::Number(number) => number.text.clone(),
        Kind::Operation(_, operands) => match operands.as_slice() {
            [
                Expr {
                    kind: Kind::Number(above),
                    ..
                },
                Expr {
                    kind: Kind::Number(below),
                    ..
                },
            ] => format!("{} / {}", above.text, below.text),
            _ => value.to_string(),
        },
        _ => value.to_string(),
    }
}
