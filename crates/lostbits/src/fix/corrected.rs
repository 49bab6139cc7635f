//! A second word for every value: each operation's rounding error is computed by error-free transformations, carried
//! along to first order, and added to the result at the end (compensated arithmetic; Ogita, Rump and Oishi 2005).
//!
//! For sums, products, quotients and roots the result is as accurate as if it had been computed with twice the digits and
//! then rounded, so this helps where no other form does: the expression itself is ill-conditioned. In exact arithmetic every
//! second word is 0, so the term is equal to the one it was made from by construction.
//!
//! What it can miss: library functions have no error-free transformation. Their argument's error is carried over with the
//! derivative, their own rounding stays. Where a value overflows, its second word is NaN.

use egg::{Id, Language};
use lostbits_abi::ops::Op;
use rug::Rational;

use super::{
    machine::{self, Width},
    math::{Math, Term, part},
};

/// Longer terms than this are not made.
const LONGEST: usize = 250;

/// A value and, unless it is exact, its second word.
#[derive(Clone, Copy)]
struct Pair {
    head: Id,
    tail: Option<Id>,
}

/// The term with its rounding errors added back; none if it is too long, exact, or has an operation without a rule.
pub fn corrected(term: &Term, width: Width) -> Option<Term> {
    let mut builder = Builder {
        made: Term::default(),
    };
    let mut pairs: Vec<Pair> = Vec::new();
    for node in term.iter() {
        let operands: Vec<Pair> = node
            .children()
            .iter()
            .map(|id| pairs[usize::from(*id)])
            .collect();
        pairs.push(builder.node(node, &operands, width)?);
        if builder.made.len() > LONGEST {
            return None;
        }
    }
    let Pair { head, tail } = *pairs.last()?;
    let result = builder.add(Op::Add, &[head, tail?]);
    Some(part(&builder.made, result))
}

/// The term with the arguments of its functions carried as two words where they are sums of inputs: sin(x + e) becomes
/// sin(s) + r·cos(s), s being the rounded sum and r its error. None where there is no such function.
pub fn arguments(term: &Term, width: Width) -> Option<Term> {
    let mut builder = Builder {
        made: Term::default(),
    };
    // What each node is as an argument; none if it is more than a sum of scaled inputs.
    let mut sums: Vec<Option<Pair>> = Vec::new();
    let mut heads: Vec<Id> = Vec::new();
    let mut changed = false;
    for node in term.iter() {
        let of = |id: &Id| sums[usize::from(*id)];
        let operands: Option<Vec<Pair>> = node.children().iter().map(of).collect();
        let sum = operands.and_then(|operands| builder.argument(node, &operands, width));
        let own: Vec<Id> = node
            .children()
            .iter()
            .map(|id| heads[usize::from(*id)])
            .collect();
        let head = match (node.op(), sum) {
            (_, Some(sum)) => sum.head,
            (None, None) => builder.leaf(node.clone()),
            (Some(op), None) => {
                let plain = builder.add(op, &own);
                let error = match node.children() {
                    [x] if is_sensitive(op) => sums[usize::from(*x)].and_then(|sum| sum.tail),
                    _ => None,
                };
                let change = error.and_then(|error| builder.derivative(op, plain, &own, 0, error));
                changed |= change.is_some();
                change.map_or(plain, |change| builder.add(Op::Add, &[plain, change]))
            }
        };
        heads.push(head);
        sums.push(sum);
    }
    let result = *heads.last()?;
    (changed && builder.made.len() <= LONGEST).then(|| part(&builder.made, result))
}

/// Functions whose value depends on the last digits of a large argument.
fn is_sensitive(op: Op) -> bool {
    matches!(op, Op::Sin | Op::Cos | Op::Tan | Op::Exp)
}

struct Builder {
    made: Term,
}

impl Builder {
    fn add(&mut self, op: Op, operands: &[Id]) -> Id {
        let node = Math::operation(op, operands).expect("one to three operands");
        self.leaf(node)
    }

    /// The node, once.
    fn leaf(&mut self, node: Math) -> Id {
        let known = self.made.iter().position(|other| *other == node);
        known.map_or_else(|| self.made.add(node), Id::from)
    }

    fn node(&mut self, node: &Math, x: &[Pair], width: Width) -> Option<Pair> {
        let Some(op) = node.op() else {
            let head = self.leaf(node.clone());
            return Some(Pair {
                head,
                tail: self.rest_of_number(node, width),
            });
        };
        let heads: Vec<Id> = x.iter().map(|pair| pair.head).collect();
        Some(match op {
            Op::Neg => {
                let head = self.add(op, &heads);
                let tail = x[0].tail.map(|tail| self.add(op, &[tail]));
                Pair { head, tail }
            }
            Op::Add => self.sum(x[0], x[1]),
            Op::Sub => {
                let negative = self.node(&Math::Unary(Op::Neg, [x[1].head]), &x[1..], width)?;
                self.sum(x[0], negative)
            }
            Op::Mul => self.product(x[0], x[1]),
            Op::Fma => {
                let product = self.product(x[0], x[1]);
                self.sum(product, x[2])
            }
            Op::Div => self.quotient(x[0], x[1]),
            Op::Sqrt => self.root(x[0]),
            _ => {
                let head = self.add(op, &heads);
                let mut tail = None;
                for (index, operand) in x.iter().enumerate() {
                    if let Some(error) = operand.tail {
                        let change = self.derivative(op, head, &heads, index, error)?;
                        tail = Some(self.joined(tail, change));
                    }
                }
                Pair { head, tail }
            }
        })
    }

    /// A sum of inputs, perhaps scaled by powers of two, with its rounding error.
    fn argument(&mut self, node: &Math, x: &[Pair], width: Width) -> Option<Pair> {
        let is_scale = |builder: &Builder, pair: Pair| matches!(&builder.made[pair.head], Math::Number(value) if is_power_of_two(value));
        match node.op() {
            None => {
                let is_input = matches!(node, Math::Variable(_) | Math::Number(_))
                    && self.rest_of_number(node, width).is_none();
                is_input.then(|| Pair {
                    head: self.leaf(node.clone()),
                    tail: None,
                })
            }
            Some(Op::Neg) => {
                let head = self.add(Op::Neg, &[x[0].head]);
                let tail = x[0].tail.map(|tail| self.add(Op::Neg, &[tail]));
                Some(Pair { head, tail })
            }
            Some(Op::Add) => Some(self.sum(x[0], x[1])),
            Some(Op::Sub) => {
                let negative = self.argument(&Math::Unary(Op::Neg, [x[1].head]), &x[1..], width)?;
                Some(self.sum(x[0], negative))
            }
            Some(op @ (Op::Mul | Op::Div)) => {
                let (scale, scaled) = match op {
                    Op::Mul if is_scale(self, x[0]) => (0, 1),
                    _ if is_scale(self, x[1]) => (1, 0),
                    _ => return None,
                };
                let ordered = |factor: Id, id: Id| match scale {
                    0 => [factor, id],
                    _ => [id, factor],
                };
                let factor = x[scale].head;
                let head = self.add(op, &ordered(factor, x[scaled].head));
                let tail = x[scaled]
                    .tail
                    .map(|tail| self.add(op, &ordered(factor, tail)));
                Some(Pair { head, tail })
            }
            Some(_) => None,
        }
    }

    /// What the nearest number of the format leaves of a fraction.
    fn rest_of_number(&mut self, node: &Math, width: Width) -> Option<Id> {
        let Math::Number(value) = node else {
            return None;
        };
        let nearest = Rational::from_f64(machine::number(value, width))?;
        let rest = value - nearest;
        (rest != 0).then(|| self.leaf(Math::Number(rest)))
    }

    fn joined(&mut self, sum: Option<Id>, next: Id) -> Id {
        match sum {
            None => next,
            Some(sum) => self.add(Op::Add, &[sum, next]),
        }
    }

    /// Knuth's sum of two numbers and its error.
    fn sum(&mut self, x: Pair, y: Pair) -> Pair {
        let (a, b) = (x.head, y.head);
        let head = self.add(Op::Add, &[a, b]);
        let of_b = self.add(Op::Sub, &[head, a]);
        let of_a = self.add(Op::Sub, &[head, of_b]);
        let rest_of_a = self.add(Op::Sub, &[a, of_a]);
        let rest_of_b = self.add(Op::Sub, &[b, of_b]);
        let mut tail = self.add(Op::Add, &[rest_of_a, rest_of_b]);
        for error in [x.tail, y.tail].into_iter().flatten() {
            tail = self.add(Op::Add, &[tail, error]);
        }
        Pair {
            head,
            tail: Some(tail),
        }
    }

    fn product(&mut self, x: Pair, y: Pair) -> Pair {
        let (a, b) = (x.head, y.head);
        let head = self.add(Op::Mul, &[a, b]);
        let scale =
            |id: Id| matches!(&self.made[id], Math::Number(value) if is_power_of_two(value));
        let is_exact = scale(a) || scale(b);
        let mut tail = match is_exact {
            true => None,
            false => {
                let negative = self.add(Op::Neg, &[head]);
                Some(self.add(Op::Fma, &[a, b, negative]))
            }
        };
        for (error, factor) in [(y.tail, a), (x.tail, b)] {
            if let Some(error) = error {
                tail = Some(match tail {
                    None => self.add(Op::Mul, &[factor, error]),
                    Some(tail) => self.add(Op::Fma, &[factor, error, tail]),
                });
            }
        }
        Pair { head, tail }
    }

    fn quotient(&mut self, x: Pair, y: Pair) -> Pair {
        let (a, b) = (x.head, y.head);
        let head = self.add(Op::Div, &[a, b]);
        let negative = self.add(Op::Neg, &[head]);
        let mut rest = self.add(Op::Fma, &[negative, b, a]);
        if let Some(error) = x.tail {
            rest = self.add(Op::Add, &[rest, error]);
        }
        if let Some(error) = y.tail {
            rest = self.add(Op::Fma, &[negative, error, rest]);
        }
        let tail = Some(self.add(Op::Div, &[rest, b]));
        Pair { head, tail }
    }

    fn root(&mut self, x: Pair) -> Pair {
        let head = self.add(Op::Sqrt, &[x.head]);
        let negative = self.add(Op::Neg, &[head]);
        let mut rest = self.add(Op::Fma, &[negative, head, x.head]);
        if let Some(error) = x.tail {
            rest = self.add(Op::Add, &[rest, error]);
        }
        let double = self.add(Op::Add, &[head, head]);
        let tail = Some(self.add(Op::Div, &[rest, double]));
        Pair { head, tail }
    }

    /// What a function's value changes if its operand of this index changes by an error.
    fn derivative(&mut self, op: Op, value: Id, x: &[Id], index: usize, error: Id) -> Option<Id> {
        use Op::*;
        let one = |builder: &mut Builder| builder.leaf(Math::number(1));
        Some(match (op, index) {
            (Exp, _) => self.add(Mul, &[value, error]),
            (Expm1, _) => self.add(Fma, &[value, error, error]),
            (Log, _) => self.add(Div, &[error, x[0]]),
            (Log1p, _) => {
                let one = one(self);
                let below = self.add(Add, &[one, x[0]]);
                self.add(Div, &[error, below])
            }
            (Sin, _) => {
                let slope = self.add(Cos, &[x[0]]);
                self.add(Mul, &[slope, error])
            }
            (Cos, _) => {
                let slope = self.add(Sin, &[x[0]]);
                let change = self.add(Mul, &[slope, error]);
                self.add(Neg, &[change])
            }
            (Tan, _) => {
                let one = one(self);
                let square = self.add(Fma, &[value, value, one]);
                self.add(Mul, &[square, error])
            }
            (Sinh, _) => {
                let slope = self.add(Cosh, &[x[0]]);
                self.add(Mul, &[slope, error])
            }
            (Cosh, _) => {
                let slope = self.add(Sinh, &[x[0]]);
                self.add(Mul, &[slope, error])
            }
            (Atan, _) => {
                let one = one(self);
                let below = self.add(Fma, &[x[0], x[0], one]);
                self.add(Div, &[error, below])
            }
            (Pow, 0) => {
                let exponent = self.add(Mul, &[x[1], value]);
                let slope = self.add(Div, &[exponent, x[0]]);
                self.add(Mul, &[slope, error])
            }
            _ => return None,
        })
    }
}

fn is_power_of_two(value: &Rational) -> bool {
    let one = |x: &rug::Integer| x.clone().abs().is_power_of_two();
    *value != 0 && one(value.numer()) && one(value.denom())
}
