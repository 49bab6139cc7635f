//! FPCore from the syntax tree, readable by every FPBench tool and by our own reader.

use std::fmt::Write;

use super::{
    ast::{
        Binding, Comparison, Core, Dimension, Expr, Kind, LoopVariable, Parameter, Property, Scope,
        Test, TestKind, operator,
    },
    problem::Position,
    range::NamedRange,
    sexp::{self, Sexp},
};

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
    pub fn within(mut self, ranges: &[NamedRange]) -> Core {
        self.properties.retain(|property| property.name != "pre");
        let inside = |named: &NamedRange| {
            let [low, high] = [named.range.low, named.range.high].map(Expr::number);
            let operands = vec![low, Expr::variable(&named.name), high];
            of_kind(TestKind::Compare(Comparison::AtMost, operands))
        };
        let mut tests: Vec<Test> = ranges.iter().map(inside).collect();
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
    let of = expression;
    let each = |exprs: &[Expr]| exprs.iter().map(expression).collect::<Vec<_>>();
    match &expr.kind {
        Kind::Number(number) => number.text.clone(),
        Kind::Constant(constant) => constant.name().to_owned(),
        Kind::Variable(name) => name.clone(),
        Kind::Operation(op, operands) => applied(operator(*op), each(operands)),
        Kind::If(condition, then, otherwise) => {
            list(&["if".to_owned(), test(condition), of(then), of(otherwise)])
        }
        Kind::Let(scope, bindings, body) => {
            list(&[starred("let", *scope), bound(bindings), of(body)])
        }
        Kind::While(scope, condition, variables, result) => list(&[
            starred("while", *scope),
            test(condition),
            looped(variables),
            of(result),
        ]),
        Kind::For(scope, counters, variables, result) => list(&[
            starred("for", *scope),
            bound(counters),
            looped(variables),
            of(result),
        ]),
        Kind::Tensor(counters, variables, element) if variables.is_empty() => {
            list(&["tensor".to_owned(), bound(counters), of(element)])
        }
        Kind::Tensor(counters, variables, element) => list(&[
            "tensor*".to_owned(),
            bound(counters),
            looped(variables),
            of(element),
        ]),
        Kind::Array(elements) => applied("array", each(elements)),
        Kind::Ref(tensor, indices) => applied("ref", [vec![of(tensor)], each(indices)].concat()),
        Kind::Size(tensor, dimension) => applied("size", vec![of(tensor), of(dimension)]),
        Kind::Dim(tensor) => applied("dim", vec![of(tensor)]),
        Kind::Annotated(annotation, _, body) => annotated(annotation, of(body)),
        Kind::Cast(operand) => applied("cast", vec![of(operand)]),
    }
}

/// One condition.
pub fn test(condition: &Test) -> String {
    let each = |tests: &[Test]| tests.iter().map(test).collect::<Vec<_>>();
    match &condition.kind {
        TestKind::Constant(true) => "TRUE".to_owned(),
        TestKind::Constant(false) => "FALSE".to_owned(),
        TestKind::Compare(comparison, operands) => {
            applied(comparison.name(), operands.iter().map(expression).collect())
        }
        TestKind::And(tests) => applied("and", each(tests)),
        TestKind::Or(tests) => applied("or", each(tests)),
        TestKind::Not(inner) => applied("not", vec![test(inner)]),
        TestKind::Class(class, operand) => applied(class.name(), vec![expression(operand)]),
        TestKind::If(inner, then, otherwise) => {
            applied("if", vec![test(inner), test(then), test(otherwise)])
        }
        TestKind::Let(scope, bindings, body) => {
            list(&[starred("let", *scope), bound(bindings), test(body)])
        }
        TestKind::Annotated(annotation, _, body) => annotated(annotation, test(body)),
    }
}

fn applied(operator: &str, operands: Vec<String>) -> String {
    list(&[vec![operator.to_owned()], operands].concat())
}

fn annotated(annotation: &[Property], body: String) -> String {
    list(&[vec!["!".to_owned()], properties(annotation), vec![body]].concat())
}

fn starred(form: &str, scope: Scope) -> String {
    match scope {
        Scope::Parallel => form.to_owned(),
        Scope::Sequential => format!("{form}*"),
    }
}

fn bound(bindings: &[Binding]) -> String {
    let each = bindings
        .iter()
        .map(|binding| format!("[{} {}]", binding.name, expression(&binding.value)));
    list(&each.collect::<Vec<_>>())
}

fn looped(variables: &[LoopVariable]) -> String {
    let each = variables.iter().map(|variable| {
        let (start, update) = (expression(&variable.start), expression(&variable.update));
        format!("[{} {start} {update}]", variable.name)
    });
    list(&each.collect::<Vec<_>>())
}
