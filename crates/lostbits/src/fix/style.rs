//! A repair in the author's words: a part that computes bit by bit what a part of the original computes is written as there.
//!
//! Rewriting orders operands as it pleases. `-(x * rate)` for an author's `-rate * x` is the same number, but a longer diff. Two parts
//! are alike if they differ in the order of a sum's or product's operands, in where a product has its sign, or in a − b for a + (−b):
//! all of these round alike.

use std::collections::HashMap;

use egg::{Id, Language};
use lostbits_abi::ops::Op;

use super::math::{Math, Term, part};

/// What a node computes but for its sign: which it is of the keys met so far, and whether it is the opposite.
type Signed = (bool, usize);

#[derive(PartialEq, Eq, Hash)]
enum Key {
    Leaf(Math),
    Operation(Op, Vec<Signed>),
}

#[derive(Default)]
struct Keys(HashMap<Key, usize>);

impl Keys {
    fn of(&mut self, key: Key) -> usize {
        let next = self.0.len();
        *self.0.entry(key).or_insert(next)
    }

    fn all(&mut self, term: &Term) -> Vec<Signed> {
        let mut all: Vec<Signed> = Vec::new();
        for node in term.iter() {
            let operands = node.children().iter().map(|id| all[usize::from(*id)]);
            let signed = self.node(node, operands.collect());
            all.push(signed);
        }
        all
    }

    fn node(&mut self, node: &Math, mut x: Vec<Signed>) -> Signed {
        let Some(op) = node.op() else {
            return match node {
                Math::Number(value) if *value < 0 => {
                    let size = Math::Number(value.clone().abs());
                    (true, self.of(Key::Leaf(size)))
                }
                _ => (false, self.of(Key::Leaf(node.clone()))),
            };
        };
        match op {
            Op::Neg => (!x[0].0, x[0].1),
            Op::Mul | Op::Div => {
                let sign = x[0].0 != x[1].0;
                let mut sizes: Vec<Signed> = x.iter().map(|(_, key)| (false, *key)).collect();
                if op == Op::Mul {
                    sizes.sort_unstable();
                }
                (sign, self.of(Key::Operation(op, sizes)))
            }
            Op::Add | Op::Sub => {
                if op == Op::Sub {
                    x[1].0 = !x[1].0;
                }
                x.sort_unstable();
                (false, self.of(Key::Operation(Op::Add, x)))
            }
            _ => (false, self.of(Key::Operation(op, x))),
        }
    }
}

/// The term with its parts as the original has them.
pub fn styled(term: &Term, original: &Term) -> Term {
    let mut keys = Keys::default();
    let mut known: HashMap<usize, (bool, Id)> = HashMap::new();
    for (index, (sign, key)) in keys.all(original).into_iter().enumerate() {
        known.entry(key).or_insert((sign, Id::from(index)));
    }
    let own = keys.all(term);
    let mut made = Term::default();
    let mut places: Vec<Id> = Vec::new();
    for (index, node) in term.iter().enumerate() {
        let (sign, key) = own[index];
        let place = match known.get(&key) {
            Some((theirs, id)) => {
                let copy = copied(&part(original, *id), &mut made);
                match sign == *theirs {
                    true => copy,
                    false => once(&mut made, Math::Unary(Op::Neg, [copy])),
                }
            }
            None => {
                let node = node.clone().map_children(|id| places[usize::from(id)]);
                once(&mut made, node)
            }
        };
        places.push(place);
    }
    match places.last() {
        Some(root) => part(&made, *root),
        None => term.clone(),
    }
}

fn copied(term: &Term, made: &mut Term) -> Id {
    let mut places: Vec<Id> = Vec::new();
    for node in term.iter() {
        let node = node.clone().map_children(|id| places[usize::from(id)]);
        places.push(once(made, node));
    }
    *places.last().expect("a term has a node")
}

fn once(made: &mut Term, node: Math) -> Id {
    let known = made.iter().position(|other| *other == node);
    known.map_or_else(|| made.add(node), Id::from)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fix::math::parse;

    #[test]
    fn parts_are_written_as_in_the_original() {
        for (original, repaired, expected) in [
            (
                "(- 1 (exp (* (- $0) $1)))",
                "(- (expm1 (- (* $1 $0))))",
                "(- (expm1 (* (- $0) $1)))",
            ),
            (
                "(/ (- $0 $1) (+ $2 1))",
                "(* $0 (sqrt (+ 1 $2)))",
                "(* $0 (sqrt (+ $2 1)))",
            ),
            // The difference of a − b and b − a is the sign of a zero, so they are not exchanged.
            ("(exp (- $0 $1))", "(sin (- $1 $0))", "(sin (- $1 $0))"),
            ("(exp (/ $0 $1))", "(sin (/ $1 $0))", "(sin (/ $1 $0))"),
        ] {
            let found = styled(&parse(repaired), &parse(original));
            assert_eq!(found.to_string(), parse(expected).to_string());
        }
    }
}
