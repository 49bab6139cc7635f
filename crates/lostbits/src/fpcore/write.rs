//! FPCore from the syntax tree, readable by every FPBench tool and by our own reader.

use std::fmt::Write;

use super::{
    ast::{
        Binding, Comparison, Core, Dimension, Expr, Kind, LoopVariable, Parameter, Property, Scope,
        Test, TestKind, deep, operator,
    },
    problem::Position,
    sexp::{self, Sexp},
};
use crate::numeric::Range;
use lostbits_abi::ops::Op;

/// A core: the arguments, each property on a line, the body.
pub fn core(core: &Core) -> String {
    let mut text = String::from("(FPCore ");
    if let Some(symbol) = &core.symbol {
        let _ = write!(text, "{symbol} ");
    }
    let parameters: Vec<String> = core.parameters.iter().map(parameter).collect();
    let _ = writeln!(text, "({})", parameters.join(" "));
    for property in &core.properties {
        let _ = writeln!(text, " :{} {}", property.name, property.value);
    }
    if let Some(pre) = &core.pre
        && core.property("pre").is_none()
    {
        let _ = writeln!(text, " :pre {}", test(pre));
    }
    let _ = writeln!(text, " {})", expression(&core.body));
    text
}

impl Core {
    /// With a name for people, which replaces any it had.
    pub fn named(mut self, name: &str) -> Core {
        self.properties.retain(|property| property.name != "name");
        let kept = name.replace('\\', "/").replace('"', "'");
        self.properties.insert(
            0,
            Property {
                name: "name".to_owned(),
                value: Sexp {
                    at: Position::default(),
                    kind: sexp::Kind::Text(kept),
                },
            },
        );
        self
    }

    /// With a precondition that the variables are in these ranges, which replaces any it had.
    pub fn within<'a>(mut self, ranges: impl IntoIterator<Item = (&'a str, Range)>) -> Core {
        self.properties.retain(|property| property.name != "pre");
        let inside = |(name, range): (&str, Range)| {
            let [low, high] = [range.low, range.high].map(Expr::number);
            let operands = vec![low, Expr::variable(name), high];
            of_kind(TestKind::Compare(Comparison::AtMost, operands))
        };
        let mut tests: Vec<Test> = ranges.into_iter().map(inside).collect();
        self.pre = match tests.len() {
            0 => None,
            1 => tests.pop(),
            _ => Some(of_kind(TestKind::And(tests))),
        };
        self
    }
}

fn of_kind(kind: TestKind) -> Test {
    Test {
        at: Position::default(),
        kind,
    }
}

fn parameter(parameter: &Parameter) -> String {
    let mut words: Vec<String> = properties(&parameter.annotation);
    words.push(parameter.name.clone());
    words.extend(
        parameter
            .dimensions
            .iter()
            .map(|dimension| match dimension {
                Dimension::Fixed(size) => size.to_string(),
                Dimension::Named(name) => name.clone(),
            }),
    );
    if !parameter.annotation.is_empty() {
        words.insert(0, "!".to_owned());
    }
    match words.as_slice() {
        [name] => name.clone(),
        words => list(words),
    }
}

fn properties(properties: &[Property]) -> Vec<String> {
    let word = |property: &Property| format!(":{} {}", property.name, property.value);
    properties.iter().map(word).collect()
}

fn list<S: AsRef<str>>(words: &[S]) -> String {
    let words: Vec<&str> = words.iter().map(AsRef::as_ref).collect();
    format!("({})", words.join(" "))
}

/// One expression.
pub fn expression(expr: &Expr) -> String {
    let mut text = String::new();
    put(&mut text, expr);
    text
}

/// One condition.
pub fn test(condition: &Test) -> String {
    let mut text = String::new();
    put_test(&mut text, condition);
    text
}

/// A part of an expression: text is appended part by part, so that deep trees take no longer than wide ones.
#[derive(Clone, Copy)]
enum Part<'a> {
    Expr(&'a Expr),
    Test(&'a Test),
    Bindings(&'a [Binding]),
    Loop(&'a [LoopVariable]),
    Properties(&'a [Property]),
}

fn each(exprs: &[Expr]) -> Vec<Part<'_>> {
    exprs.iter().map(Part::Expr).collect()
}

fn each_test(tests: &[Test]) -> Vec<Part<'_>> {
    tests.iter().map(Part::Test).collect()
}

fn put(text: &mut String, expr: &Expr) {
    use Part::{Bindings, Loop, Properties};
    match &expr.kind {
        Kind::Number(number) => text.push_str(&number.text),
        Kind::Constant(constant) => text.push_str(constant.name()),
        Kind::Variable(name) => text.push_str(name),
        Kind::Operation(op, operands) => {
            let terms = terms(expr);
            match terms.len() > MOST_PAIRS {
                true => put_list(text, operator(*op), terms.into_iter().map(Part::Expr)),
                false => deep(|| put_list(text, operator(*op), each(operands))),
            }
        }
        Kind::If(condition, then, otherwise) => put_list(
            text,
            "if",
            [
                Part::Test(condition),
                Part::Expr(then),
                Part::Expr(otherwise),
            ],
        ),
        Kind::Let(scope, bindings, body) => put_list(
            text,
            starred("let", "let*", *scope),
            [Bindings(bindings), Part::Expr(body)],
        ),
        Kind::While(scope, condition, variables, result) => put_list(
            text,
            starred("while", "while*", *scope),
            [Part::Test(condition), Loop(variables), Part::Expr(result)],
        ),
        Kind::For(scope, counters, variables, result) => put_list(
            text,
            starred("for", "for*", *scope),
            [Bindings(counters), Loop(variables), Part::Expr(result)],
        ),
        Kind::Tensor(counters, variables, element) if variables.is_empty() => {
            put_list(text, "tensor", [Bindings(counters), Part::Expr(element)]);
        }
        Kind::Tensor(counters, variables, element) => put_list(
            text,
            "tensor*",
            [Bindings(counters), Loop(variables), Part::Expr(element)],
        ),
        Kind::Array(elements) => put_list(text, "array", each(elements)),
        Kind::Ref(tensor, indices) => {
            put_list(
                text,
                "ref",
                [vec![Part::Expr(tensor)], each(indices)].concat(),
            );
        }
        Kind::Size(tensor, dimension) => {
            put_list(text, "size", [Part::Expr(tensor), Part::Expr(dimension)]);
        }
        Kind::Dim(tensor) => put_list(text, "dim", [Part::Expr(tensor)]),
        Kind::Annotated(annotation, _, body) => {
            put_list(text, "!", [Properties(annotation), Part::Expr(body)]);
        }
        Kind::Cast(operand) => put_list(text, "cast", [Part::Expr(operand)]),
    }
}

/// Sums and products of more terms are written as one list, which the reader takes from the left: as nested
/// pairs they would be too deep for it.
const MOST_PAIRS: usize = 100;

/// The terms of a sum or product that associates to the left, from the left; else nothing.
fn terms(expr: &Expr) -> Vec<&Expr> {
    let Kind::Operation(op @ (Op::Add | Op::Mul), _) = &expr.kind else {
        return Vec::new();
    };
    let mut terms = Vec::new();
    let mut rest = expr;
    while let Kind::Operation(other, operands) = &rest.kind
        && other == op
        && let [left, right] = operands.as_slice()
    {
        terms.push(right);
        rest = left;
    }
    terms.push(rest);
    terms.reverse();
    terms
}

fn put_test(text: &mut String, condition: &Test) {
    use Part::{Bindings, Properties};
    match &condition.kind {
        TestKind::Constant(true) => text.push_str("TRUE"),
        TestKind::Constant(false) => text.push_str("FALSE"),
        TestKind::Compare(comparison, operands) => {
            let operands: Vec<Part> = operands.iter().map(Part::Expr).collect();
            put_list(text, comparison.name(), operands);
        }
        TestKind::And(tests) => put_list(text, "and", each_test(tests)),
        TestKind::Or(tests) => put_list(text, "or", each_test(tests)),
        TestKind::Not(inner) => put_list(text, "not", [Part::Test(inner)]),
        TestKind::Class(class, operand) => put_list(text, class.name(), [Part::Expr(operand)]),
        TestKind::If(inner, then, otherwise) => put_list(
            text,
            "if",
            [Part::Test(inner), Part::Test(then), Part::Test(otherwise)],
        ),
        TestKind::Let(scope, bindings, body) => put_list(
            text,
            starred("let", "let*", *scope),
            [Bindings(bindings), Part::Test(body)],
        ),
        TestKind::Annotated(annotation, _, body) => {
            put_list(text, "!", [Properties(annotation), Part::Test(body)]);
        }
    }
}

fn put_list<'a>(text: &mut String, operator: &str, parts: impl IntoIterator<Item = Part<'a>>) {
    text.push('(');
    text.push_str(operator);
    for part in parts {
        text.push(' ');
        match part {
            Part::Expr(expr) => put(text, expr),
            Part::Test(test) => put_test(text, test),
            Part::Bindings(bindings) => put_bindings(text, bindings),
            Part::Loop(variables) => put_loop(text, variables),
            Part::Properties(annotation) => text.push_str(&properties(annotation).join(" ")),
        }
    }
    text.push(')');
}

fn starred(parallel: &'static str, sequential: &'static str, scope: Scope) -> &'static str {
    match scope {
        Scope::Parallel => parallel,
        Scope::Sequential => sequential,
    }
}

fn put_bindings(text: &mut String, bindings: &[Binding]) {
    let each = bindings
        .iter()
        .map(|binding| format!("[{} {}]", binding.name, expression(&binding.value)));
    text.push_str(&list(&each.collect::<Vec<_>>()));
}

fn put_loop(text: &mut String, variables: &[LoopVariable]) {
    let each = variables.iter().map(|variable| {
        let (start, update) = (expression(&variable.start), expression(&variable.update));
        format!("[{} {start} {update}]", variable.name)
    });
    text.push_str(&list(&each.collect::<Vec<_>>()));
}
