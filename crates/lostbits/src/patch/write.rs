//! A repaired formula in the language of the source: the author's names and literals, as few parentheses as the
//! language allows.

use lostbits_abi::ops::Op;
use rug::Rational;

use super::{
    formula::Problem,
    functions::{Call, call},
    tree::Language,
};
use crate::fix::{
    machine::{self, Width},
    math::{CONSTANTS, Math, Term},
    plan::{Plan, Threshold},
};
use crate::fpcore::evaluate::reals::constant_value;

/// How the author writes.
#[derive(Clone, PartialEq, Debug)]
pub struct Style {
    pub language: Language,
    /// `std::exp` rather than `exp`.
    pub with_std: bool,
    /// `_dp` of `1.0_dp`.
    pub kind_suffix: Option<String>,
}

/// A replacement for a formula.
#[derive(Clone, PartialEq, Debug)]
pub struct Written {
    pub text: String,
    pub level: u8,
    /// C's functions that Fortran must declare.
    pub foreign: Vec<&'static str>,
    pub calls_functions: bool,
}

const CONDITION: u8 = 0;
const SUM: u8 = 1;
const PRODUCT: u8 = 2;
const SIGN: u8 = 3;
const POWER: u8 = 4;
pub const ATOM: u8 = 5;

#[derive(Clone)]
struct Piece {
    text: String,
    level: u8,
    is_integer: bool,
}

impl Piece {
    fn new(text: String, level: u8) -> Piece {
        Piece {
            text,
            level,
            is_integer: false,
        }
    }

    fn at_least(&self, level: u8) -> String {
        match self.level < level {
            true => format!("({})", self.text),
            false => self.text.clone(),
        }
    }
}

struct Writer<'a> {
    problem: &'a Problem,
    style: &'a Style,
    foreign: Vec<&'static str>,
    calls_functions: bool,
}

/// None if the language has no name for an operation.
pub fn written(plan: &Plan, problem: &Problem, style: &Style) -> Option<Written> {
    let mut writer = Writer {
        problem,
        style,
        foreign: Vec::new(),
        calls_functions: false,
    };
    let piece = writer.plan(plan)?;
    Some(Written {
        text: piece.text,
        level: piece.level,
        foreign: writer.foreign,
        calls_functions: writer.calls_functions,
    })
}

impl Writer<'_> {
    fn plan(&mut self, plan: &Plan) -> Option<Piece> {
        let (test, below, otherwise) = match plan {
            Plan::Term(term) => return self.term(term),
            Plan::Branch {
                test,
                below,
                otherwise,
            } => (test, self.plan(below)?, self.plan(otherwise)?),
        };
        let condition = self.condition(test)?;
        Some(match self.style.language {
            Language::C | Language::Cxx => {
                let text = format!("{condition} ? {} : {}", below.at_least(SUM), otherwise.text);
                Piece::new(text, CONDITION)
            }
            Language::Rust => {
                let text = format!(
                    "if {condition} {{ {} }} else {{ {} }}",
                    below.text, otherwise.text
                );
                Piece::new(text, CONDITION)
            }
            Language::Fortran => {
                let text = format!("merge({}, {}, {condition})", below.text, otherwise.text);
                Piece::new(text, ATOM)
            }
        })
    }

    fn condition(&mut self, test: &Threshold) -> Option<String> {
        let variable = self.leaf(test.variable as usize);
        let key = match test.of_magnitude {
            true => self.call(Op::Abs, &[variable])?,
            false => variable,
        };
        let sign = if test.inclusive { "<=" } else { "<" };
        let limit = self.literal(test.limit);
        Some(format!("{} {sign} {limit}", key.at_least(SUM)))
    }

    fn term(&mut self, term: &Term) -> Option<Piece> {
        let mut pieces: Vec<Piece> = Vec::new();
        for node in term.iter() {
            let piece = self.node(node, &pieces)?;
            pieces.push(piece);
        }
        pieces.pop()
    }

    fn node(&mut self, node: &Math, pieces: &[Piece]) -> Option<Piece> {
        let of = |id: &egg::Id| pieces[usize::from(*id)].clone();
        Some(match node {
            Math::Number(value) => self.number(value),
            Math::Constant(index) => {
                let value = constant_value(CONSTANTS[usize::from(*index)], 64);
                let text = self.literal(self.problem.width.round(value.to_f64()));
                Piece::new(text, ATOM)
            }
            Math::Variable(index) => self.leaf(*index as usize),
            Math::Unary(Op::Neg, [x]) => Piece::new(format!("-{}", of(x).at_least(POWER)), SIGN),
            Math::Binary(op @ (Op::Add | Op::Sub), [x, y]) => {
                let sign = if *op == Op::Add { "+" } else { "-" };
                let (x, y) = self.reals(of(x), of(y));
                let (x, y) = (x.at_least(SUM), self.right(&y, PRODUCT));
                Piece::new(format!("{x} {sign} {y}"), SUM)
            }
            Math::Binary(op @ (Op::Mul | Op::Div), [x, y]) => {
                let sign = if *op == Op::Mul { "*" } else { "/" };
                let (x, y) = self.reals(of(x), of(y));
                let (x, y) = (x.at_least(PRODUCT), self.right(&y, SIGN));
                Piece::new(format!("{x} {sign} {y}"), PRODUCT)
            }
            node => {
                let operands: Vec<Piece> = egg::Language::children(node).iter().map(of).collect();
                self.call(node.op()?, &operands)?
            }
        })
    }

    /// Fortran has no two operators beside each other.
    fn right(&self, piece: &Piece, level: u8) -> String {
        match self.style.language {
            Language::Fortran if piece.text.starts_with('-') => piece.at_least(POWER),
            _ => piece.at_least(level),
        }
    }

    /// Operands of which one is no integer.
    fn reals(&self, x: Piece, y: Piece) -> (Piece, Piece) {
        match x.is_integer && y.is_integer {
            true => (self.converted(x), y),
            false => (x, y),
        }
    }

    fn converted(&self, piece: Piece) -> Piece {
        if let Ok(value) = piece.text.parse::<f64>() {
            return Piece::new(self.new_literal(value), ATOM);
        }
        let type_name = match self.problem.width {
            Width::Double => "double",
            Width::Single => "float",
        };
        match self.style.language {
            Language::C | Language::Cxx => {
                Piece::new(format!("({type_name}){}", piece.at_least(ATOM)), POWER)
            }
            _ => piece,
        }
    }

    fn leaf(&self, index: usize) -> Piece {
        let leaf = &self.problem.leaves[index];
        let is_atom = is_atom(&leaf.text);
        let text = match (self.style.language, leaf.is_integer) {
            (Language::Fortran, true) => {
                let kind = match (&self.style.kind_suffix, self.problem.width) {
                    (Some(suffix), _) => format!(", {}", suffix.trim_start_matches('_')),
                    (None, Width::Double) => ", kind(1.0d0)".to_owned(),
                    (None, Width::Single) => String::new(),
                };
                return Piece::new(format!("real({}{kind})", leaf.text), ATOM);
            }
            _ => leaf.text.clone(),
        };
        Piece {
            text,
            level: if is_atom { ATOM } else { CONDITION },
            is_integer: leaf.is_integer,
        }
    }

    fn number(&self, value: &Rational) -> Piece {
        let nearest = machine::number(value, self.problem.width);
        let is_exact = Rational::from_f64(nearest).is_some_and(|exact| exact == *value);
        let small = |x: &rug::Integer| x.to_i32().map(f64::from);
        if let (false, Some(above), Some(below)) =
            (is_exact, small(value.numer()), small(value.denom()))
        {
            let text = format!("{} / {}", self.new_literal(above), self.new_literal(below));
            return Piece::new(text, PRODUCT);
        }
        let text = self.literal(nearest.abs());
        let is_integer = text.parse::<i64>().is_ok();
        let (text, level) = match nearest < 0.0 {
            true => (format!("-{text}"), SIGN),
            false => (text, ATOM),
        };
        Piece {
            text,
            level,
            is_integer,
        }
    }

    /// As the author wrote it, or as it is usual.
    fn literal(&self, value: f64) -> String {
        let known = self
            .problem
            .literals
            .iter()
            .find(|(known, _)| *known == value);
        known.map_or_else(|| self.new_literal(value), |(_, text)| text.clone())
    }

    fn new_literal(&self, value: f64) -> String {
        let width = self.problem.width;
        let text = match width {
            Width::Double => format!("{value:?}"),
            Width::Single => format!("{:?}", value as f32),
        };
        match (self.style.language, width) {
            (Language::C | Language::Cxx, Width::Single) if !text.contains('.') => {
                match text.split_once('e') {
                    Some((digits, exponent)) => format!("{digits}.0e{exponent}f"),
                    None => format!("{text}.0f"),
                }
            }
            (Language::C | Language::Cxx, Width::Single) => format!("{text}f"),
            (Language::Fortran, width) => match (&self.style.kind_suffix, width) {
                (Some(suffix), _) => format!("{text}{suffix}"),
                (None, Width::Double) if text.contains('e') => text.replace('e', "d"),
                (None, Width::Double) => format!("{text}d0"),
                (None, Width::Single) => text,
            },
            _ => text,
        }
    }

    fn call(&mut self, op: Op, operands: &[Piece]) -> Option<Piece> {
        self.calls_functions = true;
        let texts: Vec<&str> = operands.iter().map(|one| one.text.as_str()).collect();
        Some(match call(op, self.style, self.problem.width)? {
            Call::Function { name, foreign } => {
                if foreign && !self.foreign.contains(&name) {
                    self.foreign.push(name);
                }
                let prefix = match (self.style.language, self.style.with_std) {
                    (Language::Cxx, true) => "std::",
                    _ => "",
                };
                let suffix = match (self.style.language, self.problem.width) {
                    (Language::C, Width::Single) => "f",
                    (Language::Cxx, Width::Single) if !self.style.with_std => "f",
                    (Language::Fortran, Width::Single) if foreign => return None,
                    _ => "",
                };
                Piece::new(
                    format!("{prefix}{name}{suffix}({})", texts.join(", ")),
                    ATOM,
                )
            }
            Call::Method(name) => {
                let (receiver, rest) = operands.split_first()?;
                let rest: Vec<&str> = rest.iter().map(|one| one.text.as_str()).collect();
                let receiver = match receiver.text.parse::<f64>() {
                    Ok(_) => format!(
                        "{}_f{}",
                        receiver.text,
                        match self.problem.width {
                            Width::Double => 64,
                            Width::Single => 32,
                        }
                    ),
                    Err(_) => receiver.at_least(ATOM),
                };
                Piece::new(format!("{receiver}.{name}({})", rest.join(", ")), ATOM)
            }
            Call::Operator(sign) => {
                let [x, y] = operands else {
                    return None;
                };
                Piece::new(
                    format!("{}{sign}{}", x.at_least(ATOM), y.at_least(ATOM)),
                    POWER,
                )
            }
        })
    }
}

/// Whether a text needs no parentheses beside an operator: a name with fields, indices and arguments.
pub fn is_atom(text: &str) -> bool {
    let mut depth = 0i32;
    let mut previous = ' ';
    for c in text.chars() {
        match c {
            '(' | '[' => depth += 1,
            ')' | ']' => depth -= 1,
            '>' if previous == '-' => {}
            '-' | '+' | '*' | '/' | ' ' | '&' | '?' | '<' | '>' | '=' | '!' if depth == 0 => {
                let is_arrow = c == '-' && text.contains("->");
                if !is_arrow {
                    return false;
                }
            }
            _ => {}
        }
        previous = c;
    }
    // A cast is no atom.
    !text.starts_with('(') || text.ends_with(')') && closes_at_end(text)
}

fn closes_at_end(text: &str) -> bool {
    let mut depth = 0;
    for (at, c) in text.char_indices() {
        depth += match c {
            '(' => 1,
            ')' => -1,
            _ => 0,
        };
        if depth == 0 {
            return at + 1 == text.len();
        }
    }
    false
}
