//! An expression in infix notation, with as few parentheses as its meaning needs.

use lostbits_abi::{ops::Op, site::Site};

use crate::{
    explain::{Expression, Node, Term},
    report::numbers::shortest,
};

pub fn infix(expression: &Expression) -> String {
    write(expression, &expression.root).text
}

/// How tightly the outermost operator binds.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Binding {
    Sum,
    Product,
    Sign,
    Whole,
}

struct Written {
    text: String,
    binding: Binding,
}

impl Written {
    fn whole(text: String) -> Written {
        Written {
            text,
            binding: Binding::Whole,
        }
    }

    /// In parentheses unless it binds at least as tightly as `least`.
    fn within(self, least: Binding) -> String {
        match self.binding >= least {
            true => self.text,
            false => format!("({})", self.text),
        }
    }
}

fn write(expression: &Expression, node: &Node) -> Written {
    match &node.term {
        Term::Variable => Written::whole(expression.name(node).to_owned()),
        Term::Constant(value) => Written {
            text: shortest(*value),
            binding: if value.is_sign_negative() {
                Binding::Sign
            } else {
                Binding::Whole
            },
        },
        Term::Operation { op, operands, site } => {
            let written = operands.iter().map(|operand| write(expression, operand));
            match call_name(*op, site.as_ref()) {
                Some(name) => {
                    let operands: Vec<String> = written.map(|one| one.text).collect();
                    Written::whole(format!("{name}({})", operands.join(", ")))
                }
                None => operation(*op, written.collect()),
            }
        }
    }
}

/// The function that an operation is a call of, if it is one of the program's own.
pub fn call_name(op: Op, site: Option<&Site>) -> Option<&str> {
    let name = site.map(|site| site.callee.as_str());
    name.filter(|name| op.is_call() && !name.is_empty())
}

fn operation(op: Op, operands: Vec<Written>) -> Written {
    use Binding::{Product, Sign, Sum, Whole};
    let mut operands = operands.into_iter();
    let mut next = |least| {
        operands
            .next()
            .map_or("?".to_owned(), |one: Written| one.within(least))
    };
    let (text, binding) = match op {
        Op::Add => {
            let (first, second) = (next(Sum), next(Product));
            // The optimiser turns subtraction of a constant into addition.
            let text = match second.strip_prefix('-').filter(|rest| is_number(rest)) {
                Some(number) => format!("{first} - {number}"),
                None => format!("{first} + {second}"),
            };
            (text, Sum)
        }
        Op::Sub => (format!("{} - {}", next(Sum), next(Product)), Sum),
        Op::Mul => (format!("{} * {}", next(Product), next(Sign)), Product),
        Op::Div => (format!("{} / {}", next(Product), next(Sign)), Product),
        Op::MulAdd => {
            let product = format!("{} * {}", next(Product), next(Sign));
            (format!("{product} + {}", next(Product)), Sum)
        }
        Op::Neg => (format!("-{}", next(Sign)), Sign),
        Op::Truncate => (format!("(float){}", next(Sign)), Sign),
        // A wider format or an integer's value: the number is the same.
        Op::Extend | Op::FromSigned | Op::FromUnsigned | Op::Canonicalize | Op::ComplexPart => {
            return operands.next().unwrap_or(Written::whole("?".to_owned()));
        }
        _ => {
            let operands: Vec<String> = operands.map(|one| one.text).collect();
            let name = match op {
                // Of the names of one function, the one that can be read again.
                Op::Powi => "pow".to_owned(),
                _ => op.name().replace(' ', "_"),
            };
            (format!("{name}({})", operands.join(", ")), Whole)
        }
    };
    Written { text, binding }
}

/// Whether a text is a constant.
fn is_number(text: &str) -> bool {
    text.starts_with(|first: char| first.is_ascii_digit()) && text.parse::<f64>().is_ok()
}
