//! From S-expressions to cores.

mod expression;
mod forms;
mod test;

use std::str::FromStr;

use super::{
    ast::{Core, Dimension, Format, Parameter, Property},
    problem::{Problem, SyntaxError},
    sexp::{self, Sexp},
};
use expression::expression;
use test::test;

type Result<T> = std::result::Result<T, SyntaxError>;

const CORE: &str = "(FPCore name? (argument*) property* expression)";
const ARGUMENT: &str = "x, (! property* x), (A size+) or (! property* A size+)";

/// All cores of a source; at least one.
pub fn read_cores(source: &str) -> Result<Vec<Core>> {
    let forms = sexp::read_all(source)?;
    if forms.is_empty() {
        return Err(Problem::NoCore.at(super::Position { line: 1, column: 1 }));
    }
    forms.iter().map(core).collect()
}

/// One expression over the given variables, as the value of a property may hold.
pub fn read_expression(source: &str, variables: &[&str]) -> Result<super::ast::Expr> {
    let forms = sexp::read_all(source)?;
    let mut scope = Names::default();
    scope.extend(variables.iter().copied());
    match forms.as_slice() {
        [form] => expression(form, &mut scope),
        [] => Err(Problem::Empty.at(super::Position { line: 1, column: 1 })),
        [_, second, ..] => Err(Problem::Unexpected(second.to_string()).at(second.at)),
    }
}

/// The variables in scope; inner ones are taken off again by [`Names::back_to`].
#[derive(Default)]
struct Names(Vec<String>);

impl Names {
    fn bind(&mut self, name: &str) {
        self.0.push(name.to_owned());
    }

    fn extend<'a>(&mut self, names: impl Iterator<Item = &'a str>) {
        names.for_each(|name| self.bind(name));
    }

    fn contains(&self, name: &str) -> bool {
        self.0.iter().any(|bound| bound == name)
    }

    fn depth(&self) -> usize {
        self.0.len()
    }

    fn back_to(&mut self, depth: usize) {
        self.0.truncate(depth);
    }
}

fn malformed<T>(form: &str, pattern: &'static str, at: &Sexp) -> Result<T> {
    let form = form.to_owned();
    Err(Problem::Malformed { form, pattern }.at(at.at))
}

fn core(form: &Sexp) -> Result<Core> {
    let Some([head, rest @ ..]) = form.list() else {
        return Err(Problem::NotACore.at(form.at));
    };
    if head.atom() != Some("FPCore") {
        return Err(Problem::NotACore.at(head.at));
    }
    let (symbol, rest) = match rest {
        [first, rest @ ..] if first.atom().is_some() => (first.atom(), rest),
        _ => (None, rest),
    };
    let [arguments, rest @ ..] = rest else {
        return malformed("an FPCore", CORE, form);
    };
    let Some(arguments) = arguments.list() else {
        return malformed("an FPCore", CORE, arguments);
    };
    let (properties, rest) = properties(rest)?;
    let [body] = rest else {
        return malformed("an FPCore", CORE, form);
    };
    let format = format_of(&properties)?.unwrap_or(Format::Binary64);
    let parameters: Vec<Parameter> = arguments
        .iter()
        .map(|argument| parameter(argument, format))
        .collect::<Result<_>>()?;
    let mut names = Names::default();
    for parameter in &parameters {
        names.bind(&parameter.name);
        for dimension in &parameter.dimensions {
            if let Dimension::Named(name) = dimension {
                names.bind(name);
            }
        }
    }
    let valued = |name: &str| properties.iter().find(|property| property.name == name);
    let pre = valued("pre")
        .map(|pre| test(&pre.value, &mut names))
        .transpose()?;
    // A specification may be written in terms that only its tool knows, so it is read if it can be.
    let spec = valued("spec").and_then(|spec| expression(&spec.value, &mut names).ok());
    let body = expression(body, &mut names)?;
    Ok(Core {
        at: form.at,
        symbol: symbol.map(str::to_owned),
        parameters,
        format,
        pre,
        spec,
        properties,
        body,
    })
}

/// Leading properties, and what follows them.
fn properties(mut items: &[Sexp]) -> Result<(Vec<Property>, &[Sexp])> {
    let mut properties = Vec::new();
    while let [key, rest @ ..] = items {
        let Some(name) = key.atom().and_then(|atom| atom.strip_prefix(':')) else {
            break;
        };
        let [value, rest @ ..] = rest else {
            return Err(Problem::PropertyWithoutValue(format!(":{name}")).at(key.at));
        };
        properties.push(Property {
            name: name.to_owned(),
            value: value.clone(),
        });
        items = rest;
    }
    Ok((properties, items))
}

/// The format that the properties set.
fn format_of(properties: &[Property]) -> Result<Option<Format>> {
    let mut format = None;
    for property in properties {
        let value = &property.value;
        let name = value.to_string();
        match property.name.as_str() {
            "precision" => {
                let known = Format::from_name(&name);
                format = Some(known.ok_or_else(|| Problem::UnknownPrecision(name).at(value.at))?);
            }
            "round" if name != "nearestEven" => {
                return Err(Problem::UnknownRounding(name).at(value.at));
            }
            _ => {}
        }
    }
    Ok(format)
}

fn parameter(argument: &Sexp, format: Format) -> Result<Parameter> {
    let plain = |name: &str| Parameter {
        name: name.to_owned(),
        format,
        annotation: Vec::new(),
        dimensions: Vec::new(),
    };
    if let Some(name) = argument.atom() {
        return symbol(name, argument).map(plain);
    }
    let (annotation, rest) = match argument.list() {
        Some([mark, rest @ ..]) if mark.atom() == Some("!") => properties(rest)?,
        Some(rest) => (Vec::new(), rest),
        None => return malformed("an argument", ARGUMENT, argument),
    };
    let [name, dimensions @ ..] = rest else {
        return malformed("an argument", ARGUMENT, argument);
    };
    let Some(atom) = name.atom() else {
        return malformed("an argument", ARGUMENT, argument);
    };
    Ok(Parameter {
        format: format_of(&annotation)?.unwrap_or(format),
        annotation,
        dimensions: dimensions.iter().map(dimension).collect::<Result<_>>()?,
        ..plain(symbol(atom, name)?)
    })
}

fn dimension(form: &Sexp) -> Result<Dimension> {
    let Some(atom) = form.atom() else {
        return malformed("an argument", ARGUMENT, form);
    };
    Ok(match usize::from_str(atom) {
        Ok(size) => Dimension::Fixed(size),
        Err(_) => Dimension::Named(symbol(atom, form)?.to_owned()),
    })
}

/// A name that can be bound: neither a number nor a keyword.
fn symbol<'a>(atom: &'a str, form: &Sexp) -> Result<&'a str> {
    let numeric = super::number::Number::read(atom).is_ok();
    if numeric || atom.starts_with(':') {
        return malformed("a variable", "a symbol that is not a number", form);
    }
    Ok(atom)
}
