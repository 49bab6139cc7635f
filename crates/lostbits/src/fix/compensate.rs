//! Error-free transformations, which no e-graph can find: over the reals they add zero.
//!
//! Kahan's difference of products computes ab − cd to 1.5 ulps: the rounding error of cd, which fma gives exactly, is
//! added back (Jeannerod, Louvet, Muller 2013).

use egg::{Id, Language};
use lostbits_abi::ops::Op;

use super::math::{Math, Term};

/// The term with every sum and difference of two products compensated; none if it has none.
pub fn products(term: &Term) -> Option<Term> {
    let mut made = Term::default();
    let mut places: Vec<Id> = Vec::new();
    let mut changed = false;
    for node in term.iter() {
        let compensated = match node {
            Math::Binary(op @ (Op::Add | Op::Sub), [x, y]) => {
                match (factors(term, *x), factors(term, *y)) {
                    (Some(left), Some(right)) => {
                        let of = |factor: &Factor, made: &mut Term| factor.add(made, &places);
                        let [a, b] = [of(&left[0], &mut made), of(&left[1], &mut made)];
                        let [c, d] = [of(&right[0], &mut made), of(&right[1], &mut made)];
                        Some(kahan(&mut made, *op, [a, b, c, d]))
                    }
                    _ => None,
                }
            }
            _ => None,
        };
        changed |= compensated.is_some();
        let place = compensated.unwrap_or_else(|| {
            let node = node.clone().map_children(|id| places[usize::from(id)]);
            made.add(node)
        });
        places.push(place);
    }
    changed.then(|| super::math::part(&made, Id::from(made.len() - 1)))
}

/// A factor of a product: a node of the term, perhaps times a power of two.
struct Factor {
    node: Id,
    scale: Option<Id>,
}

impl Factor {
    fn add(&self, made: &mut Term, places: &[Id]) -> Id {
        let node = places[usize::from(self.node)];
        match self.scale {
            None => node,
            Some(scale) => made.add(Math::Binary(Op::Mul, [places[usize::from(scale)], node])),
        }
    }
}

/// The two factors of a product; a power of two goes to one of them, where it is exact.
fn factors(term: &Term, id: Id) -> Option<[Factor; 2]> {
    let plain = |node: Id| Factor { node, scale: None };
    let Math::Binary(Op::Mul, [x, y]) = &term[id] else {
        return None;
    };
    for (scale, other) in [(*x, *y), (*y, *x)] {
        let is_power = matches!(&term[scale], Math::Number(value) if is_power_of_two(value));
        if let (true, Math::Binary(Op::Mul, [a, b])) = (is_power, &term[other]) {
            let scaled = Factor {
                node: *a,
                scale: Some(scale),
            };
            return Some([scaled, plain(*b)]);
        }
    }
    Some([plain(*x), plain(*y)])
}

fn is_power_of_two(value: &rug::Rational) -> bool {
    let one = |x: &rug::Integer| x.clone().abs().is_power_of_two();
    *value != 0 && one(value.numer()) && one(value.denom())
}

fn kahan(made: &mut Term, op: Op, [a, b, c, d]: [Id; 4]) -> Id {
    let product = made.add(Math::Binary(Op::Mul, [c, d]));
    let negative = made.add(Math::Unary(Op::Neg, [product]));
    let (addend, rest) = match op {
        Op::Add => {
            let rest = made.add(Math::Ternary(Op::Fma, [c, d, negative]));
            (product, rest)
        }
        _ => {
            let minus_c = made.add(Math::Unary(Op::Neg, [c]));
            let rest = made.add(Math::Ternary(Op::Fma, [minus_c, d, product]));
            (negative, rest)
        }
    };
    let main = made.add(Math::Ternary(Op::Fma, [a, b, addend]));
    made.add(Math::Binary(Op::Add, [main, rest]))
}
