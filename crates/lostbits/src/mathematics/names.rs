//! Which mathematical function a function of a library computes, by its name: `names.txt`.
//!
//! A name is a guess. [`crate::search`] compares some results with the function before it believes it.

use rug::Rational;

use super::expression::{self, Expression};
use crate::fpcore::number::Number;

const NAMES: &str = include_str!("names.txt");

/// What stands at a parameter's position in a call.
#[derive(Clone, PartialEq, Debug)]
pub enum Bound {
    /// An input that varies, by its position among the inputs.
    Input(usize),
    Constant(Rational),
    /// Neither: an array, an address, an expression of C.
    Other,
}

/// A number as C writes it.
pub fn constant(text: &str) -> Bound {
    let text = text.trim();
    let (negative, digits) = match text.strip_prefix('-') {
        Some(digits) => (true, digits),
        None => (false, text),
    };
    let digits = digits.trim_end_matches(['f', 'F', 'l', 'L', 'u', 'U']);
    match Number::read(digits) {
        Ok(number) if negative => Bound::Constant(-number.value),
        Ok(number) => Bound::Constant(number.value),
        Err(_) => Bound::Other,
    }
}

/// The function that a call means, and its text; none if the name is not known.
pub fn meaning(function: &str, arguments: &[Bound]) -> Option<(Expression, String)> {
    candidates(function)
        .into_iter()
        .find_map(|name| rows().find_map(|row| row.bind(name, arguments)))
}

/// The name itself, then without Rust's or C++'s path, without a prefix, without the suffix of a format.
fn candidates(function: &str) -> Vec<&str> {
    let last = function.rsplit("::").next().unwrap_or(function);
    let mut names = vec![function, last];
    names.extend(last.split_once('_').map(|(_, rest)| rest));
    for name in names.clone() {
        names.extend(name.strip_suffix(['f', 'l']).filter(|name| name.len() > 1));
    }
    names
}

struct Row {
    names: &'static str,
    parameters: &'static str,
    meaning: &'static str,
}

fn rows() -> impl Iterator<Item = Row> {
    let lines = NAMES.lines().filter(|line| !line.starts_with('#'));
    lines.filter_map(|line| {
        let (names, rest) = line.split_once('(')?;
        let (pattern, meaning) = rest.split_once(" = ")?;
        Some(Row {
            names,
            parameters: pattern.trim_end().strip_suffix(')')?,
            meaning,
        })
    })
}

impl Row {
    fn bind(&self, name: &str, arguments: &[Bound]) -> Option<(Expression, String)> {
        if !self.names.split(' ').any(|known| known == name) {
            return None;
        }
        let parameters: Vec<&str> = self.parameters.split(", ").collect();
        if parameters.len() != arguments.len() {
            return None;
        }
        let written = expression::read(self.meaning, &parameters).ok()?;
        for (parameter, bound) in parameters.iter().zip(arguments) {
            if let Ok(number) = Number::read(parameter)
                && *bound != Bound::Constant(number.value)
            {
                return None;
            }
        }
        let bound = substituted(&written, arguments)?;
        Some((bound, self.meaning.to_owned()))
    }
}

/// The expression with what the call has for its parameters; none if it needs one that is neither input nor number.
fn substituted(expression: &Expression, arguments: &[Bound]) -> Option<Expression> {
    let all = |operands: &[Expression]| -> Option<Vec<Expression>> {
        operands
            .iter()
            .map(|operand| substituted(operand, arguments))
            .collect()
    };
    Some(match expression {
        Expression::Input(index) => match arguments.get(*index)? {
            Bound::Input(input) => Expression::Input(*input),
            Bound::Constant(number) => Expression::Number(number.clone()),
            Bound::Other => return None,
        },
        Expression::Operation(op, operands) => Expression::Operation(*op, all(operands)?),
        Expression::Special(special, operands) => Expression::Special(*special, all(operands)?),
        plain => plain.clone(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_is_read() {
        for line in NAMES.lines() {
            if line.is_empty() || line.starts_with('#') {
                continue;
            }
            let (_, rest) = line.split_once('(').expect(line);
            let (pattern, meaning) = rest.split_once(") = ").expect(line);
            let parameters: Vec<&str> = pattern.split(", ").collect();
            expression::read(meaning, &parameters).unwrap_or_else(|why| panic!("{line}: {why}"));
        }
    }

    #[test]
    fn names_of_libraries_are_known() {
        let x = Bound::Input(0);
        let zero = constant("0");
        let known = |name, arguments: &[Bound]| meaning(name, arguments).map(|(_, text)| text);
        let said = |text: &str| Some(text.to_owned());
        assert_eq!(known("sinf", std::slice::from_ref(&x)), said("sin(x)"));
        assert_eq!(known("libm::exp", std::slice::from_ref(&x)), said("exp(x)"));
        assert_eq!(
            known("gsl_sf_airy_Ai", &[x.clone(), zero.clone()]),
            said("airyai(x)")
        );
        assert_eq!(
            known("jn", &[constant("3"), x.clone()]),
            said("besselj(n, x)")
        );
        assert_eq!(known("jn", &[Bound::Other, x.clone()]), None);
        let one = constant("1");
        let tail = [
            x.clone(),
            zero.clone(),
            one.clone(),
            zero.clone(),
            zero.clone(),
        ];
        assert!(known("pnorm5", &tail).unwrap().contains("x - m"));
        assert_eq!(known("sin", &[x.clone(), x.clone()]), None);
        assert_eq!(known("foo", &[x]), None);
    }
}
