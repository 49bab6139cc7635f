//! Fortran's expressions: operators, references and literals, by recursive descent.
//!
//! A grammar of our own, because only assignments of reals are repaired: tree-sitter's Fortran grammar is a generated C file of
//! several megabytes that every build would compile, and it knows no types either.

use lostbits_abi::ops::Op;

use crate::patch::{
    functions::operation_named,
    tree::{Language, Leaf, Part, Span, Tree},
};

/// What a name is declared to be.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Declared {
    Integer,
    Real,
    /// An array or a function of reals.
    Other,
}

pub struct Reader<'a> {
    /// In lower case, with comments blanked.
    pub clean: &'a str,
    pub original: &'a str,
    pub at: usize,
    pub end: usize,
    pub declared: &'a dyn Fn(&str) -> Declared,
    /// Whether a name is a variable that can be read again: an array or a scalar, not a function.
    pub is_variable: &'a dyn Fn(&str) -> bool,
}

/// A tree, and whether it is of integers.
pub struct Typed {
    pub tree: Tree,
    pub is_integer: bool,
    /// With parentheses around it.
    pub outer: Span,
}

impl Reader<'_> {
    pub fn expression(&mut self) -> Option<Typed> {
        let sign = self.take("-").then_some(Op::Neg);
        let start = self.at;
        if sign.is_none() {
            self.take("+");
        }
        let mut left = self.term()?;
        if sign.is_some() {
            left = self.negated(left, start);
        }
        loop {
            let at = self.peek_at();
            let op = if self.take("+") {
                Op::Add
            } else if self.take("-") {
                Op::Sub
            } else {
                return Some(left);
            };
            let right = self.term()?;
            left = self.joined(op, at, left, right)?;
        }
    }

    fn negated(&self, operand: Typed, after: usize) -> Typed {
        let start = self.clean[..after].rfind('-').unwrap_or(after);
        let span = start..operand.outer.end;
        let is_integer = operand.is_integer;
        Typed {
            tree: match is_integer {
                true => self.leaf(span.clone(), true),
                false => Tree::operation(span.clone(), start, Op::Neg, vec![operand.tree]),
            },
            is_integer,
            outer: span,
        }
    }

    fn term(&mut self) -> Option<Typed> {
        let mut left = self.power()?;
        loop {
            let at = self.peek_at();
            if self.rest().starts_with("//") {
                return None;
            }
            let op = if self.take("*") {
                Op::Mul
            } else if self.take("/") {
                Op::Div
            } else {
                return Some(left);
            };
            let right = self.power()?;
            left = self.joined(op, at, left, right)?;
        }
    }

    fn power(&mut self) -> Option<Typed> {
        let base = self.primary()?;
        let at = self.peek_at();
        if !self.take("**") {
            return Some(base);
        }
        let sign = self.peek_at();
        let is_negative = self.take("-");
        let exponent = match is_negative {
            true => {
                let operand = self.power()?;
                self.negated(operand, sign + 1)
            }
            false => self.power()?,
        };
        let outer = base.outer.start..exponent.outer.end;
        if base.is_integer {
            return Some(Typed {
                tree: self.leaf(outer.clone(), true),
                is_integer: true,
                outer,
            });
        }
        let operands = vec![base.tree, exponent.tree];
        Some(Typed {
            tree: Tree::operation(outer.clone(), at, Op::Pow, operands),
            is_integer: false,
            outer,
        })
    }

    /// Arithmetic of integers is a leaf: its quotients are no reals.
    fn joined(&self, op: Op, at: usize, left: Typed, right: Typed) -> Option<Typed> {
        let outer = left.outer.start..right.outer.end;
        let is_integer = left.is_integer && right.is_integer;
        let tree = match is_integer {
            true => self.leaf(outer.clone(), true),
            false => Tree::operation(outer.clone(), at, op, vec![left.tree, right.tree]),
        };
        Some(Typed {
            tree,
            is_integer,
            outer,
        })
    }

    fn primary(&mut self) -> Option<Typed> {
        self.blanks();
        let start = self.at;
        if self.take("(") {
            let mut inner = self.expression()?;
            self.take(")").then_some(())?;
            inner.outer = start..self.at;
            return Some(inner);
        }
        let c = self.rest().chars().next()?;
        if c.is_ascii_digit() || c == '.' {
            return self.number();
        }
        if c.is_ascii_alphabetic() {
            return self.reference();
        }
        None
    }

    fn number(&mut self) -> Option<Typed> {
        let start = self.at;
        let digits = |reader: &mut Self| {
            let count = reader.rest().bytes().take_while(u8::is_ascii_digit).count();
            reader.at += count;
        };
        digits(self);
        let mut is_integer = true;
        let after = self.rest().as_bytes();
        // `1.eq.2` has an operator, not a fraction.
        let is_fraction = after.first() == Some(&b'.')
            && !after
                .get(1)
                .is_some_and(|c| c.is_ascii_alphabetic() && !matches!(c, b'd' | b'e'));
        if is_fraction {
            is_integer = false;
            self.at += 1;
            digits(self);
        }
        let mut is_double = false;
        let mark = self.rest().as_bytes().first().copied();
        if let Some(b'd' | b'e') = mark {
            is_integer = false;
            is_double = mark == Some(b'd');
            self.at += 1;
            if self.rest().starts_with(['+', '-']) {
                self.at += 1;
            }
            digits(self);
        }
        let digits_end = self.at;
        if self.rest().starts_with('_') {
            let is_of_word = |c: &u8| c.is_ascii_alphanumeric() || *c == b'_';
            self.at += self.rest().bytes().take_while(is_of_word).count();
            is_double = true;
        }
        let text = self.clean[start..digits_end].replace('d', "e");
        let text = match text.ends_with('.') || text.contains(".e") {
            true => text.replacen('.', ".0", 1),
            false => text,
        };
        let value: f64 = text.parse().ok()?;
        // A literal without a kind is single precision.
        let value = match is_integer || is_double {
            true => value,
            false => f64::from(value as f32),
        };
        let span = start..self.at;
        Some(Typed {
            tree: Tree {
                at: start,
                span: span.clone(),
                part: Part::Number(value),
            },
            is_integer,
            outer: span,
        })
    }

    /// `x`, `a(i, j)`, `self%s2`, `f(x)`.
    fn reference(&mut self) -> Option<Typed> {
        let start = self.at;
        let name = self.word()?;
        let mut arguments = Vec::new();
        let mut is_plain = true;
        let mut is_pure = true;
        if self.take("(") {
            is_plain = false;
            if !self.take(")") {
                loop {
                    match self.expression() {
                        Some(argument) => arguments.push(argument),
                        None => {
                            self.skip_argument()?;
                            is_pure = false;
                        }
                    }
                    if self.take(")") {
                        break;
                    }
                    self.take(",").then_some(())?;
                }
            }
        }
        if let Some(op) = operation_named(Language::Fortran, &name, arguments.len())
            && !is_plain
            && !(self.is_variable)(&name)
            && is_pure
            && !arguments.iter().all(|one| one.is_integer)
        {
            let span = start..self.at;
            let operands = arguments.into_iter().map(|one| one.tree).collect();
            return Some(Typed {
                tree: Tree::operation(span.clone(), start, op, operands),
                is_integer: false,
                outer: span,
            });
        }
        let conversions = ["real", "dble"];
        let is_conversion = conversions.contains(&name.as_str()) && !is_plain;
        while self.take("%") {
            is_plain = false;
            self.word()?;
            if self.take("(") {
                while !self.take(")") {
                    match self.expression() {
                        Some(_) => {}
                        None => self.skip_argument()?,
                    }
                    self.take(",");
                }
            }
        }
        let span = start..self.at;
        let is_integer = (self.declared)(&name) == Declared::Integer && !is_conversion;
        let is_known = is_plain || is_conversion || (self.is_variable)(&name);
        let mut tree = self.leaf(span.clone(), is_integer);
        if let Part::Leaf(leaf) = &mut tree.part {
            leaf.is_name = is_plain;
        }
        (is_known && is_pure).then_some(Typed {
            tree,
            is_integer,
            outer: span,
        })
    }

    /// To the comma or parenthesis that ends an argument.
    fn skip_argument(&mut self) -> Option<()> {
        let mut depth = 0;
        while self.at < self.end {
            match self.clean.as_bytes()[self.at] {
                b'(' => depth += 1,
                b')' if depth == 0 => return Some(()),
                b')' => depth -= 1,
                b',' if depth == 0 => return Some(()),
                _ => {}
            }
            self.at += 1;
        }
        None
    }

    fn leaf(&self, span: Span, is_integer: bool) -> Tree {
        let text = crate::patch::tree::normalised(&self.original[span.clone()]);
        Tree {
            at: span.start,
            part: Part::Leaf(Leaf {
                text,
                is_integer,
                is_name: false,
            }),
            span,
        }
    }

    pub fn rest(&self) -> &str {
        &self.clean[self.at.min(self.end)..self.end]
    }

    pub fn blanks(&mut self) {
        let rest = self.rest();
        self.at += rest.len() - rest.trim_start().len();
    }

    fn peek_at(&mut self) -> usize {
        self.blanks();
        self.at
    }

    pub fn word(&mut self) -> Option<String> {
        self.blanks();
        let is_of_word = |c: &u8| c.is_ascii_alphanumeric() || *c == b'_';
        let length = self.rest().bytes().take_while(is_of_word).count();
        let word = self.rest().get(..length)?.to_owned();
        self.at += length;
        (!word.is_empty()).then_some(word)
    }

    /// Takes a sign that is not the beginning of a longer one.
    pub fn take(&mut self, sign: &str) -> bool {
        self.blanks();
        let rest = self.rest();
        let is_longer = (sign == "*" && rest.starts_with("**"))
            || (sign == "/" && (rest.starts_with("//") || rest.starts_with("/=")));
        let takes = rest.starts_with(sign) && !is_longer;
        self.at += if takes { sign.len() } else { 0 };
        takes
    }
}
