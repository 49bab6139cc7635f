//! Expressions as people type them: `(1 - cos(x)) / x^2`.
//!
//! `^` and `**` are powers, bind tightest and to the right; `-x^2` is −(x²). Functions have the
//! names of C's library (and `abs`, `ln`, `min`, `max`); `pi` and `e` are constants. Every other name is a
//! variable and becomes a parameter of the core, in order of appearance.

use lostbits_abi::ops::Op;

use super::{
    ast::{self, Constant, Core, Expr, Format, Kind, Parameter},
    number::Number,
    problem::{Position, Problem, SyntaxError},
    sexp::DEEPEST,
};

type Result<T> = std::result::Result<T, SyntaxError>;

/// A core in binary64 that computes the expression.
pub fn read_infix(source: &str) -> Result<Core> {
    let tokens = tokens(source)?;
    let mut parser = Parser {
        tokens,
        next: 0,
        depth: 0,
        variables: Vec::new(),
    };
    if parser.peek().is_none() {
        return Err(Problem::Empty.at(Position { line: 1, column: 1 }));
    }
    let body = parser.sum()?;
    if let Some(token) = parser.peek() {
        return Err(Problem::Unexpected(token.text.clone()).at(token.at));
    }
    let parameter = |name| Parameter {
        name,
        format: Format::Binary64,
        annotation: Vec::new(),
        dimensions: Vec::new(),
    };
    Ok(Core {
        parameters: parser.variables.into_iter().map(parameter).collect(),
        ..Core::of_expression(body)
    })
}

struct Token {
    at: Position,
    text: String,
    shape: Shape,
}

#[derive(Clone, Copy, PartialEq)]
enum Shape {
    Number,
    Name,
    Mark,
}

fn tokens(source: &str) -> Result<Vec<Token>> {
    let mut tokens = Vec::new();
    let mut at = Position { line: 1, column: 1 };
    let mut rest = source;
    while let Some(first) = rest.chars().next() {
        let (length, shape) = match first {
            c if c.is_whitespace() => {
                at = match c {
                    '\n' => Position {
                        line: at.line + 1,
                        column: 1,
                    },
                    _ => Position {
                        column: at.column + 1,
                        ..at
                    },
                };
                rest = &rest[c.len_utf8()..];
                continue;
            }
            c if c.is_ascii_digit() || c == '.' => (numeric_length(rest), Shape::Number),
            c if c.is_alphabetic() || c == '_' => (name_length(rest), Shape::Name),
            '*' if rest.starts_with("**") => (2, Shape::Mark),
            '+' | '-' | '*' | '/' | '^' | '(' | ')' | ',' => (1, Shape::Mark),
            other => return Err(Problem::Unexpected(other.to_string()).at(at)),
        };
        let (text, after) = rest.split_at(length);
        tokens.push(Token {
            at,
            text: text.to_owned(),
            shape,
        });
        at.column += text.chars().count() as u32;
        rest = after;
    }
    Ok(tokens)
}

fn name_length(text: &str) -> usize {
    text.find(|c: char| !c.is_alphanumeric() && c != '_')
        .unwrap_or(text.len())
}

/// Digits, letters and points, and a sign where it follows the mark of an exponent.
fn numeric_length(text: &str) -> usize {
    let marks: [u8; 2] = if text.starts_with("0x") || text.starts_with("0X") {
        *b"pP"
    } else {
        *b"eE"
    };
    let bytes = text.as_bytes();
    let mut length = 0;
    while let Some(&byte) = bytes.get(length) {
        let signed =
            matches!(byte, b'+' | b'-') && length > 0 && marks.contains(&bytes[length - 1]);
        if !(byte.is_ascii_alphanumeric() || byte == b'.' || signed) {
            break;
        }
        length += 1;
    }
    length
}

struct Parser {
    tokens: Vec<Token>,
    next: usize,
    depth: usize,
    variables: Vec<String>,
}

impl Parser {
    fn peek(&self) -> Option<&Token> {
        self.tokens.get(self.next)
    }

    /// The position of the next token if it is one of these marks, which is then taken.
    fn take(&mut self, marks: &[&str]) -> Option<(Position, &'static str)> {
        const MARKS: [&str; 9] = ["+", "-", "*", "/", "^", "**", "(", ")", ","];
        let token = self.tokens.get(self.next)?;
        let text = token.text.as_str();
        if token.shape != Shape::Mark || !marks.contains(&text) {
            return None;
        }
        self.next += 1;
        let mark = MARKS.into_iter().find(|mark| *mark == text)?;
        Some((token.at, mark))
    }

    /// Just after the last token.
    fn end(&self) -> Position {
        let last = self.tokens.last();
        last.map_or(Position { line: 1, column: 1 }, |last| Position {
            column: last.at.column + last.text.chars().count() as u32,
            ..last.at
        })
    }

    fn sum(&mut self) -> Result<Expr> {
        self.depth += 1;
        if self.depth > DEEPEST {
            let at = self.peek().map_or(self.end(), |token| token.at);
            return Err(Problem::TooDeep.at(at));
        }
        let mut left = self.product()?;
        while let Some((at, mark)) = self.take(&["+", "-"]) {
            let op = if mark == "+" { Op::Add } else { Op::Sub };
            left = Expr::new(at, Kind::Operation(op, vec![left, self.product()?]));
        }
        self.depth -= 1;
        Ok(left)
    }

    fn product(&mut self) -> Result<Expr> {
        let mut left = self.signed()?;
        while let Some((at, mark)) = self.take(&["*", "/"]) {
            let op = if mark == "*" { Op::Mul } else { Op::Div };
            left = Expr::new(at, Kind::Operation(op, vec![left, self.signed()?]));
        }
        Ok(left)
    }

    fn signed(&mut self) -> Result<Expr> {
        let mut minuses = Vec::new();
        while let Some((at, mark)) = self.take(&["-", "+"]) {
            if mark == "-" {
                minuses.push(at);
            }
        }
        let operand = self.power()?;
        let negate = |operand, at| Expr::new(at, Kind::Operation(Op::Neg, vec![operand]));
        Ok(minuses.into_iter().rev().fold(operand, negate))
    }

    fn power(&mut self) -> Result<Expr> {
        let base = self.primary()?;
        let Some((at, _)) = self.take(&["^", "**"]) else {
            return Ok(base);
        };
        self.depth += 1;
        if self.depth > DEEPEST {
            return Err(Problem::TooDeep.at(at));
        }
        let exponent = self.signed()?;
        self.depth -= 1;
        Ok(Expr::new(
            at,
            Kind::Operation(Op::Pow, vec![base, exponent]),
        ))
    }

    fn primary(&mut self) -> Result<Expr> {
        let Some(token) = self.tokens.get(self.next) else {
            return Err(Problem::OperandMissing.at(self.end()));
        };
        let (at, text) = (token.at, token.text.clone());
        match token.shape {
            Shape::Number => {
                self.next += 1;
                let number = Number::read(&text).map_err(|problem| problem.at(at))?;
                Ok(Expr::new(at, Kind::Number(number)))
            }
            Shape::Name => {
                self.next += 1;
                match self.take(&["("]) {
                    Some((open, _)) => self.call(&text, at, open),
                    None => Ok(Expr::new(at, self.name(text))),
                }
            }
            Shape::Mark => {
                let Some((open, _)) = self.take(&["("]) else {
                    return Err(Problem::OperandMissing.at(at));
                };
                let inner = self.sum()?;
                self.close(open)?;
                Ok(inner)
            }
        }
    }

    fn close(&mut self, open: Position) -> Result<()> {
        match (self.take(&[")"]), self.peek()) {
            (Some(_), _) => Ok(()),
            (None, Some(token)) => Err(Problem::Unexpected(token.text.clone()).at(token.at)),
            (None, None) => Err(Problem::ParenthesisOpen('(').at(open)),
        }
    }

    fn call(&mut self, name: &str, at: Position, open: Position) -> Result<Expr> {
        let mut operands = vec![self.sum()?];
        while self.take(&[","]).is_some() {
            operands.push(self.sum()?);
        }
        self.close(open)?;
        let known = match name {
            "abs" => "fabs",
            "ln" => "log",
            "min" => "fmin",
            "max" => "fmax",
            other => other,
        };
        let given = operands.len();
        match (ast::operation(known, given), ast::arities(known).as_slice()) {
            (Some(op), _) => Ok(Expr::new(at, Kind::Operation(op, operands))),
            (None, []) => Err(Problem::UnknownFunction(name.to_owned()).at(at)),
            (None, [one, ..]) => {
                let wanted = format!("{one} operand{}", if *one == 1 { "" } else { "s" });
                let name = name.to_owned();
                Err(Problem::WrongNumber {
                    name,
                    wanted,
                    given,
                }
                .at(at))
            }
        }
    }

    fn name(&mut self, name: String) -> Kind {
        match name.as_str() {
            "pi" | "PI" => Kind::Constant(Constant::Pi),
            "e" | "E" => Kind::Constant(Constant::E),
            _ => {
                if !self.variables.contains(&name) {
                    self.variables.push(name.clone());
                }
                Kind::Variable(name)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refusal(source: &str) -> (u32, String) {
        let error = read_infix(source).unwrap_err();
        (error.at.column, error.problem.to_string())
    }

    #[test]
    fn variables_become_parameters_in_order_of_appearance() {
        let core = read_infix("(b - sqrt(b^2 - 4*a*c)) / (2*a) + pi - e").unwrap();
        let names: Vec<&str> = core.parameters.iter().map(|p| p.name.as_str()).collect();
        assert_eq!(names, ["b", "a", "c"]);
    }

    #[test]
    fn refusals_point_at_the_place() {
        assert_eq!(refusal("1 + foo(x)").0, 5);
        assert_eq!(refusal("1 + * x").0, 5);
        assert_eq!(refusal("sin(x").0, 4);
        assert_eq!(refusal("x +").0, 4);
        assert_eq!(refusal("x y").0, 3);
        assert_eq!(refusal("x # y").0, 3);
        assert_eq!(refusal("pow(x)").0, 1);
        assert_eq!(refusal("1.2.3 + x").0, 1);
        assert_eq!(refusal("").0, 1);
        assert_eq!(refusal("é + ß§").0, 6);
        assert!(refusal("foo(x)").1.contains("`foo`"));
        assert!(
            refusal(&"(".repeat(100_000))
                .1
                .contains("more than 400 levels deep")
        );
        assert!(read_infix(&"-".repeat(100_000)).is_err());
    }
}
