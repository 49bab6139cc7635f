//! Bindings and loop variables: the parts that all binding forms share.

use super::{Names, Result, expression::expression, malformed, symbol};
use crate::fpcore::{
    ast::{Binding, LoopVariable, Scope},
    sexp::Sexp,
};

const BINDING: &str = "([x value]*)";
const LOOP_VARIABLE: &str = "([x start update]*)";

/// Reads `([x value]*)` and leaves the names bound.
pub(super) fn bindings(scope: Scope, form: &Sexp, names: &mut Names) -> Result<Vec<Binding>> {
    let Some(items) = form.list() else {
        return malformed("a list of bindings", BINDING, form);
    };
    let depth = names.depth();
    let mut bound = Vec::new();
    for item in items {
        let Some([name, value]) = item.list() else {
            names.back_to(depth);
            return malformed("a binding", "[x value]", item);
        };
        let name = symbol(name.atom().unwrap_or(":"), name)?.to_owned();
        let value = expression(value, names)?;
        if scope == Scope::Sequential {
            names.bind(&name);
        }
        bound.push(Binding { name, value });
    }
    if scope == Scope::Parallel {
        names.extend(bound.iter().map(|binding| binding.name.as_str()));
    }
    Ok(bound)
}

/// Reads `([x start update]*)` and leaves the names bound. Updates see all the names.
pub(super) fn loop_variables(
    scope: Scope,
    form: &Sexp,
    names: &mut Names,
) -> Result<Vec<LoopVariable>> {
    let Some(items) = form.list() else {
        return malformed("a list of loop variables", LOOP_VARIABLE, form);
    };
    let mut starts = Vec::new();
    for item in items {
        let Some([name, start, update]) = item.list() else {
            return malformed("a loop variable", "[x start update]", item);
        };
        let name = symbol(name.atom().unwrap_or(":"), name)?.to_owned();
        let start = expression(start, names)?;
        if scope == Scope::Sequential {
            names.bind(&name);
        }
        starts.push((name, start, update));
    }
    if scope == Scope::Parallel {
        names.extend(starts.iter().map(|(name, ..)| name.as_str()));
    }
    let complete = |(name, start, update): (String, _, &Sexp)| {
        let update = expression(update, names)?;
        Ok(LoopVariable {
            name,
            start,
            update,
        })
    };
    starts.into_iter().map(complete).collect()
}

/// Reads loop variables, then what the closure reads with them in scope.
pub(super) fn scoped_loop<T>(
    scope: Scope,
    variables: &Sexp,
    names: &mut Names,
    rest: impl FnOnce(Vec<LoopVariable>, &mut Names) -> Result<T>,
) -> Result<T> {
    let depth = names.depth();
    let variables = loop_variables(scope, variables, names)?;
    let read = rest(variables, names);
    names.back_to(depth);
    read
}

/// `(let (bindings) body)`, with the reader of the body.
pub(super) fn bound_body<T>(
    scope: Scope,
    operands: &[Sexp],
    form: &Sexp,
    names: &mut Names,
    body_reader: fn(&Sexp, &mut Names) -> Result<T>,
) -> Result<(Vec<Binding>, T)> {
    let [list, body] = operands else {
        return malformed("let", "(let ([x value]*) body)", form);
    };
    let depth = names.depth();
    let bound = bindings(scope, list, names)?;
    let body = body_reader(body, names);
    names.back_to(depth);
    Ok((bound, body?))
}
