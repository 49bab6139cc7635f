//! The text of a call: `gsl_sf_airy_Ai(x, 0)`.
//!
//! A name varies (`x`, or `v[3]` for an array of three), `&y` and `&w[3]` are written by the function,
//! and anything else is a constant of C.

use thiserror::Error;

use super::shared::MOST_NUMBERS;

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Call {
    pub text: String,
    pub function: String,
    pub arguments: Vec<Argument>,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Argument {
    /// Varies.
    Input(String),
    /// As many numbers that vary, passed by address.
    Inputs(String, usize),
    /// As many numbers that the function writes.
    Outputs(String, usize),
    Constant(String),
}

#[derive(Debug, Error, PartialEq, Eq)]
pub enum CallError {
    #[error("it is not of the form `function(argument, …)`")]
    Shape,
    #[error("`{0}` is no length of an array: give a whole number from 1 to {MOST_NUMBERS}")]
    Length(String),
    #[error("an argument is empty")]
    Empty,
}

impl Call {
    pub fn parse(text: &str) -> Result<Call, CallError> {
        let text = text.trim();
        let (function, rest) = text.split_once('(').ok_or(CallError::Shape)?;
        let inside = rest.strip_suffix(')').ok_or(CallError::Shape)?;
        let function = function.trim();
        if !is_name(function) {
            return Err(CallError::Shape);
        }
        let arguments = match inside.trim() {
            "" => Vec::new(),
            _ => split(inside)
                .into_iter()
                .map(argument)
                .collect::<Result<_, _>>()?,
        };
        Ok(Call {
            text: text.to_owned(),
            function: function.to_owned(),
            arguments,
        })
    }
}

/// At commas that stand in no brackets.
fn split(text: &str) -> Vec<&str> {
    let mut depth = 0;
    let at_comma = |c: char| {
        match c {
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => depth -= 1,
            _ => {}
        }
        c == ',' && depth == 0
    };
    text.split(at_comma).map(str::trim).collect()
}

fn argument(text: &str) -> Result<Argument, CallError> {
    if text.is_empty() {
        return Err(CallError::Empty);
    }
    let (is_output, name) = match text.strip_prefix('&') {
        Some(name) => (true, name.trim()),
        None => (false, text),
    };
    let (name, length) = match name.split_once('[') {
        Some((name, rest)) if is_name(name.trim()) => {
            let number = rest.strip_suffix(']').unwrap_or(rest).trim();
            let length = number
                .parse()
                .ok()
                .filter(|length| (1..=MOST_NUMBERS).contains(length));
            let length = length.ok_or_else(|| CallError::Length(number.to_owned()))?;
            (name.trim(), Some(length))
        }
        _ => (name, None),
    };
    Ok(match (is_name(name), is_output, length) {
        (true, true, length) => Argument::Outputs(name.to_owned(), length.unwrap_or(1)),
        (true, false, Some(length)) => Argument::Inputs(name.to_owned(), length),
        (true, false, None) => Argument::Input(name.to_owned()),
        (false, ..) => Argument::Constant(text.to_owned()),
    })
}

fn is_name(text: &str) -> bool {
    let is_letter = |c: char| c.is_ascii_alphabetic() || c == '_';
    text.starts_with(is_letter) && text.chars().all(|c| is_letter(c) || c.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_vary_and_the_rest_is_constant() {
        let call = Call::parse(" f ( x, 0, v[3], &y, &w[2], (int)g(1,2) ) ").unwrap();
        assert_eq!(call.function, "f");
        assert_eq!(
            call.arguments,
            [
                Argument::Input("x".into()),
                Argument::Constant("0".into()),
                Argument::Inputs("v".into(), 3),
                Argument::Outputs("y".into(), 1),
                Argument::Outputs("w".into(), 2),
                Argument::Constant("(int)g(1,2)".into()),
            ]
        );
        assert!(Call::parse("f()").unwrap().arguments.is_empty());
    }

    #[test]
    fn what_is_no_call_is_refused() {
        for text in ["f", "f(x", "1(x)", "(x)"] {
            assert_eq!(Call::parse(text), Err(CallError::Shape), "{text}");
        }
        assert_eq!(Call::parse("f(x,,1)"), Err(CallError::Empty));
        assert_eq!(Call::parse("f(v[0])"), Err(CallError::Length("0".into())));
    }
}
