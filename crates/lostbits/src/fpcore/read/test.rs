//! Expressions with a truth value.

use super::{
    Names, Result, expression::expression, format_of, forms::bound_body, malformed, properties,
};
use crate::fpcore::{
    ast::{Class, Comparison, Scope, Test, TestKind},
    problem::Problem,
    sexp::{self, Sexp},
};

/// Whether an operator gives a truth value.
pub(super) fn is_test(operator: &str) -> bool {
    matches!(operator, "and" | "or" | "not")
        || Comparison::from_name(operator).is_some()
        || Class::from_name(operator).is_some()
}

pub(super) fn test(form: &Sexp, names: &mut Names) -> Result<Test> {
    let kind = match &form.kind {
        sexp::Kind::Atom(atom) if atom == "TRUE" => TestKind::Constant(true),
        sexp::Kind::Atom(atom) if atom == "FALSE" => TestKind::Constant(false),
        sexp::Kind::List(items) => match items.split_first() {
            Some((head, operands)) => {
                compound(head.atom().unwrap_or_default(), head, operands, form, names)?
            }
            None => return malformed("a condition", "TRUE, FALSE or (operator …)", form),
        },
        _ => return Err(Problem::NumberForTruth.at(form.at)),
    };
    Ok(Test { at: form.at, kind })
}

fn compound(
    operator: &str,
    head: &Sexp,
    operands: &[Sexp],
    form: &Sexp,
    names: &mut Names,
) -> Result<TestKind> {
    if let Some(comparison) = Comparison::from_name(operator) {
        let read = operands.iter().map(|operand| expression(operand, names));
        return Ok(TestKind::Compare(comparison, read.collect::<Result<_>>()?));
    }
    if let Some(class) = Class::from_name(operator) {
        let [operand] = operands else {
            return malformed(operator, "(isnan expression)", form);
        };
        return Ok(TestKind::Class(class, expression(operand, names)?.into()));
    }
    match operator {
        "and" => Ok(TestKind::And(tests(operands, names)?)),
        "or" => Ok(TestKind::Or(tests(operands, names)?)),
        "not" => {
            let [operand] = operands else {
                return malformed("not", "(not condition)", form);
            };
            Ok(TestKind::Not(test(operand, names)?.into()))
        }
        "if" => {
            let [condition, then, otherwise] = operands else {
                return malformed("if", "(if condition then else)", form);
            };
            let [condition, then, otherwise] =
                [condition, then, otherwise].map(|operand| test(operand, names));
            Ok(TestKind::If(
                condition?.into(),
                then?.into(),
                otherwise?.into(),
            ))
        }
        "let" => bound(Scope::Parallel, operands, form, names),
        "let*" => bound(Scope::Sequential, operands, form, names),
        "!" => annotated(operands, form, names),
        _ if super::super::ast::arities(operator).is_empty() => {
            Err(Problem::UnknownOperator(operator.to_owned()).at(head.at))
        }
        _ => Err(Problem::NumberForTruth.at(form.at)),
    }
}

fn tests(forms: &[Sexp], names: &mut Names) -> Result<Vec<Test>> {
    forms.iter().map(|form| test(form, names)).collect()
}

fn bound(scope: Scope, operands: &[Sexp], form: &Sexp, names: &mut Names) -> Result<TestKind> {
    let (bindings, body) = bound_body(scope, operands, form, names, test)?;
    Ok(TestKind::Let(scope, bindings, body.into()))
}

fn annotated(operands: &[Sexp], form: &Sexp, names: &mut Names) -> Result<TestKind> {
    let (properties, rest) = properties(operands)?;
    let [body] = rest else {
        return malformed("an annotation", "(! property* condition)", form);
    };
    let format = format_of(&properties)?;
    Ok(TestKind::Annotated(
        properties,
        format,
        test(body, names)?.into(),
    ))
}
