//! Expressions with a numeric value.

use super::{
    Names, Result, format_of,
    forms::{bindings, bound_body, loop_variables, scoped_loop},
    malformed, properties,
    test::{is_test, test},
};
use crate::fpcore::{
    ast::{self, Constant, Expr, Kind, Scope},
    number::Number,
    problem::Problem,
    sexp::{self, Sexp},
};
use lostbits_abi::ops::Op;

pub(super) fn expression(form: &Sexp, names: &mut Names) -> Result<Expr> {
    let kind = match &form.kind {
        sexp::Kind::Atom(atom) => atomic(atom, form, names)?,
        sexp::Kind::Text(_) => {
            return malformed("an expression", "a number, a symbol or (operator …)", form);
        }
        sexp::Kind::List(items) => match items.split_first() {
            Some((head, operands)) if head.atom().is_some() => {
                compound(head.atom().unwrap_or_default(), head, operands, form, names)?
            }
            _ => return malformed("an expression", "a number, a symbol or (operator …)", form),
        },
    };
    Ok(Expr { at: form.at, kind })
}

fn atomic(atom: &str, form: &Sexp, names: &Names) -> Result<Kind> {
    if names.contains(atom) {
        return Ok(Kind::Variable(atom.to_owned()));
    }
    if let Some(constant) = Constant::from_name(atom) {
        return Ok(Kind::Constant(constant));
    }
    let looks_numeric = atom
        .trim_start_matches(['+', '-'])
        .starts_with(|c: char| c.is_ascii_digit() || c == '.');
    if looks_numeric {
        return Number::read(atom)
            .map(Kind::Number)
            .map_err(|problem| problem.at(form.at));
    }
    Err(match atom {
        "TRUE" | "FALSE" => Problem::TruthForNumber.at(form.at),
        _ => Problem::Unbound(atom.to_owned()).at(form.at),
    })
}

fn compound(
    operator: &str,
    head: &Sexp,
    operands: &[Sexp],
    form: &Sexp,
    names: &mut Names,
) -> Result<Kind> {
    match operator {
        "if" => conditional(operands, form, names),
        "let" => bound(Scope::Parallel, operands, form, names),
        "let*" => bound(Scope::Sequential, operands, form, names),
        "while" => while_loop(Scope::Parallel, operands, form, names),
        "while*" => while_loop(Scope::Sequential, operands, form, names),
        "for" => for_loop(Scope::Parallel, operands, form, names),
        "for*" => for_loop(Scope::Sequential, operands, form, names),
        "tensor" => tensor(operands, form, names),
        "tensor*" => tensor_with_state(operands, form, names),
        "array" => Ok(Kind::Array(all(operands, names)?)),
        "ref" => reference(operands, form, names),
        "size" => {
            let [tensor, dimension] = exactly(operands, "size", names, head)?;
            Ok(Kind::Size(tensor.into(), dimension.into()))
        }
        "dim" => {
            let [tensor] = exactly(operands, "dim", names, head)?;
            Ok(Kind::Dim(tensor.into()))
        }
        "cast" => {
            let [operand] = exactly(operands, "cast", names, head)?;
            Ok(Kind::Cast(operand.into()))
        }
        "!" => annotated(operands, form, names),
        "digits" => digits(operands, form),
        _ if is_test(operator) => Err(Problem::TruthForNumber.at(form.at)),
        _ => operation(operator, head, operands, names),
    }
}

fn all(forms: &[Sexp], names: &mut Names) -> Result<Vec<Expr>> {
    forms.iter().map(|form| expression(form, names)).collect()
}

fn exactly<const N: usize>(
    operands: &[Sexp],
    name: &str,
    names: &mut Names,
    head: &Sexp,
) -> Result<[Expr; N]> {
    let given = operands.len();
    all(operands, names)?.try_into().map_err(|_| {
        let (name, wanted) = (name.to_owned(), count(&[N]));
        Problem::WrongNumber {
            name,
            wanted,
            given,
        }
        .at(head.at)
    })
}

fn count(numbers: &[usize]) -> String {
    let words: Vec<String> = numbers.iter().map(usize::to_string).collect();
    let plural = if numbers == [1] { "" } else { "s" };
    format!("{} operand{plural}", words.join(" or "))
}

/// `+` and `*` of many operands are taken from the left.
fn operation(name: &str, head: &Sexp, operands: &[Sexp], names: &mut Names) -> Result<Kind> {
    let given = operands.len();
    if let Some(op) = ast::operation(name, given) {
        return Ok(Kind::Operation(op, all(operands, names)?));
    }
    if matches!(name, "+" | "*") && given > 2 {
        let op = if name == "+" { Op::Add } else { Op::Mul };
        let mut operands = all(operands, names)?;
        let at = head.at;
        let last = operands.pop().expect("more than two operands");
        let folded = operands
            .into_iter()
            .reduce(|left, right| Expr::new(at, Kind::Operation(op, vec![left, right])));
        return Ok(Kind::Operation(
            op,
            folded.into_iter().chain([last]).collect(),
        ));
    }
    let arities = ast::arities(name);
    Err(match arities.as_slice() {
        [] => Problem::UnknownOperator(name.to_owned()).at(head.at),
        arities => {
            let (name, wanted) = (name.to_owned(), count(arities));
            Problem::WrongNumber {
                name,
                wanted,
                given,
            }
            .at(head.at)
        }
    })
}

fn conditional(operands: &[Sexp], form: &Sexp, names: &mut Names) -> Result<Kind> {
    let [condition, then, otherwise] = operands else {
        return malformed("if", "(if condition then else)", form);
    };
    Ok(Kind::If(
        test(condition, names)?.into(),
        expression(then, names)?.into(),
        expression(otherwise, names)?.into(),
    ))
}

fn bound(scope: Scope, operands: &[Sexp], form: &Sexp, names: &mut Names) -> Result<Kind> {
    let (bindings, body) = bound_body(scope, operands, form, names, expression)?;
    Ok(Kind::Let(scope, bindings, body.into()))
}

fn while_loop(scope: Scope, operands: &[Sexp], form: &Sexp, names: &mut Names) -> Result<Kind> {
    let [condition, variables, result] = operands else {
        return malformed(
            "while",
            "(while condition ([x start update]*) result)",
            form,
        );
    };
    scoped_loop(scope, variables, names, |variables, names| {
        let condition = test(condition, names)?;
        let result = expression(result, names)?;
        Ok(Kind::While(
            scope,
            condition.into(),
            variables,
            result.into(),
        ))
    })
}

fn for_loop(scope: Scope, operands: &[Sexp], form: &Sexp, names: &mut Names) -> Result<Kind> {
    let [counts, variables, result] = operands else {
        return malformed("for", "(for ([i count]*) ([x start update]*) result)", form);
    };
    let depth = names.depth();
    let counts = bindings(Scope::Parallel, counts, names)?;
    let counted = names.depth();
    let variables = loop_variables(scope, variables, names)?;
    // The counters are gone where the result is computed, the loop's variables are not.
    names.0.drain(depth..counted);
    let result = expression(result, names);
    names.back_to(depth);
    Ok(Kind::For(scope, counts, variables, result?.into()))
}

fn tensor(operands: &[Sexp], form: &Sexp, names: &mut Names) -> Result<Kind> {
    let [counts, element] = operands else {
        return malformed("tensor", "(tensor ([i count]*) element)", form);
    };
    let depth = names.depth();
    let counts = bindings(Scope::Parallel, counts, names)?;
    let element = expression(element, names);
    names.back_to(depth);
    Ok(Kind::Tensor(counts, Vec::new(), element?.into()))
}

fn tensor_with_state(operands: &[Sexp], form: &Sexp, names: &mut Names) -> Result<Kind> {
    let [counts, variables, element] = operands else {
        return malformed(
            "tensor*",
            "(tensor* ([i count]*) ([x start update]*) element)",
            form,
        );
    };
    let depth = names.depth();
    let counts = bindings(Scope::Parallel, counts, names)?;
    let variables = loop_variables(Scope::Sequential, variables, names)?;
    let element = expression(element, names);
    names.back_to(depth);
    Ok(Kind::Tensor(counts, variables, element?.into()))
}

fn reference(operands: &[Sexp], form: &Sexp, names: &mut Names) -> Result<Kind> {
    let [tensor, indices @ ..] = operands else {
        return malformed("ref", "(ref tensor index+)", form);
    };
    if indices.is_empty() {
        return malformed("ref", "(ref tensor index+)", form);
    }
    let tensor = expression(tensor, names)?;
    Ok(Kind::Ref(tensor.into(), all(indices, names)?))
}

fn annotated(operands: &[Sexp], form: &Sexp, names: &mut Names) -> Result<Kind> {
    let (properties, rest) = properties(operands)?;
    let [body] = rest else {
        return malformed("an annotation", "(! property* expression)", form);
    };
    let format = format_of(&properties)?;
    Ok(Kind::Annotated(
        properties,
        format,
        expression(body, names)?.into(),
    ))
}

fn digits(operands: &[Sexp], form: &Sexp) -> Result<Kind> {
    let [mantissa, exponent, base] = operands else {
        return malformed("digits", "(digits mantissa exponent base)", form);
    };
    let read = |form: &Sexp| {
        let atom = form.atom().unwrap_or_default();
        Number::read(atom).map_err(|problem| problem.at(form.at))
    };
    Number::from_digits(&read(mantissa)?, &read(exponent)?, &read(base)?)
        .map(Kind::Number)
        .map_err(|problem| problem.at(form.at))
}
