//! What the e-graph knows about each class: which values it can have, and which polynomial it is.
//!
//! Every class represents one real function on the *domain*: the inputs in the given ranges for which the original
//! expression is defined. A rule may be applied only if both sides are defined and equal on all of the domain, which its
//! conditions prove from the intervals here (Herbie had to give up conditional rules because it lacks them). That the
//! original's own divisors are not 0 and its roots and logarithms have proper arguments is part of the domain:
//! [`assume_defined`] enters it.

use egg::{Analysis, DidMerge, EGraph, Id};
use lostbits_abi::ops::Op;
use rug::{Float, Rational, float::Round};

use super::{
    interval::{self, Interval},
    math::{CONSTANTS, Math, Term},
    polynomial::{Polynomial, root, small_whole},
};
use crate::fpcore::evaluate::reals::constant_value;

pub type Graph = EGraph<Math, Ranges>;

/// The ranges of the variables.
#[derive(Clone, Debug, Default)]
pub struct Ranges(pub Vec<Interval>);

#[derive(Clone, PartialEq, Debug)]
pub struct Facts {
    pub values: Interval,
    /// None where the class is an atom of other classes' polynomials.
    pub polynomial: Option<Polynomial>,
}

impl Analysis<Math> for Ranges {
    type Data = Facts;

    fn make(graph: &mut Graph, node: &Math, _: Id) -> Facts {
        Facts {
            values: values(graph, node),
            polynomial: polynomial(graph, node),
        }
    }

    fn merge(&mut self, kept: &mut Facts, other: Facts) -> DidMerge {
        let values = kept.values.intersected(other.values);
        let merged = Facts {
            // Cycles of the e-graph could go on narrowing by an ulp for ever.
            values: match kept.values.is_much_wider_than(values) {
                true => values,
                false => kept.values,
            },
            polynomial: simpler(&kept.polynomial, &other.polynomial),
        };
        let did = DidMerge(merged != *kept, merged != other);
        *kept = merged;
        did
    }

    /// Classes with one value are numbers.
    fn modify(graph: &mut Graph, id: Id) {
        let value = graph[id]
            .data
            .polynomial
            .as_ref()
            .and_then(Polynomial::value);
        let Some(value) = value else { return };
        let is_known = |node: &Math| matches!(node, Math::Number(_));
        if !graph[id].nodes.iter().any(is_known) {
            let number = graph.add(Math::Number(value));
            graph.union_trusted(id, number, "arithmetic");
        }
    }
}

fn simpler(one: &Option<Polynomial>, other: &Option<Polynomial>) -> Option<Polynomial> {
    match (one, other) {
        // By size alone: an order of coefficients could descend for ever.
        (Some(one), Some(other)) => Some(
            if other.size() < one.size() {
                other
            } else {
                one
            }
            .clone(),
        ),
        (one, other) => one.clone().or_else(|| other.clone()),
    }
}

fn values(graph: &Graph, node: &Math) -> Interval {
    match node {
        Math::Number(value) => of_rational(value),
        Math::Constant(index) => {
            Interval::point(constant_value(CONSTANTS[usize::from(*index)], 53).to_f64())
        }
        Math::Variable(index) => graph
            .analysis
            .0
            .get(*index as usize)
            .copied()
            .unwrap_or(Interval::ALL),
        _ => {
            let op = node.op().expect("the rest are operations");
            let operands: Vec<Interval> = egg::Language::children(node)
                .iter()
                .map(|id| graph[*id].data.values)
                .collect();
            // A square is not any product of two intervals.
            if let Math::Binary(Op::Mul, [x, y]) = node
                && graph.find(*x) == graph.find(*y)
            {
                let size = interval::operation(Op::Abs, &operands[..1]);
                return interval::operation(Op::Mul, &[size, size]);
            }
            interval::operation(op, &operands)
        }
    }
}

/// The doubles around a number.
pub fn of_rational(value: &Rational) -> Interval {
    let end = |direction| Float::with_val_round(53, value, direction).0.to_f64();
    Interval::new(end(Round::Down), end(Round::Up))
}

/// The polynomial of a node: sums, products and whole powers of those of its operands.
fn polynomial(graph: &Graph, node: &Math) -> Option<Polynomial> {
    let of = |id: &Id| of_class(graph, *id);
    let one = Rational::from(1);
    let minus = Rational::from(-1);
    match node {
        Math::Number(value) => Some(Polynomial::constant(value.clone())),
        Math::Unary(Op::Neg, [x]) => Some(of(x).scaled(&minus)),
        Math::Unary(Op::Sqrt, [x]) => Some(Polynomial::constant(root(&of(x).value()?)?)),
        Math::Unary(Op::Abs, [x]) => Some(Polynomial::constant(of(x).value()?.abs())),
        Math::Unary(op, [x]) => {
            let at = of(x).value()?;
            let is_zero_at_zero = matches!(
                op,
                Op::Sin
                    | Op::Tan
                    | Op::Asin
                    | Op::Atan
                    | Op::Sinh
                    | Op::Tanh
                    | Op::Asinh
                    | Op::Atanh
                    | Op::Expm1
                    | Op::Log1p
                    | Op::Cbrt
            );
            let is_one_at_zero = matches!(op, Op::Cos | Op::Cosh | Op::Exp | Op::Exp2);
            match () {
                _ if at == 0 && is_zero_at_zero => Some(Polynomial::constant(Rational::new())),
                _ if at == 0 && is_one_at_zero => Some(Polynomial::constant(one)),
                _ if at == 1 && matches!(op, Op::Log | Op::Log2 | Op::Log10) => {
                    Some(Polynomial::constant(Rational::new()))
                }
                _ => None,
            }
        }
        Math::Binary(Op::Add, [x, y]) => of(x).plus(&of(y), &one),
        Math::Binary(Op::Sub, [x, y]) => of(x).plus(&of(y), &minus),
        Math::Binary(Op::Mul, [x, y]) => of(x).times(&of(y)),
        Math::Binary(Op::Div, [x, y]) => {
            let divisor = of(y).value()?;
            (divisor != 0).then(|| of(x).scaled(&divisor.recip()))
        }
        Math::Binary(Op::Pow, [x, y]) => of(x).power(small_whole(&of(y).value()?, 4)?),
        Math::Ternary(Op::Fma, [x, y, z]) => of(x).times(&of(y))?.plus(&of(z), &one),
        _ => None,
    }
}

/// The polynomial of a class; the class itself where it has none.
pub fn of_class(graph: &Graph, id: Id) -> Polynomial {
    match &graph[id].data.polynomial {
        Some(polynomial) => polynomial.renamed(|id| graph.find(id)),
        None => Polynomial::atom(graph.find(id)),
    }
}

/// Enters that the expression, whose nodes have these classes, is defined: what follows for its operands.
pub fn assume_defined(graph: &mut Graph, term: &Term, classes: &[Id]) {
    let positive = Interval {
        low: 0.0,
        high: f64::INFINITY,
        nonzero: true,
    };
    let nonzero = Interval {
        nonzero: true,
        ..Interval::ALL
    };
    for node in term.iter() {
        let demand = match node {
            Math::Binary(Op::Div, [_, divisor]) => (*divisor, nonzero),
            Math::Unary(Op::Sqrt, [x]) => (*x, Interval::new(0.0, f64::INFINITY)),
            Math::Unary(Op::Log | Op::Log2 | Op::Log10, [x]) => (*x, positive),
            Math::Unary(Op::Log1p, [x]) => (*x, Interval::new(-1.0, f64::INFINITY)),
            Math::Unary(Op::Asin | Op::Acos | Op::Atanh, [x]) => (*x, Interval::new(-1.0, 1.0)),
            Math::Unary(Op::Acosh, [x]) => (*x, Interval::new(1.0, f64::INFINITY)),
            _ => continue,
        };
        let class = graph.find(classes[usize::from(demand.0)]);
        let mut facts = graph[class].data.clone();
        facts.values = facts.values.intersected(demand.1);
        graph.set_analysis_data(class, facts);
    }
    graph.rebuild();
}
