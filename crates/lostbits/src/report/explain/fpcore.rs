//! Root causes as FPCore 2.0, one core each, for other tools of FPBench (Herbie, for one).
//!
//! `:pre` holds the ranges in which the expression was wrong (else all ranges that occurred), split by
//! sign. An operation that FPCore lacks is expressed with those it has, or becomes a variable, so that a
//! core is always valid. Names that FPCore does not allow are changed as little as possible: `p->x`
//! becomes `p_x`.

use std::collections::BTreeMap;

use lostbits_abi::{explain::Range, kind::FpKind, ops::Op, site::Site};

use super::{infix::call_name, phrases};
use crate::{
    explain::{Expression, Findings, Node, RootCause, Term, Values},
    fpcore::ast::{Constant, arities},
    report::{numbers::shortest, words::location},
};

pub fn fpcore(findings: &Findings) -> String {
    let causes = findings.causes.iter().filter_map(core);
    causes.collect::<Vec<_>>().join("\n")
}

/// None if there is no expression.
fn core(cause: &RootCause) -> Option<String> {
    let mut writer = Writer::new(cause.expression.as_ref()?);
    let body = writer.node(&writer.expression.root);
    let names: Vec<&str> = writer.parameters.iter().map(|one| one.0.as_str()).collect();
    let bounds: Vec<String> = writer
        .parameters
        .iter()
        .filter_map(|(name, values)| bounds(name, values))
        .collect();
    let pre = match bounds.as_slice() {
        [] => String::new(),
        [one] => format!(" :pre {one}\n"),
        many => format!(" :pre (and {})\n", many.join(" ")),
    };
    Some(format!(
        "(FPCore ({})\n :name {}\n :description {}\n :precision {}\n{pre} {body})\n",
        names.join(" "),
        quoted(&name(&cause.site)),
        quoted(&phrases::headline(cause)),
        precision(cause.site.kind),
    ))
}

/// `file:line:column`.
fn name(site: &Site) -> String {
    location(site)
}

fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
}

fn precision(kind: Option<FpKind>) -> &'static str {
    match kind {
        Some(FpKind::Half) => "binary16",
        Some(FpKind::BFloat | FpKind::Float) => "binary32",
        Some(FpKind::X87) => "binary80",
        Some(FpKind::Double) | None => "binary64",
    }
}

fn number(value: f64) -> String {
    match value {
        _ if value.is_nan() => "NAN".to_owned(),
        f64::INFINITY => "INFINITY".to_owned(),
        f64::NEG_INFINITY => "(- INFINITY)".to_owned(),
        _ => shortest(value),
    }
}

/// The range of a variable in wrong executions, else in all.
fn bounds(name: &str, values: &Values) -> Option<String> {
    let range = match values.erroneous.whole() {
        Some(_) => &values.erroneous,
        None => &values.all,
    };
    let parts = sides(range).map(|[least, most]| match least == most {
        true => format!("(== {name} {})", number(least)),
        false => format!("(<= {} {name} {})", number(least), number(most)),
    });
    let parts: Vec<String> = parts.collect();
    match parts.as_slice() {
        [] => None,
        [one] => Some(one.clone()),
        many => Some(format!("(or {})", many.join(" "))),
    }
}

fn sides(range: &Range) -> impl Iterator<Item = [f64; 2]> {
    let zero = (range.zeros > 0).then_some([0.0, 0.0]);
    let side = |ends: [f64; 2]| Some(ends).filter(|ends| ends[0] <= ends[1]);
    [side(range.negative), zero, side(range.positive)]
        .into_iter()
        .flatten()
}

struct Writer<'a> {
    expression: &'a Expression,
    /// The variables in order of appearance, then operations that became variables.
    parameters: Vec<(String, Values)>,
    /// The symbol of each name.
    known: BTreeMap<String, String>,
}

impl<'a> Writer<'a> {
    fn new(expression: &'a Expression) -> Writer<'a> {
        Writer {
            expression,
            parameters: Vec::new(),
            known: BTreeMap::new(),
        }
    }

    fn node(&mut self, node: &Node) -> String {
        match &node.term {
            Term::Constant(value) => number(*value),
            Term::Variable => self.parameter(self.expression.name(node).to_owned(), node.values),
            Term::Operation { op, operands, site } => {
                let before = (self.parameters.len(), self.known.clone());
                let written: Vec<String> = operands.iter().map(|one| self.node(one)).collect();
                operation(*op, &written).unwrap_or_else(|| {
                    self.parameters.truncate(before.0);
                    self.known = before.1;
                    let name = call_name(*op, site.as_ref()).unwrap_or(op.name());
                    let name = format!("{}{}", name.replace(' ', "-"), before.0);
                    self.parameter(name, node.values)
                })
            }
        }
    }

    fn parameter(&mut self, name: String, values: Values) -> String {
        if let Some(symbol) = self.known.get(&name) {
            return symbol.clone();
        }
        let base = symbol(&name);
        let is_free = |symbol: &String| self.known.values().all(|taken| taken != symbol);
        let numbered = (2..).map(|number| format!("{base}_{number}"));
        let free = std::iter::once(base.clone()).chain(numbered).find(is_free);
        let free = free.expect("there are infinitely many numbers");
        self.known.insert(name, free.clone());
        self.parameters.push((free.clone(), values));
        free
    }
}

/// A name as an FPCore symbol that has no other meaning.
fn symbol(name: &str) -> String {
    let mut symbol = String::new();
    for c in name.chars() {
        match c {
            c if c.is_ascii_alphanumeric() => symbol.push(c),
            _ if symbol.is_empty() || symbol.ends_with('_') => {}
            _ => symbol.push('_'),
        }
    }
    let symbol = symbol.trim_end_matches('_');
    let means_something = Constant::from_name(symbol).is_some()
        || ["TRUE", "FALSE"].contains(&symbol)
        || !arities(symbol).is_empty();
    match symbol.chars().next() {
        None => "x".to_owned(),
        Some(first) if first.is_ascii_digit() => format!("x{symbol}"),
        Some(_) if means_something => format!("{symbol}_"),
        Some(_) => symbol.to_owned(),
    }
}

/// None for what FPCore cannot express.
fn operation(op: Op, operands: &[String]) -> Option<String> {
    if let Some(operator) = op.info().fpcore.filter(|_| op != Op::Truncate) {
        return Some(format!("({operator} {})", operands.join(" ")));
    }
    Some(match (op, operands) {
        (
            Op::Extend | Op::FromSigned | Op::FromUnsigned | Op::Canonicalize | Op::ComplexPart,
            [x],
        ) => x.clone(),
        (Op::Truncate, [x]) => format!("(! :precision binary32 (cast {x}))"),
        (Op::MulAdd, [x, y, z]) => format!("(+ (* {x} {y}) {z})"),
        (Op::ReduceAdd, [x, y]) => format!("(+ {x} {y})"),
        (Op::ReduceMul, [x, y]) => format!("(* {x} {y})"),
        (Op::Rsqrt, [x]) => format!("(/ 1 (sqrt {x}))"),
        (Op::Sincos, [x]) => format!("(sin {x})"),
        (Op::SinPi | Op::SincosPi, [x]) => format!("(sin (* PI {x}))"),
        (Op::CosPi, [x]) => format!("(cos (* PI {x}))"),
        (Op::TanPi, [x]) => format!("(tan (* PI {x}))"),
        (Op::AsinPi, [x]) => format!("(/ (asin {x}) PI)"),
        (Op::AcosPi, [x]) => format!("(/ (acos {x}) PI)"),
        (Op::AtanPi, [x]) => format!("(/ (atan {x}) PI)"),
        (Op::Exp10, [x]) => format!("(pow 10 {x})"),
        (Op::Exp2m1, [x]) => format!("(- (exp2 {x}) 1)"),
        (Op::Exp10m1, [x]) => format!("(- (pow 10 {x}) 1)"),
        (Op::Log2p1, [x]) => format!("(/ (log1p {x}) LN2)"),
        (Op::Log10p1, [x]) => format!("(/ (log1p {x}) LN10)"),
        (Op::Powi, [x, n]) => format!("(pow {x} {n})"),
        (Op::Ldexp | Op::Scalbn, [x, n]) => format!("(* {x} (pow 2 {n}))"),
        (Op::Minimum | Op::MinimumNum, [x, y]) => format!("(fmin {x} {y})"),
        (Op::Maximum | Op::MaximumNum, [x, y]) => format!("(fmax {x} {y})"),
        (Op::RoundEven | Op::Rint, [x]) => format!("(nearbyint {x})"),
        _ => return None,
    })
}
