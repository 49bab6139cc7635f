//! The format that each expression has: that of its context, but variables keep their own.
//!
//! A loop variable has one format in C, wide enough for its start and all its updates.

use crate::fpcore::ast::{Binding, Expr, Format, Kind, LoopVariable, Scope};

/// Formats of the variables in scope.
pub(super) type Formats<'a> = Vec<(&'a str, Format)>;

pub(super) fn format_of<'a>(expr: &'a Expr, context: Format, scope: &mut Formats<'a>) -> Format {
    let depth = scope.len();
    let format = of_kind(&expr.kind, context, scope);
    scope.truncate(depth);
    format
}

fn of_kind<'a>(kind: &'a Kind, context: Format, scope: &mut Formats<'a>) -> Format {
    match kind {
        Kind::Number(_) | Kind::Constant(_) | Kind::Operation(..) | Kind::Cast(_) => context,
        Kind::Variable(name) => {
            let bound = scope.iter().rev().find(|(bound, _)| bound == name);
            bound.map_or(context, |(_, format)| *format)
        }
        Kind::If(_, then, otherwise) => {
            format_of(then, context, scope).join(format_of(otherwise, context, scope))
        }
        Kind::Let(order, bindings, body) => {
            bind(*order, bindings, context, scope);
            format_of(body, context, scope)
        }
        Kind::While(order, _, variables, result) => {
            let formats = of_loop(*order, variables, context, scope);
            scope.extend(named(variables, &formats));
            format_of(result, context, scope)
        }
        Kind::For(order, counters, variables, body) => {
            let depth = scope.len();
            scope.extend(
                counters
                    .iter()
                    .map(|counter| (counter.name.as_str(), Format::Integer)),
            );
            let formats = of_loop(*order, variables, context, scope);
            scope.truncate(depth);
            scope.extend(named(variables, &formats));
            format_of(body, context, scope)
        }
        Kind::Tensor(counters, variables, element) => {
            scope.extend(
                counters
                    .iter()
                    .map(|counter| (counter.name.as_str(), Format::Integer)),
            );
            let formats = of_loop(Scope::Sequential, variables, context, scope);
            scope.extend(named(variables, &formats));
            format_of(element, context, scope)
        }
        Kind::Array(elements) => elements
            .iter()
            .map(|element| format_of(element, context, scope))
            .reduce(Format::join)
            .unwrap_or(context),
        Kind::Ref(tensor, _) => format_of(tensor, context, scope),
        Kind::Size(..) | Kind::Dim(_) => Format::Integer,
        Kind::Annotated(_, inner, body) => format_of(body, inner.unwrap_or(context), scope),
    }
}

fn bind<'a>(order: Scope, bindings: &'a [Binding], context: Format, scope: &mut Formats<'a>) {
    let mut waiting = Vec::new();
    for binding in bindings {
        let format = format_of(&binding.value, context, scope);
        match order {
            Scope::Sequential => scope.push((&binding.name, format)),
            Scope::Parallel => waiting.push((binding.name.as_str(), format)),
        }
    }
    scope.extend(waiting);
}

/// The formats of a loop's variables: the starts', widened until the updates fit.
pub(super) fn of_loop<'a>(
    order: Scope,
    variables: &'a [LoopVariable],
    context: Format,
    scope: &mut Formats<'a>,
) -> Vec<Format> {
    let depth = scope.len();
    let mut formats = Vec::new();
    for variable in variables {
        let format = format_of(&variable.start, context, scope);
        formats.push(format);
        if order == Scope::Sequential {
            scope.push((&variable.name, format));
        }
    }
    loop {
        scope.truncate(depth);
        scope.extend(named(variables, &formats));
        let widened: Vec<Format> = variables
            .iter()
            .zip(&formats)
            .map(|(variable, format)| format.join(format_of(&variable.update, context, scope)))
            .collect();
        if widened == formats {
            break;
        }
        formats = widened;
    }
    scope.truncate(depth);
    formats
}

fn named<'a>(variables: &'a [LoopVariable], formats: &[Format]) -> Vec<(&'a str, Format)> {
    let names = variables.iter().map(|variable| variable.name.as_str());
    names.zip(formats.iter().copied()).collect()
}
