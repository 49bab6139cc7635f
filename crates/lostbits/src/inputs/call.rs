//! The text of a call: `gsl_sf_airy_Ai(x, 0)`, one grammar for `--call`, `--calls`, `--init` and specifications.
//!
//! ```text
//! call     = name "(" [argument {"," argument}] ")"
//! argument = number        2.5, 1e-7, 0x1p-3; 2.5f is a float, 2.5L a long double, 3i an int
//!          | name          varies; name[3] are three numbers that vary, passed by address
//!          | "&" name      written by the function; &name[3] are three numbers
//!          | constant      any other constant expression of C, such as (int)sizeof(double)
//! ```
//!
//! Constants are pasted into C, so only what can be one expression is accepted: balanced brackets, no statement,
//! no text or comment.

use thiserror::Error;

use crate::{failure::Failure, fpcore::number::Number};

/// How many numbers a call may take, and how many it may give.
pub const MOST_NUMBERS: usize = 256;

#[derive(Clone, PartialEq, Debug)]
pub struct Call {
    pub text: String,
    pub function: String,
    pub arguments: Vec<Argument>,
}

#[derive(Clone, PartialEq, Debug)]
pub enum Argument {
    Number(Literal),
    /// Varies.
    Input(String),
    /// An array of numbers that vary: its name and length.
    Inputs(String, usize),
    /// Numbers that the function writes: their name and how many.
    Outputs(String, usize),
    /// An expression of C.
    Constant(String),
}

/// A number as C has it.
#[derive(Clone, PartialEq, Debug)]
pub struct Literal {
    /// As C reads it: `2.5`, `2.5f`, `2.5L`, `3`.
    pub text: String,
    pub type_name: &'static str,
    /// Whether an integer can have this value.
    pub is_whole: bool,
}

#[derive(Debug, Error, Clone, PartialEq, Eq)]
pub enum CallProblem {
    #[error("it does not begin with the name of a function: write f(2.5) or f(x)")]
    NoName,
    #[error("`{0}` must be followed by its arguments in parentheses: write {0}(2.5) or {0}(x)")]
    NoArguments(String),
    #[error("the parenthesis after `{0}` is never closed: add `)`")]
    NeverClosed(String),
    #[error("`{0}` follows the closing parenthesis: write one call only")]
    TextAfter(String),
    #[error("argument {0} is empty")]
    Empty(usize),
    #[error("`{0}` is not a length of an array: write a whole number from 1 to {MOST_NUMBERS}")]
    Length(String),
    #[error("`{0}` is not a number: an int is written like 3i")]
    NotAnInteger(String),
    #[error("`{0}` is not a constant expression of C")]
    NotConstant(String),
}

impl CallProblem {
    pub fn of(self, text: &str) -> Failure {
        Failure::NotACall {
            text: text.to_owned(),
            error: self.to_string(),
        }
    }
}

impl Call {
    pub fn parse(text: &str) -> Result<Call, CallProblem> {
        let text = text.trim();
        let length = name_length(text);
        let (function, rest) = text.split_at(length);
        if function.is_empty() {
            return Err(CallProblem::NoName);
        }
        let no_arguments = || CallProblem::NoArguments(function.to_owned());
        let inside = rest
            .trim_start()
            .strip_prefix('(')
            .ok_or_else(no_arguments)?;
        let (arguments, after) = split(inside, function)?;
        if !after.trim().is_empty() {
            return Err(CallProblem::TextAfter(after.trim().to_owned()));
        }
        let arguments = match arguments.as_slice() {
            [""] => Vec::new(),
            arguments => arguments
                .iter()
                .enumerate()
                .map(|(index, text)| argument(index, text))
                .collect::<Result<_, _>>()?,
        };
        Ok(Call {
            text: text.to_owned(),
            function: function.to_owned(),
            arguments,
        })
    }
}

/// The arguments up to the parenthesis that closes the call, and what follows it.
fn split<'a>(inside: &'a str, function: &str) -> Result<(Vec<&'a str>, &'a str), CallProblem> {
    let mut depth = 0usize;
    let mut begin = 0;
    let mut arguments = Vec::new();
    for (at, c) in inside.char_indices() {
        match c {
            '(' | '[' | '{' => depth += 1,
            ')' if depth == 0 => {
                arguments.push(inside[begin..at].trim());
                return Ok((arguments, &inside[at + 1..]));
            }
            ')' | ']' | '}' => depth = depth.saturating_sub(1),
            ',' if depth == 0 => {
                arguments.push(inside[begin..at].trim());
                begin = at + 1;
            }
            _ => {}
        }
    }
    Err(CallProblem::NeverClosed(function.to_owned()))
}

fn argument(index: usize, text: &str) -> Result<Argument, CallProblem> {
    if text.is_empty() {
        return Err(CallProblem::Empty(index + 1));
    }
    if let Some(literal) = literal(text)? {
        return Ok(Argument::Number(literal));
    }
    let (is_output, name) = match text.strip_prefix('&') {
        Some(name) => (true, name.trim()),
        None => (false, text),
    };
    let (name, length) = match name.split_once('[') {
        Some((name, rest)) if is_name(name.trim()) => (name.trim(), Some(length(rest)?)),
        _ => (name, None),
    };
    Ok(match (is_name(name), is_output, length) {
        (true, true, length) => Argument::Outputs(name.to_owned(), length.unwrap_or(1)),
        (true, false, Some(length)) => Argument::Inputs(name.to_owned(), length),
        (true, false, None) => Argument::Input(name.to_owned()),
        (false, ..) if is_expression(text) => Argument::Constant(text.to_owned()),
        (false, ..) => return Err(CallProblem::NotConstant(text.to_owned())),
    })
}

/// The length in `v[3]`.
fn length(rest: &str) -> Result<usize, CallProblem> {
    let number = rest.strip_suffix(']').unwrap_or(rest).trim();
    let length = number.parse().ok();
    length
        .filter(|length| (1..=MOST_NUMBERS).contains(length))
        .ok_or_else(|| CallProblem::Length(number.to_owned()))
}

/// None if the text is not a number.
fn literal(text: &str) -> Result<Option<Literal>, CallProblem> {
    let begins = text.trim_start_matches(['+', '-']);
    if !begins.starts_with(|c: char| c.is_ascii_digit() || c == '.') {
        return Ok(None);
    }
    let is_hexadecimal = begins.starts_with("0x") || begins.starts_with("0X");
    let (number, suffix, type_name) = match text.as_bytes()[text.len() - 1] {
        b'f' if !is_hexadecimal => (&text[..text.len() - 1], "f", "float"),
        b'L' => (&text[..text.len() - 1], "L", "long double"),
        b'i' => (&text[..text.len() - 1], "", "int"),
        _ => (text, "", "double"),
    };
    if type_name == "int" {
        let whole = number.parse::<i32>();
        whole.map_err(|_| CallProblem::NotAnInteger(text.to_owned()))?;
        return Ok(Some(Literal {
            text: number.to_owned(),
            type_name,
            is_whole: true,
        }));
    }
    // A fraction such as 1/3 is a constant expression, which C computes in its own way.
    let Ok(value) = Number::read(number).map(|number| number.to_f64()) else {
        return Ok(None);
    };
    if number.contains('/') {
        return Ok(None);
    }
    // As it was written: a decimal with many digits means more to a long double. C refuses `3f`.
    let point = match suffix.is_empty() || has_point(number) {
        true => "",
        false => ".0",
    };
    Ok(Some(Literal {
        text: format!("{number}{point}{suffix}"),
        type_name,
        is_whole: value.fract() == 0.0,
    }))
}

impl Literal {
    /// As a floating-point literal: C takes `3` for an integer.
    pub fn floating(&self) -> String {
        match has_point(&self.text) {
            true => self.text.clone(),
            false => format!("{}.0", self.text),
        }
    }
}

fn has_point(number: &str) -> bool {
    number.contains(['.', 'e', 'E', 'x', 'X'])
}

pub fn is_name(text: &str) -> bool {
    !text.is_empty() && name_length(text) == text.len()
}

fn name_length(text: &str) -> usize {
    if text.starts_with(|c: char| c.is_ascii_digit()) {
        return 0;
    }
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_';
    text.find(|c| !is_part(c)).unwrap_or(text.len())
}

/// Whether a text can be pasted into C as one expression: its brackets are balanced, and it holds no statement,
/// block, text, comment or directive.
fn is_expression(text: &str) -> bool {
    let mut open = Vec::new();
    for c in text.chars() {
        match c {
            '(' => open.push(')'),
            '[' => open.push(']'),
            ')' | ']' if open.pop() == Some(c) => {}
            ')' | ']' | '{' | '}' | ';' | '"' | '\\' | '#' | '@' | '`' => return false,
            c if c.is_control() => return false,
            _ => {}
        }
    }
    open.is_empty() && !text.contains("//") && !text.contains("/*")
}

/// What `--init` calls before anything else: a function without arguments, or a call with constants.
#[derive(Clone, PartialEq, Debug)]
pub struct Initializer {
    pub function: String,
    /// As C has them.
    arguments: Vec<String>,
}

impl Initializer {
    pub fn parse(text: &str) -> Result<Initializer, CallProblem> {
        if is_name(text.trim()) {
            return Ok(Initializer {
                function: text.trim().to_owned(),
                arguments: Vec::new(),
            });
        }
        let call = Call::parse(text)?;
        let constant = |argument: Argument| match argument {
            Argument::Number(literal) => Ok(literal.text),
            // A name that does not vary: a handler, a constant of the library.
            Argument::Input(name) => Ok(name),
            Argument::Constant(text) => Ok(text),
            // The address of a function.
            Argument::Outputs(name, 1) => Ok(format!("&{name}")),
            Argument::Inputs(name, _) | Argument::Outputs(name, _) => {
                Err(CallProblem::NotConstant(name))
            }
        };
        Ok(Initializer {
            function: call.function,
            arguments: call
                .arguments
                .into_iter()
                .map(constant)
                .collect::<Result<_, _>>()?,
        })
    }

    /// The statement of C.
    pub fn statement(&self) -> String {
        format!("{}({});", self.function, self.arguments.join(", "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn number(text: &str, type_name: &'static str, is_whole: bool) -> Argument {
        Argument::Number(Literal {
            text: text.to_owned(),
            type_name,
            is_whole,
        })
    }

    #[test]
    fn names_vary_and_the_rest_is_constant() {
        let text =
            " f ( x, 0, v[3], &y, & w [2], (int)g(1,2), -1e-7, 2.5f, 0x1p-3, 3i, 1.5L, 2f, 1/3 ) ";
        let call = Call::parse(text).unwrap();
        assert_eq!(call.function, "f");
        assert_eq!(call.text, text.trim());
        assert_eq!(
            call.arguments,
            [
                Argument::Input("x".into()),
                number("0", "double", true),
                Argument::Inputs("v".into(), 3),
                Argument::Outputs("y".into(), 1),
                Argument::Outputs("w".into(), 2),
                Argument::Constant("(int)g(1,2)".into()),
                number("-1e-7", "double", false),
                number("2.5f", "float", false),
                number("0x1p-3", "double", false),
                number("3", "int", true),
                number("1.5L", "long double", false),
                number("2.0f", "float", true),
                Argument::Constant("1/3".into()),
            ]
        );
        assert!(Call::parse("f()").unwrap().arguments.is_empty());
    }

    #[test]
    fn refusals_say_what_is_wrong() {
        use CallProblem::*;
        let f = || "f".to_owned();
        for (text, problem) in [
            ("", NoName),
            ("1(x)", NoName),
            ("(x)", NoName),
            ("f", NoArguments(f())),
            ("f g(1)", NoArguments(f())),
            ("f(", NeverClosed(f())),
            ("f(x, (1)", NeverClosed(f())),
            ("f(1) + 2", TextAfter("+ 2".into())),
            ("f(x), g(y)", TextAfter(", g(y)".into())),
            ("f(x,,1)", Empty(2)),
            ("f(1,)", Empty(2)),
            ("f(v[0])", Length("0".into())),
            ("f(v[99999])", Length("99999".into())),
            ("f(2.5i)", NotAnInteger("2.5i".into())),
            ("f(x, 1; abort())", NotConstant("1; abort()".into())),
            ("f(\"x\")", NotConstant("\"x\"".into())),
            ("f(1 /* x */)", NotConstant("1 /* x */".into())),
            ("f((1])", NotConstant("(1]".into())),
        ] {
            assert_eq!(Call::parse(text), Err(problem), "{text}");
        }
    }

    #[test]
    fn initializers_are_calls_or_names() {
        let statement = |text: &str| Initializer::parse(text).map(|init| init.statement());
        assert_eq!(statement(" prepare "), Ok("prepare();".into()));
        assert_eq!(
            statement("set(1, &lostbits_raised)"),
            Ok("set(1, &lostbits_raised);".into())
        );
        for bad in ["f(); abort()", "x = 1", "f(v[3])", "{}", "", "f; g"] {
            assert!(Initializer::parse(bad).is_err(), "{bad}");
        }
    }
}
