//! Expressions of mathematical functions: `besselj(0, x) * exp(-abs(x))`.
//!
//! The notation is that of [`crate::fpcore::infix`], with the special functions of [`Special`] besides those of C.
//! Names are the parameters of the call, in their order.

use lostbits_abi::ops::Op;
use rug::Rational;

use crate::fpcore::{ast, number::Number};

#[derive(Clone, PartialEq, Debug)]
pub enum Expression {
    Number(Rational),
    Pi,
    /// By its position among the inputs.
    Input(usize),
    Operation(Op, Vec<Expression>),
    Special(Special, Vec<Expression>),
}

/// Functions that C's library lacks.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Special {
    pub name: &'static str,
    pub arity: usize,
}

/// Name and number of operands. MPFR evaluates some of them (`enclose.rs`), Arb all (`arb.py`).
const SPECIAL: &[(&str, usize)] = &[
    ("digamma", 1),
    ("zeta", 1),
    ("eta", 1),
    ("besselj", 2),
    ("bessely", 2),
    ("besseli", 2),
    ("besselk", 2),
    ("airyai", 1),
    ("airybi", 1),
    ("airyaiprime", 1),
    ("airybiprime", 1),
    ("ei", 1),
    ("e1", 1),
    ("si", 1),
    ("ci", 1),
    ("shi", 1),
    ("chi", 1),
    ("dilog", 1),
    ("polylog", 2),
    ("agm", 2),
    ("beta", 2),
    ("lbeta", 2),
    ("rgamma", 1),
    ("gammaupper", 2),
    ("gammalower", 2),
    ("gammap", 2),
    ("gammaq", 2),
    ("betainc", 3),
    ("polygamma", 2),
    ("hurwitz", 2),
    ("lambertw", 1),
    ("lambertwm1", 1),
    ("erfi", 1),
    ("erfinv", 1),
    ("erfcinv", 1),
    ("ellipk", 1),
    ("ellipe", 1),
    ("ellipf", 2),
    ("ellipeinc", 2),
    ("ellippi", 3),
    ("carlsonrf", 3),
    ("carlsonrd", 3),
    ("carlsonrc", 2),
    ("carlsonrj", 4),
    ("clausen", 1),
    ("legendrep", 2),
    ("legendreq", 2),
    ("hermite", 2),
    ("laguerre", 3),
    ("gegenbauer", 3),
    ("chebyshevt", 2),
    ("hyp0f1", 2),
    ("hyp1f1", 3),
    ("hyp2f1", 4),
    ("hypu", 3),
    ("fresnels", 1),
    ("fresnelc", 1),
    ("repsi1i", 1),
    ("struveh", 2),
];

impl Special {
    fn named(name: &str, arity: usize) -> Option<Special> {
        let known = SPECIAL.iter().find(|known| **known == (name, arity));
        known.map(|&(name, arity)| Special { name, arity })
    }
}

/// Why a text is no expression.
pub type Refusal = String;

/// Reads an expression over the inputs of these names.
pub fn read(text: &str, inputs: &[&str]) -> Result<Expression, Refusal> {
    let mut reader = Reader {
        rest: text,
        inputs,
        depth: 0,
    };
    let expression = reader.sum()?;
    match reader.next() {
        None => Ok(expression),
        Some(other) => Err(format!("`{other}` is not expected there")),
    }
}

const DEEPEST: usize = 200;

struct Reader<'a> {
    rest: &'a str,
    inputs: &'a [&'a str],
    depth: usize,
}

impl<'a> Reader<'a> {
    fn next(&mut self) -> Option<char> {
        self.rest = self.rest.trim_start();
        self.rest.chars().next()
    }

    fn take(&mut self, mark: &str) -> bool {
        self.rest = self.rest.trim_start();
        let after = self.rest.strip_prefix(mark);
        self.rest = after.unwrap_or(self.rest);
        after.is_some()
    }

    fn word(&mut self, belongs: impl Fn(char) -> bool) -> &'a str {
        let end = self.rest.find(|c| !belongs(c)).unwrap_or(self.rest.len());
        let (word, rest) = self.rest.split_at(end);
        self.rest = rest;
        word
    }

    fn sum(&mut self) -> Result<Expression, Refusal> {
        self.depth += 1;
        if self.depth > DEEPEST {
            return Err(format!("it is more than {DEEPEST} levels deep"));
        }
        let mut left = self.product()?;
        loop {
            let op = match () {
                () if self.take("+") => Op::Add,
                () if self.take("-") => Op::Sub,
                () => break,
            };
            left = Expression::Operation(op, vec![left, self.product()?]);
        }
        self.depth -= 1;
        Ok(left)
    }

    fn product(&mut self) -> Result<Expression, Refusal> {
        let mut left = self.signed()?;
        loop {
            let op = match () {
                () if self.take("*") => Op::Mul,
                () if self.take("/") => Op::Div,
                () => return Ok(left),
            };
            left = Expression::Operation(op, vec![left, self.signed()?]);
        }
    }

    fn signed(&mut self) -> Result<Expression, Refusal> {
        let mut is_negative = false;
        while self.take("-") {
            is_negative = !is_negative;
        }
        let operand = self.power()?;
        Ok(match (is_negative, operand) {
            (true, Expression::Number(number)) => Expression::Number(-number),
            (true, operand) => Expression::Operation(Op::Neg, vec![operand]),
            (false, operand) => operand,
        })
    }

    fn power(&mut self) -> Result<Expression, Refusal> {
        let base = self.primary()?;
        if !self.take("^") {
            return Ok(base);
        }
        self.depth += 1;
        if self.depth > DEEPEST {
            return Err(format!("it is more than {DEEPEST} levels deep"));
        }
        let exponent = self.signed()?;
        self.depth -= 1;
        Ok(Expression::Operation(Op::Pow, vec![base, exponent]))
    }

    fn primary(&mut self) -> Result<Expression, Refusal> {
        match self.next() {
            Some('(') => {
                self.take("(");
                let inner = self.sum()?;
                self.close()?;
                Ok(inner)
            }
            Some(c) if c.is_ascii_digit() || c == '.' => {
                let mut word = self.rest;
                let end = numeric_length(word);
                (word, self.rest) = word.split_at(end);
                let number = Number::read(word).map_err(|problem| problem.to_string())?;
                Ok(Expression::Number(number.value))
            }
            Some(c) if c.is_alphabetic() || c == '_' => {
                let name = self.word(|c| c.is_alphanumeric() || c == '_');
                match self.take("(") {
                    true => self.call(name),
                    false => self.name(name),
                }
            }
            Some(other) => Err(format!("`{other}` is not expected there")),
            None => Err("an operand is missing at its end".to_owned()),
        }
    }

    fn close(&mut self) -> Result<(), Refusal> {
        match self.take(")") {
            true => Ok(()),
            false => Err("a `)` is missing".to_owned()),
        }
    }

    fn name(&self, name: &str) -> Result<Expression, Refusal> {
        let input = self.inputs.iter().position(|known| *known == name);
        match (input, name) {
            (Some(input), _) => Ok(Expression::Input(input)),
            (None, "pi") => Ok(Expression::Pi),
            (None, _) => Err(format!(
                "`{name}` is not an input of the call (its inputs are {})",
                self.inputs.join(", ")
            )),
        }
    }

    fn call(&mut self, name: &str) -> Result<Expression, Refusal> {
        let mut operands = vec![self.sum()?];
        while self.take(",") {
            operands.push(self.sum()?);
        }
        self.close()?;
        if let Some(special) = Special::named(name, operands.len()) {
            return Ok(Expression::Special(special, operands));
        }
        let of_c = match name {
            "abs" => "fabs",
            "ln" => "log",
            "min" => "fmin",
            "max" => "fmax",
            "gamma" => "tgamma",
            other => other,
        };
        match ast::operation(of_c, operands.len()) {
            Some(op) => Ok(Expression::Operation(op, operands)),
            None => Err(format!(
                "no function `{name}` of {} operand{} is known",
                operands.len(),
                if operands.len() == 1 { "" } else { "s" }
            )),
        }
    }
}

/// Digits and points, with an exponent.
fn numeric_length(text: &str) -> usize {
    let bytes = text.as_bytes();
    let digits = |mut at: usize| {
        while bytes
            .get(at)
            .is_some_and(|byte| byte.is_ascii_digit() || *byte == b'.')
        {
            at += 1;
        }
        at
    };
    let end = digits(0);
    let mut exponent = end;
    if bytes
        .get(end)
        .is_some_and(|byte| matches!(byte, b'e' | b'E'))
    {
        exponent += 1;
        if bytes
            .get(exponent)
            .is_some_and(|byte| matches!(byte, b'+' | b'-'))
        {
            exponent += 1;
        }
        if bytes.get(exponent).is_some_and(u8::is_ascii_digit) {
            return digits(exponent);
        }
    }
    end
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn special_functions_are_read() {
        let read = |text| read(text, &["n", "x"]);
        let Ok(Expression::Special(special, operands)) = read("besselj(n, 2.5e-1*x)") else {
            panic!("not read");
        };
        assert_eq!(special.name, "besselj");
        assert_eq!(operands[0], Expression::Input(0));
        assert!(read("-x^2 + pi/6").is_ok());
        for wrong in ["besselj(x)", "y", "x +", "(x", "x)", "foo(x)", "", "x x"] {
            assert!(read(wrong).is_err(), "{wrong}");
        }
        let (parentheses, powers) = ("(".repeat(10_000), "2^".repeat(10_000));
        assert!(read(&parentheses).is_err());
        assert!(read(&powers).is_err());
    }
}
